package board

import (
	"strings"

	"github.com/mrv-dev/mrv/tui/text"
)

// overlay puts the open question over the last lines.
func (b *Board) overlay(lines []string) []string {
	q, _ := b.question()
	if len(q) > len(lines) {
		q = q[len(q)-len(lines):]
	}
	if n := len(lines) - len(q); n > 0 {
		lines[n-1] = b.styles.Focus.Render(strings.Repeat(b.styles.Glyphs.Rule, b.w))
	}
	return append(lines[:len(lines)-len(q)], q...)
}

// Cursor is where the terminal's cursor belongs while the person types, in
// cells from the board's upper left; ok is false when nothing is typed. Input
// methods open their window there.
func (b *Board) Cursor() (x, y int, ok bool) {
	if b.ask == nil || len(b.ask.fields) == 0 {
		return 0, 0, false
	}
	q, x := b.question()
	return x, b.h - len(q), true
}

// question is the lines of the open question and the cell of its cursor in the
// first of them.
func (b *Board) question() (lines []string, x int) {
	if len(b.ask.fields) == 0 {
		return b.choices(), 0
	}
	a := b.ask
	in := a.fields[a.at]
	head := a.title + "  "
	for _, done := range a.fields[:a.at] {
		head += done.label + " " + done.String() + "  "
	}
	head = text.Cut(head, b.w/2)
	label := text.Cut(in.label+" ", b.w/2)
	used := text.Width(head) + text.Width(label)
	room := max(b.w-used-1, 0)
	shown, at := in.Window(room)
	st := b.styles.Text
	if in.String() == "" {
		shown, st = text.Cut(text.Line(in.offer), room), b.styles.Dim
	}
	before := text.Cut(shown, at)
	lines = []string{b.styles.Notice.Render(head) + b.styles.Dim.Render(label) +
		st.Render(before) + b.styles.Accent.Render(b.styles.Glyphs.Bar) + st.Render(strings.TrimPrefix(shown, before))}
	if a.problem != "" {
		lines = append(lines, b.styles.Error.Render(text.Cut(a.problem, b.w)))
	}
	return lines, used + at
}

// choices is the question's answers, each with its key, on as few lines as
// they fit.
func (b *Board) choices() []string {
	a := b.ask
	line, used := b.styles.Notice.Render(text.Cut(a.title, b.w)), min(text.Width(a.title), b.w)
	var lines []string
	add := func(key, label string) {
		n := text.Width(key) + 1 + text.Width(label)
		if used+2+n > b.w {
			lines = append(lines, line)
			line, used = "", -2
		} else {
			line += "  "
		}
		line += b.styles.Key.Render(key) + " " + b.styles.KeyText.Render(text.Cut(label, b.w-text.Width(key)-1))
		used += 2 + n
	}
	for _, c := range a.choices {
		add(c.key, c.label)
	}
	if a.no != "" {
		add(a.no, b.words.Common.No)
	} else {
		add("esc", b.words.Board.Back)
	}
	return append(lines, line)
}
