package opencode

import (
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/mrv-dev/mrv/engine/agent"
	"github.com/mrv-dev/mrv/engine/agent/opencode/scripted"
	"github.com/mrv-dev/mrv/engine/review"
)

// wire stands between a client and its server and can do to the event stream
// what networks do: cut it, or let it fall silent.
type wire struct {
	mu     sync.Mutex
	events []*eventConn
	opened chan struct{} // a token for each event stream
}

func newWire() *wire { return &wire{opened: make(chan struct{}, 100)} }

func (w *wire) dial(ctx context.Context, network, address string) (net.Conn, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &eventConn{Conn: c, wire: w, mute: make(chan struct{})}, nil
}

// each does something to every event stream that is open.
func (w *wire) each(do func(*eventConn)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.events {
		do(c)
	}
	w.events = nil
}

func (w *wire) cut()     { w.each(func(c *eventConn) { c.Close() }) }
func (w *wire) silence() { w.each(func(c *eventConn) { close(c.mute) }) }

type eventConn struct {
	net.Conn
	wire  *wire
	known bool
	mute  chan struct{}
}

func (c *eventConn) Write(b []byte) (int, error) {
	if !c.known && bytes.HasPrefix(b, []byte("GET /event")) {
		c.known = true
		c.wire.mu.Lock()
		c.wire.events = append(c.wire.events, c)
		c.wire.mu.Unlock()
		c.wire.opened <- struct{}{}
	}
	return c.Conn.Write(b)
}

// Read passes nothing on once the connection is mute.
func (c *eventConn) Read(b []byte) (int, error) {
	for {
		n, err := c.Conn.Read(b)
		select {
		case <-c.mute:
			if err != nil {
				return 0, err
			}
		default:
			return n, err
		}
	}
}

// own starts a server for one test.
func own(t *testing.T, change func(*Config, *scripted.Provider)) (*Agent, *scripted.Provider) {
	t.Helper()
	binary(t)
	p := scripted.Start(t)
	root := t.TempDir()
	snapshot := tree(t, root, snapshotFiles)
	scenarios(p)
	c := Config{}
	change(&c, p) // scenarios first: the configuration lists the models
	full := configure(t, p, root, snapshot)
	full.dial, full.Restarts = c.dial, c.Restarts
	if c.Timing.Quiet > 0 {
		full.Timing.Quiet = c.Timing.Quiet
	}
	a, err := New(t.Context(), full)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		pid := a.PID()
		if err := a.Close(context.Background()); err != nil {
			t.Errorf("close: %v", err)
		}
		if err := syscall.Kill(pid, 0); err == nil {
			t.Errorf("the server's process %d is still there", pid)
		}
		if left := leftovers(root); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})
	return a, p
}

// TestBrokenStream breaks the event stream in the middle of an answer: cut, cut
// while its end comes, and fallen silent. The answer is whole, and no text comes
// twice.
func TestBrokenStream(t *testing.T) {
	tests := []struct {
		name  string
		cause func(*wire)
		early bool // the rest of the answer comes while nobody listens
	}{
		{name: "cut", cause: (*wire).cut},
		{name: "cut at the end", cause: (*wire).cut, early: true},
		{name: "silent", cause: (*wire).silence},
		{name: "silent at the end", cause: (*wire).silence, early: true},
	}
	w, rest := newWire(), map[string]chan struct{}{}
	for _, tt := range tests {
		rest[tt.name] = make(chan struct{})
	}
	a, _ := own(t, func(c *Config, p *scripted.Provider) {
		c.dial, c.Timing.Quiet = w.dial, 11*time.Second // the heartbeat comes every 10 s
		p.Handle("broken", func(r scripted.Request) scripted.Script {
			return scripted.Script{scripted.Say("one two "), scripted.Until(rest[r.Last]), scripted.Say("three four")}
		})
	})
	<-w.opened
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := a.Open(t.Context(), spec("broken"))
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close(context.Background())
			var pane pane
			broken := false
			got, err := s.Ask(t.Context(), agent.Turn{Text: tt.name}, func(u agent.Update) {
				if pane.apply(u); broken || !strings.Contains(pane.String(), "two") {
					return
				}
				broken = true
				tt.cause(w)
				if tt.early {
					close(rest[tt.name])
				}
				<-w.opened // connected again
				if !tt.early {
					close(rest[tt.name])
				}
			})
			if err != nil || got.Text != "one two three four" || pane.String() != got.Text || !broken {
				t.Errorf("error %v, text %q, pane %q", err, got.Text, pane.String())
			}
		})
	}
}

