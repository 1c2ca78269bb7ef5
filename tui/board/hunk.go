package board

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/tui/diffview"
	"github.com/mrv-dev/mrv/tui/text"
)

// hunkKey names a hunk of the change.
type hunkKey struct {
	path  string
	index int
}

// extra is lines of the file around a hunk.
type extra struct {
	above, below []string
	full         bool // there are no more
}

// contextStep is how many lines one key adds on each side of a hunk.
const contextStep = 10

// around is how many lines of a hunk are shown before and after the finding's
// own, until the whole hunk is asked for.
const around = 4

// hunkOf is the hunk the detail shows: the finding's own, or one beside it in
// the file.
func (b *Board) hunkOf(it item) (f *diff.File, index int) {
	f = b.diff.Find(it.file())
	if f == nil || len(f.Hunks) == 0 {
		return f, -1
	}
	own := it.Place.Hunk
	if own < 0 || own >= len(f.Hunks) {
		own = nearest(f, it.line())
	}
	return f, min(max(own+b.detail.hunk, 0), len(f.Hunks)-1)
}

// nearest is the hunk that begins last before a line.
func nearest(f *diff.File, line int) int {
	at := 0
	for i, h := range f.Hunks {
		if h.NewStart <= line {
			at = i
		}
	}
	return at
}

// turnHunk shows the next or previous hunk of the file.
func (b *Board) turnHunk(step int) {
	it, ok := b.current()
	if !ok {
		return
	}
	f, i := b.hunkOf(it)
	if i < 0 {
		b.say(b.words.Board.NoHunk)
		return
	}
	if to := i + step; to >= 0 && to < len(f.Hunks) {
		b.detail.hunk += step
		b.detail.lines, b.detail.top = nil, 0
		i = to
	}
	b.say(fmt.Sprintf(b.words.Board.HunkOf, i+1, len(f.Hunks)))
}

// marksOf are the finding's own lines.
func marksOf(it item) []diffview.Mark {
	if it.Place.Start == 0 {
		return nil
	}
	return []diffview.Mark{{Side: it.Place.Side, Start: it.Place.Start, End: it.Place.End}}
}

// extended is a hunk with the context that was asked for.
func (b *Board) extended(f *diff.File, i int) *diff.Hunk {
	x := b.extras[hunkKey{f.Path(), i}]
	return diffview.Extend(f.Hunks[i], x.above, x.below)
}

// drawHunk adds the hunk of a finding, as much of it as leaves the texts in
// sight.
func (b *Board) drawHunk(s *sheet, it item, h int) {
	if b.diff == nil {
		return
	}
	f, i := b.hunkOf(it)
	if i < 0 {
		return
	}
	hunk, marks := b.extended(f, i), marksOf(it)
	rows := b.inks.Rows(hunk, b.paints[f.Path()], marks, s.code)
	from, to := 0, len(rows)
	if !b.detail.whole {
		from, to = window(len(rows), diffview.Marked(hunk, marks), max(h/2-1, 3))
	}
	at := hunk.Section
	if at != "" {
		at = "  " + at
	}
	span := fmt.Sprintf(" @@ -%d,%d +%d,%d @@", hunk.OldStart, hunk.OldLines, hunk.NewStart, hunk.NewLines)
	head := text.CutMiddle(text.Line(f.Path()), max(s.w-text.Width(span), s.w/2)) + text.Line(span+at)
	s.lines = append(s.lines, b.styles.Hunk.Render(text.Cut(head, s.w)))
	s.lines = append(s.lines, rows[from:to]...)
	if more := len(rows) - (to - from); more > 0 {
		s.lines = append(s.lines, b.styles.Dim.Render(text.Cut(fmt.Sprintf(b.words.Board.MoreLines, more), s.w)))
	}
}

// window chooses the rows of a hunk to show in about room lines: those that
// are marked with some around them, else the first.
func window(n int, marked []int, room int) (from, to int) {
	if n <= room+2 {
		return 0, n
	}
	if len(marked) == 0 {
		return 0, room
	}
	first, last := marked[0], marked[len(marked)-1]
	from = max(first-around, 0)
	to = min(max(last+1+around, from+room), n)
	if to-from > room { // keep the first marked lines in sight
		from = max(first-min(around, room/3), 0)
		to = min(from+room, n)
	}
	return from, to
}

// replacement is the suggested lines as a diff against those they replace.
func (b *Board) replacement(it item, w int) []string {
	var h diff.Hunk
	h.OldStart, h.NewStart = max(it.Place.Start, 1), max(it.Place.Start, 1)
	for _, l := range b.replaced(it) {
		h.Lines = append(h.Lines, diff.Line{Text: l, Op: diff.Delete})
		h.OldLines++
	}
	for _, l := range strings.Split(strings.TrimRight(it.shown.Replacement, "\n"), "\n") {
		h.Lines = append(h.Lines, diff.Line{Text: l, Op: diff.Add})
		h.NewLines++
	}
	return b.inks.Rows(&h, b.paints[it.file()], nil, w)
}

