package live

import (
	"fmt"
	"strings"

	"github.com/mrv-dev/mrv/tui/style"
	"github.com/mrv-dev/mrv/tui/text"
)

// span is a piece of a line and its ink.
type span struct {
	ink  style.Ink
	text string
}

func width(spans []span) int {
	n := 0
	for _, s := range spans {
		n += text.Width(s.text)
	}
	return n
}

// fit paints spans into exactly w cells; what does not fit is cut off.
func fit(spans []span, w int) string {
	var b strings.Builder
	left := w
	for _, s := range spans {
		if left <= 0 {
			break
		}
		t := text.Cut(s.text, left)
		left -= text.Width(t)
		b.WriteString(s.ink.Paint(t))
	}
	b.WriteString(text.Pad("", left))
	return b.String()
}

// title is a pane's headline, cut to w cells: the model gives way first, then
// the label, so that who it is and what it does stay.
func (p *pane) title(d drawing, index int, now int64, w int, focused bool) []span {
	name := d.text
	if focused {
		name = d.focus
	}
	glyph, state := p.state(d, now)
	stateInk := d.text
	switch {
	case p.r.Failure != nil && p.r.Status.Final(), glyph == d.glyphs.Failed:
		stateInk = d.bad
	case p.r.Status.Final():
		stateInk = d.dim
	}
	out := []span{
		{name, fmt.Sprintf(" %d %s ", index+1, text.Line(p.r.Name))},
		{stateInk, fmt.Sprintf(" %s %s ", glyph, state)},
	}
	add := func(s span) {
		if s.text != "" && width(out)+text.Width(s.text)+2 <= w {
			s.text = " " + s.text + " "
			out = append(out, s)
		}
	}
	said, ink := p.label(d)
	const legible = 8 // cells of a label that is cut
	if room := w - width(out) - 2; room >= legible {
		said = text.Cut(said, room)
	}
	add(span{ink, said})
	add(span{d.dim, p.model(d)})
	if width(out) > w { // too narrow even for the two: the name gives way
		keep := max(w-text.Width(out[1].text), 8)
		out[0].text = text.Cut(out[0].text, keep)
	}
	return out
}

// frame draws a pane with its border into rows, each exactly r.w cells.
func (p *pane) frame(d drawing, index int, now int64, r rect, focused bool) []string {
	g, ink := d.glyphs, d.unfocused
	if focused {
		ink = d.focus
	}
	if r.w < 2 {
		return fill(nil, r.w, r.h)
	}
	if r.w < 12 || r.h < 3 { // no room for a border
		rows := []string{fit(p.title(d, index, now, r.w, focused), r.w)}
		if r.h > 1 {
			rows = append(rows, p.shown(d, r.w, r.h-1)...)
		}
		return rows[:max(min(r.h, len(rows)), 0)]
	}
	inner := r.w - 4
	rows := make([]string, 0, r.h)
	head := p.title(d, index, now, r.w-4, focused)
	n := min(width(head), r.w-4)
	mark := g.Top
	if focused { // said without colour too
		mark = g.Cursor
	}
	rows = append(rows, ink.Paint(g.TopLeft+mark)+fit(head, n)+ink.Paint(strings.Repeat(g.Top, r.w-3-n)+g.TopRight))
	left, right := ink.Paint(g.Left)+" ", " "+ink.Paint(g.Right)
	for _, line := range p.shown(d, inner, r.h-2) {
		rows = append(rows, left+line+right)
	}
	return append(rows, p.foot(d, r.w, ink))
}

// foot is the lower border: the mark of new output at the left, the counters
// at the right.
func (p *pane) foot(d drawing, w int, ink style.Ink) string {
	g := d.glyphs
	var mark, stats span
	room := w - 4
	if p.back > 0 {
		mark = span{d.accent, " " + p.below(d) + " "}
		if text.Width(mark.text) > room {
			mark.text = " " + g.Down + " "
		}
		room -= text.Width(mark.text)
	}
	if s := p.stats(d); s != "" {
		stats = span{d.dim, " " + s + " "}
		for text.Width(stats.text) > room {
			_, rest, ok := strings.Cut(strings.TrimSpace(stats.text), "  ")
			if !ok {
				stats.text = ""
				break
			}
			stats.text = " " + rest + " "
		}
		room -= text.Width(stats.text)
	}
	return ink.Paint(g.BottomLeft+g.Bottom) + mark.ink.Paint(mark.text) + ink.Paint(strings.Repeat(g.Bottom, max(room, 0))) +
		stats.ink.Paint(stats.text) + ink.Paint(g.Bottom+g.BottomRight)
}

// below says what is under the last line in sight of a scrolled pane.
func (p *pane) below(d drawing) string {
	if p.newer {
		return d.glyphs.Down + " " + d.words.Live.NewBelow
	}
	return d.glyphs.Down + " " + fmt.Sprint(p.back)
}

// fill adds blank lines to make it h.
func fill(lines []string, w, h int) []string {
	if len(lines) >= h {
		return lines[:max(h, 0)]
	}
	out := append(make([]string, 0, h), lines...)
	blank := text.Pad("", w)
	for len(out) < h {
		out = append(out, blank)
	}
	return out
}

func repeat(s string, n int) string { return strings.Repeat(s, max(n, 0)) }
