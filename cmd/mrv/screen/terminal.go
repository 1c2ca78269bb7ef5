package screen

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// patience is how long something may take to appear. It is long because these
// machines are shared; a screen that shows it sooner is not held up.
const patience = 60 * time.Second

// Terminal is a program running in an emulated terminal.
type Terminal struct {
	t    testing.TB
	cmd  *exec.Cmd
	pty  *os.File
	done chan struct{} // all output was read
	exit error

	mu      sync.Mutex
	emu     *vt.Emulator
	changed chan struct{} // closed and replaced with every output
	raw     bytes.Buffer
}

// Start runs cmd in a terminal of the size. It is killed when the test ends.
func Start(t testing.TB, cmd *exec.Cmd, width, height int) *Terminal {
	t.Helper()
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: uint16(width), Rows: uint16(height)})
	if err != nil {
		t.Fatalf("starting %s in a terminal: %v", cmd.Path, err)
	}
	s := &Terminal{t: t, cmd: cmd, pty: f, done: make(chan struct{}), emu: vt.NewEmulator(width, height), changed: make(chan struct{})}
	answered := make(chan struct{})
	go func() { // what the terminal answers to queries goes back to the program
		defer close(answered)
		buf := make([]byte, 4096)
		for {
			n, err := s.emu.Read(buf)
			if n > 0 {
				_, _ = f.Write(buf[:n]) // the program may be gone
			}
			if err != nil {
				return
			}
		}
	}()
	go s.read()
	t.Cleanup(func() {
		select {
		case <-s.done:
		default:
			_ = cmd.Process.Kill() // it may be ending right now
		}
		<-s.done
		if c, ok := s.emu.InputPipe().(io.Closer); ok {
			_ = c.Close() // ends the reader; Emulator.Close would race with it
		}
		<-answered
		_ = f.Close()
	})
	return s
}

// read feeds the program's output to the emulator until it ends.
func (s *Terminal) read() {
	defer close(s.done)
	buf := make([]byte, 32<<10)
	for {
		n, err := s.pty.Read(buf)
		if n > 0 {
			s.mu.Lock()
			s.raw.Write(buf[:n])
			_, _ = s.emu.Write(buf[:n])
			close(s.changed)
			s.changed = make(chan struct{})
			s.mu.Unlock()
		}
		if err != nil {
			s.exit = s.cmd.Wait()
			return
		}
	}
}

// Lines is what the screen shows now, without trailing blanks.
func (s *Terminal) Lines() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lines()
}

func (s *Terminal) lines() []string {
	lines := strings.Split(s.emu.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \r")
	}
	return lines
}

// Text is the screen as one string.
func (s *Terminal) Text() string { return strings.Join(s.Lines(), "\n") }

// Output is every byte the program wrote.
func (s *Terminal) Output() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes.Clone(s.raw.Bytes())
}

// Wait waits until the screen shows all of the words.
func (s *Terminal) Wait(words ...string) {
	s.t.Helper()
	s.Until("shows "+strings.Join(words, ", "), func(text string) bool {
		for _, w := range words {
			if !strings.Contains(text, w) {
				return false
			}
		}
		return true
	})
}

// WaitGone waits until the screen shows none of the words.
func (s *Terminal) WaitGone(words ...string) {
	s.t.Helper()
	s.Until("no longer shows "+strings.Join(words, ", "), func(text string) bool {
		for _, w := range words {
			if strings.Contains(text, w) {
				return false
			}
		}
		return true
	})
}

// Until waits for a screen that holds.
func (s *Terminal) Until(what string, holds func(text string) bool) {
	s.t.Helper()
	limit := time.After(patience)
	for {
		s.mu.Lock()
		text, changed := strings.Join(s.lines(), "\n"), s.changed
		s.mu.Unlock()
		if holds(text) {
			return
		}
		select {
		case <-changed:
		case <-s.done:
			if text = s.Text(); !holds(text) {
				s.t.Fatalf("the program ended (%v) before the screen %s:\n%s", s.exit, what, text)
			}
			return
		case <-limit:
			s.t.Fatalf("the screen never %s:\n%s", what, text)
		}
	}
}

// names of keys as a terminal sends them.
var names = map[string]string{
	"enter": "\r", "esc": "\x1b", "tab": "\t", "shift+tab": "\x1b[Z", "space": " ", "backspace": "\x7f",
	"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D",
	"ctrl+c": "\x03", "ctrl+d": "\x04", "ctrl+r": "\x12", "ctrl+u": "\x15", "ctrl+z": "\x1a",
}

// Press sends keys: names such as enter and ctrl+c, or characters.
func (s *Terminal) Press(keys ...string) {
	s.t.Helper()
	for _, k := range keys {
		if n, ok := names[k]; ok {
			k = n
		}
		if _, err := s.pty.WriteString(k); err != nil {
			s.t.Fatalf("pressing %q: %v", k, err)
		}
	}
}

// Resize changes the terminal's size.
func (s *Terminal) Resize(width, height int) {
	s.t.Helper()
	s.mu.Lock()
	s.emu.Resize(width, height)
	s.mu.Unlock()
	if err := pty.Setsize(s.pty, &pty.Winsize{Cols: uint16(width), Rows: uint16(height)}); err != nil {
		s.t.Fatalf("resizing: %v", err)
	}
}

// AltScreen reports whether the program has the alternate screen.
func (s *Terminal) AltScreen() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.emu.IsAltScreen()
}

// PID is the program's process.
func (s *Terminal) PID() int { return s.cmd.Process.Pid }

// Signal sends a signal to the program alone.
func (s *Terminal) Signal(sig os.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatalf("sending %v: %v", sig, err)
	}
}

// Exit waits for the program to end and returns its exit code.
func (s *Terminal) Exit() int {
	s.t.Helper()
	select {
	case <-s.done:
	case <-time.After(patience):
		s.t.Fatalf("the program did not end:\n%s", s.Text())
	}
	var e *exec.ExitError
	switch {
	case s.exit == nil:
		return 0
	case errors.As(s.exit, &e):
		return e.ExitCode()
	}
	s.t.Fatal(fmt.Errorf("waiting for the program: %w", s.exit))
	return -1
}

// Settle waits until the program has written nothing for a moment: the last
// frame of what was asked for is on the screen.
func (s *Terminal) Settle() {
	s.t.Helper()
	limit := time.After(patience)
	for {
		s.mu.Lock()
		changed := s.changed
		s.mu.Unlock()
		select {
		case <-changed:
		case <-time.After(quiet):
			return
		case <-s.done:
			return
		case <-limit:
			s.t.Fatalf("the screen never came to rest:\n%s", s.Text())
		}
	}
}

// quiet is longer than the slowest animation of the screen pauses.
const quiet = 1500 * time.Millisecond
