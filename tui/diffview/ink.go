package diffview

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/styles"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/tui/style"
)

// ink is a style as the bytes before and after a text. Drawing a line of code
// takes some ten styles; made once, they cost nothing.
type ink struct{ open, close string }

func inkOf(s lipgloss.Style) ink {
	open, close, _ := strings.Cut(s.Render("x"), "x")
	return ink{open, close}
}

func (k ink) write(b *strings.Builder, s string) {
	if s == "" {
		return
	}
	b.WriteString(k.open)
	b.WriteString(s)
	b.WriteString(k.close)
}

// Inks are a theme's styles made ready for drawing code.
type Inks struct {
	code             map[diff.Op][Comment + 1]ink
	changed          map[diff.Op][Comment + 1]ink // within a line
	number, mark, at ink
	bar              string
}

// NewInks makes the inks of a theme. The theme's syntax style gives the
// colours of code, the theme itself the backgrounds.
func NewInks(st style.Styles) *Inks {
	k := &Inks{
		code: map[diff.Op][Comment + 1]ink{}, changed: map[diff.Op][Comment + 1]ink{},
		number: inkOf(st.LineNo), mark: inkOf(st.Mark), at: inkOf(st.Hunk), bar: st.Glyphs.Bar,
	}
	fore := classStyles(st)
	for op, back := range map[diff.Op][2]lipgloss.Style{
		diff.Context: {st.Text, st.Text}, diff.Add: {st.Add, st.AddMark}, diff.Delete: {st.Del, st.DelMark},
	} {
		var code, changed [Comment + 1]ink
		for c, f := range fore {
			code[c], changed[c] = inkOf(back[0].Inherit(f)), inkOf(back[1].Inherit(f))
			if op == diff.Context {
				code[c] = inkOf(f)
			}
		}
		k.code[op], k.changed[op] = code, changed
	}
	return k
}

// classStyles takes the colours of the classes from the chroma style; without
// one, or without colours, code is plain.
func classStyles(st style.Styles) [Comment + 1]lipgloss.Style {
	var out [Comment + 1]lipgloss.Style
	for i := range out {
		out[i] = st.Text
	}
	if !st.Color || st.Syntax == "" {
		return out
	}
	source := styles.Get(st.Syntax)
	for c, t := range map[Class]chroma.TokenType{
		Keyword: chroma.Keyword, Name: chroma.NameFunction, String: chroma.LiteralString,
		Number: chroma.LiteralNumber, Comment: chroma.Comment,
	} {
		if e := source.Get(t); e.Colour.IsSet() {
			out[c] = lipgloss.NewStyle().Foreground(lipgloss.Color(e.Colour.String()))
		}
	}
	return out
}
