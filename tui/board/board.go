package board

import (
	"context"
	"hash/fnv"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/diffview"
	"github.com/mrv-dev/mrv/tui/style"
	"github.com/mrv-dev/mrv/tui/words"
)

// Run is what the board needs of a run.
type Run interface {
	// Do carries a command out; it returns when its event is on disk.
	Do(ctx context.Context, c event.Command) error
	// Context returns the lines from..to (1-based, inclusive) of a file of the
	// change; fewer when the file ends before.
	Context(ctx context.Context, path string, side diff.Side, from, to int) ([]string, error)
}

// Board is the triage screen.
type Board struct {
	ctx    context.Context
	run    Run
	words  *words.Words
	styles style.Styles
	w, h   int

	state   *event.State
	diff    *diff.Set
	seq     int64  // FindingsSeq of what is drawn
	shape   uint64 // of the entries the rows were arranged from
	redoTop int64  // seq of the newest step on the redo stack then
	items   map[string]item
	rows    []string // entry ids, as filtered and sorted

	standing standing
	cursor   int
	touched  bool     // the person has moved it or decided
	at       []string // the sources of the finding under the cursor
	top      int      // the first row in sight
	sort     Sort
	away     string // how many findings are not on the board
	filter   Filter
	search   string
	selected map[string]bool          // by source id
	pending  map[string]review.Choice // decisions under way, by source id
	queue    []order                  // commands not answered yet, oldest first
	last     *review.Decision         // what "repeat" repeats

	desk   Desk
	linear bool // read and answered line by line
	exec   func(*exec.Cmd, tea.ExecCallback) tea.Cmd
	ask    *ask
	notice notice
	mode   mode
	detail detail
	change change
	lists  lists
	cache  map[string]cachedRow
	flags  map[string][]Flag // by entry
	inks   *diffview.Inks
	lexers *diffview.Lexers
	paints map[string]*diffview.Paint // by path; nil while being made
	extras map[hunkKey]extra          // context that was asked for
}

// mode is what fills the board's place.
type mode int

const (
	modeList     mode = iota // rows and detail
	modeDetail               // the detail alone
	modeChange               // the whole change with the findings in place
	modeLists                // what is not on the board, and why
	modeCoverage             // which reviewer read which file
)

// standing is how things stand, counted once an event.
type standing struct {
	seq     int64
	tally   event.Tally
	verdict review.Verdict
}

// notice is one line that answers the last key.
type notice struct {
	text string
	bad  bool
}

// New makes a board over a run. ctx ends when the program leaves.
func New(ctx context.Context, run Run, w *words.Words, st style.Styles) *Board {
	return &Board{
		ctx: ctx, run: run, words: w, styles: st, desk: DeskFrom(os.Environ()), exec: tea.ExecProcess,
		items: map[string]item{}, selected: map[string]bool{}, pending: map[string]review.Choice{},
		cache: map[string]cachedRow{}, flags: map[string][]Flag{}, inks: diffview.NewInks(st), lexers: &diffview.Lexers{}, paints: map[string]*diffview.Paint{},
		extras: map[hunkKey]extra{},
	}
}

// SetDesk changes the editor and the browser, which New takes from the
// environment.
func (b *Board) SetDesk(d Desk) { b.desk = d }

// SetSize sets the cells the board may use.
func (b *Board) SetSize(w, h int) {
	if w != b.w {
		b.restyle()
	}
	b.w, b.h = max(w, 0), max(h, 0)
}

// SetStyles changes the theme.
func (b *Board) SetStyles(st style.Styles) {
	b.styles, b.inks = st, diffview.NewInks(st)
	b.restyle()
}

// restyle forgets what was drawn.
func (b *Board) restyle() {
	clear(b.cache)
	b.detail.lines, b.change.drawn = nil, nil
}

