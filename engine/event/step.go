package event

import (
	"maps"
	"slices"
	"sort"

	"github.com/mrv-dev/mrv/engine/review"
)

func (s *State) applyFindings(e Event) error {
	switch e.Kind {
	case Merged:
		return with(e, func(d MergedData) {
			if d.Answer { // later merges start from it; they are what is shown
				s.Judged = d.Entries
			} else {
				s.Entries, s.MergedBy = d.Entries, d.By
			}
		})
	case Summarised:
		return with(e, func(d SummaryData) { s.Summary = d })
	case Decided:
		return with(e, func(d StepData) { s.step(e, d) })
	case Challenged:
		return with(e, s.challenge)
	case Exported:
		return with(e, func(d ExportData) {
			s.Exports = append(s.Exports, d)
			s.note(d)
		})
	}
	return nil
}

// challenge keeps one entry a rebuttal: the answer replaces the open question.
func (s *State) challenge(d ChallengeData) {
	list := s.Challenges[d.Finding]
	if n := len(list); n > 0 && list[n-1].Outcome == "" && list[n-1].Error == "" && list[n-1].Rebuttal == d.Rebuttal {
		list[n-1] = d
		return
	}
	s.Challenges[d.Finding] = append(list, d)
}

// StepRef is a step as the undo stack keeps it.
type StepRef struct {
	Seq    int64
	Wall   string
	Label  string
	Before Patch
	After  Patch
	Cursor string
}

// step applies a person's step and keeps the undo and redo stacks.
func (s *State) step(e Event, d StepData) {
	ref := StepRef{Seq: e.Seq, Wall: e.Wall, Label: d.Label, Before: s.inverse(d.Patch), After: d.Patch, Cursor: d.Cursor}
	switch d.Op {
	case "undo":
		if n := len(s.UndoStack); n > 0 {
			s.RedoStack = append(s.RedoStack, s.UndoStack[n-1])
			s.UndoStack = s.UndoStack[:n-1]
		}
	case "redo":
		if n := len(s.RedoStack); n > 0 {
			s.UndoStack = append(s.UndoStack, s.RedoStack[n-1])
			s.RedoStack = s.RedoStack[:n-1]
		}
	case "do":
		s.UndoStack = append(s.UndoStack, ref)
		s.RedoStack = nil
	}
	s.apply(d.Patch)
	for id := range d.Patch.touched() {
		s.History[id] = append(s.History[id], ref)
	}
	if d.Cursor != "" {
		s.Cursor = d.Cursor
	}
}

// touched lists the source ids a patch changes.
func (p Patch) touched() map[string]bool {
	ids := map[string]bool{}
	for id := range p.Decisions {
		ids[id] = true
	}
	for id := range p.Edits {
		ids[id] = true
	}
	for id := range p.Notes {
		ids[id] = true
	}
	for id := range p.Restored {
		ids[id] = true
	}
	for id := range p.Own {
		ids[id] = true
	}
	return ids
}

// inverse is the patch that undoes p from the present state.
func (s *State) inverse(p Patch) Patch {
	var q Patch
	for id := range p.Decisions {
		if q.Decisions == nil {
			q.Decisions = map[string]review.Decision{}
		}
		q.Decisions[id] = s.Decisions[id]
	}
	for id := range p.Edits {
		if q.Edits == nil {
			q.Edits = map[string]*Wording{}
		}
		q.Edits[id] = s.Edits[id]
	}
	for id := range p.Notes {
		if q.Notes == nil {
			q.Notes = map[string]*Note{}
		}
		q.Notes[id] = s.Notes[id]
	}
	for id := range p.Restored {
		if q.Restored == nil {
			q.Restored = map[string]bool{}
		}
		q.Restored[id] = s.Restored[id]
	}
	for id := range p.Own {
		if q.Own == nil {
			q.Own = map[string]*review.Finding{}
		}
		q.Own[id] = nil
		if f, ok := s.Findings[id]; ok {
			q.Own[id] = &f
		}
	}
	if p.SetOps {
		q.SetOps, q.Ops = true, slices.Clone(s.Ops)
	}
	return q
}

func (s *State) apply(p Patch) {
	for id, d := range p.Decisions {
		if d == (review.Decision{}) {
			delete(s.Decisions, id)
		} else {
			s.Decisions[id] = d
		}
	}
	for id, w := range p.Edits {
		if w == nil {
			delete(s.Edits, id)
		} else {
			s.Edits[id] = w
		}
	}
	for id, n := range p.Notes {
		if n == nil {
			delete(s.Notes, id)
		} else {
			s.Notes[id] = n
		}
	}
	maps.Copy(s.Restored, p.Restored)
	maps.Copy(s.Answers, p.Answers)
	for _, id := range sortedKeys(p.Own) {
		f := p.Own[id]
		s.Order = slices.DeleteFunc(s.Order, func(x string) bool { return x == id })
		if f == nil {
			delete(s.Findings, id)
			delete(s.Places, id)
			continue
		}
		s.Findings[id] = *f
		s.Order = append(s.Order, id)
		if s.Diff != nil {
			s.Places[id] = s.Diff.Locate(f.Location.Path, f.Location.Start, f.Location.End, f.Location.Old, f.Quote)
		}
	}
	if p.SetOps {
		s.Ops = slices.Clone(p.Ops)
	}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
