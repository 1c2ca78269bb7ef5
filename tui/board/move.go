package board

import (
	"slices"

	"github.com/mrv-dev/mrv/engine/review"
)

// decided reports whether the state has a decision for the item.
func (it item) decided() bool { return it.decision.Choice != review.Undecided }

// open reports whether an item still waits for the person: it has no decision
// and none is under way.
func (b *Board) open(it item) bool {
	return !it.decided() && !slices.ContainsFunc(it.Sources, func(id string) bool { _, ok := b.pending[id]; return ok })
}

// move puts the cursor on a row.
func (b *Board) move(row int) {
	row = min(max(row, 0), max(len(b.rows)-1, 0))
	if row == b.cursor {
		return
	}
	b.cursor = row
	b.remember()
	b.detail = detail{}
}

// show puts the cursor on the finding that has a source.
func (b *Board) show(source string) {
	if i := b.rowOf(source); i >= 0 {
		b.move(i)
	}
}

// nextUndecided goes to the next (1) or previous (-1) finding that waits for
// the person, around the end; it stays where it is if there is none.
func (b *Board) nextUndecided(step int) bool {
	n := len(b.rows)
	for k := 1; k <= n; k++ {
		i := ((b.cursor+step*k)%n + n) % n
		if b.open(b.items[b.rows[i]]) {
			b.move(i)
			return true
		}
	}
	return false
}

// page is how many rows a half page is.
func (b *Board) page() int { return max(b.listHeight()/max(b.rowHeight(), 1)/2, 1) }