// replaced are the lines at the finding's place, after the change.
func (b *Board) replaced(it item) []string {
	f := b.diff.Find(it.file())
	if f == nil || it.Place.Side != diff.Right || it.Place.Start == 0 {
		return nil
	}
	var lines []string
	for _, h := range f.Hunks {
		for l := range h.All() {
			if l.New >= it.Place.Start && l.New <= max(it.Place.End, it.Place.Start) {
				lines = append(lines, l.Text)
			}
		}
	}
	return lines
}

// paintMsg brings the colours of a file.
type paintMsg struct {
	board *Board
	set   *diff.Set
	path  string
	paint *diffview.Paint
}

// paint colours the files in sight, each once.
func (b *Board) paint() tea.Cmd {
	if b.diff == nil || b.linear {
		return nil
	}
	paths := []string{}
	if it, ok := b.current(); ok {
		paths = append(paths, it.file())
	}
	if b.mode == modeChange {
		paths = append(paths, b.filesInSight()...)
	}
	var cmds []tea.Cmd
	for _, p := range paths {
		cmds = append(cmds, b.paintFile(p))
	}
	return tea.Batch(cmds...)
}

func (b *Board) paintFile(path string) tea.Cmd {
	f := b.diff.Find(path)
	if f == nil {
		return nil
	}
	if _, begun := b.paints[f.Path()]; begun {
		return nil
	}
	b.paints[f.Path()] = nil
	set, lx := b.diff, b.lexers
	return func() tea.Msg { return paintMsg{b, set, f.Path(), diffview.Highlight(f, lx)} }
}

func (b *Board) painted(m paintMsg) {
	if m.set == b.diff {
		b.paints[m.path] = m.paint
		b.detail.lines, b.change.drawn = nil, nil
	}
}

// contextMsg brings lines around a hunk.
type contextMsg struct {
	board *Board
	key   hunkKey
	extra extra
	err   error
}

// moreContext shows the whole hunk, and then more of the file around it.
func (b *Board) moreContext() tea.Cmd {
	it, ok := b.current()
	if !ok || b.diff == nil {
		return nil
	}
	f, i := b.hunkOf(it)
	if i < 0 {
		b.say(b.words.Board.NoHunk)
		return nil
	}
	if !b.detail.whole {
		b.detail.whole, b.detail.lines = true, nil
		return nil
	}
	key := hunkKey{f.Path(), i}
	have := b.extras[key]
	if have.full {
		b.say(b.words.Board.FileEnds)
		return nil
	}
	side, path := diff.Right, f.Path()
	if f.Status == diff.Deleted {
		side = diff.Left
	}
	aboveFrom, aboveTo, belowFrom, belowTo := gaps(f, i, side, have)
	ctx, run := b.ctx, b.run
	return func() tea.Msg {
		m := contextMsg{board: b, key: key, extra: have}
		var above, below []string
		if aboveFrom <= aboveTo {
			above, m.err = run.Context(ctx, path, side, aboveFrom, aboveTo)
		}
		if m.err == nil && belowFrom <= belowTo {
			below, m.err = run.Context(ctx, path, side, belowFrom, belowTo)
		}
		m.extra.above = append(above, have.above...)
		m.extra.below = append(have.below[:len(have.below):len(have.below)], below...)
		m.extra.full = len(above)+len(below) == 0
		return m
	}
}

// gaps are the next lines of the file on both sides of a hunk, up to the hunks
// beside it.
func gaps(f *diff.File, i int, side diff.Side, have extra) (aboveFrom, aboveTo, belowFrom, belowTo int) {
	span := func(h *diff.Hunk) (start, end int) {
		if side == diff.Left {
			return h.OldStart, h.OldStart + h.OldLines
		}
		return h.NewStart, h.NewStart + h.NewLines
	}
	start, end := span(f.Hunks[i])
	floor, ceiling := 1, 1<<30
	if i > 0 {
		_, floor = span(f.Hunks[i-1])
	}
	if i+1 < len(f.Hunks) {
		ceiling, _ = span(f.Hunks[i+1])
	}
	aboveTo = start - 1 - len(have.above)
	belowFrom = end + len(have.below)
	return max(aboveTo-contextStep+1, floor), aboveTo, belowFrom, min(belowFrom+contextStep-1, ceiling-1)
}

func (b *Board) contextCame(m contextMsg) {
	if m.err != nil {
		b.fail(m.err)
		return
	}
	if m.extra.full {
		b.say(b.words.Board.FileEnds)
	}
	b.extras[m.key] = m.extra
	b.detail.lines = nil
}
