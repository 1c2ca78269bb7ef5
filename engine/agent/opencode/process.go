package opencode

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// process is a child in a process group of its own that does not outlive mrv.
type process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when it is gone and reaped
	err  error         // how it ended; read after done
}

// spawn starts cmd. On Linux the kernel kills it when mrv dies, however that
// happens: the signal follows the thread that started it, so that thread is
// kept for as long as the child lives. Elsewhere Sweep finds it.
func spawn(cmd *exec.Cmd) (*process, error) {
	cmd.SysProcAttr = ownGroup()
	// A grandchild may hold the pipes open after the child is gone.
	cmd.WaitDelay = 2 * time.Second
	p := &process{cmd: cmd, done: make(chan struct{})}
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the child
		defer close(p.done)
		err := cmd.Start()
		started <- err
		if err == nil {
			p.err = cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		<-p.done
		return nil, err
	}
	return p, nil
}

// stop asks the child to end, waits as long as grace, then kills its whole
// group. It returns when the child is gone.
func (p *process) stop(grace time.Duration) {
	select {
	case <-p.done:
	default:
		p.signal(syscall.SIGTERM)
		select {
		case <-p.done:
		case <-time.After(grace):
		}
	}
	p.signal(syscall.SIGKILL) // also for what the child left behind in its group
	<-p.done
}

// signal sends to the child's group; a group that is gone is no error.
func (p *process) signal(s syscall.Signal) { _ = syscall.Kill(-p.cmd.Process.Pid, s) }

// tail keeps the last lines written to it.
type tail struct {
	mu    sync.Mutex
	max   int
	lines []string
	rest  []byte
	line  func(string) // called for every line, may be nil
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rest = append(t.rest, b...)
	for {
		i := bytes.IndexByte(t.rest, '\n')
		if i < 0 {
			return len(b), nil
		}
		l := strings.TrimRight(string(t.rest[:i]), "\r")
		t.rest = t.rest[i+1:]
		if t.lines = append(t.lines, l); len(t.lines) > t.max {
			t.lines = t.lines[1:]
		}
		if t.line != nil {
			t.line(l)
		}
	}
}

// last returns the last n lines.
func (t *tail) last(n int) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(t.lines[max(0, len(t.lines)-n):], "\n")
}

// lock takes the lock on an open file without waiting. It is held by everyone
// who has the open file, children that inherited it included, until the last
// of them is gone. ok is false while another holds it.
func lock(f *os.File) (ok bool, err error) {
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}
