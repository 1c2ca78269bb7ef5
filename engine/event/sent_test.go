package event

import (
	"slices"
	"testing"

	"github.com/mrv-dev/mrv/engine/review"
)

func TestSinceItWasSent(t *testing.T) {
	s := NewState()
	apply := func(kind Kind, reviewer string, data any) {
		t.Helper()
		e, err := New(kind, reviewer, 0, data)
		if err == nil {
			e.Seq = s.Seq + 1
			err = s.Apply(e)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	edit := func(w *Wording) {
		apply(Decided, "", StepData{Op: "do", Patch: Patch{Edits: map[string]*Wording{"q.1": w}}})
	}
	decide := func(c review.Choice) {
		apply(Decided, "", StepData{Op: "do", Patch: Patch{Decisions: map[string]review.Decision{"q.1": {Choice: c}, "q.2": {Choice: c}}}})
	}
	want := func(when string, inbox, pr Since) {
		t.Helper()
		e, _ := s.Entry("m1")
		if got := s.Since("inbox", e); got != inbox {
			t.Errorf("%s: the inbox has it %q, want %q", when, got, inbox)
		}
		if got := s.Since("pr", e); got != pr {
			t.Errorf("%s: the pull request has it %q, want %q", when, got, pr)
		}
	}
	apply(Planned, "", Plan{Team: []Member{{Name: "q"}}})
	apply(ReportIn, "q", ReportData{Report: review.Report{Findings: []review.Finding{
		{ID: "q.1", Reviewer: "q", Ordinal: 1, Severity: review.Warning, Title: "one"}, {ID: "q.2", Reviewer: "q", Ordinal: 2, Severity: review.Warning, Title: "two"},
	}}})
	apply(Merged, "", MergedData{Entries: []Entry{{ID: "m1", Sources: []string{"q.1", "q.2"}, Lead: "q.1", Severity: review.Warning}}})
	decide(review.Accepted)
	want("before any export", Unchanged, Unchanged)
	apply(Exported, "", ExportData{Target: "inbox", Accepted: []string{"q.1"}})
	want("sent", Unchanged, Unchanged)
	edit(&Wording{Title: "other"})
	want("edited", Edited, Unchanged)
	apply(Exported, "", ExportData{Target: "pr", Accepted: []string{"m1"}})
	want("sent elsewhere as edited", Edited, Unchanged)
	edit(nil)
	want("the first words again", Unchanged, Edited)
	decide(review.Undecided)
	want("taken back", TakenBack, TakenBack)
	apply(Exported, "", ExportData{Target: "inbox"})
	want("sent without it", Unchanged, TakenBack)
	if e, _ := s.Entry("m1"); !slices.Equal(s.SentTo(e), []string{"pr"}) {
		t.Errorf("it is at %v", s.SentTo(e))
	}
}
