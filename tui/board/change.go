package board

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/diffview"
	"github.com/mrv-dev/mrv/tui/text"
)

// change is the page of the whole change with the findings in place. It knows
// every line of it by a small record; only those in sight are drawn.
type change struct {
	lines     []changeLine
	line, top int
	drawn     map[hunkKey][]string // rows of hunks, for one width
	w         int
}

// changeLine is one line of the page: a finding, a line of a hunk (row >= 0),
// a hunk's head (row -1), or a file's (hunk -1).
type changeLine struct {
	file, hunk, row int
	entry           string
}

// toggleChange opens the page at the finding under the cursor and closes it.
func (b *Board) toggleChange() tea.Cmd {
	if b.mode == modeChange {
		b.mode = modeList
		return nil
	}
	if b.diff == nil {
		b.say(b.words.Board.NoDiff)
		return nil
	}
	b.mode = modeChange
	b.layChange()
	b.change.line = b.lineOf(b.lead())
	return nil
}

// layChange lays the page out anew: the findings of each file below its head
// when they have no line in a hunk, else below their last line.
func (b *Board) layChange() {
	old := b.change
	b.change = change{line: old.line, top: old.top}
	for f, file := range b.diff.Files {
		b.change.add(f, -1, -1, "")
		below := b.inFile(file)
		for _, id := range below[hunkKey{"", -1}] {
			b.change.add(f, -1, -1, id)
		}
		for h, hunk := range file.Hunks {
			b.change.add(f, h, -1, "")
			for row := range hunk.Lines {
				b.change.add(f, h, row, "")
				for _, id := range below[hunkKey{fmt.Sprint(h), row}] {
					b.change.add(f, h, row, id)
				}
			}
		}
	}
}

func (c *change) add(file, hunk, row int, entry string) {
	c.lines = append(c.lines, changeLine{file, hunk, row, entry})
}

// inFile places the findings of a file: by hunk and line, or {"", -1} for none.
func (b *Board) inFile(f *diff.File) map[hunkKey][]string {
	out := map[hunkKey][]string{}
	for _, id := range b.rows {
		it := b.items[id]
		if it.file() != f.Path() {
			continue
		}
		key := hunkKey{"", -1}
		if i := it.Place.Hunk; i >= 0 && i < len(f.Hunks) {
			if marked := diffview.Marked(f.Hunks[i], marksOf(it)); len(marked) > 0 {
				key = hunkKey{fmt.Sprint(i), marked[len(marked)-1]}
			}
		}
		out[key] = append(out[key], id)
	}
	return out
}

// lineOf is the line of the finding that has a source, else the first.
func (b *Board) lineOf(source string) int {
	for i, l := range b.change.lines {
		if l.entry != "" && source != "" && b.items[l.entry].Lead == source {
			return i
		}
	}
	return 0
}

// onFinding reports whether the page's cursor is on a finding, which decisions
// then are for.
func (b *Board) onFinding() bool {
	c := b.change
	return c.line < len(c.lines) && c.lines[c.line].entry != ""
}

// placeUnderCursor is where a finding of the person's own begins: the line of
// the whole change under its cursor, else the place of the finding.
func (b *Board) placeUnderCursor() review.Location {
	if c := b.change; b.mode == modeChange && c.line < len(c.lines) && !b.onFinding() {
		l := c.lines[c.line]
		f := b.diff.Files[l.file]
		loc := review.Location{Path: f.Path()}
		if l.row >= 0 {
			i := 0
			for n := range f.Hunks[l.hunk].All() {
				if i == l.row {
					loc.Start, loc.Old = n.New, n.New == 0
					if loc.Old {
						loc.Start = n.Old
					}
				}
				i++
			}
		}
		return loc
	}
	it, _ := b.current()
	return review.Location{Path: it.file(), Start: it.line()}
}

// moveChange moves the page's cursor; on a finding the board's goes along.
func (b *Board) moveChange(by int) {
	c := &b.change
	c.line = min(max(c.line+by, 0), max(len(c.lines)-1, 0))
	if b.onFinding() {
		b.show(b.items[c.lines[c.line].entry].Lead)
	}
}

// jumpChange goes to the next (1) or previous (-1) line for which stop holds.
func (b *Board) jumpChange(step int, stop func(changeLine) bool) {
	c := b.change
	for i := c.line + step; i >= 0 && i < len(c.lines); i += step {
		if stop(c.lines[i]) {
			b.moveChange(i - c.line)
			return
		}
	}
}

