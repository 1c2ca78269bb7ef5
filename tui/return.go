package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/tui/words"
)

// fromRun is what a run brings. A run that was left may bring more: who reads
// it is ahead of the loop that has left it.
type fromRun struct {
	attached int
	msg      tea.Msg
}

// listed reports whether the run, or its plan, was picked from the list, so
// that leaving it leads back there.
func (m *model) listed() bool { return m.pick != nil && (m.run != nil || m.plan != nil) }

// depart leaves what is shown: for the list it was picked from, or altogether.
func (m *model) depart() tea.Cmd {
	if !m.listed() || m.altogether {
		return m.exit()
	}
	return m.toList()
}

// returnedMsg says that what was open is closed.
type returnedMsg struct{ err error }

// toList closes the run or the plan, once every command given is on disk, and
// goes back to the list.
func (m *model) toList() tea.Cmd {
	if m.busy() {
		m.leaving = true
		return nil
	}
	if m.returning {
		return nil
	}
	m.returning, m.leaving = true, false
	m.say(m.words.Pick.Closing, nil)
	// The run is closed in whole even when the program ends meanwhile.
	source, ctx := m.pick.source, context.WithoutCancel(m.ctx)
	return func() tea.Msg { return returnedMsg{source.Close(ctx)} }
}

// returned shows the list again, as it is now.
func (m *model) returned(msg returnedMsg) tea.Cmd {
	if !m.returning {
		return nil
	}
	m.returning = false
	m.attached++
	m.run, m.plan, m.o.Starter, m.consents = nil, nil, nil, nil
	m.closed, m.rung, m.stopping, m.since = false, false, false, time.Time{}
	m.state, m.tab, m.words = event.NewState(), tabLive, words.For(m.o.Lang)
	m.open(nil)
	m.say("", msg.err)
	return m.pick.Again()
}
