package board

import (
	"slices"
	"strings"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

// Filter says which findings are shown. The zero Filter shows all.
type Filter struct {
	Severity  review.Severity // only this one
	Undecided bool
	Reviewer  string // part of a reviewer's name
	File      string // part of a path
	Text      string // in any of its texts
}

// match reports whether an item passes. Undecided is not looked at here: what
// was just decided stays in sight until the filter is set again.
func (f Filter) match(s *event.State, it item) bool {
	if f.Severity != "" && it.shown.Severity != f.Severity {
		return false
	}
	if f.Reviewer != "" && !slices.ContainsFunc(it.Reviewers, func(r string) bool { return contains(r, f.Reviewer) }) {
		return false
	}
	if f.File != "" && !contains(it.file(), f.File) {
		return false
	}
	return f.Text == "" || mentions(s, it, f.Text)
}

// mentions reports whether any text of the finding or of its sources has the
// words.
func mentions(s *event.State, it item, words string) bool {
	if inFinding(it.shown, words) || contains(it.file(), words) {
		return true
	}
	return slices.ContainsFunc(it.Sources, func(id string) bool {
		return contains(id, words) || inFinding(s.Findings[id], words)
	})
}

func inFinding(f review.Finding, words string) bool {
	return slices.ContainsFunc(texts(f), func(t string) bool { return contains(t, words) })
}

// texts lists everything a reviewer wrote in a finding.
func texts(f review.Finding) []string {
	return []string{f.Title, f.Observation, f.Inference, f.Judgment, f.Verification, f.Quote, f.Fix, f.Replacement, f.Surface}
}

func contains(text, words string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(words))
}
