package merge

import (
	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

// Remembered is a finding that was decided in an earlier run of the change.
type Remembered struct {
	Run      string
	Finding  review.Finding
	Place    diff.Place
	Decision review.Decision
}

// Carry finds the decisions of earlier runs that still hold, by source id. A
// finding keeps one if the line it stands on is the same (its place's
// fingerprint: path and normalised text, so that a changed line asks again)
// and the texts are alike enough to be merged (a new problem on an old line is
// new), unless it is more severe now. Of several matches the most alike
// decides; of equal ones the later in previous. Sources that are decided in
// this run are left alone.
func Carry(previous []Remembered, now []event.Entry, in Input) map[string]review.Decision {
	byPrint := map[string][]int{}
	for i, r := range previous {
		if r.Place.Fingerprint != "" && r.Decision.Choice != review.Undecided {
			byPrint[r.Place.Fingerprint] = append(byPrint[r.Place.Fingerprint], i)
		}
	}
	sources := gather(in)
	byID := make(map[string]*source, len(sources))
	for _, s := range sources {
		byID[s.ID] = s
	}
	carried := map[string]review.Decision{}
	for _, e := range now {
		for _, id := range e.Sources {
			s := byID[id]
			if _, decided := in.Decided[id]; decided || s == nil || s.place.Fingerprint == "" {
				continue
			}
			best, like := -1, threshold
			for _, i := range byPrint[s.place.Fingerprint] {
				if l := likeness(s, recall(previous[i])); l >= like {
					best, like = i, l
				}
			}
			if best >= 0 && s.Severity.Rank() <= previous[best].Finding.Severity.Rank() {
				d := previous[best].Decision
				d.Carried, d.Inherited = previous[best].Run, false
				carried[id] = d
			}
		}
	}
	return carried
}

// recall makes a source of a remembered finding.
func recall(r Remembered) *source {
	s := &source{Finding: r.Finding, place: r.Place}
	// Who said it then does not matter: the same reviewer says it again.
	s.Reviewer = ""
	describe([]*source{s})
	return s
}
