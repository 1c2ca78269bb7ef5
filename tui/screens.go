package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/tui/keys"
	"github.com/mrv-dev/mrv/tui/live"
	"github.com/mrv-dev/mrv/tui/style"
)

// screen is a component that fills what header and footer leave.
type screen interface {
	SetSize(w, h int)
	SetStyles(style.Styles)
	// SetState shows the run as it is now; the state is the model's own and is
	// changed by it alone.
	SetState(*event.State) tea.Cmd
	// Handles lists the actions that mean something at this moment.
	Handles() []string
	Do(action string) tea.Cmd
	// Typing says that every key is the screen's own: it gets them by Update.
	Typing() bool
	// Back says that Do("back") has something to close.
	Back() bool
	Update(tea.Msg) tea.Cmd
	View() string
	// Cursor is where the terminal's cursor belongs while the person types.
	Cursor() (x, y int, ok bool)
}

// tab is one of the screens.
type tab int

const (
	tabLive tab = iota
	tabBoard
	tabOutbox
	tabs // how many
)

// name is the screen's name in the key table.
func (m *model) name() string {
	switch {
	case m.plan != nil:
		return keys.Plan
	case m.inPicker():
		return keys.Pick
	}
	switch m.tab {
	case tabBoard:
		return keys.Board
	case tabOutbox:
		return keys.Outbox
	}
	if l, ok := m.screens[tabLive].(*live.Live); ok {
		return l.Screen()
	}
	return keys.Live
}

// current is the screen in sight; the plan stands before all, and the picker
// before those of a run.
func (m *model) current() screen {
	switch {
	case m.plan != nil:
		return m.plan
	case m.inPicker():
		return m.pick
	}
	return m.screens[m.tab]
}

// all lists every screen there is.
func (m *model) all() []screen {
	var out []screen
	if m.pick != nil {
		out = append(out, m.pick)
	}
	if m.plan != nil {
		out = append(out, m.plan)
	}
	for _, s := range m.screens {
		if s != nil {
			out = append(out, s)
		}
	}
	return out
}

// handles lists the actions of the moment: the screen's and the model's own.
func (m *model) handles() []string {
	ids := []string{"help", "quit", "stop", "suspend", "palette"}
	if m.plan == nil && !m.inPicker() {
		ids = append(ids, "tab.next", "tab.prev")
	}
	if m.listed() {
		ids = append(ids, "quit.all")
	}
	s := m.current()
	for _, id := range s.Handles() {
		if id != "back" {
			ids = append(ids, id)
		}
	}
	if s.Back() {
		ids = append(ids, "back")
	}
	return ids
}
