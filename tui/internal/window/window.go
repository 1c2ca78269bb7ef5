// Package window is a terminal window for tests: a pty with an emulator as its
// screen and a person before it, who presses keys and waits until something is
// there to see. Nothing sleeps: each wait ends with what the program wrote.
package window

import (
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// patience is after how long a person takes what is awaited for lost.
const patience = 20 * time.Second

// Window is an open terminal window.
type Window struct {
	t      testing.TB
	pty    *os.File
	tty    *os.File
	screen *vt.SafeEmulator

	mu      sync.Mutex
	changed *sync.Cond
	written int64
	title   string
	late    bool
	closing atomic.Bool
}

// Open opens a window of w x h cells; it is closed with the test.
func Open(t testing.TB, w, h int) *Window {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatalf("opening a pty: %v", err)
	}
	if err := pty.Setsize(master, &pty.Winsize{Rows: uint16(h), Cols: uint16(w)}); err != nil {
		t.Fatalf("sizing the pty: %v", err)
	}
	x := &Window{t: t, pty: master, tty: tty, screen: vt.NewSafeEmulator(w, h)}
	x.changed = sync.NewCond(&x.mu)
	x.screen.SetCallbacks(vt.Callbacks{Title: func(s string) { x.title = s }})
	var drawing, replying sync.WaitGroup
	drawing.Go(x.draw)
	replying.Go(x.reply)
	t.Cleanup(func() {
		_ = tty.Close()
		_ = master.Close()
		drawing.Wait()
		x.closing.Store(true)
		_, _ = x.screen.Write([]byte("\x1b[5n")) // a last question, whose answer wakes reply
		replying.Wait()
	})
	return x
}

// draw puts on the screen what the program writes.
func (x *Window) draw() {
	buf := make([]byte, 32<<10)
	for {
		n, err := x.pty.Read(buf)
		x.mu.Lock()
		if n > 0 {
			_, _ = x.screen.Write(buf[:n]) // an emulator takes everything
			x.written += int64(n)
		}
		x.changed.Broadcast()
		x.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// reply gives the terminal's own answers to the program's questions.
func (x *Window) reply() {
	buf := make([]byte, 1024)
	for {
		n, err := x.screen.Emulator.Read(buf)
		if err != nil {
			return
		}
		if x.closing.Load() {
			return
		}
		if _, err := x.pty.Write(buf[:n]); err != nil {
			continue // the program's side is gone; what is left is thrown away
		}
	}
}

// TTY is the program's side of the window.
func (x *Window) TTY() *os.File { return x.tty }

// Env is an environment for a program in the window.
func (x *Window) Env() []string {
	return []string{"TERM=xterm-256color", "COLORTERM=truecolor", "LANG=en_US.UTF-8"}
}

// Press types keys, by name or as they are.
func (x *Window) Press(keys ...string) {
	x.t.Helper()
	for _, k := range keys {
		if code, ok := codes[k]; ok {
			k = code
		}
		if _, err := x.pty.WriteString(k); err != nil {
			x.t.Fatalf("pressing %q: %v", k, err)
		}
	}
}

var codes = map[string]string{
	"enter": "\r", "esc": "\x1b", "tab": "\t", "shift+tab": "\x1b[Z", "space": " ", "backspace": "\x7f",
	"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "ctrl+c": "\x03", "ctrl+u": "\x15", "ctrl+d": "\x04",
}

// See waits until all the texts are on the screen.
func (x *Window) See(texts ...string) {
	x.t.Helper()
	x.Until("to see "+strings.Join(texts, ", "), func(screen string) bool {
		for _, s := range texts {
			if !strings.Contains(screen, s) {
				return false
			}
		}
		return true
	})
}

// Gone waits until a text is on the screen no more.
func (x *Window) Gone(s string) {
	x.t.Helper()
	x.Until(s+" to go", func(screen string) bool { return !strings.Contains(screen, s) })
}

// Until waits until the screen is as wanted, and fails the test if it does not
// come.
func (x *Window) Until(what string, ok func(screen string) bool) {
	x.t.Helper()
	timer := time.AfterFunc(patience, func() {
		x.mu.Lock()
		x.late = true
		x.changed.Broadcast()
		x.mu.Unlock()
	})
	defer timer.Stop()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.late = false
	for !ok(x.lines()) {
		if x.late {
			x.t.Fatalf("waited in vain for %s; the screen is\n%s", what, x.lines())
		}
		x.changed.Wait()
	}
}

// Screen is what is on the screen now, without colours.
func (x *Window) Screen() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.lines()
}

func (x *Window) lines() string {
	var b strings.Builder
	for y := range x.screen.Height() {
		line := ""
		for col := 0; col < x.screen.Width(); {
			c := x.screen.CellAt(col, y)
			switch {
			case c == nil || c.Content == "":
				line += " "
				col++
			default:
				line += c.Content
				col += max(c.Width, 1)
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// Title is the window's title.
func (x *Window) Title() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.title
}

// Written is how many bytes the program has written so far.
func (x *Window) Written() int64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.written
}

// AltScreenNow reports whether the program has the whole window to itself. It
// is for the conditions of Until, which hold the screen still.
func (x *Window) AltScreenNow() bool { return x.screen.IsAltScreen() }
