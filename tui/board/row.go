package board

import (
	"fmt"
	"path"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/text"
)

// Widths from which the board shows columns, and three labelled lines a row;
// below, it shows titles only.
const (
	wideFrom  = 120
	stackFrom = 60
)

// cellLines is how many lines a cell may have.
const cellLines = 3

// look of a row, apart from its finding.
type rowLook struct {
	w                         int
	cursor, selected, pending bool
	search                    string
}

type cachedRow struct {
	look  rowLook
	lines []string
}

// row is the lines of a row, each as wide as the list; kept until something
// about it changes.
func (b *Board) row(i, w int) []string {
	it := b.items[b.rows[i]]
	look := rowLook{w: w, cursor: i == b.cursor, selected: b.isSelected(it), pending: !it.decided() && !b.open(it), search: b.search}
	if c, ok := b.cache[it.ID]; ok && c.look == look {
		return c.lines
	}
	r := rowDrawing{board: b, it: it, rowLook: look}
	var lines []string
	switch {
	case w >= wideFrom:
		lines = r.columns()
	case w >= stackFrom:
		lines = r.stacked()
	default:
		lines = []string{r.title()}
	}
	b.cache[it.ID] = cachedRow{look, lines}
	return lines
}

// rowDrawing draws one row.
type rowDrawing struct {
	board *Board
	it    item
	rowLook
}

// cell draws text in exactly w cells; the row under the cursor has the
// selection's ground.
func (r rowDrawing) cell(st lipgloss.Style, s string, w int) string {
	if w <= 0 {
		return ""
	}
	if r.cursor {
		st = r.board.styles.Select(st)
	}
	return r.board.found(st, text.Pad(s, w))
}

// body is the style of a row's texts: what is decided is old.
func (r rowDrawing) body() lipgloss.Style {
	if r.it.decided() {
		return r.board.styles.Dim
	}
	return r.board.styles.Text
}

func (r rowDrawing) severity() lipgloss.Style {
	if r.it.decided() {
		return r.board.styles.Dim
	}
	return r.board.styles.Severity(r.it.shown.Severity)
}

// mark is the cursor's and the selection's sign, 3 cells.
func (r rowDrawing) mark(first bool) string {
	g, a, s := r.board.styles.Glyphs, " ", " "
	if r.cursor && first {
		a = g.Cursor
	}
	if r.selected && first {
		s = g.Selected
	}
	return r.cell(r.board.styles.Accent, a+s, 3)
}

// columnWidths divides the width of the list; O, I and J share what is left.
type columnWidths struct{ severity, place, text, last, who, decision int }

func widths(w int) columnWidths {
	c := columnWidths{severity: 4, place: min(max(w/7, 16), 32), who: 10, decision: 14}
	rest := w - 3 - c.severity - c.place - c.who - c.decision - 6*2
	c.text = rest / 3
	c.last = rest - 2*c.text
	return c
}

func (r rowDrawing) columns() []string {
	b, it, c := r.board, r.it, widths(r.w)
	cols := []struct {
		style lipgloss.Style
		lines []string
		w     int
	}{
		{r.severity(), []string{b.words.Board.Short(it.shown.Severity)}, c.severity},
		{r.body(), b.placeCell(it, c.place), c.place},
		{r.body(), b.cellText(it.shown.Observation, c.text), c.text},
		{r.body(), b.cellText(it.shown.Inference, c.text), c.text},
		{r.body(), b.cellText(it.shown.Judgment, c.last), c.last},
		{b.styles.Dim, parts(b.who(it), c.who), c.who},
		{r.choice(), parts(b.decision(it, r.pending), c.decision), c.decision},
	}
	height := 1
	for _, col := range cols {
		height = max(height, len(col.lines))
	}
	out := make([]string, height)
	for y := range out {
		var line strings.Builder
		line.WriteString(r.mark(y == 0))
		for i, col := range cols {
			if i > 0 {
				line.WriteString(r.cell(b.styles.Text, "", 2))
			}
			s := ""
			if y < len(col.lines) {
				s = col.lines[y]
			}
			line.WriteString(r.cell(col.style, s, col.w))
		}
		out[y] = line.String()
	}
	return out
}

// heads is the line above the columns.
func (b *Board) heads(w int) string {
	c, h := widths(w), b.words.Board
	var line strings.Builder
	line.WriteString("   ")
	for i, col := range []struct {
		s string
		w int
	}{
		{h.Severity, c.severity}, {h.Place, c.place}, {h.Observation, c.text}, {h.Inference, c.text},
		{h.Judgment, c.last}, {h.Who, c.who}, {h.Decision, c.decision},
	} {
		if i > 0 {
			line.WriteString("  ")
		}
		line.WriteString(text.Pad(col.s, col.w))
	}
	return b.styles.Dim.Render(line.String())
}

func (r rowDrawing) stacked() []string {
	b, it := r.board, r.it
	sev := "[" + b.words.Board.Short(it.shown.Severity) + "] "
	who, decision := 16, 22
	if r.w < 84 {
		decision = 14
	}
	decided := strings.Join(b.decision(it, r.pending), " ")
	if short := b.narrow(it, r.pending); short != "" && text.Width(decided) > decision {
		decided = short
	}
	place := r.w - 3 - text.Width(sev) - who - decision - 3
	lines := []string{r.mark(true) + r.cell(r.severity(), sev, text.Width(sev)) + r.cell(r.body(), b.place(it, place-1), place) +
		r.cell(b.styles.Dim, " "+b.whoLine(it), who+1) + r.cell(r.choice(), "  "+decided, decision+2)}
	for _, x := range []struct{ label, s string }{
		{b.words.Board.O, it.shown.Observation}, {b.words.Board.I, it.shown.Inference}, {b.words.Board.J, it.shown.Judgment},
	} {
		label := x.label + "  "
		n := text.Width(label)
		lines = append(lines, r.mark(false)+r.cell(b.styles.Dim, label, n)+r.cell(r.body(), b.given(x.s), r.w-3-n))
	}
	return lines
}

