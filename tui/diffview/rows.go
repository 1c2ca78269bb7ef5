package diffview

import (
	"fmt"
	"strings"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/tui/text"
)

// noEOL is how git says that no newline follows a line.
const noEOL = ` \ No newline at end of file`

// minCode is how many cells the code must have; below it the numbers go.
const minCode = 20

// Mark is a range of lines on a side that a finding is about, 1-based and
// inclusive.
type Mark struct {
	Side       diff.Side
	Start, End int
}

func (m Mark) has(l diff.Numbered) bool {
	n := l.New
	if m.Side == diff.Left {
		n = l.Old
	}
	return n > 0 && n >= m.Start && n <= max(m.End, m.Start)
}

// Extend returns the hunk with lines of the file before and after it: above
// ends with the line right before the hunk, below begins with the one after.
func Extend(h *diff.Hunk, above, below []string) *diff.Hunk {
	if len(above)+len(below) == 0 {
		return h
	}
	x := *h
	n := len(above)
	x.OldStart, x.NewStart = h.OldStart-n, h.NewStart-n
	if h.OldLines == 0 { // "-N,0" names the line before the hunk
		x.OldStart++
	}
	if h.NewLines == 0 {
		x.NewStart++
	}
	x.OldLines, x.NewLines = h.OldLines+n+len(below), h.NewLines+n+len(below)
	x.Lines = make([]diff.Line, 0, len(h.Lines)+n+len(below))
	for _, l := range above {
		x.Lines = append(x.Lines, diff.Line{Text: l, Op: diff.Context})
	}
	x.Lines = append(x.Lines, h.Lines...)
	for _, l := range below {
		x.Lines = append(x.Lines, diff.Line{Text: l, Op: diff.Context})
	}
	return &x
}

// Header is a hunk's first line as it is shown: where it is, and in what.
func (k *Inks) Header(h *diff.Hunk, w int) string {
	var b strings.Builder
	s := fmt.Sprintf("@@ -%d,%d +%d,%d @@", h.OldStart, h.OldLines, h.NewStart, h.NewLines)
	if h.Section != "" {
		s += " " + text.Line(h.Section)
	}
	b.WriteString(k.at.Paint(text.Cut(s, w)))
	return b.String()
}

// Rows draws a hunk's lines, each at most w cells wide: the bar before marked
// lines, both numbers, the sign and the code. Row i is line i of the hunk.
func (k *Inks) Rows(h *diff.Hunk, p *Paint, marks []Mark, w int) []string {
	rows := make([]string, 0, len(h.Lines))
	diffs := within(h)
	digits := numberWidth(h)
	i := 0
	for l := range h.All() {
		rows = append(rows, k.row(l, p.Spans(l.Text), diffs[i], marked(marks, l), digits, w))
		i++
	}
	return rows
}

// Marked lists the indexes of the hunk's lines that a mark covers.
func Marked(h *diff.Hunk, marks []Mark) []int {
	var out []int
	i := 0
	for l := range h.All() {
		if marked(marks, l) {
			out = append(out, i)
		}
		i++
	}
	return out
}

func marked(marks []Mark, l diff.Numbered) bool {
	for _, m := range marks {
		if m.has(l) {
			return true
		}
	}
	return false
}

// numberWidth is how many cells the hunk's largest number takes.
func numberWidth(h *diff.Hunk) int {
	return max(len(fmt.Sprint(max(h.OldStart+h.OldLines, h.NewStart+h.NewLines))), 3)
}

func (k *Inks) row(l diff.Numbered, spans []Span, diffs []Range, mark bool, digits, w int) string {
	var b strings.Builder
	bar := " "
	if mark {
		bar = k.bar
	}
	gutter := fmt.Sprintf("%s %s ", number(l.Old, digits), number(l.New, digits))
	if w-len(gutter) < minCode {
		gutter = ""
	}
	b.WriteString(k.mark.Paint(bar))
	b.WriteString(k.number.Paint(gutter))
	b.WriteString(k.code[l.Op][Plain].Paint(text.Cut(string(rune(l.Op))+" ", w-1)))
	k.line(&b, l.Line, spans, diffs, w-1-len(gutter)-2)
	return b.String()
}

func number(n, digits int) string {
	if n == 0 {
		return strings.Repeat(" ", digits)
	}
	return fmt.Sprintf("%*d", digits, n)
}

// line draws the code in at most w cells, piece by piece where the style
// changes, tabs expanded and control characters written out.
func (k *Inks) line(b *strings.Builder, l diff.Line, spans []Span, diffs []Range, w int) {
	if l.NoEOL {
		room := w - text.Width(text.Visible(l.Text))
		defer func() { b.WriteString(k.number.Paint(text.Cut(noEOL, room))) }()
	}
	col, at := 0, 0
	for _, p := range pieces(l.Text, spans, diffs) {
		ink := k.code[l.Op][p.class]
		if p.changed {
			ink = k.changed[l.Op][p.class]
		}
		s, next := show(l.Text[at:at+p.n], col)
		at += p.n
		if next > w {
			b.WriteString(ink.Paint(text.Cut(s, w-col)))
			return
		}
		if next == w && at < len(l.Text) { // it fits, what follows does not
			b.WriteString(ink.Paint(text.Cut(s+"…", w-col)))
			return
		}
		b.WriteString(ink.Paint(s))
		col = next
	}
}

// show makes a piece of code visible, its tabs expanded from a column on.
func show(s string, col int) (string, int) {
	if !strings.Contains(s, "\t") {
		v := text.Visible(s)
		return v, col + text.Width(v)
	}
	var b strings.Builder
	for i, part := range strings.Split(s, "\t") {
		if i > 0 {
			n := text.TabWidth - col%text.TabWidth
			b.WriteString(strings.Repeat(" ", n))
			col += n
		}
		v := text.Visible(part)
		b.WriteString(v)
		col += text.Width(v)
	}
	return b.String(), col
}

// piece is a stretch of a line that is drawn in one style, n bytes long.
type piece struct {
	n       int
	class   Class
	changed bool
}

// pieces cuts a line where its class or its being changed begins or ends.
func pieces(line string, spans []Span, diffs []Range) []piece {
	if len(spans) == 0 {
		spans = []Span{{len(line), Plain}}
	}
	var out []piece
	at := 0
	for _, s := range spans {
		for end := at + s.Len; at < end; {
			next, changed := end, false
			for _, d := range diffs {
				switch {
				case at >= d.Start && at < d.End:
					next, changed = min(next, d.End), true
				case d.Start > at:
					next = min(next, d.Start)
				}
			}
			out = append(out, piece{next - at, s.Class, changed})
			at = next
		}
	}
	return out
}
