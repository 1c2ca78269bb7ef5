package event

import (
	"fmt"

	"github.com/mrv-dev/mrv/engine/review"
)

// DecisionOf is what an entry shows: the decision all its sources agree on.
// conflicting says that they do not; then it counts as undecided.
func (s *State) DecisionOf(e Entry) (d review.Decision, conflicting bool) {
	for i, id := range e.Sources {
		x := s.Decisions[id]
		if i == 0 {
			d = x
			continue
		}
		if x.Choice != d.Choice || (x.Choice == review.Rejected && x.Reason != d.Reason) {
			return review.Decision{}, true
		}
		if d.Inherited && !x.Inherited {
			d = x
		}
	}
	return d, false
}

// Shown is the entry's lead finding with the judge's wording and then the
// person's over it.
func (s *State) Shown(e Entry) review.Finding {
	f := s.Findings[e.Lead]
	f.Severity = e.Severity
	f = e.Reword.over(f)
	for _, id := range e.Sources {
		if w := s.Edits[id]; w != nil {
			return w.over(f)
		}
	}
	return f
}

func (w *Wording) over(f review.Finding) review.Finding {
	if w == nil {
		return f
	}
	if w.Severity != "" {
		f.Severity = w.Severity
	}
	for _, x := range []struct {
		to   *string
		from string
	}{
		{&f.Title, w.Title}, {&f.Observation, w.Observation}, {&f.Inference, w.Inference},
		{&f.Judgment, w.Judgment}, {&f.Fix, w.Fix}, {&f.Verification, w.Verification},
	} {
		if x.from != "" {
			*x.to = x.from
		}
	}
	return f
}

// OwnSeverity is the severity the person set on the entry, "" if none.
func (s *State) OwnSeverity(e Entry) review.Severity {
	for _, id := range e.Sources {
		if w := s.Edits[id]; w != nil && w.Severity != "" {
			return w.Severity
		}
		if d := s.Decisions[id]; d.Severity != "" {
			return d.Severity
		}
	}
	return ""
}

// AnswerOf is the builder's answer to the entry, nil if there is none.
func (s *State) AnswerOf(e Entry) *Answer {
	for _, id := range e.Sources {
		if a := s.Answers[id]; a != nil {
			return a
		}
	}
	return nil
}

// Contested reports whether the builder rejected the entry and nobody has
// decided on it since.
func (s *State) Contested(e Entry) bool {
	a := s.AnswerOf(e)
	d, _ := s.DecisionOf(e)
	return a != nil && a.Contested && d.Choice == review.Undecided
}

// OnBoard reports whether the entry is on the board: not dropped or folded, or
// brought back.
func (s *State) OnBoard(e Entry) bool {
	if e.Folded == "" && e.Dropped == "" {
		return true
	}
	for _, id := range e.Sources {
		if s.Restored[id] {
			return true
		}
	}
	return false
}

// Board lists the entries that are on the board.
func (s *State) Board() []Entry {
	var out []Entry
	for _, e := range s.Entries {
		if s.OnBoard(e) {
			out = append(out, e)
		}
	}
	return out
}

// Entry finds an entry by its id or by the id of one of its sources.
func (s *State) Entry(id string) (Entry, bool) {
	for _, e := range s.Entries {
		if e.ID == id {
			return e, true
		}
	}
	for _, e := range s.Entries {
		for _, x := range e.Sources {
			if x == id {
				return e, true
			}
		}
	}
	return Entry{}, false
}

// Tally counts the entries on the board by what was decided.
type Tally struct {
	Total, Undecided, Accepted, Rejected, Escalated int
}

// Tally counts the board.
func (s *State) Tally() Tally {
	var t Tally
	for _, e := range s.Board() {
		t.Total++
		d, _ := s.DecisionOf(e)
		switch d.Choice {
		case review.Accepted:
			t.Accepted++
		case review.Rejected:
			t.Rejected++
		case review.Escalated:
			t.Escalated++
		default:
			t.Undecided++
		}
	}
	return t
}

// Case gathers what the verdict is derived from. Dropped and folded entries
// count.
func (s *State) Case() review.Case {
	c := review.Case{Holds: s.AllHolds()}
	if s.Plan != nil {
		c.Blocking = s.Plan.Blocking
	}
	for _, e := range s.Entries {
		d, _ := s.DecisionOf(e)
		sev := e.Worst
		if own := s.OwnSeverity(e); own != "" {
			sev = own
		}
		c.Findings = append(c.Findings, review.Standing{Severity: sev, Choice: d.Choice})
	}
	return c
}

// Verdict is the verdict as things stand.
func (s *State) Verdict() review.Verdict { return review.Decide(s.Case()) }

// AllHolds lists every reason why a person is needed: the plan's and the run's
// holds, human gaps, reviewers that did not finish, no model.
func (s *State) AllHolds() []review.Hold {
	holds := append([]review.Hold(nil), s.Holds...)
	for _, g := range s.AllGaps() {
		if g.Human {
			holds = append(holds, review.Hold{Code: "human-gap", Text: g.Text})
		}
	}
	model := false
	for _, r := range s.Reviewers {
		switch r.Status {
		case StatusDone:
			model = model || r.ReportFrom.ID != ""
		case StatusSkipped:
		default:
			holds = append(holds, review.Hold{Code: "reviewer", Text: fmt.Sprintf("%s: %s", r.Name, r.Status)})
			model = model || r.ReportFrom.ID != ""
		}
	}
	if !model {
		holds = append(holds, review.Hold{Code: "no-model", Text: "no model has read this change"})
	}
	return holds
}

// AllGaps lists the run's gaps and those in the reports.
func (s *State) AllGaps() []review.Gap {
	gaps := append([]review.Gap(nil), s.Gaps...)
	for _, r := range s.Reviewers {
		if r.Report != nil {
			gaps = append(gaps, r.Report.Gaps...)
		}
	}
	return gaps
}

// Missing names the reviewers that did not hand in a whole report.
func (s *State) Missing() []string {
	var out []string
	for _, r := range s.Reviewers {
		if r.Status != StatusDone && r.Status != StatusSkipped {
			out = append(out, r.Name)
		}
	}
	return out
}

// Done counts the reviewers that are final, of those that run at all.
func (s *State) Done() (done, of int) {
	for _, r := range s.Reviewers {
		if r.Status == StatusSkipped {
			continue
		}
		of++
		if r.Status.Final() {
			done++
		}
	}
	return done, of
}

// Usage sums tokens and cost over the team and the coordinator.
func (s *State) Usage() review.Usage {
	var u review.Usage
	for _, r := range s.Reviewers {
		u = u.Add(r.Usage)
	}
	if s.Coordinator != nil {
		u = u.Add(s.Coordinator.Usage)
	}
	return u
}
