package agent

import (
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// Process is a program in a process group of its own that does not outlive mrv.
type Process struct {
	cmd  *exec.Cmd
	done chan struct{}
	err  error
}

// pipesOpen is how long what a program leaves behind may hold its pipes open.
const pipesOpen = 2 * time.Second

// StartProcess starts cmd in a group of its own. On Linux the kernel kills it
// when mrv dies, however that happens: the signal follows the thread that
// started it, so that thread is kept for as long as the program lives.
func StartProcess(cmd *exec.Cmd) (*Process, error) {
	cmd.SysProcAttr = ownGroup()
	cmd.WaitDelay = pipesOpen
	p := &Process{cmd: cmd, done: make(chan struct{})}
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

// PID is the program's process, and the id of its group.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done is closed when the program is gone.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err is how the program ended; only after Done.
func (p *Process) Err() error { return p.err }

// End asks the program's group to end, waits as long as grace, and then kills
// it, with all that the program left in it. It returns when the program is gone.
func (p *Process) End(grace time.Duration) {
	select {
	case <-p.done:
	default:
		p.signal(syscall.SIGTERM)
		t := time.NewTimer(grace)
		defer t.Stop()
		select {
		case <-p.done:
		case <-t.C:
		}
	}
	p.signal(syscall.SIGKILL)
	<-p.done
}

// signal sends to the group; one that is gone is no error.
func (p *Process) signal(s syscall.Signal) { _ = syscall.Kill(-p.PID(), s) }
