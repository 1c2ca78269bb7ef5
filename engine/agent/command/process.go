package command

import (
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// process is a program in a process group of its own.
type process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when it is gone and reaped
	err  error         // how it ended; read after done
}

// spawn starts a program. On Linux the kernel kills it when mrv dies, however
// that happens: the signal follows the thread that started it, so that thread
// is kept for as long as the program lives.
func spawn(cmd *exec.Cmd) (*process, error) {
	cmd.SysProcAttr = ownGroup()
	// What the program leaves behind may hold the pipes open.
	cmd.WaitDelay = time.Second
	p := &process{cmd: cmd, done: make(chan struct{})}
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the program
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

// grace is how long a program that is asked to end may take.
const grace = 2 * time.Second

// end asks the group to end, then kills it, and returns when the program is
// gone. A group that is gone is no error.
func (p *process) end() {
	select {
	case <-p.done:
	default:
		_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGTERM)
		t := time.NewTimer(grace)
		defer t.Stop()
		select {
		case <-p.done:
		case <-t.C:
		}
	}
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	<-p.done
}
