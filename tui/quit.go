package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

// quit leaves, for the list the run was picked from or altogether, after a
// question when something would be left undone: findings undecided, or
// reviewers at work.
func (m *model) quit(altogether bool) tea.Cmd {
	m.altogether = altogether
	if m.question() == "" {
		return m.depart()
	}
	m.asking = true
	return nil
}

// exit ends the program once every command already given is on disk: a key
// pressed just before must not be lost.
func (m *model) exit() tea.Cmd {
	if m.busy() {
		m.leaving = true
		return nil
	}
	return tea.Quit
}

// busy reports whether a command is on its way to the disk.
func (m *model) busy() bool {
	for _, s := range m.all() {
		if b, ok := s.(interface{ Busy() bool }); ok && b.Busy() {
			return true
		}
	}
	return false
}

// question is what is asked before quitting; "" when nothing would be left.
func (m *model) question() string {
	if m.plan != nil || m.inPicker() {
		return ""
	}
	if m.atWork() {
		if done, of := m.state.Done(); done < of {
			return fmt.Sprintf(m.words.Common.Quit.Running, of-done) + m.whether()
		}
	}
	if n := m.state.Tally().Undecided; n > 0 && m.state.Phase != event.PhaseClosed {
		return fmt.Sprintf(m.words.Common.Quit.Undecided, n) + m.whether()
	}
	return ""
}

// whether is the end of the question.
func (m *model) whether() string {
	if m.listed() && !m.altogether {
		return m.words.Pick.Back
	}
	return m.words.Common.Quit.Quit
}

// answer is a key to the question whether to quit; all but y mean no.
func (m *model) answer(k tea.KeyPressMsg) tea.Cmd {
	m.asking = false
	if s := k.String(); s == "y" || s == "Y" {
		return m.depart()
	}
	return nil
}

// stoppedMsg says how stopping the run ended.
type stoppedMsg struct{ err error }

// stop is ctrl-c: the first stops the reviewers, or says how to leave when
// none is at work; the next leaves.
func (m *model) stop() tea.Cmd {
	if m.stopping || m.hinted {
		return m.leave(nil)
	}
	if m.run == nil || !m.atWork() {
		m.hinted = true
		m.say(m.words.Common.Quit.Again, nil)
		return nil
	}
	m.stopping = true
	m.say(m.words.Common.Quit.Stopping, nil)
	run, ctx := m.run, m.ctx
	return func() tea.Msg { return stoppedMsg{run.Do(ctx, event.Command{Kind: event.CmdStop})} }
}

// leave ends the program as interrupted.
func (m *model) leave(why error) tea.Cmd {
	m.interrupted = &Exit{Code: review.ExitInterrupted, Err: why}
	return tea.Quit
}
