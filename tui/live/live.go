package live

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/tui/keys"
	"github.com/mrv-dev/mrv/tui/style"
	"github.com/mrv-dev/mrv/tui/words"
)

// Run is what the panes need of a run.
type Run interface {
	// Do carries a command out; it returns when its event is on disk.
	Do(ctx context.Context, c event.Command) error
	// Transcript is all that a reviewer has said, from the journal.
	Transcript(ctx context.Context, reviewer string) (string, error)
}

// Live is the screen of the reviewers.
type Live struct {
	ctx   context.Context
	run   Run
	words *words.Words
	keys  *keys.Map
	paint palette

	w, h  int
	state *event.State
	now   int64 // milliseconds since the run began

	panes    []*pane
	focus    string // name of the reviewer the keys act on
	zoomed   bool
	thinking bool // thinking is unfolded
	ask      *ask
	notice   string
	bad      bool // the notice is an error

	view    string
	drawn   bool
	column  int  // whose turn it was to move its text
	turning bool // the next turn is on its way
}

// New makes the screen; run may be nil until there is one. ctx ends when the
// program leaves.
func New(ctx context.Context, run Run, w *words.Words, k *keys.Map, st style.Styles) *Live {
	return &Live{ctx: ctx, run: run, words: w, keys: k, paint: newPalette(st)}
}

// SetSize sets the cells the screen may use.
func (l *Live) SetSize(w, h int) {
	if w, h = max(w, 0), max(h, 0); w != l.w || h != l.h {
		l.w, l.h, l.drawn = w, h, false
	}
}

// SetStyles changes the theme.
func (l *Live) SetStyles(st style.Styles) {
	l.paint = newPalette(st)
	for _, p := range l.panes {
		p.body.forget()
	}
	l.anew()
}

// SetState shows the run's state as it is now.
func (l *Live) SetState(s *event.State) tea.Cmd {
	l.state = s
	waits := l.turning // what only grew is drawn with the next turn
	shown := s.Reviewers
	if c := s.Coordinator; c != nil && c.Status != event.StatusPlanned {
		shown = append(shown[:len(shown):len(shown)], c)
	}
	panes := make([]*pane, 0, len(shown))
	for _, r := range shown {
		p := l.pane(r.Name)
		if p == nil {
			p, waits = newPane(), false
		}
		p.r = r
		if r.Name == event.Coordinator {
			p.summary = s.Summary.Text
		}
		if p.renew() {
			waits = false
		}
		panes = append(panes, p)
	}
	l.panes = panes
	if l.pane(l.focus) == nil && len(panes) > 0 {
		l.focus = panes[0].r.Name
	}
	l.drawn = l.drawn && waits
	if l.turning {
		return nil
	}
	return l.next()
}

// SetNow sets the run's clock, in milliseconds since it began.
func (l *Live) SetNow(ms int64) {
	l.now, l.drawn = ms, false
}

// Screen is the screen's name in the key table at this moment.
func (l *Live) Screen() string {
	if l.zoomed {
		return keys.Zoom
	}
	return keys.Live
}

// Typing reports whether a question is open: every key is its own then.
func (l *Live) Typing() bool { return l.ask != nil }

// Back reports whether Do("back") has something to close.
func (l *Live) Back() bool { return l.zoomed }

// Cursor is where the terminal's cursor belongs while the person types; ok is
// false when nothing is typed.
func (l *Live) Cursor() (x, y int, ok bool) {
	if l.ask == nil || l.ask.field == nil {
		return 0, 0, false
	}
	_, _, x = l.ask.prompt(l.w)
	return x, l.h - 1, true
}

// Notice takes the line that answers the last key; bad says it is an error.
func (l *Live) Notice() (line string, bad bool) {
	line, bad = l.notice, l.bad
	l.notice, l.bad = "", false
	return line, bad
}

func (l *Live) say(line string, err error) {
	l.notice, l.bad = line, err != nil
	if err != nil {
		l.notice = err.Error()
	}
}

// Update takes messages: key presses while Typing, and what commands of this
// screen have brought.
func (l *Live) Update(msg tea.Msg) tea.Cmd {
	if _, ok := msg.(turnMsg); ok {
		return l.next()
	}
	l.drawn = false
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		if l.ask != nil {
			return l.answer(msg)
		}
	case tea.PasteMsg:
		if l.ask != nil && l.ask.field != nil {
			l.ask.field.Insert(msg.Content)
		}
	case doneMsg:
		l.say(msg.said, msg.err)
	case transcriptMsg:
		l.transcript(msg)
	}
	return nil
}

// pane finds a reviewer's pane; nil if it has none.
func (l *Live) pane(name string) *pane {
	for _, p := range l.panes {
		if p.r.Name == name {
			return p
		}
	}
	return nil
}

// focused is the pane the keys act on; nil when there is none.
func (l *Live) focused() *pane { return l.pane(l.focus) }

// index is the focused pane's place.
func (l *Live) index() int {
	for i, p := range l.panes {
		if p.r.Name == l.focus {
			return i
		}
	}
	return 0
}