// lookChange is what the moving keys do on the page.
func (b *Board) lookChange(action string) {
	half := max(b.h/2, 1)
	head := func(l changeLine) bool { return l.row < 0 && l.hunk >= 0 && l.entry == "" }
	waits := func(l changeLine) bool { return l.entry != "" && b.open(b.items[l.entry]) }
	switch action {
	case "move.down":
		b.moveChange(1)
	case "move.up":
		b.moveChange(-1)
	case "half.down", "detail.down":
		b.moveChange(half)
	case "half.up", "detail.up":
		b.moveChange(-half)
	case "top":
		b.moveChange(-len(b.change.lines))
	case "bottom":
		b.moveChange(len(b.change.lines))
	case "hunk.next":
		b.jumpChange(1, head)
	case "hunk.prev":
		b.jumpChange(-1, head)
	case "next.undecided":
		b.jumpChange(1, waits)
	case "prev.undecided":
		b.jumpChange(-1, waits)
	case "back":
		b.mode = modeList
	}
}

// changeLines draws the part of the page that is in sight.
func (b *Board) changeLines(w, h int) []string {
	c := &b.change
	if c.drawn == nil || c.w != w {
		c.drawn, c.w = map[hunkKey][]string{}, w
	}
	c.line = min(c.line, max(len(c.lines)-1, 0))
	if c.line < c.top || c.line >= c.top+h {
		c.top = c.line - h/3
	}
	c.top = max(min(c.top, len(c.lines)-h), 0)
	var out []string
	for i := c.top; i < len(c.lines) && len(out) < h; i++ {
		out = append(out, b.changeLine(c.lines[i], i == c.line, w))
	}
	return out
}

// changeLine draws one line of the page, the cursor before it.
func (b *Board) changeLine(l changeLine, cursor bool, w int) string {
	mark := " "
	if cursor {
		mark = b.styles.Glyphs.Cursor
	}
	mark = b.styles.Accent.Render(mark)
	f := b.diff.Files[l.file]
	switch {
	case l.entry != "":
		return text.Cut(mark+b.changeFinding(b.items[l.entry], cursor, w-1), w)
	case l.hunk < 0:
		name := text.Line(f.Path())
		if f.OldPath != "" && f.NewPath != "" && f.OldPath != f.NewPath {
			name = text.Line(f.OldPath) + " → " + name
		}
		stat := fmt.Sprintf("  +%d -%d", f.Additions, f.Deletions)
		return text.Cut(mark+b.styles.Header.Render(text.CutMiddle(name, max(w-1-len(stat), 0)))+b.styles.Dim.Render(stat), w)
	case l.row < 0:
		return text.Cut(mark+b.inks.Header(f.Hunks[l.hunk], w-1), w)
	}
	key := hunkKey{f.Path(), l.hunk}
	rows, ok := b.change.drawn[key]
	if !ok {
		rows = b.inks.Rows(f.Hunks[l.hunk], b.paints[f.Path()], b.marksIn(f), w-1)
		b.change.drawn[key] = rows
	}
	return text.Cut(mark+rows[l.row], w)
}

// marksIn are the lines of a file that any finding is about.
func (b *Board) marksIn(f *diff.File) []diffview.Mark {
	var out []diffview.Mark
	for _, id := range b.rows {
		if it := b.items[id]; it.file() == f.Path() && it.Place.Hunk >= 0 {
			out = append(out, marksOf(it)...)
		}
	}
	return out
}

// changeFinding is a finding's line on the page.
func (b *Board) changeFinding(it item, cursor bool, w int) string {
	r := rowDrawing{board: b, it: it, rowLook: rowLook{w: w, cursor: cursor, selected: b.isSelected(it)}}
	sel := " "
	if r.selected {
		sel = b.styles.Glyphs.Selected
	}
	sev := sel + "[" + b.words.Board.Short(it.shown.Severity) + "] "
	n := min(text.Width(sev), w)
	decision := min(24, max(w/4, 0))
	pending := !it.decided() && !b.open(it)
	return r.cell(r.severity(), sev, n) + r.cell(r.body(), b.titleOf(it), w-n-decision) +
		r.cell(r.choice(), " "+strings.Join(b.decision(it, pending), " "), decision)
}

// filesInSight are the paths of the page's lines in sight, to be coloured.
func (b *Board) filesInSight() []string {
	c := b.change
	var out []string
	for i := c.top; i < min(c.top+b.h, len(c.lines)); i++ {
		if p := b.diff.Files[c.lines[i].file].Path(); len(out) == 0 || out[len(out)-1] != p {
			out = append(out, p)
		}
	}
	return out
}