func (r rowDrawing) title() string {
	b, decided, cells := r.board, r.board.shortDecision(r.it, r.pending), 5
	if b.since(r.it) != event.Unchanged {
		decided, cells = decided+"*", cells+1
	}
	return r.mark(true) + r.cell(r.severity(), b.words.Board.Short(r.it.shown.Severity), 5) +
		r.cell(r.body(), b.titleOf(r.it), r.w-3-5-cells) + r.cell(r.choice(), " "+decided, cells)
}

func (r rowDrawing) choice() lipgloss.Style { return r.board.styles.Choice(r.it.decision.Choice) }

// cellText is foreign text as the lines of a cell.
func (b *Board) cellText(s string, w int) []string {
	return clip(text.Wrap(b.given(s), w), w)
}

// clip keeps the lines that a cell may have, and shows that there were more.
func clip(lines []string, w int) []string {
	if len(lines) <= cellLines {
		return lines
	}
	return append(lines[:cellLines-1:cellLines-1], more(lines[cellLines-1], w))
}

// more ends a line with the sign that something follows it.
func more(line string, w int) string {
	if text.Width(line) < w {
		return line + "…"
	}
	return text.Cut(line+" ", w)
}

// given is foreign text on one line, or that it was not given.
func (b *Board) given(s string) string {
	if strings.TrimSpace(s) == "" {
		return b.words.Board.NotGiven
	}
	return text.Line(s)
}

func (b *Board) titleOf(it item) string {
	if strings.TrimSpace(it.shown.Title) == "" {
		return b.words.Board.NoTitle
	}
	return text.Line(it.shown.Title)
}

// place is path:line in at most w cells; the path gives way in its middle, the
// line stays.
func (b *Board) place(it item, w int) string {
	if it.file() == "" {
		return text.Cut(b.words.Board.NoPlace, w)
	}
	line := ""
	if n := it.line(); n > 0 {
		line = fmt.Sprintf(":%d", n)
	}
	return text.CutMiddle(text.Line(it.file()), max(w-len(line), 1)) + text.Cut(line, w-1)
}

// placeCell is the place in a column: a path too long for one line has the file
// on the first and its folder on the second, each cut in the middle, because
// long paths differ in their middle too.
func (b *Board) placeCell(it item, w int) []string {
	file := text.Line(it.file())
	whole := b.place(it, 1<<20)
	if file == "" || text.Width(whole) <= w || path.Dir(file) == "." {
		return []string{b.place(it, w)}
	}
	it.Place.Path = path.Base(it.file())
	return []string{b.place(it, w), text.CutMiddle(path.Dir(file), w)}
}

// parts is each part of a text on lines of its own.
func parts(list []string, w int) []string {
	var lines []string
	for _, s := range list {
		lines = append(lines, text.Wrap(s, w)...)
	}
	return clip(lines, w)
}

// who says how many reviewers, and how many models, stand behind a finding.
func (b *Board) who(it item) []string {
	w := b.words.Board
	switch {
	case it.disputed():
		return []string{w.Disputed}
	case len(it.Reviewers) > 1:
		return b.agreement(it)
	}
	return []string{w.Alone}
}

// agreement is how many of the reviewers report a finding, and how many models.
func (b *Board) agreement(it item) []string {
	w := b.words.Board
	list := []string{fmt.Sprintf(w.Of, len(it.Reviewers), b.reported())}
	switch {
	case it.Models > 1:
		list = append(list, fmt.Sprintf(w.Models, it.Models))
	case it.Models == 1:
		list = append(list, w.OneModel)
	}
	return list
}

// whoLine is who on one line.
func (b *Board) whoLine(it item) string { return strings.Join(b.who(it), b.words.Board.And) }

// reported is how many reviewers handed in a report.
func (b *Board) reported() int {
	n := 0
	for _, r := range b.state.Reviewers {
		if r.Report != nil {
			n++
		}
	}
	return n
}

// decision is what was decided, and the reason or for whom; and that it went
// out before it was changed.
func (b *Board) decision(it item, pending bool) []string {
	if pending {
		return []string{b.words.Board.Saving}
	}
	return b.withSince(it, b.decided(it))
}

func (b *Board) decided(it item) []string {
	w, d := b.words.Board, it.decision
	switch {
	case d.Choice == review.Rejected:
		return []string{w.Rejected + ":", w.Reason(d.Reason)}
	case d.Choice == review.Escalated:
		return []string{w.Escalated + ":", text.Line(d.To)}
	case it.contested:
		return []string{w.Contested}
	case d.Choice == review.Undecided && it.urgent:
		return []string{w.Conflicting}
	}
	return []string{w.Choice(d.Choice)}
}

func (b *Board) shortDecision(it item, pending bool) string {
	w := b.words.Board
	switch {
	case pending:
		return "…"
	case it.decision.Choice == review.Accepted:
		return w.ShortAccepted
	case it.decision.Choice == review.Rejected:
		return w.ShortRejected
	case it.decision.Choice == review.Escalated:
		return w.ShortEscalated
	case it.urgent:
		return w.ShortConflict
	}
	return w.Undecided
}
