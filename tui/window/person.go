package window

import (
	"strings"
	"time"
)

// patience is how long something may take to appear. It is long because the
// machines of tests are shared; a screen that shows it sooner is not held up.
const patience = 60 * time.Second

// names of keys as a terminal sends them.
var names = map[string]string{
	"enter": "\r", "esc": "\x1b", "tab": "\t", "shift+tab": "\x1b[Z", "space": " ", "backspace": "\x7f",
	"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D",
	"ctrl+c": "\x03", "ctrl+d": "\x04", "ctrl+r": "\x12", "ctrl+u": "\x15", "ctrl+z": "\x1a",
}

// Press types keys: names such as enter and ctrl+c, or characters.
func (x *Window) Press(keys ...string) {
	x.t.Helper()
	for _, k := range keys {
		if n, ok := names[k]; ok {
			k = n
		}
		if _, err := x.pty.WriteString(k); err != nil {
			x.t.Fatalf("pressing %q: %v", k, err)
		}
	}
}

// See waits until all the texts are on the screen.
func (x *Window) See(texts ...string) {
	x.t.Helper()
	x.Until("shows "+strings.Join(texts, ", "), func(screen string) bool {
		for _, s := range texts {
			if !strings.Contains(screen, s) {
				return false
			}
		}
		return true
	})
}

// Gone waits until none of the texts is on the screen.
func (x *Window) Gone(texts ...string) {
	x.t.Helper()
	x.Until("no longer shows "+strings.Join(texts, ", "), func(screen string) bool {
		for _, s := range texts {
			if strings.Contains(screen, s) {
				return false
			}
		}
		return true
	})
}

// Until waits for a screen that is as wanted, and fails the test if it does
// not come.
func (x *Window) Until(what string, holds func(screen string) bool) {
	x.t.Helper()
	limit := time.After(patience)
	for {
		x.mu.Lock()
		screen, changed := x.lines(), x.changed
		x.mu.Unlock()
		if holds(screen) {
			return
		}
		select {
		case <-changed:
		case <-x.done:
			if screen = x.Text(); !holds(screen) {
				x.t.Fatalf("the program ended (%v) before the screen %s:\n%s", x.exit, what, screen)
			}
			return
		case <-limit:
			x.t.Fatalf("the screen never %s:\n%s", what, screen)
		}
	}
}

// Settle waits until the program has written nothing for a moment. It is for
// drawing a picture anew; a test waits for what it wants to see.
func (x *Window) Settle() {
	x.t.Helper()
	const quiet = 1500 * time.Millisecond // longer than the slowest clock on the screen pauses
	limit := time.After(patience)
	for {
		x.mu.Lock()
		changed := x.changed
		x.mu.Unlock()
		select {
		case <-changed:
		case <-time.After(quiet):
			return
		case <-x.done:
			return
		case <-limit:
			x.t.Fatalf("the screen never came to rest:\n%s", x.Text())
		}
	}
}

// Text is what the screen shows now, without colours and trailing blanks.
func (x *Window) Text() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.lines()
}

func (x *Window) lines() string {
	lines := strings.Split(x.emu.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \r")
	}
	return strings.Join(lines, "\n")
}

// Title is the window's title.
func (x *Window) Title() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.title
}

// AltScreen reports whether the program has the whole window to itself.
func (x *Window) AltScreen() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.emu.IsAltScreen()
}

// Cell is what stands in a cell, counted from the upper left; "" in the second
// half of a wide character.
func (x *Window) Cell(col, row int) string {
	x.mu.Lock()
	defer x.mu.Unlock()
	if c := x.emu.CellAt(col, row); c != nil {
		return c.Content
	}
	return ""
}
