package tui

import (
	"slices"
	"strings"

	"github.com/mrv-dev/mrv/tui/keys"
	"github.com/mrv-dev/mrv/tui/text"
)

// footer is the line of keys of the moment; in its place, the answer to the
// last key, or the question whether to quit.
func (m *model) footer() []string {
	switch {
	case m.asking:
		return m.askLines(m.question())
	case len(m.consents) > 0:
		return m.askLines(text.Line(m.words.Say(m.consents[0].Text)))
	case m.notice != "":
		st := m.styles.Notice
		if m.bad {
			st = m.styles.Error
		}
		return []string{st.Render(text.Cut(text.Line(m.notice), m.w))}
	case m.help != nil:
		return []string{m.help.hint(&m.styles, m.w)}
	case m.typing():
		return []string{m.styles.Dim.Render(m.words.Common.Typing)}
	case m.current().Typing():
		return []string{m.styles.Dim.Render(m.words.Common.Choosing)}
	}
	return []string{m.hints()}
}

// askLines puts a question whose default is no; its answers stand behind it, or
// below it where they do not fit.
func (m *model) askLines(question string) []string {
	answers, texts := m.words.Common.Quit.Answers, []string{question}
	if whole := question + "   " + answers; text.Width(whole) <= m.w {
		texts[0] = whole
	} else {
		texts = append(texts, answers)
	}
	var lines []string
	for _, t := range texts {
		for _, l := range text.Wrap(t, m.w) {
			lines = append(lines, m.styles.Notice.Render(l))
		}
	}
	return lines[max(len(lines)-max(m.h-m.top()-1, 1), 0):] // the answers stay
}

// typing reports whether a line is being typed.
func (m *model) typing() bool {
	if m.palette != nil {
		return true
	}
	_, _, typed := m.current().Cursor()
	return typed
}

// hints is the keys of the moment, kept while they are the same.
func (m *model) hints() string {
	hints := m.keys.Footer(m.name(), m.handles(), m.words)
	if m.foot.width != m.w || !slices.Equal(m.foot.hints, hints) {
		m.foot = foot{m.w, hints, m.drawHints(hints)}
	}
	return m.foot.line
}

// foot is the line of keys that was drawn last.
type foot struct {
	width int
	hints []keys.Hint
	line  string
}

// drawHints draws as many keys as fit; the help's is always among them.
func (m *model) drawHints(hints []keys.Hint) string {
	if len(hints) == 0 {
		return ""
	}
	size := func(i int) int { return text.Width(hints[i].Key) + 1 + text.Width(hints[i].Text) + 2 }
	last := len(hints) - 1
	room := m.w - size(last) + 2
	var b strings.Builder
	for i := range hints {
		if i != last {
			if size(i) > room {
				continue
			}
			room -= size(i)
		} else if room < 0 {
			break
		}
		if b.Len() > 0 {
			b.WriteString("  ")
		}
		b.WriteString(m.styles.Key.Render(hints[i].Key) + " " + m.styles.KeyText.Render(hints[i].Text))
	}
	return b.String()
}
