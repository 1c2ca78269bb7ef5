package tui

import (
	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"github.com/mrv-dev/mrv/tui/field"
	"github.com/mrv-dev/mrv/tui/keys"
	"github.com/mrv-dev/mrv/tui/style"
	"github.com/mrv-dev/mrv/tui/text"
)

// palette finds an action of the moment by a few of its letters.
type palette struct {
	rows   []keys.Row
	found  []int // of rows, best first
	field  field.Field
	cursor int
}

func newPalette(sections []keys.Section) *palette {
	p := &palette{}
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
	p.found, p.cursor = p.found[:0], 0
	if p.field.String() == "" {
		for i := range p.rows {
			p.found = append(p.found, i)
		}
		return
	}
	for _, hit := range fuzzy.FindFrom(p.field.String(), p) {
		p.found = append(p.found, hit.Index)
	}
}

// choose gives a key to the palette.
func (m *model) choose(k tea.KeyPressMsg) tea.Cmd {
	p := m.palette
	switch k.String() {
	case "esc":
		m.palette = nil
	case "enter":
		m.palette = nil
		if p.cursor < len(p.found) {
			return m.do(p.rows[p.found[p.cursor]].ID)
		}
	case "down", "ctrl+n", "tab":
		p.cursor = min(p.cursor+1, max(len(p.found)-1, 0))
	case "up", "ctrl+p", "shift+tab":
		p.cursor = max(p.cursor-1, 0)
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
