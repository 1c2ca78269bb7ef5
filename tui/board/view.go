package board

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/tui/text"
)

// besideFrom is the width from which the detail stands beside the list.
const besideFrom = 200

// layout is how the board's place is divided.
type layout struct {
	head            []string
	listW, listH    int
	detailW, detail int // detail: its height, 0 for none
	beside          bool
}

func (b *Board) layout() layout {
	l := layout{head: b.head(), listW: b.w}
	rest := max(b.h-len(l.head), 0)
	switch {
	case b.mode == modeDetail:
		l.detailW, l.detail = b.w, rest
	case rest < 11:
		l.listH = rest
	case b.w >= besideFrom:
		l.beside = true
		l.listW = b.listWidth()
		l.detailW = b.w - l.listW - 2
		l.listH, l.detail = rest, rest
	default:
		l.listH = b.needed(rest * 45 / 100)
		l.detailW, l.detail = b.w, rest-l.listH-1
	}
	return l
}

// listWidth is how many cells the rows have.
func (b *Board) listWidth() int {
	if b.w < besideFrom {
		return b.w
	}
	return max(b.w*55/100, wideFrom)
}

// needed is how many of h lines the rows take.
func (b *Board) needed(h int) int {
	n := 0
	for i := 0; i < len(b.rows) && n < h; i++ {
		n += len(b.row(i, b.w))
	}
	return max(min(n, h), min(h, 4))
}

// listHeight is how many lines the rows have.
func (b *Board) listHeight() int { return b.layout().listH }

// rowHeight is how many lines the row under the cursor has, as far as known.
func (b *Board) rowHeight() int {
	if b.cursor < len(b.rows) {
		if c, ok := b.cache[b.rows[b.cursor]]; ok {
			return len(c.lines)
		}
	}
	return 1
}

// View draws the board: exactly as many lines as its height, none wider than
// its width.
func (b *Board) View() string {
	if b.w == 0 || b.h == 0 {
		return ""
	}
	l := b.layout()
	lines := l.head
	switch {
	case b.mode == modeDetail:
		lines = append(lines, b.detailLines(l.detailW, l.detail)...)
	case b.mode == modeChange:
		lines = append(lines, b.changeLines(b.w, b.h-len(lines))...)
	case b.mode == modeLists:
		lines = append(lines, b.listsLines(b.w, b.h-len(lines))...)
	case l.beside:
		list, det := b.listLines(l.listW, l.listH), b.detailLines(l.detailW, l.detail)
		bar := b.styles.Unfocused.Render(b.styles.Glyphs.Left)
		for y := range l.listH {
			lines = append(lines, pick(list, y, l.listW)+bar+" "+pick(det, y, 0))
		}
	case b.mode == modeCoverage:
		lines = append(lines, b.coverageLines(b.w, b.h-len(lines))...)
	default:
		lines = append(lines, b.listLines(l.listW, l.listH)...)
		lines = fill(lines, len(l.head)+l.listH)
		if l.detail > 0 {
			det := b.detailLines(l.detailW, l.detail)
			lines = append(lines, b.rule(l))
			lines = append(lines, det...)
		}
	}
	lines = fill(lines, b.h)[:b.h]
	if b.ask != nil {
		lines = b.overlay(lines)
	}
	for i, s := range lines {
		if text.Width(s) > b.w {
			lines[i] = text.Cut(s, b.w)
		}
	}
	return strings.Join(lines, "\n")
}

func fill(lines []string, n int) []string {
	for len(lines) < n {
		lines = append(lines, "")
	}
	return lines
}

// pick is line y, filled to w cells.
func pick(lines []string, y, w int) string {
	s := ""
	if y < len(lines) {
		s = lines[y]
	}
	if w > 0 {
		return text.Pad(s, w)
	}
	return s
}

// head is the lines above the rows: how things stand, the coordinator's
// summary where there is room, the heads of the columns.
func (b *Board) head() []string {
	lines := []string{b.status()}
	if b.h < 2 || b.state == nil {
		return lines
	}
	room := 0
	if b.h >= 18 {
		room = 1
	}
	if b.h >= 40 {
		room = 2
	}
	if sum := b.summary(); sum != "" && b.mode == modeList {
		wrapped := text.Wrap(sum, b.w)
		for i := range min(room, len(wrapped)) {
			s := wrapped[i]
			if i == room-1 && len(wrapped) > room {
				s = more(s, b.w)
			}
			lines = append(lines, b.styles.Dim.Render(s))
		}
	}
	if b.w >= wideFrom && b.mode == modeList && b.h > 6 {
		lines = append(lines, b.heads(b.listWidth()))
	}
	return lines
}

// summary is the coordinator's, or why there is none.
func (b *Board) summary() string {
	if b.state.Summary.Error != "" {
		return text.Line(fmt.Sprintf(b.words.Progress.Deterministic, b.words.Say(b.state.Summary.Error)))
	}
	return strings.TrimSpace(text.Line(b.state.Summary.Text))
}

