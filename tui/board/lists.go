package board

import (
	"cmp"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/text"
)

// lists is the page of what is not on the board, or was decided elsewhere.
type lists struct {
	cursor, top int
}

// aside is a finding of that page, the list it is in, and why.
type aside struct {
	item
	list, why string
}

// asides lists them: dropped, folded, decided before.
func (b *Board) asides() []aside {
	w := b.words.Board
	var dropped, folded, before []aside
	for _, e := range b.state.Entries {
		it := newItem(b.state, e)
		switch {
		case b.before(e):
			why := b.decisionInFull(it) + " · " + text.Line(it.decision.Carried)
			before = append(before, aside{it, w.Before, why})
		case b.state.OnBoard(e):
		case e.Dropped != "":
			dropped = append(dropped, aside{it, w.Dropped, text.Line(e.Dropped)})
		default:
			folded = append(folded, aside{it, w.Folded, text.Line(e.FoldedIn(b.words.Lang))})
		}
	}
	return append(append(dropped, folded...), before...)
}

// countAsides says how many findings are on each list of that page.
func (b *Board) countAsides() string {
	n := map[string]int{}
	for _, a := range b.asides() {
		n[a.list]++
	}
	w := b.words.Board
	var parts []string
	for _, list := range []string{w.Before, w.Folded, w.Dropped} {
		if n[list] > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", list, n[list]))
		}
	}
	return join(slices.Values(parts), "  ")
}

// before reports whether a finding was decided in an earlier run, and nobody
// has brought it back since.
func (b *Board) before(e event.Entry) bool {
	d, _ := b.state.DecisionOf(e)
	return d.Carried != "" && b.state.OnBoard(e) && !slices.ContainsFunc(e.Sources, func(id string) bool { return b.state.Restored[id] })
}

// toggleLists opens the page and closes it.
func (b *Board) toggleLists() tea.Cmd {
	if b.mode == modeLists {
		b.mode = modeList
		return nil
	}
	b.mode, b.lists = modeLists, lists{}
	return nil
}

// restore brings the finding under the page's cursor back to the board.
func (b *Board) restore() tea.Cmd {
	list := b.asides()
	if b.lists.cursor >= len(list) {
		return nil
	}
	it := list[b.lists.cursor]
	if b.state.OnBoard(it.Entry) && !b.before(it.Entry) {
		b.say(b.words.Board.NothingToRestore)
		return nil
	}
	return b.send(event.Command{Kind: event.CmdRestore, IDs: []string{it.Lead}, Cursor: b.lead()})
}

// moveLists moves the page's cursor.
func (b *Board) moveLists(by int) {
	b.lists.cursor = min(max(b.lists.cursor+by, 0), max(len(b.asides())-1, 0))
}

// listsLines draws the page: the coordinator's summary in full, what the run
// has to say of itself, then the lists.
func (b *Board) listsLines(w, h int) []string {
	s := &sheet{board: b, w: max(w, 1)}
	words, list := b.words.Board, b.asides()
	if sum := b.summary(); sum != "" {
		s.label(words.SummaryTitle)
		s.para(b.styles.Text, clean(cmp.Or(b.state.Summary.Text, sum)))
		s.lines = append(s.lines, "")
	}
	s.remarks()
	if len(list) == 0 {
		s.para(b.styles.Dim, words.ListEmpty)
	}
	b.lists.cursor = min(b.lists.cursor, max(len(list)-1, 0))
	from, to := 0, 0
	for i, it := range list {
		if i == 0 || it.list != list[i-1].list {
			s.label(fmt.Sprintf("%s %d", it.list, count(list, it.list)))
		}
		if i == b.lists.cursor {
			from = len(s.lines)
		}
		b.drawAside(s, it, i == b.lists.cursor)
		if i == b.lists.cursor {
			to = len(s.lines)
		}
	}
	top := min(b.lists.top, from)
	if b.lists.cursor == 0 {
		top = 0
	}
	b.lists.top = max(min(max(top, to-h), len(s.lines)-h), 0)
	return s.lines[b.lists.top:min(b.lists.top+h, len(s.lines))]
}

// remarks are why a person must look, what nobody looked at, what reviewers
// said besides their findings, and what the run has noticed.
func (s *sheet) remarks() {
	w, state := s.board.words.Board, s.board.state
	put := func(label string, st lipgloss.Style, texts []string) {
		if len(texts) == 0 {
			return
		}
		s.label(label)
		for _, t := range texts {
			s.para(st, text.Line(t))
		}
		s.lines = append(s.lines, "")
	}
	var holds, gaps, besides, notices []string
	for _, h := range state.AllHolds() {
		holds = append(holds, s.board.words.Say(h.Text))
	}
	for _, g := range state.AllGaps() {
		if !g.Human { // those are holds
			gaps = append(gaps, s.board.words.Say(g.Text))
		}
	}
	for _, r := range state.Reviewers {
		if r.Report == nil {
			continue
		}
		for _, n := range r.Report.Notes {
			besides = append(besides, r.Name+": "+s.board.words.Say(n))
		}
	}
	for _, n := range state.Notices {
		notices = append(notices, s.board.words.Say(n.Text))
	}
	put(w.Holds, s.board.styles.Notice, holds)
	put(w.Gaps, s.board.styles.Text, gaps)
	put(w.Besides, s.board.styles.Text, besides)
	put(w.Notices, s.board.styles.Text, notices)
}

func count(list []aside, name string) int {
	n := 0
	for _, it := range list {
		if it.list == name {
			n++
		}
	}
	return n
}

// drawAside draws one finding of the page and why it is there.
func (b *Board) drawAside(s *sheet, it aside, cursor bool) {
	r := rowDrawing{board: b, it: it.item, rowLook: rowLook{w: s.w, cursor: cursor}}
	r.it.decision = review.Decision{}
	sev := "[" + b.words.Board.Short(it.shown.Severity) + "] "
	n := min(text.Width(sev), s.w)
	place := min(max(s.w/4, 12), 40)
	room := max(s.w-3-n-place-1, 0)
	s.lines = append(s.lines, text.Cut(r.mark(true)+r.cell(r.severity(), sev, n)+r.cell(b.styles.Text, b.titleOf(it.item), room)+
		r.cell(b.styles.Dim, " "+b.place(it.item, place), place+1), s.w))
	for _, l := range text.Wrap(it.why, max(s.w-5, 2)) {
		s.lines = append(s.lines, b.styles.Dim.Render(text.Cut("     "+l, s.w)))
	}
}
