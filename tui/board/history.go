package board

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

// history is what was done to the finding, oldest first.
func (s *sheet) history(it item) {
	seen := map[int64]bool{}
	var steps []event.StepRef
	for _, id := range it.Sources {
		for _, h := range s.board.state.History[id] {
			if !seen[h.Seq] {
				seen[h.Seq] = true
				steps = append(steps, h)
			}
		}
	}
	slices.SortFunc(steps, func(a, b event.StepRef) int { return cmp.Compare(a.Seq, b.Seq) })
	var lines []string
	for _, h := range steps {
		lines = append(lines, strings.TrimSpace(clock(h.Wall)+" "+s.board.step(h, it)))
	}
	s.list(s.board.words.Board.History, lines)
}

// step says what a step did to a finding, in the screen's own language: the
// journal has labels in English only.
func (b *Board) step(h event.StepRef, it item) string {
	w, p := b.words.Board, h.After
	var did []string
	add := func(what string) {
		if !slices.Contains(did, what) {
			did = append(did, what)
		}
	}
	for _, id := range it.Sources {
		if d, ok := p.Decisions[id]; ok {
			switch {
			case d.Choice == review.Undecided:
				add(w.TakenBack)
			case d.Inherited:
				add(fmt.Sprintf(w.Inherited, w.Choice(d.Choice)))
			default:
				add(strings.Join(b.decision(item{decision: d}, false), " "))
			}
		}
		if e, ok := p.Edits[id]; ok {
			add(either(e != nil, w.Edited, w.OriginalAgain))
		}
		if n, ok := p.Notes[id]; ok {
			add(either(n != nil, w.NoteWritten, w.NoteTaken))
		}
		if back, ok := p.Restored[id]; ok {
			add(either(back, w.BroughtBack, w.PutAside))
		}
		if f, ok := p.Own[id]; ok {
			add(either(f != nil, w.AddedOwn, w.OwnTaken))
		}
	}
	if p.SetOps {
		add(w.Regrouped)
	}
	return strings.Join(did, ", ")
}

func either(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}

// clock is the time of day of a wall clock as the journal has it.
func clock(wall string) string {
	t, err := time.Parse(time.RFC3339, wall)
	if err != nil {
		return ""
	}
	return t.Format("15:04:05")
}
