package live

import (
	"fmt"
	"strings"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/tui/text"
)

// View draws the screen: exactly h lines of w cells.
func (l *Live) View() string {
	if !l.drawn {
		l.view, l.drawn = l.draw(), true
	}
	return l.view
}

func (l *Live) draw() string {
	if l.w < 1 || l.h < 1 {
		return ""
	}
	h := l.h
	var question []string
	if l.ask != nil {
		question = l.ask.lines(&l.paint, l.w)
		question = question[:min(len(question), h)]
		h -= len(question)
	}
	var rows []string
	notice := l.lastNotice()
	if notice != "" && h > 2*minHeight {
		h--
	} else {
		notice = ""
	}
	switch {
	case len(l.panes) == 0:
		rows = fill([]string{cell(l.paint.dim, l.words.Live.Empty, l.w)}, l.w, h)
	case l.zoomed:
		rows = l.drawZoom(l.w, h)
	default:
		rows = l.drawGrid(l.w, h)
	}
	if notice != "" {
		rows = append(rows, notice)
	}
	return strings.Join(append(rows, question...), "\n")
}

// lastNotice is the newest thing the run has to say of itself, and how many
// there are: the board lists them all.
func (l *Live) lastNotice() string {
	if l.state == nil || len(l.state.Notices) == 0 {
		return ""
	}
	n := len(l.state.Notices)
	last := l.state.Notices[n-1]
	ink := l.paint.notice
	switch last.Level {
	case "error":
		ink = l.paint.bad
	case "info":
		ink = l.paint.dim
	}
	return cell(ink, fmt.Sprintf(l.words.Live.Notice, n, text.Line(last.Text)), l.w)
}

func (l *Live) drawing() drawing {
	return drawing{palette: &l.paint, words: l.words, unfolded: l.thinking, hints: l.hints}
}

// places lays the panes out. The coordinator, which has little to say, has a
// strip below the reviewers where there is room for it.
func (l *Live) places(w, h int) (first int, places []rect) {
	n := len(l.panes)
	if n < 2 || l.panes[n-1].r.Name != event.Coordinator {
		return layout(n, l.index(), w, h)
	}
	strip := max(minHeight+1, h/5)
	if c := l.panes[n-1]; c.r.Status.Final() {
		strip = min(strip, max(len(c.trailer(l.drawing(), w-4))+2, minHeight))
	}
	first, places = layout(n-1, min(l.index(), n-2), w, h-strip)
	if len(places) < n-1 || h < 3*strip {
		return layout(n, l.index(), w, h)
	}
	return first, append(places, rect{0, h - strip, w, strip})
}

// drawGrid draws the panes; those that do not fit are named in the last line.
func (l *Live) drawGrid(w, h int) []string {
	first, places := l.places(w, h)
	hidden := len(l.panes) - len(places)
	if hidden > 0 && h > minHeight {
		first, places = l.places(w, h-1)
		hidden = len(l.panes) - len(places)
	}
	rows := make([]string, 0, h)
	for i := 0; i < len(places); {
		n := 1
		for i+n < len(places) && places[i+n].y == places[i].y {
			n++
		}
		rows = l.join(rows, first+i, places[i:i+n])
		i += n
	}
	if hidden > 0 && len(rows) < h {
		rows = append(rows, cell(l.paint.dim, l.others(first, len(places)), w))
	}
	return fill(rows, w, h)
}

// join puts the panes of one row of the grid side by side.
func (l *Live) join(rows []string, first int, places []rect) []string {
	d := l.drawing()
	frames := make([][]string, len(places))
	for i, r := range places {
		p := l.panes[first+i]
		frames[i] = p.frame(d, first+i, l.now, r, p.r.Name == l.focus)
	}
	if len(frames) == 1 {
		return append(rows, frames[0]...)
	}
	var b strings.Builder
	for y := range frames[0] {
		b.Reset()
		for i := range frames {
			b.WriteString(frames[i][y])
		}
		rows = append(rows, b.String())
	}
	return rows
}

// others names the panes that are not in sight.
func (l *Live) others(first, shown int) string {
	d := l.drawing()
	var names []string
	for i, p := range l.panes {
		if i < first || i >= first+shown {
			glyph, _ := p.state(d, l.now)
			names = append(names, fmt.Sprintf("%d %s %s", i+1, text.Line(p.r.Name), glyph))
		}
	}
	return fmt.Sprintf(l.words.Live.OtherPanes, len(names), strings.Join(names, "  "))
}

// drawZoom draws one reviewer on the whole screen, without a border: its
// headline, its text, its counters.
func (l *Live) drawZoom(w, h int) []string {
	p, d := l.focused(), l.drawing()
	switch {
	case w < 2:
		return fill(nil, w, h)
	case h < 3:
		return p.shown(d, w, h)
	}
	rows := []string{fit(p.title(d, l.index(), l.now, w, true), w)}
	rows = append(rows, p.shown(d, w, h-2)...)
	left := ""
	switch {
	case p.loading:
		left = l.words.Live.Loading
	case p.back > 0:
		left = p.below(d)
	}
	stats := p.stats(d)
	gap := w - text.Width(left) - text.Width(stats) - 2
	return append(rows, fit([]span{{d.accent, left}, {d.dim, text.Pad("", max(gap, 1)) + stats}}, w))
}
