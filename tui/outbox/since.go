package outbox

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/words"
)

// Since says what was changed since a destination was last written to, and what
// sending again does there; "" when nothing was, or nothing was written.
func Since(s *event.State, d event.Destination, w *words.Words) string {
	if !slices.ContainsFunc(s.Exports, func(x event.ExportData) bool { return x.Target == d.Target }) {
		return ""
	}
	var edited, taken, added int
	for _, e := range s.Entries {
		decision, _ := s.DecisionOf(e)
		switch {
		case s.Since(d.Target, e) == event.Edited:
			edited++
		case s.Since(d.Target, e) == event.TakenBack:
			taken++
		case decision.Choice == review.Accepted && goesTo(d, e) && !slices.Contains(s.SentTo(e), d.Target):
			added++
		}
	}
	var parts []string
	for _, x := range []struct {
		n   int
		how string
	}{{edited, w.Outbox.EditedN}, {taken, w.Outbox.TakenBackN}, {added, w.Outbox.AddedN}} {
		if x.n > 0 {
			parts = append(parts, fmt.Sprintf(x.how, x.n))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf(w.Outbox.ChangedSince, strings.Join(parts, w.Outbox.And)) + w.Outbox.SendAgain[d.Target]
}

// goesTo reports whether an entry would go to a destination.
func goesTo(d event.Destination, e event.Entry) bool {
	return slices.ContainsFunc(d.Items, func(it event.Item) bool {
		return it.As != "kept" && (it.Entry == e.ID || slices.Contains(e.Sources, it.Entry))
	})
}

// itemSince says that a finding was changed since a destination got it.
func itemSince(s *event.State, target string, it event.Item, w *words.Words) string {
	e, ok := s.Entry(it.Entry)
	if !ok {
		return ""
	}
	switch s.Since(target, e) {
	case event.Edited:
		return w.Outbox.ItemEdited
	case event.TakenBack:
		return w.Outbox.ItemTakenBack
	}
	return ""
}
