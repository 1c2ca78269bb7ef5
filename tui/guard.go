package tui

import (
	"fmt"
	"runtime/debug"

	tea "charm.land/bubbletea/v2"
)

// Panic is a mistake of the program's own that ended the screen: what broke,
// and what led to it.
type Panic struct {
	Where string
	Value any
	Stack []byte
}

// Error says it in one line; the stack is for whoever mends it.
func (p *Panic) Error() string { return fmt.Sprintf("%s: panic: %v", p.Where, p.Value) }

// panicked is the error of a panic, with its stack.
func panicked(where string, r any) *Panic { return &Panic{where, r, debug.Stack()} }

// guarded has a panic in a command end the program in order, with what led to
// it kept until the terminal is restored: the toolkit's own way out closes the
// keyboard while it is still read.
func guarded(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer func() {
			if r := recover(); r != nil {
				msg = fatalMsg{panicked("a command", r)}
			}
		}()
		msg = cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			for i, c := range batch {
				batch[i] = guarded(c)
			}
		}
		return msg
	}
}

// drawn is a view, or an empty one where drawing it panics: the program ends
// then, once its loop has heard of it.
func (m *model) drawn(draw func() tea.View) (v tea.View) {
	defer func() {
		if r := recover(); r != nil {
			v = tea.NewView("")
			v.AltScreen = true
			select {
			case m.broken <- panicked("drawing the screen", r):
			default: // the first one stands
			}
		}
	}()
	return draw()
}
