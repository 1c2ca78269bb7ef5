package board

import (
	"cmp"
	"slices"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

// Sort is an order of the board.
type Sort int

// The orders, in the turn in which a key goes through them.
const (
	ByUrgency  Sort = iota // escalated and contested, disputed, critical first
	BySeverity             // critical first
	ByPlace                // file and line
	ByAgreement
	sorts
)

// item is an entry with what ordering and filtering look at again and again.
type item struct {
	event.Entry
	shown    review.Finding
	urgent   bool // escalated, or its sources were decided differently
	decision review.Decision
	// contested: the builder rejected it, and nobody has decided since.
	contested bool
}

func newItem(s *event.State, e event.Entry) item {
	d, conflicting := s.DecisionOf(e)
	contested := s.Contested(e)
	return item{Entry: e, shown: s.Shown(e), decision: d, urgent: conflicting || d.Choice == review.Escalated || contested, contested: contested}
}

// disputed reports whether a reviewer contradicts another one.
func (it item) disputed() bool { return len(it.Dissent) > 0 }

// file is the path of the finding, as it was found or as it was claimed.
func (it item) file() string {
	if it.Place.Path != "" {
		return it.Place.Path
	}
	return it.shown.Location.Path
}

// line is the first line of the finding; 0 for the whole file.
func (it item) line() int {
	if it.Place.Start > 0 {
		return it.Place.Start
	}
	return it.shown.Location.Start
}

func first(b bool) int {
	if b {
		return 0
	}
	return 1
}

// arrange sorts items; ties go by place and then by id, so that the order is
// the same each time.
func arrange(items []item, by Sort) {
	slices.SortStableFunc(items, func(a, b item) int {
		if c := compare(a, b, by); c != 0 {
			return c
		}
		return cmp.Or(cmp.Compare(a.file(), b.file()), cmp.Compare(a.line(), b.line()), review.CompareIDs(a.Lead, b.Lead))
	})
}

func compare(a, b item, by Sort) int {
	severity := cmp.Compare(b.shown.Severity.Rank(), a.shown.Severity.Rank())
	agreement := cmp.Compare(len(b.Reviewers), len(a.Reviewers))
	switch by {
	case BySeverity:
		return cmp.Or(severity, agreement)
	case ByPlace:
		return 0
	case ByAgreement:
		return cmp.Or(cmp.Compare(b.Models, a.Models), agreement, severity)
	}
	return cmp.Or(cmp.Compare(first(a.urgent), first(b.urgent)), cmp.Compare(first(a.disputed()), first(b.disputed())), severity, agreement)
}
