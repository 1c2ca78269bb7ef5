package board

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/mrv-dev/mrv/tui/text"
)

// Line is a finding of the board in words, for whoever reads line by line.
type Line struct {
	Lead     string // id of the finding
	Text     string // severity, place, title, who, decision
	Decided  bool
	Decision string // what was decided, "" if nothing was
}

// Lines lists the findings in the board's order.
func (b *Board) Lines() []Line {
	out := make([]Line, 0, len(b.rows))
	for _, id := range b.rows {
		it := b.items[id]
		place := b.words.Board.NoPlace
		if it.file() != "" {
			place = text.Line(it.file())
			if n := it.line(); n > 0 {
				place += fmt.Sprintf(":%d", n)
			}
		}
		l := Line{Lead: it.Lead, Decided: it.decided()}
		parts := []string{b.words.Board.Short(it.shown.Severity), place, b.titleOf(it), b.whoLine(it)}
		if l.Decided || it.urgent {
			l.Decision = strings.Join(b.decision(it, false), " ")
			parts = append(parts, l.Decision)
		}
		l.Text = strings.Join(parts, "  ")
		out = append(out, l)
	}
	return out
}

// Read is everything about the finding that has a source, in lines of at most
// w cells without styles, but for code, which is not cut; nil if it is not on
// the board.
func (b *Board) Read(source string, w int) []string {
	i := b.rowOf(source)
	if i < 0 {
		return nil
	}
	b.move(i)
	const (
		tall = 40   // half of it for the hunk
		long = 1000 // cells of a line of code
	)
	lines := b.drawDetail(b.items[b.rows[i]], w, long, tall)
	for n, l := range lines {
		lines[n] = strings.TrimRight(ansi.Strip(l), " ")
	}
	return lines
}
