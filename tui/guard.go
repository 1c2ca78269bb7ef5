package tui

import (
	"fmt"
	"runtime/debug"

	tea "charm.land/bubbletea/v2"
)

// guarded has a panic in a command end the program in order, with the stack
// after the terminal is restored: the toolkit's own way out closes the
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

// panicked is the error of a panic, with its stack.
func panicked(where string, r any) error {
	return fmt.Errorf("%s: panic: %v\n%s", where, r, debug.Stack())
}
