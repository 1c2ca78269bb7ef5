package live

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/mrv-dev/mrv/tui/field"
	"github.com/mrv-dev/mrv/tui/text"
	"github.com/mrv-dev/mrv/tui/words"
)

// ask is a question below the panes: yes or no, where anything but y is no, or
// a line to type.
type ask struct {
	title   string
	answers string
	field   *field.Field
	yes     func() tea.Cmd
	typed   func(string) tea.Cmd
	need    string // what is said where nothing was typed
}

func confirm(title string, w *words.Words, yes func() tea.Cmd) *ask {
	return &ask{title: title, answers: w.Common.Quit.Answers, yes: yes}
}

func enter(title, value, need string, typed func(string) tea.Cmd) *ask {
	f := &field.Field{}
	f.Set(value)
	return &ask{title: title, field: f, need: need, typed: typed}
}

// answer gives a key to the open question.
func (l *Live) answer(k tea.KeyPressMsg) tea.Cmd {
	a := l.ask
	switch {
	case k.String() == "esc":
		l.ask = nil
	case a.field == nil:
		l.ask = nil
		if k.String() == "y" || k.String() == "Y" {
			return a.yes()
		}
	case k.String() == "enter":
		s := strings.TrimSpace(a.field.String())
		if s == "" {
			l.say(a.need, nil)
			return nil
		}
		l.ask = nil
		return a.typed(s)
	default:
		a.field.Key(k)
	}
	return nil
}

// lines draws the question.
func (a *ask) lines(p *palette, w int) []string {
	rule := p.unfocused.Paint(repeat(p.glyphs.Rule, w))
	if a.field == nil {
		return []string{rule, fit([]span{{p.notice, text.Line(a.title)}, {p.dim, "   " + a.answers}}, w)}
	}
	title, shown, _ := a.prompt(w)
	return []string{rule, fit([]span{{p.dim, title}, {p.text, shown}}, w)}
}

// prompt is the title and the part of the value that fits w cells, and the
// cell of the cursor.
func (a *ask) prompt(w int) (title, shown string, cursor int) {
	title = text.Cut(text.Line(a.title)+": ", w/2)
	shown, at := a.field.Window(w - text.Width(title) - 1)
	return title, shown, text.Width(title) + at
}
