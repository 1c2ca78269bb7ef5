package opencode

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/mrv-dev/mrv/engine/agent"
	"github.com/mrv-dev/mrv/engine/review"
)

// stderrLines is how much of the server's log is kept for errors.
const stderrLines = 200

// server is one running OpenCode with its event stream.
type server struct {
	dir      *runDir
	process  *agent.Process
	client   *client
	exchange *exchange
	catalog  catalog
	stderr   *tail
	timing   Timing

	long    context.Context // the server's life
	cancel  context.CancelFunc
	running sync.WaitGroup
}

// start brings a server up to the point where it has listed its models. It
// works in the snapshot, or, as long as there is none, in an empty project.
func start(ctx context.Context, c Config, t tools) (*server, error) {
	dir, err := makeRunDir(c.RunRoot)
	if err != nil {
		return nil, err
	}
	s := newServer(dir, c.Timing)
	if err := s.boot(ctx, c, t); err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return s, nil
}

func newServer(dir *runDir, timing Timing) *server {
	s := &server{
		dir: dir, exchange: &exchange{boxes: map[string]*mailbox{}},
		stderr: &tail{max: stderrLines}, timing: timing,
	}
	s.long, s.cancel = context.WithCancel(context.Background())
	return s
}

func (s *server) boot(ctx context.Context, c Config, t tools) error {
	password := rand.Text()
	if err := seedHome(filepath.Join(s.dir.path, "home")); err != nil {
		return err
	}
	if c.Snapshot == "" {
		c.Snapshot = filepath.Join(s.dir.path, "project")
		if err := emptyProject(ctx, c.Snapshot, t); err != nil {
			return err
		}
	}
	if err := s.configure(c, t); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(s.dir.path, modelsFile), []byte("{}"), 0o600); err != nil {
		return fmt.Errorf("write an empty catalogue for OpenCode: %w", err)
	}
	booting, cancel := context.WithTimeout(ctx, c.Timing.Listen)
	defer cancel()
	base, err := s.launch(booting, c, serverEnv(s.dir, c, t, password, os.Getenv))
	if err != nil {
		return err
	}
	s.client = newClient(base, password, c.Snapshot, c.dial, s.timing.Call)
	listing, cancel := context.WithTimeout(ctx, c.Timing.Listen)
	defer cancel()
	return s.list(listing)
}

// configure writes the server's configuration, which it reads when it first
// works in a directory.
func (s *server) configure(c Config, t tools) error {
	conf, err := serverConfig(c, t.rg != "")
	if err == nil {
		err = os.WriteFile(filepath.Join(s.dir.path, "opencode.json"), conf, 0o600)
	}
	if err != nil {
		return fmt.Errorf("write OpenCode's configuration: %w", err)
	}
	return nil
}

// emptyProject makes a directory that OpenCode takes for a project of its own.
func emptyProject(ctx context.Context, dir string, t tools) error {
	cmd := exec.CommandContext(ctx, t.git, "init", "-q", dir)
	cmd.Env = []string{"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "PATH=" + t.path()}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git init %s: %w %s", dir, err, words(string(out)))
	}
	return nil
}

// launch starts the process and waits for the line that says where it listens.
func (s *server) launch(ctx context.Context, c Config, env []string) (base string, err error) {
	lockFile, err := s.dir.handOver()
	if err != nil {
		return "", err
	}
	listening := make(chan string, 1)
	cmd := exec.Command(c.Binary.Path, "serve", "--hostname", "127.0.0.1", "--port", "0", "--print-logs", "--log-level", "WARN")
	cmd.Dir, cmd.Env = c.Snapshot, env
	cmd.ExtraFiles = []*os.File{lockFile}
	cmd.Stderr = s.stderr
	cmd.Stdout = &tail{max: 1, line: func(l string) {
		if _, url, ok := strings.Cut(l, "listening on "); ok {
			select {
			case listening <- strings.TrimSpace(url):
			default:
			}
		}
	}}
	p, err := agent.StartProcess(cmd)
	if err != nil {
		return "", fmt.Errorf("start OpenCode: %w", err)
	}
	s.process = p
	if err := s.dir.started(p.PID()); err != nil {
		return "", err
	}
	select {
	case base = <-listening:
		return base, nil
	case <-p.Done():
		return "", s.death()
	case <-ctx.Done():
		return "", fmt.Errorf("start OpenCode: it does not listen after %v: %w\n%s", c.Timing.Listen, context.Cause(ctx), s.stderr.last(10))
	}
}

// listen opens the event stream and waits until the server says that it is
// open: an event before that would be lost.
func (s *server) listen(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.timing.Listen)
	defer cancel()
	connected := make(chan struct{})
	events := &stream{client: s.client, exchange: s.exchange, silence: s.timing.Quiet, pause: s.timing.Pause}
	s.running.Go(func() { events.run(s.long, func() { close(connected) }) })
	s.running.Go(func() { s.poll(s.long) })
	select {
	case <-connected:
		return nil
	case <-s.process.Done():
		return s.death()
	case <-ctx.Done():
		return fmt.Errorf("read OpenCode's events: %w\n%s", context.Cause(ctx), s.stderr.last(10))
	}
}

// list asks the server for its catalogue.
func (s *server) list(ctx context.Context) error {
	var c struct {
		Providers []catalogProvider `json:"providers"`
	}
	if err := s.client.slow(ctx, http.MethodGet, "/config/providers", nil, &c); err != nil {
		return fmt.Errorf("list OpenCode's models: %w", err)
	}
	s.catalog = c.Providers
	return nil
}

// poll looks at what the sessions do, beside the events: a turn ends right
// even when not one event arrives.
func (s *server) poll(ctx context.Context) {
	tick := time.NewTicker(s.timing.Poll)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if s.exchange.empty() {
			continue
		}
		asked := time.Now()
		all, err := s.client.statuses(ctx)
		if err != nil {
			continue // the next one may work; a dead server is noticed elsewhere
		}
		s.exchange.all(func(session string) notice {
			st, ok := all[session]
			if !ok {
				st = status{Type: "idle"}
			}
			return notice{poll: &polled{status: st, asked: asked}}
		})
	}
}

// idleLook is how often a session that was aborted is looked at.
const idleLook = 100 * time.Millisecond

// idle reports whether the server says that a session does nothing.
func (s *server) idle(ctx context.Context, session string) bool {
	all, err := s.client.statuses(ctx)
	if err != nil {
		return false
	}
	_, running := all[session]
	return !running
}

// death is the failure of a server that is gone.
func (s *server) death() *review.Failure {
	how := "it ended by itself"
	if err := s.process.Err(); err != nil {
		how = err.Error()
	}
	return &review.Failure{Kind: review.FailServer, Message: strings.TrimSpace("OpenCode's server is gone: " + how + "\n" + s.stderr.last(10))}
}

// alive reports whether the process still runs.
func (s *server) alive() bool {
	select {
	case <-s.process.Done():
		return false
	default:
		return true
	}
}

// stop ends the stream and the process, and removes the run dir.
func (s *server) stop() error {
	s.cancel()
	s.running.Wait()
	if s.process != nil {
		s.process.End(s.timing.Stop)
	}
	if s.client != nil {
		s.client.http.CloseIdleConnections()
	}
	return s.dir.remove()
}
