package double_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine/forge/double"
	"github.com/mrv-dev/mrv/engine/git/gittest"
)

// spy notes failures instead of failing.
type spy struct {
	testing.TB
	failures []string
}

func (s *spy) Errorf(format string, args ...any) {
	s.failures = append(s.failures, fmt.Sprintf(format, args...))
}

// caller starts a double and calls it as gh's configuration says.
func caller(t *testing.T) (*spy, func(method, path, body string) (int, http.Header, string)) {
	t.Helper()
	r := gittest.New(t)
	r.Write("a", "1\n2\n3\n")
	r.Commit("one")
	r.Git("checkout", "-q", "-b", "topic")
	r.Write("a", "1\n2\n3\n4\n")
	r.Commit("two")
	r.Git("checkout", "-q", "main")
	watched := &spy{TB: t}
	s := double.Start(watched, double.Options{Dir: r.Dir}, double.Pull{Number: 7, Title: "x", Base: "main", Head: "topic"})
	var dir string
	for _, kv := range s.Env() {
		if d, ok := strings.CutPrefix(kv, "GH_CONFIG_DIR="); ok {
			dir = d
		}
	}
	config, err := os.ReadFile(filepath.Join(dir, "config.yml"))
	if err != nil {
		t.Fatal(err)
	}
	socket := strings.TrimSpace(strings.TrimPrefix(string(config), "http_unix_socket:"))
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", socket)
	}, DisableKeepAlives: true}}
	return watched, func(method, path, body string) (int, http.Header, string) {
		req, err := http.NewRequest(method, "http://api.github.com"+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "token "+double.Token)
		if body != "" {
			req.Header.Set("Content-Type", "application/json")
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, resp.Header, string(text)
	}
}

// A test can not pass with a request that GitHub would take for another one.
func TestRequestsAreChecked(t *testing.T) {
	watched, call := caller(t)
	const pulls = "/repos/octo/repo/pulls/7"
	for _, bad := range []struct{ method, path, body string }{
		{"GET", "/repos/octo/repo/nonsense", ""},
		{"GET", "/repos/octo/repo/pulls/seven", ""},
		{"GET", "/repos/octo/repo/pulls?state=opened", ""},
		{"GET", pulls + "/files?page=one", ""},
		{"POST", pulls + "/reviews", `{"boddy":"x","event":"COMMENT"}`},
		{"POST", pulls + "/reviews", `{"body":"x","event":"comment"}`},
		{"POST", pulls + "/reviews", `{"event":"COMMENT","comments":[{"path":"a","body":"x","line":0,"side":"RIGHT"}]}`},
		{"POST", pulls + "/reviews", `{"event":"COMMENT","comments":[{"path":"a","body":"x","line":4,"side":"right"}]}`},
		{"POST", pulls + "/reviews", `{"event":"COMMENT","comments":[{"path":"a","body":"x","lin":4}]}`},
		{"POST", "/repos/octo/repo/issues/7/comments", `{}`},
	} {
		watched.failures = nil
		status, _, _ := call(bad.method, bad.path, bad.body)
		if len(watched.failures) == 0 {
			t.Errorf("%s %s %s passed with %d", bad.method, bad.path, bad.body, status)
		}
	}
	watched.failures = nil
	for _, good := range []string{"/user", "/repos/octo/repo", "/repos/octo/repo/pulls", pulls, pulls + "/files", pulls + "/commits", pulls + "/reviews",
		pulls + "/comments", "/repos/octo/repo/issues/7/comments", "/repos/octo/repo/compare/main...topic", "/repos/octo/repo/contents/a?ref=topic"} {
		if status, _, text := call("GET", good, ""); status != http.StatusOK || len(watched.failures) > 0 {
			t.Errorf("GET %s: %d %s %v", good, status, text, watched.failures)
		}
	}
}
