package tui

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/board"
	"github.com/mrv-dev/mrv/tui/picker"
	"github.com/mrv-dev/mrv/tui/text"
	"github.com/mrv-dev/mrv/tui/words"
)

// Picker lists the pull requests that a person picks from, and opens one.
type Picker interface {
	picker.Source
	// Where is the host, and the repository if one is known.
	Where() (host, repo string)
	// Open makes the plan of a review, or takes a run up again. Calls come one
	// after the other; what was opened before and has not begun is given up,
	// and so is what is opened for a ctx that has ended.
	Open(ctx context.Context, c picker.Choice) (Opened, error)
	// Close closes the plan or the run that was opened; what came in is kept.
	Close(ctx context.Context) error
}

// Opened is what a pull request was opened as.
type Opened struct {
	Starter  Starter // of a new review, or
	Run      Run     // one that is taken up again
	SkipPlan bool
	Board    bool        // the findings come before the panes
	Lang     review.Lang // of the plan
}

// Question must be answered with yes before a review may begin.
type Question struct {
	Text  string
	Allow func() error
}

// picking is the picker.
type picking struct {
	*picker.Picker
	source Picker
	try    int                // counts what was to be opened
	cancel context.CancelFunc // of what is being opened; nil if nothing is
}

func (m *model) newPicking(p Picker) *picking {
	host, repo := p.Where()
	o := picker.Options{Source: p, Host: host, Repo: repo, Browser: board.DeskFrom(m.o.Env).Browser, Now: m.now}
	return &picking{Picker: picker.New(m.ctx, o, m.words, m.styles), source: p}
}

// inPicker reports whether the picker is in sight.
func (m *model) inPicker() bool { return m.pick != nil && m.plan == nil && m.run == nil }

// openedMsg brings what was opened.
type openedMsg struct {
	try    int
	opened Opened
	err    error
}

// openPicked opens a choice without waiting for it.
func (m *model) openPicked(c picker.Choice) tea.Cmd {
	if !m.inPicker() || m.pick.cancel != nil {
		return nil
	}
	ctx, cancel := context.WithCancel(m.ctx)
	m.pick.cancel = cancel
	m.pick.try++
	busy := m.words.Pick.Planning
	if c.Resume {
		busy = m.words.Pick.Opening
	}
	m.pick.SetBusy(fmt.Sprintf(busy, c.Item.Name()))
	source, try := m.pick.source, m.pick.try
	return func() tea.Msg {
		o, err := source.Open(ctx, c)
		return openedMsg{try, o, err}
	}
}

// giveUp leaves what is being opened.
func (m *model) giveUp() {
	if m.pick.cancel != nil {
		m.pick.cancel()
	}
	m.pick.cancel = nil
	m.pick.SetBusy("")
}

// opened shows the plan or the run, or says why there is none.
func (m *model) opened(msg openedMsg) tea.Cmd {
	if !m.inPicker() || m.pick.cancel == nil || msg.try != m.pick.try {
		return nil // given up meanwhile
	}
	m.giveUp()
	if msg.err != nil {
		m.say("", msg.err)
		return nil
	}
	o := msg.opened
	m.words = words.For(o.Lang)
	if o.Run != nil {
		m.attach(o.Run)
		if o.Board {
			m.tab = tabBoard
		}
		return m.reveal()
	}
	p := o.Starter.Plan()
	m.o.Starter, m.state.Plan = o.Starter, &p
	m.plan = newPlanPage(m.ctx, o.Starter, &p, m.words, m.styles)
	m.resize()
	if o.SkipPlan || !m.plan.asks() {
		return m.start()
	}
	return nil
}

// back goes back where it is the model's matter: from a plan to the picker, or
// out; from what is being opened. done is false where it is the screen's.
func (m *model) back() (cmd tea.Cmd, done bool) {
	switch {
	case m.plan != nil && m.pick != nil && !m.plan.starting:
		m.plan, m.o.Starter, m.state = nil, nil, event.NewState()
		m.words = words.For(m.o.Lang)
		return nil, true
	case m.plan != nil:
		return tea.Quit, true
	case m.inPicker() && m.pick.cancel != nil:
		m.giveUp()
		return nil, true
	}
	return nil, false
}

// pickHeader says where pull requests are looked for, and as whom.
func (m *model) pickHeader() string {
	where, who := m.pick.Place()
	where = text.Cut(text.Line(where), m.w)
	who = text.Cut(text.Line(who), max(m.w-text.Width(where)-3, 0))
	return m.styles.Header.Render(where) + text.Pad("", m.w-text.Width(where)-text.Width(who)) + m.styles.Dim.Render(who)
}

// questions are what must be allowed before the planned review may begin.
func (m *model) questions() []Question {
	if s, ok := m.o.Starter.(interface{ Questions() []Question }); ok {
		return s.Questions()
	}
	return nil
}

// allow is a key to the first of the questions; all but y mean no.
func (m *model) allow(k tea.KeyPressMsg) tea.Cmd {
	q := m.consents[0]
	m.consents = m.consents[1:]
	if s := strings.ToLower(k.String()); s != "y" {
		m.consents = nil
		m.say(fmt.Sprintf(m.words.Pick.NotAllowed, q.Text), nil)
		return nil
	}
	if err := q.Allow(); err != nil {
		m.consents = nil
		m.say("", err)
		return nil
	}
	if len(m.consents) > 0 {
		return nil
	}
	return m.start()
}
