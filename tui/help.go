package tui

import (
	"strings"

	"github.com/mrv-dev/mrv/tui/keys"
	"github.com/mrv-dev/mrv/tui/style"
	"github.com/mrv-dev/mrv/tui/text"
	"github.com/mrv-dev/mrv/tui/words"
)

// help lists what the keys do at this moment, in place of the screen.
type help struct {
	sections []keys.Section
	words    *words.Words
	top      int
}

func newHelp(sections []keys.Section, w *words.Words) *help {
	return &help{sections: sections, words: w}
}

// key scrolls the help; false closes it.
func (h *help) key(id string, height int) bool {
	last := max(h.length()-height, 0)
	switch id {
	case "move.down", "pane.down":
		h.top++
	case "move.up", "pane.up":
		h.top--
	case "half.down":
		h.top += height / 2
	case "half.up":
		h.top -= height / 2
	default:
		return false
	}
	h.top = min(max(h.top, 0), last)
	return last > 0
}

func (h *help) length() int {
	n := 0
	for _, s := range h.sections {
		n += len(s.Rows) + 2
	}
	return n - 1
}

// view draws the help into height lines.
func (h *help) view(st *style.Styles, w, height int) []string {
	column := 0
	for _, s := range h.sections {
		for _, r := range s.Rows {
			column = max(column, text.Width(r.Keys))
		}
	}
	column = min(column, max(w/2-4, 1))
	var all []string
	for i, s := range h.sections {
		if i > 0 {
			all = append(all, "")
		}
		all = append(all, st.Header.Render(text.Cut(s.Title, w)))
		for _, r := range s.Rows {
			all = append(all, "  "+st.Key.Render(text.Pad(r.Keys, column))+"  "+st.Text.Render(text.Cut(r.Text, w-column-4)))
		}
	}
	top := min(h.top, max(len(all)-height, 0))
	shown := all[top:min(top+height, len(all))]
	if top+height < len(all) && height > 1 {
		shown = append(shown[:height-1:height-1], st.Dim.Render(text.Cut(h.words.Help.MoreBelow, w)))
	}
	return shown
}

// hint is the line of keys while the help is open.
func (h *help) hint(st *style.Styles, w int) string {
	return st.Dim.Render(text.Cut(strings.TrimSpace(h.words.Help.Close), w))
}