// SetState shows a run's state as it is now. It costs next to nothing when
// nothing about the findings changed.
// The command it returns colours the code now in sight.
func (b *Board) SetState(s *event.State) tea.Cmd {
	if s == nil {
		return nil
	}
	if b.state != s || s.Seq != b.standing.seq {
		b.standing = standing{s.Seq, s.Tally(), s.Verdict()}
	}
	if b.state == s && s.FindingsSeq == b.seq && b.diff == s.Diff {
		return nil
	}
	opened := b.state == nil || len(b.items) == 0
	undone, redone := b.travelled(s)
	b.state, b.seq, b.redoTop = s, s.FindingsSeq, topSeq(s.RedoStack)
	if b.diff != s.Diff {
		b.diff = s.Diff
		clear(b.paints)
		clear(b.extras)
	}
	b.settle()
	b.load()
	if undone || redone || opened && s.Cursor != "" {
		b.show(s.Cursor)
	}
	if it, ok := b.current(); ok && it.decided() && (redone || opened) {
		b.nextUndecided(1)
	}
	b.restyle()
	if b.mode == modeChange {
		on := b.onFinding()
		if b.layChange(); on {
			b.change.line = b.lineOf(b.lead())
		}
	}
	return b.paint()
}

// travelled reports whether the state is one undo or redo on: then the cursor
// goes where it was when that step was made.
func (b *Board) travelled(s *event.State) (undone, redone bool) {
	if b.state == nil {
		return false, false
	}
	redone = b.redoTop != 0 && topSeq(s.UndoStack) == b.redoTop
	top := topSeq(s.RedoStack)
	return !redone && top != 0 && top != b.redoTop, redone
}

func topSeq(stack []event.StepRef) int64 {
	if len(stack) == 0 {
		return 0
	}
	return stack[len(stack)-1].Seq
}

// settle forgets the decisions under way that have arrived.
func (b *Board) settle() {
	for id, choice := range b.pending {
		if b.state.Decisions[id].Choice == choice {
			delete(b.pending, id)
		}
	}
}

// load makes the items anew and, when there are other entries than before,
// arranges them. A decision alone moves no row.
func (b *Board) load() {
	entries := slices.DeleteFunc(b.state.Board(), b.before)
	b.away = b.countAsides()
	clear(b.items)
	clear(b.flags)
	for _, e := range entries {
		b.items[e.ID] = newItem(b.state, e)
	}
	if shape := shapeOf(entries); shape != b.shape {
		b.shape = shape
		b.arrange()
	}
	for id := range b.selected {
		if _, ok := b.state.Findings[id]; !ok {
			delete(b.selected, id)
		}
	}
}

// shapeOf is a hash of all that filter and order look at but the decisions.
func shapeOf(entries []event.Entry) uint64 {
	h := fnv.New64a()
	put := func(list ...string) {
		for _, s := range list {
			// Writing to a hash never fails.
			_, _ = io.WriteString(h, s)
			_, _ = h.Write([]byte{0})
		}
	}
	for _, e := range entries {
		put(e.ID, e.Lead, string(e.Severity), e.Place.Path, strconv.Itoa(e.Place.Start), strconv.Itoa(e.Models), strconv.Itoa(len(e.Dissent)))
		put(e.Sources...)
		put(e.Reviewers...)
	}
	return h.Sum64()
}

// arrange filters and sorts; the cursor stays on its finding.
func (b *Board) arrange() {
	var list []item
	for _, it := range b.items {
		if b.filter.match(b.state, it) && !(b.filter.Undecided && it.decided()) {
			list = append(list, it)
		}
	}
	arrange(list, b.sort)
	b.rows = b.rows[:0]
	for _, it := range list {
		b.rows = append(b.rows, it.ID)
	}
	b.follow()
	b.detail.lines = nil
	if b.mode == modeChange {
		b.layChange()
	}
}

// follow finds the finding that was under the cursor, by its sources: entries
// come and go with each merge. Until the person has touched the board it stays
// on the first.
func (b *Board) follow() {
	if !b.touched {
		b.cursor = 0
		b.remember()
		return
	}
	for _, id := range b.at {
		if i := b.rowOf(id); i >= 0 {
			b.cursor = i
			b.remember()
			return
		}
	}
	b.cursor = min(max(b.cursor, 0), max(len(b.rows)-1, 0))
	b.remember()
}

// rowOf is the row of the entry that has a source; -1 if it is not in sight.
func (b *Board) rowOf(source string) int {
	return slices.IndexFunc(b.rows, func(id string) bool { return slices.Contains(b.items[id].Sources, source) })
}

// remember notes which finding is under the cursor.
func (b *Board) remember() {
	b.at = nil
	if it, ok := b.current(); ok {
		b.at = append([]string{it.Lead}, it.Sources...)
	}
}

// current is the finding under the cursor.
func (b *Board) current() (item, bool) {
	if b.cursor < 0 || b.cursor >= len(b.rows) {
		return item{}, false
	}
	return b.items[b.rows[b.cursor]], true
}