// status is the verdict so far, how many wait, and what is shown in which order.
func (b *Board) status() string {
	if b.state == nil {
		return ""
	}
	if b.mode >= modeChange && b.notice.text == "" {
		return b.styles.Dim.Render(text.Cut(b.pageName(), b.w))
	}
	w, t := b.words.Board, b.standing.tally
	verdict := string(b.standing.verdict)
	if said := b.words.Common.Verdict[verdict]; said != "" {
		verdict = said
	}
	parts := []string{fmt.Sprintf(w.SoFar, verdict), fmt.Sprintf(w.Counts, t.Undecided, t.Total)}
	if n := b.selectedCount(); n > 0 {
		parts = append(parts, fmt.Sprintf(w.SelectedN, n))
	}
	if f := b.describe(); f != "" {
		parts = append(parts, fmt.Sprintf(w.FilterIs, f)+" "+fmt.Sprintf(w.Shown, len(b.rows)))
	}
	parts = append(parts, fmt.Sprintf(w.SortName, b.sortName()))
	if b.away != "" {
		parts = append(parts, b.away)
	}
	line := text.Cut(join(slices.Values(parts), "  "), b.w)
	if b.notice.text == "" || b.hasRule() {
		return b.styles.Dim.Render(line)
	}
	return b.noticeStyle().Render(text.Cut(b.notice.text, b.w))
}

// pageName says what fills the board's place.
func (b *Board) pageName() string {
	if b.mode == modeLists {
		return b.words.Board.ListsTitle
	}
	if b.mode == modeCoverage {
		return b.words.Board.CoverageTitle
	}
	n := 0
	for _, l := range b.change.lines {
		if l.entry != "" {
			n++
		}
	}
	return fmt.Sprintf(b.words.Board.WholeChange, len(b.diff.Files), n)
}

// hasRule reports whether there is a line between rows and detail, which then
// shows what the last key did.
func (b *Board) hasRule() bool { return b.mode == modeList && b.w < besideFrom && b.h >= 14 }

func (b *Board) noticeStyle() lipgloss.Style {
	if b.notice.bad {
		return b.styles.Error
	}
	return b.styles.Notice
}

func (b *Board) selectedCount() int {
	n := 0
	for _, id := range b.rows {
		if b.isSelected(b.items[id]) {
			n++
		}
	}
	return n
}

func (b *Board) sortName() string {
	w := b.words.Board
	switch b.sort {
	case BySeverity:
		return w.BySeverity
	case ByPlace:
		return w.ByPlace
	case ByAgreement:
		return w.ByAgreement
	}
	return w.ByUrgency
}

// listLines is the rows in sight. Only they are drawn: a thousand findings
// cost what ten do.
func (b *Board) listLines(w, h int) []string {
	if h <= 0 {
		return nil
	}
	if len(b.rows) == 0 {
		return []string{b.styles.Dim.Render(text.Cut(b.emptiness(), w))}
	}
	b.scrollTo(w, h)
	var lines []string
	for i := b.top; i < len(b.rows) && len(lines) < h; i++ {
		lines = append(lines, b.row(i, w)...)
	}
	return lines[:min(len(lines), h)]
}

func (b *Board) emptiness() string {
	w := b.words.Board
	if len(b.items) > 0 {
		return w.EmptyFilter
	}
	if b.state == nil {
		return w.Empty
	}
	aside := b.countAsides()
	switch {
	case aside != "":
		return fmt.Sprintf(w.EmptyHere, aside)
	case b.state.Phase == event.PhasePlanned || b.state.Phase == event.PhaseReviewing:
		return w.Waiting
	}
	return w.Empty
}

// scrollTo chooses the first row so that the one under the cursor is wholly in
// sight, moving as little as possible.
func (b *Board) scrollTo(w, h int) {
	b.top = min(b.top, b.cursor)
	used := 0
	for i := b.cursor; i >= b.top; i-- {
		used += len(b.row(i, w))
		if used > h && i < b.cursor {
			b.top = i + 1
			return
		}
	}
	// At the end of the list nothing is wasted below it.
	for b.top > 0 && b.cursor == len(b.rows)-1 {
		n := len(b.row(b.top-1, w))
		if used+n > h {
			return
		}
		used += n
		b.top--
	}
}

// rule parts rows and detail, says what the last key did, and how much of the
// detail is in sight.
func (b *Board) rule(l layout) string {
	g := b.styles.Glyphs.Rule
	where := ""
	if n := len(b.detail.lines); n > l.detail {
		where = " " + fmt.Sprintf(b.words.Board.DetailOf, b.detail.top+1, b.detail.top+l.detail, n) + " " + g
	}
	said := ""
	if b.notice.text != "" {
		if text.Width(b.notice.text)+text.Width(where)+6 > b.w {
			where = ""
		}
		said = " " + text.Cut(b.notice.text, b.w-6) + " "
	}
	n := b.w - 2 - text.Width(said) - text.Width(where)
	return b.styles.Unfocused.Render(strings.Repeat(g, min(2, b.w))) + b.noticeStyle().Render(said) +
		b.styles.Unfocused.Render(strings.Repeat(g, max(n, 0))) + b.styles.Dim.Render(where)
}
