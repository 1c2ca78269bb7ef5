package window

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// Window is an open terminal window.
type Window struct {
	t    testing.TB
	pty  *os.File
	tty  *os.File      // the program's side; closed here once a command has it
	cmd  *exec.Cmd     // nil in a window that was only opened
	done chan struct{} // all output was read
	exit error         // of cmd

	mu      sync.Mutex
	emu     *vt.Emulator
	changed chan struct{} // closed and replaced with every output
	raw     bytes.Buffer
	frames  int
	title   string
	line    int // bytes a second it takes, 0 for all
}

// Open opens a window of width x height cells; it is closed with the test.
func Open(t testing.TB, width, height int) *Window {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatalf("opening a pty: %v", err)
	}
	x := &Window{t: t, pty: master, tty: tty, done: make(chan struct{}), emu: vt.NewEmulator(width, height), changed: make(chan struct{})}
	x.emu.SetCallbacks(vt.Callbacks{Title: func(s string) { x.title = s }})
	if err := pty.Setsize(master, &pty.Winsize{Rows: uint16(height), Cols: uint16(width)}); err != nil {
		t.Fatalf("sizing the pty: %v", err)
	}
	var replying sync.WaitGroup
	replying.Go(x.reply)
	t.Cleanup(func() {
		x.end()
		if c, ok := x.emu.InputPipe().(io.Closer); ok {
			_ = c.Close() // ends reply; Emulator.Close would race with it
		}
		replying.Wait()
		_ = master.Close()
	})
	go x.draw()
	return x
}

// Start opens a window and runs cmd in it, which is killed when the test ends.
func Start(t testing.TB, cmd *exec.Cmd, width, height int) *Window {
	t.Helper()
	x := Open(t, width, height)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = x.tty, x.tty, x.tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatalf("starting %s in a window: %v", cmd.Path, err)
	}
	x.mu.Lock()
	x.cmd = cmd
	x.mu.Unlock()
	_ = x.tty.Close() // the program has its own
	return x
}

// end waits until all output was read; a program that still runs is killed.
func (x *Window) end() {
	if x.cmd == nil {
		_ = x.tty.Close()
		<-x.done
		return
	}
	select {
	case <-x.done:
	default:
		_ = x.cmd.Process.Kill() // it may be ending right now
	}
	<-x.done
}

// draw puts on the screen what the program writes, until nobody has the
// window's other side any more.
func (x *Window) draw() {
	defer close(x.done)
	buf := make([]byte, 32<<10)
	for {
		n, err := x.pty.Read(x.piece(buf))
		x.mu.Lock()
		if n > 0 {
			x.raw.Write(buf[:n])
			x.frames += bytes.Count(buf[:n], []byte(FrameEnd))
			_, _ = x.emu.Write(buf[:n]) // an emulator takes everything
			close(x.changed)
			x.changed = make(chan struct{})
		}
		cmd := x.cmd
		x.mu.Unlock()
		if err != nil {
			if cmd != nil {
				x.exit = cmd.Wait()
			}
			return
		}
	}
}

// answers are the emulator's own that say less than it does: it draws each
// synchronised update whole, and always counts cells by grapheme clusters.
var answers = strings.NewReplacer("\x1b[?2026;0$y", "\x1b[?2026;2$y", "\x1b[?2027;0$y", "\x1b[?2027;3$y")

// reply gives the terminal's answers to the program's questions.
func (x *Window) reply() {
	buf := make([]byte, 4096)
	for {
		n, err := x.emu.Read(buf)
		if n > 0 {
			_, _ = answers.WriteString(x.pty, string(buf[:n])) // the program may be gone
		}
		if err != nil {
			return
		}
	}
}

// TTY is the program's side of a window that was opened without one.
func (x *Window) TTY() *os.File { return x.tty }

// Env is an environment for a program in the window.
func (x *Window) Env() []string {
	return []string{"TERM=xterm-256color", "COLORTERM=truecolor", "LANG=en_US.UTF-8"}
}

// PID is the program's process.
func (x *Window) PID() int { return x.cmd.Process.Pid }

// Signal sends a signal to the program alone.
func (x *Window) Signal(sig os.Signal) {
	x.t.Helper()
	if err := x.cmd.Process.Signal(sig); err != nil {
		x.t.Fatalf("sending %v: %v", sig, err)
	}
}

// Exit waits for the program to end and returns its exit code.
func (x *Window) Exit() int {
	x.t.Helper()
	select {
	case <-x.done:
	case <-time.After(patience):
		x.t.Fatalf("the program did not end:\n%s", x.Text())
	}
	var e *exec.ExitError
	switch {
	case x.exit == nil:
		return 0
	case errors.As(x.exit, &e):
		return e.ExitCode()
	}
	x.t.Fatalf("waiting for the program: %v", x.exit)
	return -1
}
