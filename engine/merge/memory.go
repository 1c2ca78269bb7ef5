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
	sources := collect(in)
	byID := make(map[string]*source, len(sources))
	for _, s := range sources {
		byID[s.ID] = s
	}
	byPrint := map[string][]recalled{}
	for _, r := range previous {
		if print := r.Place.Fingerprint; print != "" && r.Decision.Choice != review.Undecided {
			s := &source{Finding: r.Finding, place: r.Place}
			s.Reviewer = "" // who said it then does not matter
			byPrint[print] = append(byPrint[print], recalled{s, r})
			sources = append(sources, s)
		}
	}
	describe(sources)
	carried := map[string]review.Decision{}
	for _, e := range now {
		for _, id := range e.Sources {
			s := byID[id]
			if _, decided := in.Decided[id]; decided || s == nil {
				continue
			}
			if r, ok := match(s, byPrint[s.place.Fingerprint]); ok && s.Severity.Rank() <= r.Finding.Severity.Rank() {
				d := r.Decision
				d.Carried, d.Inherited = r.Run, false
				carried[id] = d
			}
		}
	}
	return carried
}

// recalled is a remembered finding made comparable.
type recalled struct {
	source *source
	Remembered
}

// match finds the remembered finding that is most like s; at least as alike
// as sources of one entry are.
func match(s *source, list []recalled) (Remembered, bool) {
	best, like := -1, threshold
	for i, r := range list {
		if l := likeness(s, r.source); l >= like {
			best, like = i, l
		}
	}
	if best < 0 {
		return Remembered{}, false
	}
	return list[best].Remembered, true
}
