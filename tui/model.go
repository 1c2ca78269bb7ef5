package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/themes"
	"github.com/mrv-dev/mrv/tui/board"
	"github.com/mrv-dev/mrv/tui/keys"
	"github.com/mrv-dev/mrv/tui/live"
	"github.com/mrv-dev/mrv/tui/outbox"
	"github.com/mrv-dev/mrv/tui/style"
	"github.com/mrv-dev/mrv/tui/words"
)

// model routes messages to their owners and joins what they draw.
type model struct {
	ctx     context.Context
	o       Options
	profile colorprofile.Profile
	words   *words.Words
	keys    *keys.Map
	styles  style.Styles
	// feed lets the run's events in; it does not wait.
	feed func(r Run, attached int)
	now  func() time.Time

	run      Run
	attached int  // counts the runs that were shown
	closed   bool // the run brings no more events
	state    *event.State
	pick     *picking  // nil without one; a run that was picked leads back to it
	plan     *planPage // nil once the run has begun
	screens  [tabs]screen
	tab      tab
	help     *help
	palette  *palette

	w, h     int
	clusters bool // the terminal counts its cells by grapheme clusters
	foot     foot
	since    time.Time // when the last batch came
	rung     bool      // the panel was done before now
	notice   string
	bad      bool

	asking      bool // whether to quit
	altogether  bool // and not to the list
	returning   bool // to the list: the run is being closed
	consents    []Question
	leaving     bool // as soon as every command given is on disk
	stopping    bool // ctrl-c has stopped the run
	hinted      bool // ctrl-c has said how to leave
	interrupted *Exit
	fatal       error
	broken      chan error // a panic where no message can be sent
}

func newModel(ctx context.Context, o Options, profile colorprofile.Profile) (*model, error) {
	k, err := keys.New(o.Keys)
	if err != nil {
		return nil, err
	}
	m := &model{
		ctx: ctx, o: o, profile: profile, words: words.For(o.Lang), keys: k,
		now: time.Now, state: event.NewState(), run: o.Run, w: o.Width, h: o.Height, broken: make(chan error, 1),
	}
	if m.styles, err = m.stylesOf(o.themeName(darkByEnv(o.Env))); err != nil {
		return nil, err
	}
	if o.Starter != nil {
		p := o.Starter.Plan()
		m.state.Plan = &p
		m.plan = newPlanPage(ctx, o.Starter, &p, m.words, m.styles)
	}
	m.open(nil)
	if o.Picker != nil {
		m.pick = m.newPicking(o.Picker)
	}
	if o.Board {
		m.tab = tabBoard
	}
	return m, nil
}

// open makes the screens over a run, or over none yet.
func (m *model) open(run Run) {
	findings := board.New(m.ctx, run, m.words, m.styles)
	findings.SetDesk(board.DeskFrom(m.o.Env))
	m.screens = [tabs]screen{
		live.New(m.ctx, run, m.words, m.keys, m.styles),
		findings,
		outbox.New(m.ctx, run, m.words, m.styles),
	}
	m.resize()
}

// Init starts at once what waits for no key. A panic ends the program in order.
func (m *model) Init() (cmd tea.Cmd) {
	defer func() {
		if r := recover(); r != nil {
			err := panicked("opening the screen", r)
			cmd = func() tea.Msg { return fatalMsg{err} }
		}
	}()
	return guarded(m.begin())
}

func (m *model) begin() tea.Cmd {
	cmds := []tea.Cmd{m.tick()}
	if m.o.themeIsAuto() && m.styles.Color {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	switch {
	case m.run != nil:
		m.attach(m.run)
	case m.pick != nil:
		cmds = append(cmds, m.pick.Init())
	case m.plan != nil && (m.o.SkipPlan || !m.plan.asks()):
		cmds = append(cmds, m.start())
	}
	return tea.Batch(cmds...)
}

// startedMsg brings the run that was begun.
type startedMsg struct {
	run Run
	err error
}

// start begins the run without waiting for it.
func (m *model) start() tea.Cmd {
	if m.plan == nil || m.plan.starting {
		return nil
	}
	if m.consents = m.questions(); len(m.consents) > 0 {
		return nil // their answers start it
	}
	m.plan.starting = true
	m.notice, m.bad = m.words.Plan.Starting, false
	starter, ctx := m.o.Starter, m.ctx
	return func() tea.Msg {
		run, err := starter.Start(ctx)
		return startedMsg{run, err}
	}
}

func (m *model) started(msg startedMsg) {
	m.notice = ""
	if msg.err != nil {
		m.plan.starting = false
		m.say("", msg.err)
		return
	}
	m.attach(msg.run)
}

// attach shows a run from now on.
func (m *model) attach(run Run) {
	m.run, m.plan = run, nil
	m.attached++
	if m.pick != nil {
		m.words.Keys["quit"] = m.words.Pick.Quit
	}
	m.open(run)
	m.feed(run, m.attached)
}

// tickMsg moves the clocks on the screen.
type tickMsg struct{}

// tick comes a little after the run's clock has gone on to its next second, so
// that no second is skipped on the screen.
func (m *model) tick() tea.Cmd {
	const little = 50
	rest := 1000 + little - m.elapsed()%1000
	return tea.Tick(time.Duration(rest)*time.Millisecond, func(time.Time) tea.Msg { return tickMsg{} })
}

// elapsed is the run's clock in milliseconds: it goes on between events while
// reviewers work, and stands when they are done.
func (m *model) elapsed() int64 {
	if m.closed || m.since.IsZero() || !m.atWork() {
		return m.state.TMS
	}
	return m.state.TMS + m.now().Sub(m.since).Milliseconds()
}

// atWork reports whether reviewers or the coordinator are under way.
func (m *model) atWork() bool {
	switch m.state.Phase {
	case event.PhaseReviewing, event.PhaseMerging:
		return !m.closed
	}
	for _, r := range m.state.Reviewers { // a retry or challenge during triage
		if r.Status == event.StatusRunning || r.Status == event.StatusStarting || r.Status == event.StatusRetrying {
			return !m.closed
		}
	}
	return false
}

func (m *model) say(line string, err error) {
	m.notice, m.bad = line, err != nil
	if err != nil {
		m.notice = m.words.Say(err.Error())
	}
}

func (o Options) themeIsAuto() bool { return o.Theme == "" || o.Theme == themes.Auto }

// themeName is the theme to take on a dark or a light background.
func (o Options) themeName(dark bool) string {
	switch {
	case !o.themeIsAuto():
		return o.Theme
	case dark:
		return "dark"
	}
	return "light"
}

func (m *model) stylesOf(theme string) (style.Styles, error) {
	t, err := themes.Load(theme, m.o.ThemeDir)
	if err != nil {
		return style.Styles{}, err
	}
	return style.New(t, m.profile, style.ChooseGlyphs(m.o.ASCII, m.o.Env))
}
