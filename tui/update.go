package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/tui/live"
	"github.com/mrv-dev/mrv/tui/picker"
	"github.com/mrv-dev/mrv/tui/text"
)

// Update routes a message to its owner. A panic ends the program in order.
func (m *model) Update(msg tea.Msg) (next tea.Model, cmd tea.Cmd) {
	defer func() {
		if r := recover(); r != nil {
			m.fatal = panicked("the screen", r)
			next, cmd = m, tea.Quit
		}
	}()
	return m, guarded(m.route(msg))
}

func (m *model) route(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.w, m.h = msg.Width, msg.Height
		m.resize()
		// A frame that was under way for the old size may have landed in the new
		// one: the renderer must not build on it.
		return tea.ClearScreen
	case tea.KeyPressMsg:
		cmd := m.key(msg)
		m.resize()
		return cmd
	case tea.BackgroundColorMsg:
		m.background(msg.IsDark())
		return nil
	case tea.ModeReportMsg:
		return m.mode(msg)
	case fromRun:
		if msg.attached != m.attached {
			return nil
		}
		return m.route(msg.msg)
	case returnedMsg:
		return m.returned(msg)
	case batchMsg:
		return m.fold(msg)
	case closedMsg:
		m.closed = true
		return m.spread()
	case startedMsg:
		m.started(msg)
		return nil
	case picker.Choice:
		return m.openPicked(msg)
	case openedMsg:
		return m.opened(msg)
	case tickMsg:
		m.clock()
		return m.tick()
	case fatalMsg:
		m.fatal = msg.err
		return tea.Quit
	case signalMsg:
		return m.leave(fmt.Errorf("the system asked to end: %v", msg.signal))
	case stoppedMsg:
		if msg.err != nil {
			m.say("", msg.err)
		}
		return nil
	}
	cmd := m.foreign(msg)
	m.resize()
	if m.leaving {
		cmd = tea.Batch(cmd, m.depart())
	}
	return cmd
}

// mode learns that the terminal counts by grapheme clusters, as the renderer
// does from then on. What was drawn before may stand elsewhere than thought.
func (m *model) mode(msg tea.ModeReportMsg) tea.Cmd {
	if msg.Mode != ansi.ModeUnicodeCore || msg.Value == ansi.ModeNotRecognized || msg.Value == ansi.ModePermanentlyReset {
		return nil
	}
	m.clusters = true
	if frame := m.frame(); text.Even(frame) == frame {
		return nil
	}
	return tea.ClearScreen
}

// foreign gives a message that is not the model's to the screens: each knows
// its own.
func (m *model) foreign(msg tea.Msg) tea.Cmd {
	if paste, ok := msg.(tea.PasteMsg); ok {
		if m.palette != nil {
			m.palette.field.Insert(paste.Content)
			m.palette.filter()
			return nil
		}
		return m.current().Update(msg)
	}
	var cmds []tea.Cmd
	for _, s := range m.all() {
		cmds = append(cmds, s.Update(msg))
	}
	m.notices()
	return tea.Batch(cmds...)
}

// fold applies a batch of events and shows what came of it.
func (m *model) fold(batch batchMsg) tea.Cmd {
	for _, e := range batch {
		if err := m.state.Apply(e); err != nil {
			m.say("", err)
		}
	}
	opened := m.since.IsZero()
	m.since = m.now()
	return tea.Batch(m.spread(), m.ring(opened))
}

// spread shows the state on every screen.
func (m *model) spread() tea.Cmd {
	var cmds []tea.Cmd
	for _, s := range m.all() {
		cmds = append(cmds, s.SetState(m.state))
	}
	m.clock()
	return tea.Batch(cmds...)
}

func (m *model) clock() {
	if l, ok := m.screens[tabLive].(*live.Live); ok {
		l.SetNow(m.elapsed())
	}
}

// ring rings the bell when the last reviewer is done, but not for a panel that
// was done when the screen opened.
func (m *model) ring(opened bool) tea.Cmd {
	done, of := m.state.Done()
	over := of > 0 && done == of
	was := m.rung
	m.rung = over
	if !over || was || opened || !m.o.Bell || m.state.Phase == event.PhaseClosed {
		return nil
	}
	return tea.Raw("\a")
}

// background takes the theme that suits the terminal's background.
func (m *model) background(dark bool) {
	m.restyle(m.o.themeName(dark))
}

// restyle draws everything anew with another theme.
func (m *model) restyle(theme string) {
	st, err := m.stylesOf(theme)
	if err != nil {
		m.say("", err)
		return
	}
	m.styles, m.foot = st, foot{}
	for _, s := range m.all() {
		s.SetStyles(st)
	}
}

// key finds who a key is for: a question of the model's, an overlay, a screen
// that is being typed into, or the key table.
func (m *model) key(k tea.KeyPressMsg) tea.Cmd {
	id, known := m.keys.Match(m.name(), k.String())
	switch id {
	case "stop":
		return m.stop()
	case "suspend":
		return tea.Suspend
	}
	if m.returning { // there is nothing left to act on
		return nil
	}
	m.hinted, m.notice, m.bad = false, "", false
	switch {
	case m.asking:
		return m.answer(k)
	case len(m.consents) > 0:
		return m.allow(k)
	case m.help != nil:
		if !m.help.key(id, m.height()) {
			m.help = nil
		}
		return nil
	case m.palette != nil:
		return m.choose(k)
	case m.current().Typing():
		cmd := m.current().Update(k)
		m.notices()
		return cmd
	case !known:
		return nil
	}
	return m.do(id)
}

// do carries out an action: the model's own, or the screen's.
func (m *model) do(id string) tea.Cmd {
	switch id {
	case "quit":
		return m.quit(false)
	case "quit.all":
		if m.listed() {
			return m.quit(true)
		}
		return nil
	case "help":
		m.help = newHelp(m.keys.Help(m.name(), m.handles(), m.words), m.words)
		return nil
	case "palette":
		m.palette = newPalette(m.keys.Help(m.name(), m.handles(), m.words), m.words)
		return nil
	case "tab.next", "tab.prev":
		return m.turn(id)
	case "start":
		return m.start()
	case "back":
		if cmd, done := m.back(); done {
			return cmd
		}
	}
	s := m.current()
	for _, h := range s.Handles() {
		if h == id {
			cmd := s.Do(id)
			m.notices()
			return cmd
		}
	}
	return nil
}

// turn goes to the next or previous screen.
func (m *model) turn(id string) tea.Cmd {
	if m.plan != nil || m.inPicker() {
		return nil
	}
	step := tab(1)
	if id == "tab.prev" {
		step = tabs - 1
	}
	m.tab = (m.tab + step) % tabs
	return m.reveal()
}

// reveal tells a screen that it has come into sight.
func (m *model) reveal() tea.Cmd {
	if s, ok := m.current().(interface{ Shown() tea.Cmd }); ok {
		return s.Shown()
	}
	return nil
}

// notices takes over what a screen has to say in the last line.
func (m *model) notices() {
	for _, s := range m.all() {
		if n, ok := s.(interface{ Notice() (string, bool) }); ok {
			if line, bad := n.Notice(); line != "" {
				m.notice, m.bad = line, bad
			}
		}
	}
}