// TestNoEventAtAll: a turn ends right by polls alone.
func TestNoEventAtAll(t *testing.T) {
	a, _ := own(t, func(c *Config, p *scripted.Provider) {
		c.dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			var d net.Dialer
			conn, err := d.DialContext(ctx, network, address)
			return &helloOnly{Conn: conn}, err
		}
	})
	for model, want := range map[string]string{"ok": tenWordsSaid, "err401": ""} {
		got := once(t, a, spec(model), "go")
		if got.Text != want || (got.failure == nil) != (want != "") || got.pane.String() != want {
			t.Errorf("%s: text %q, pane %q, failure %v", model, got.Text, got.pane.String(), got.failure)
		}
		if got.failure != nil && got.failure.Kind != review.FailAuth {
			t.Errorf("%s: %v", model, got.failure)
		}
	}
}

// helloOnly passes the server's first words of an event stream and heartbeats,
// and swallows every event about a session.
type helloOnly struct {
	net.Conn
	events bool
}

func (c *helloOnly) Write(b []byte) (int, error) {
	c.events = c.events || bytes.HasPrefix(b, []byte("GET /event"))
	return c.Conn.Write(b)
}

func (c *helloOnly) Read(b []byte) (int, error) {
	for {
		n, err := c.Conn.Read(b)
		if err != nil || !c.events || !bytes.Contains(b[:n], []byte("sessionID")) {
			return n, err
		}
	}
}

// TestServerKilled: a turn whose server dies fails as that, keeps its text,
// and the next Open starts the server again; once.
func TestServerKilled(t *testing.T) {
	a, _ := own(t, func(*Config, *scripted.Provider) {})
	for round := range 2 {
		s, err := a.Open(t.Context(), spec("hangmid"))
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		pid := a.PID()
		var pane pane
		killed := false
		answer, err := s.Ask(t.Context(), agent.Turn{Text: "go"}, func(u agent.Update) {
			pane.apply(u)
			if strings.Contains(pane.String(), "three") && !killed {
				killed = true
				if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
					t.Error(err)
				}
			}
		})
		if f, ok := err.(*review.Failure); !ok || f.Kind != review.FailServer || !f.Passing() {
			t.Errorf("round %d: %v", round, err)
		}
		if answer.Text != "one two three " {
			t.Errorf("round %d: text %q", round, answer.Text)
		}
		if err := s.Close(context.Background()); err != nil {
			t.Errorf("round %d: close: %v", round, err)
		}
	}
	if _, err := a.Open(t.Context(), spec("ok")); err == nil {
		t.Error("the server was started a third time")
	}
}

// TestReadEvents: events of any size, broken lines, and no end.
func TestReadEvents(t *testing.T) {
	big := strings.Repeat("x", 3<<20)
	in := "data: {\"type\":\"a\",\"properties\":{}}\n\n: comment\n\ndata: not json\n\ndata:{\"type\":\"" + big + "\"}\n\ndata: {\"type\":\"cut"
	var got []string
	err := readEvents(strings.NewReader(in), func(e event) { got = append(got, e.Type) })
	if err != io.EOF || len(got) != 2 || got[0] != "a" || got[1] != big {
		t.Errorf("%v, %d events", err, len(got))
	}
}

// TestWrongPassword: nobody else on the machine can talk to the server.
func TestWrongPassword(t *testing.T) {
	a, _ := shared(t)
	c := newClient(a.server.client.base, "wrong", a.config.Snapshot, nil, patient.Call)
	_, err := c.statuses(t.Context())
	if e, ok := err.(*apiError); !ok || e.Status != 401 {
		t.Errorf("with a wrong password: %v", err)
	}
}

// TestPrivateFiles: what lies on disk is closed to others and holds no secret.
func TestPrivateFiles(t *testing.T) {
	a, _ := shared(t)
	fi, err := os.Stat(a.server.dir.path)
	if err != nil || fi.Mode().Perm() != 0o700 {
		t.Errorf("run dir: %v, %v", fi.Mode(), err)
	}
	path := a.server.dir.path + "/opencode.json"
	if fi, err = os.Stat(path); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("configuration: %v, %v", fi.Mode(), err)
	}
	b, err := os.ReadFile(path)
	if err != nil || bytes.Contains(b, []byte(scripted.Key)) {
		t.Errorf("the key is in the configuration (%v)", err)
	}
}
