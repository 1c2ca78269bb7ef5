package merge

import (
	"cmp"
	"slices"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

// Deterministic and ByJudge are the values of event.MergedData.By.
const (
	Deterministic = "deterministic"
	ByJudge       = "judge"
)

// Reviewer is what the policy must know of who reported a finding.
type Reviewer struct {
	Model    string // provider/model; "" when no model answered
	Analyser bool   // a deterministic reviewer: checks, SARIF
	Security bool   // its findings stay even when alone
	Persona  string
}

// Input is all that a merge depends on.
type Input struct {
	// Findings in any order. A second finding with an id already seen is
	// ignored: ids are mrv's and unique.
	Findings []review.Finding
	// Places are the findings' places checked against the change, by finding
	// id. A finding without one has the place it claims.
	Places map[string]diff.Place
	// Reviewers by name. An unknown reviewer is one without a model.
	Reviewers map[string]Reviewer
	// Ops are the merges and splits made by hand, oldest first; a later one
	// wins over an earlier one.
	Ops []event.MergeOp
	// Decided maps decided source ids to a key of the entry they were decided
	// in: what was decided together stays together, what was decided apart
	// stays apart, unless Ops say otherwise.
	Decided map[string]string
	// Blocking is the severity from which a finding blocks; empty = critical.
	Blocking review.Severity
	// Floor is how much must speak for a lone suggestion, 0 to 3 (see
	// Support), to keep it on the board; 0 folds nothing.
	Floor int
	// Files lists the paths of the change, so that a judge can not bring up
	// others. Paths that findings name are always known.
	Files []string
	// Looked reports whether a reviewer looked at the place of a finding. It
	// may be nil.
	Looked func(reviewer, findingID string) bool
}

// DefaultFloor folds lone suggestions for which nothing speaks at all.
const DefaultFloor = 1

// Merge groups the findings into entries: most severe first, then those that
// more reviewers report, then by place.
func Merge(in Input) []event.Entry { return Update(nil, in) }

// Update merges again after something changed, starting from entries that
// stand: their sources stay together and apart as they are, except for what
// in.Ops say, and each new finding joins one of them or starts its own. The
// judge's wording, severity and drops are kept where the lead source still is.
// With no entries it is Merge.
func Update(standing []event.Entry, in Input) []event.Entry {
	sources := gather(in)
	groups := cluster(sources, constrain(sources, standing, in))
	entries := make([]event.Entry, 0, len(groups))
	for _, g := range groups {
		e := entry(g, in)
		e.Confirmed = e.Confirmed && (agree(g) || in.touched(e))
		entries = append(entries, e)
	}
	keepJudged(entries, groups, standing)
	slices.SortFunc(entries, compareEntries)
	return entries
}

// source is a finding with what was worked out about it once.
type source struct {
	review.Finding
	place    diff.Place
	analyser bool // a deterministic reviewer made it
	features
}

// gather makes the sources, each id once, in the order of their ids.
func gather(in Input) []*source {
	list := collect(in)
	describe(list)
	return list
}

func collect(in Input) []*source {
	list := make([]*source, 0, len(in.Findings))
	for _, f := range in.Findings {
		p, ok := in.Places[f.ID]
		if !ok {
			p = claimed(f.Location)
		}
		list = append(list, &source{Finding: f, place: p, analyser: in.Reviewers[f.Reviewer].Analyser})
	}
	slices.SortStableFunc(list, func(a, b *source) int {
		return cmp.Or(compareIDs(a.ID, b.ID), compareContent(a, b))
	})
	return slices.CompactFunc(list, func(a, b *source) bool { return a.ID == b.ID })
}

// compareContent orders findings that (wrongly) share an id, so that which one
// is kept does not depend on the order of the input.
func compareContent(a, b *source) int {
	return cmp.Or(
		cmp.Compare(a.Reviewer, b.Reviewer), cmp.Compare(b.Severity.Rank(), a.Severity.Rank()),
		cmp.Compare(a.Title, b.Title), cmp.Compare(a.Location.String(), b.Location.String()),
		cmp.Compare(a.Observation, b.Observation), cmp.Compare(a.Inference, b.Inference),
		cmp.Compare(a.Judgment, b.Judgment), cmp.Compare(a.Quote, b.Quote),
	)
}

// compareIDs is review.CompareIDs made total for ids of any form: those that are
// no reviewer and ordinal come last, by their bytes.
func compareIDs(a, b string) int {
	_, _, oka := review.SplitID(a)
	_, _, okb := review.SplitID(b)
	if oka == okb {
		return cmp.Or(review.CompareIDs(a, b), cmp.Compare(a, b))
	}
	return cmp.Compare(off(oka), off(okb)) * -1
}

// claimed is the place of a finding that nobody checked against a change.
func claimed(l review.Location) diff.Place {
	if l.Path == "" {
		return diff.Place{How: diff.Nowhere, Hunk: -1}
	}
	side := diff.Right
	if l.Old {
		side = diff.Left
	}
	return diff.Place{How: diff.InFile, Path: l.Path, Side: side, Start: l.Start, End: max(l.Start, l.End), Hunk: -1}
}

func compareEntries(a, b event.Entry) int {
	return cmp.Or(
		cmp.Compare(b.Worst.Rank(), a.Worst.Rank()),
		cmp.Compare(len(b.Reviewers), len(a.Reviewers)),
		cmp.Compare(a.Place.Path, b.Place.Path),
		cmp.Compare(a.Place.Start, b.Place.Start),
		compareIDs(a.ID, b.ID),
	)
}

// keepJudged carries what a judge said over to the entries that still have the
// lead it spoke of: its severity only while nothing worse came in, a drop only
// while nobody else reports it. What was confirmed stays so. The groups are
// those of the entries.
func keepJudged(entries []event.Entry, groups [][]*source, standing []event.Entry) {
	byLead := map[string]event.Entry{}
	for _, e := range standing {
		byLead[e.Lead] = e
	}
	for i := range entries {
		e := &entries[i]
		at := slices.IndexFunc(e.Sources, func(id string) bool { _, ok := byLead[id]; return ok })
		if at < 0 {
			continue
		}
		old := byLead[e.Sources[at]]
		e.Confirmed = e.Confirmed || old.Confirmed && confirmed(e.Reviewers)
		if old.Reword != nil {
			w := *old.Reword
			if e.Worst.Rank() > old.Worst.Rank() {
				w.Severity = ""
			}
			if w.Severity != "" {
				e.Severity = w.Severity
			}
			led := slices.IndexFunc(groups[i], func(s *source) bool { return s.ID == old.Lead })
			e.Lead, e.Place, e.Reword = old.Lead, placeOf(groups[i][led], groups[i]), &w
		}
		if slices.Equal(e.Sources, old.Sources) {
			e.Dropped = old.Dropped
		}
	}
}
