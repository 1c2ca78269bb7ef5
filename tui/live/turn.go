package live

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/mrv-dev/mrv/engine/event"
)

// Text moves in one column of the grid at a time. The renderer writes a row of
// the terminal from its first changed cell to its last, so that panes side by
// side that move in one frame have all between them written again: turns cost
// a third of the bytes. Counters go with the turns, so that there is one frame
// for both. States do not wait, nor does anything that a key asked for.

// turn is how long one column has.
const turn = 40 * time.Millisecond

// turnMsg is the next column's turn.
type turnMsg struct{}

// revision changes with all that a pane's text is made of.
type revision struct {
	status event.Status
	blocks int
	bytes  int64
	sum    int // of the blocks' versions
	about  int // length of the coordinator's summary
}

func (p *pane) revision() revision {
	r := p.r
	v := revision{r.Status, len(r.Blocks), r.TextBytes, 0, len(p.summary)}
	for i := range r.Blocks {
		v.sum += r.Blocks[i].Version
	}
	return v
}

// kept is a pane's text as it was drawn last; it stands until the pane's turn.
type kept struct {
	w, h  int
	lines []string
}

// renew looks at what a pane's reviewer does now: text waits for its turn, a
// change of state does not. It reports whether there was such a change.
func (p *pane) renew() (changed bool) {
	now := p.revision()
	switch {
	case now == p.drawn:
		return false
	case now.status != p.drawn.status:
		p.kept, changed = nil, true
	default:
		p.stale = true
	}
	p.drawn = now
	return changed
}

// shown is the pane's text in h lines of w cells: what was kept, or drawn anew.
func (p *pane) shown(d drawing, w, h int) []string {
	if p.kept == nil || p.kept.w != w || p.kept.h != h {
		p.kept, p.stale = &kept{w, h, fill(p.window(d, w, h), w, h)}, false
	}
	return p.kept.lines
}

// anew has everything drawn again.
func (l *Live) anew() {
	l.drawn = false
	for _, p := range l.panes {
		p.kept = nil
	}
}

// next gives the turn to the next column in which text waits, and says when
// the one after it is due; nil when none waits.
func (l *Live) next() tea.Cmd {
	columns, n := l.columns()
	for i := range n {
		c := (l.column + 1 + i) % n
		waits := false
		for _, p := range columns[c] {
			if p.stale {
				p.kept, p.stale, waits = nil, false, true
			}
		}
		if waits {
			l.column, l.drawn, l.turning = c, false, true
			return tea.Tick(turn, func(time.Time) tea.Msg { return turnMsg{} })
		}
	}
	l.turning = false
	return nil
}

// columns are the panes in sight by their place in the row.
func (l *Live) columns() (columns map[int][]*pane, n int) {
	if l.zoomed {
		if p := l.focused(); p != nil {
			return map[int][]*pane{0: {p}}, 1
		}
		return nil, 0
	}
	columns = map[int][]*pane{}
	first, places := l.places(l.w, l.h)
	c := 0
	for i, at := range places {
		if at.x == 0 {
			c = 0
		}
		columns[c] = append(columns[c], l.panes[first+i])
		c++
		n = max(n, c)
	}
	return columns, n
}
