package diffview

import (
	"charm.land/lipgloss/v2"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/tui/style"
)

// Inks are a theme's styles made ready for drawing code.
type Inks struct {
	code             map[diff.Op]classInks
	changed          map[diff.Op]classInks // within a line
	number, mark, at style.Ink
	bar              string
}

type classInks [Comment + 1]style.Ink

// NewInks makes the inks of a theme.
func NewInks(st style.Styles) *Inks {
	k := &Inks{
		code: map[diff.Op]classInks{}, changed: map[diff.Op]classInks{},
		number: style.InkOf(st.LineNo), mark: style.InkOf(st.Mark), at: style.InkOf(st.Hunk), bar: st.Glyphs.Bar,
	}
	fore := classStyles(st)
	for op, back := range map[diff.Op][2]lipgloss.Style{
		diff.Context: {st.Text, st.Text}, diff.Add: {st.Add, st.AddMark}, diff.Delete: {st.Del, st.DelMark},
	} {
		var code, changed classInks
		for c, f := range fore {
			code[c], changed[c] = style.InkOf(back[0].Inherit(f)), style.InkOf(back[1].Inherit(f))
			if op == diff.Context {
				code[c] = style.InkOf(f)
			}
		}
		k.code[op], k.changed[op] = code, changed
	}
	return k
}

// classStyles are the classes' own colours; a class without one is plain.
func classStyles(st style.Styles) [Comment + 1]lipgloss.Style {
	out := [...]lipgloss.Style{Plain: st.Text, Keyword: st.Keyword, Name: st.Name, String: st.String, Number: st.Number, Comment: st.Comment}
	for i := range out {
		out[i] = out[i].Inherit(st.Text)
	}
	return out
}
