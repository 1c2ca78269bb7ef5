package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/field"
	"github.com/mrv-dev/mrv/tui/keys"
	"github.com/mrv-dev/mrv/tui/style"
	"github.com/mrv-dev/mrv/tui/text"
	"github.com/mrv-dev/mrv/tui/words"
)

// palette finds an action of the moment by a few of its letters.
type palette struct {
	rows   []keys.Row
	found  []int // of rows, best first
	near   bool  // found is only what comes near
	field  field.Field
	cursor int // of found; -1 is none: what only comes near is not done by itself
	words  *words.Words
}

func newPalette(sections []keys.Section, w *words.Words) *palette {
	p := &palette{words: w}
	for _, s := range sections {
		for _, r := range s.Rows {
			if r.ID != "palette" {
				p.rows = append(p.rows, r)
			}
		}
	}
	p.filter()
	return p
}

// String and Len let fuzzy read the rows.
func (p *palette) String(i int) string { return p.rows[i].Text + " " + p.rows[i].ID }

// Len is how many actions there are.
func (p *palette) Len() int { return len(p.rows) }

func (p *palette) filter() {
	p.found, p.cursor, p.near = p.found[:0], 0, false
	if p.field.String() == "" {
		for i := range p.rows {
			p.found = append(p.found, i)
		}
		return
	}
	for _, hit := range fuzzy.FindFrom(p.field.String(), p) {
		p.found = append(p.found, hit.Index)
	}
	if len(p.found) == 0 {
		p.found, p.cursor, p.near = p.nearest(), -1, true
	}
}

// nearest are the actions with a word that is written nearly so.
func (p *palette) nearest() (rows []int) {
	const most, few = 3, 2 // rows, and letters that may be otherwise
	typed := strings.ToLower(strings.TrimSpace(p.field.String()))
	off := map[int]int{}
	for i := range p.rows {
		best := len([]rune(typed))
		for _, w := range strings.FieldsFunc(strings.ToLower(p.String(i)), func(r rune) bool { return strings.ContainsRune(" .,;:", r) }) {
			best = min(best, review.Edits(typed, w))
		}
		if best <= few && best < len([]rune(typed)) {
			rows, off[i] = append(rows, i), best
		}
	}
	slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(off[a], off[b]) })
	return rows[:min(len(rows), most)]
}

// choose gives a key to the palette.
func (m *model) choose(k tea.KeyPressMsg) tea.Cmd {
	p := m.palette
	switch k.String() {
	case "esc":
		m.palette = nil
	case "enter":
		if p.cursor < 0 || len(p.found) == 0 {
			return nil // it says that there is none
		}
		m.palette = nil
		return m.do(p.rows[p.found[p.cursor]].ID)
	case "down", "ctrl+n", "tab":
		p.cursor = min(p.cursor+1, max(len(p.found)-1, 0))
	case "up", "ctrl+p", "shift+tab":
		p.cursor = max(p.cursor-1, min(p.cursor, 0))
	default:
		if p.field.Key(k) {
			p.filter()
		}
	}
	return nil
}

// view draws the palette into height lines: what is typed, then what it finds.
func (p *palette) view(st *style.Styles, w, height int) []string {
	typed, _ := p.field.Window(w - 3)
	lines := []string{st.Accent.Render(": ") + st.Text.Render(typed)}
	if p.near {
		none := fmt.Sprintf(p.words.Common.NoCommand, text.Line(p.field.String()))
		if len(p.found) > 0 {
			none += " " + p.words.Common.Nearest
		}
		lines = append(lines, st.Notice.Render(text.Cut(none, w)))
	}
	from := max(p.cursor-(height-2), 0)
	for i := from; i < len(p.found) && len(lines) < height; i++ {
		r := p.rows[p.found[i]]
		mark, ink := "  ", st.Text
		if i == p.cursor {
			mark, ink = st.Glyphs.Cursor+" ", st.Selected
		}
		keyCells := min(12, w/3)
		lines = append(lines, ink.Render(text.Cut(mark+text.Pad(r.Keys, keyCells)+"  "+r.Text, w)))
	}
	return lines
}
