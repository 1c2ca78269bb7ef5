package engine_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// proxied is a program that stands for OpenCode: it runs the real one and does
// something to what goes between it and mrv.
func proxied(t *testing.T, real, what string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "opencode")
	script := fmt.Sprintf("#!/bin/sh\n%s=proxy %s=%s %s='%s' exec '%s' \"$@\"\n", roleEnv, faultEnv, what, realEnv, real, self)
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

var listening = regexp.MustCompile(`listening on (http://\S+)`)

// proxy is OpenCode with a fault in its connection.
func proxy(args []string) int {
	cmd := exec.Command(os.Getenv(realEnv), args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if m := listening.FindStringSubmatch(lines.Text()); m != nil {
			if err := serveFault(m[1]); err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
			continue
		}
		fmt.Println(lines.Text())
	}
	if cmd.Wait() != nil {
		return 1
	}
	return 0
}

// serveFault stands before the server at base and says where it listens itself.
func serveFault(base string) error {
	u, err := url.Parse(base)
	if err != nil {
		return err
	}
	f := &faulty{what: os.Getenv(faultEnv), base: base, sessions: map[string]string{}}
	f.next = httputil.NewSingleHostReverseProxy(u)
	f.next.FlushInterval = -1
	f.next.ModifyResponse = f.answer
	f.next.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("opencode server listening on http://" + l.Addr().String())
	go func() { _ = http.Serve(l, f) }() // until the process ends
	return nil
}

// faulty is a way to the server with a fault in it:
//
//	cut      every event stream breaks after half a second
//	late     the event stream breaks at a prompt, and opens again only at the tenth try
//	silent   an event stream says that it is connected, and no more
//	busy     every session is said to be busy, and none to become idle
//	swallow  a prompt is accepted and not passed on
//	delete   a session is deleted once it has said something
//	ask      a session asks for a permission once it has said something
type faulty struct {
	what, base string
	next       *httputil.ReverseProxy

	mu       sync.Mutex
	sessions map[string]string // that were prompted, with the prompt's authorization; "" once done with
	streams  []*io.PipeWriter
	refused  int // event streams that were refused since
}

func (f *faulty) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	prompt := strings.HasSuffix(r.URL.Path, "/prompt_async")
	if prompt {
		f.prompted(strings.Split(r.URL.Path, "/")[2], r)
	}
	switch {
	case f.what == "swallow" && prompt:
		w.WriteHeader(http.StatusNoContent)
	case f.what == "busy" && r.URL.Path == "/session/status":
		f.allBusy(w)
	case f.what == "late" && r.URL.Path == "/event" && f.refuses():
		w.WriteHeader(http.StatusBadGateway)
	default:
		f.next.ServeHTTP(w, r)
	}
}

func (f *faulty) prompted(session string, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sessions[session] = r.Header.Get("Authorization")
	if f.what == "late" {
		for _, w := range f.streams {
			w.CloseWithError(io.ErrUnexpectedEOF)
		}
		f.streams = nil
	}
}

// refuses reports whether an event stream must not open yet.
func (f *faulty) refuses() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.sessions) == 0 || f.refused == 10 {
		return false
	}
	f.refused++
	return true
}

func (f *faulty) allBusy(w http.ResponseWriter) {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := map[string]map[string]string{}
	for id := range f.sessions {
		all[id] = map[string]string{"type": "busy"}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(all) // the client may be gone
}

// answer puts the fault into an event stream.
func (f *faulty) answer(res *http.Response) error {
	if res.Request.URL.Path != "/event" || res.StatusCode != http.StatusOK {
		return nil
	}
	body := res.Body
	r, w := io.Pipe()
	res.Body = struct {
		io.Reader
		io.Closer
	}{r, body}
	f.mu.Lock()
	f.streams = append(f.streams, w)
	f.mu.Unlock()
	if f.what == "cut" {
		time.AfterFunc(500*time.Millisecond, func() { w.CloseWithError(io.ErrUnexpectedEOF); body.Close() })
	}
	go func() {
		lines := bufio.NewReader(body)
		for said := false; ; said = true {
			line, err := lines.ReadString('\n')
			if err != nil {
				w.CloseWithError(err)
				return
			}
			if f.drops(line, said) {
				continue
			}
			if _, err := io.WriteString(w, line+f.adds(line)); err != nil {
				return
			}
		}
	}()
	return nil
}

// drops reports whether a line of an event stream is not passed on.
func (f *faulty) drops(line string, said bool) bool {
	switch f.what {
	case "silent":
		return said && strings.TrimSpace(line) != ""
	case "busy":
		return strings.Contains(line, `"session.idle"`) || strings.Contains(line, `"type":"idle"`)
	}
	return false
}

var deltaOf = regexp.MustCompile(`"message\.part\.delta".*"sessionID":"(\w+)"`)

// adds is what follows a session's first words.
func (f *faulty) adds(line string) string {
	m := deltaOf.FindStringSubmatch(line)
	if m == nil || f.what != "delete" && f.what != "ask" {
		return ""
	}
	f.mu.Lock()
	authorization := f.sessions[m[1]]
	f.sessions[m[1]] = ""
	f.mu.Unlock()
	if authorization == "" {
		return ""
	}
	if f.what == "ask" {
		return fmt.Sprintf("\ndata: {\"type\":\"permission.asked\",\"properties\":{\"id\":\"per_1\",\"sessionID\":%q,\"permission\":\"bash\"}}\n", m[1])
	}
	req, err := http.NewRequest(http.MethodDelete, f.base+"/session/"+m[1], nil)
	if err != nil {
		return ""
	}
	req.Header.Set("Authorization", authorization)
	if res, err := http.DefaultClient.Do(req); err == nil {
		res.Body.Close()
	}
	return ""
}
