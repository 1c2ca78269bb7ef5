package board

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

func TestWholeChange(t *testing.T) {
	s := open(t, review.English, english(), 100, 30)
	s.press("j", "d")
	golden.RequireEqual(t, ansi.Strip(s.b.View()))
	if !strings.Contains(ansi.Strip(s.b.View()), "▸ [crit] Refund amount is taken from the client") {
		t.Error("the page does not open at the finding")
	}
	s.press("a")
	if s.run.state.Tally().Accepted != 1 || !s.b.onFinding() {
		t.Errorf("a on the page: %+v, on a finding: %v", s.run.state.Tally(), s.b.onFinding())
	}
	s.press("g")
	if slices.Contains(s.b.Handles(), "accept") {
		t.Error("accept means something where no finding is")
	}
	s.press("}")
	if !s.b.onFinding() {
		t.Error("} goes to no finding")
	}
	s.press("esc", "j")
	if s.b.mode != modeList {
		t.Error("esc does not go back")
	}
}

func TestOwnFindingOnALineOfTheChange(t *testing.T) {
	s := open(t, review.English, english(), 100, 30)
	s.press("d", "g", "j", "j", "j")
	pages, _ := s.edits()
	s.press("+")
	if want := "## Location\napi/refund.go:85\n"; !strings.Contains((*pages)[0], want) {
		t.Errorf("want %q in\n%s", want, (*pages)[0])
	}
}

func TestListsOfWhatIsNotOnTheBoard(t *testing.T) {
	s := open(t, review.English, english(), 100, 24)
	entries := slices.Clone(s.run.state.Entries)
	entries[4].Dropped = "the judge: names no contract and no harm"
	entries[6].Folded = "over the limit of 20 suggestions"
	s.run.write(t, event.Merged, "", event.MergedData{Entries: entries, By: "judge"})
	s.run.write(t, event.Decided, "", event.StepData{Op: "carry", Patch: event.Patch{Decisions: map[string]review.Decision{
		"performance-1.1": {Choice: review.Rejected, Reason: review.WontFix, Carried: "run 2026-11-29"}, "quality-1.3": {Choice: review.Rejected, Reason: review.WontFix, Carried: "run 2026-11-29"}}}})
	s.run.write(t, event.Summarised, "", event.SummaryData{Text: "Two ways to lose money.\n\nThe rest can wait."})
	s.settle(nil)
	if len(s.b.rows) != 4 {
		t.Fatalf("%d rows on the board", len(s.b.rows))
	}
	s.press("D")
	golden.RequireEqual(t, ansi.Strip(s.b.View()))
	if slices.Contains(s.b.Handles(), "accept") {
		t.Error("accept would act on a finding that is not in sight")
	}
	s.press("j", "z")
	if c := s.run.asked[0]; c.Kind != event.CmdRestore || c.IDs[0] != entries[6].Lead {
		t.Errorf("asked for %+v", c)
	}
	if s.press("esc"); len(s.b.rows) != 5 {
		t.Errorf("%d rows after it was brought back", len(s.b.rows))
	}
	s.press("D", "j", "z")
	if c := s.run.asked[1]; c.Kind != event.CmdRestore {
		t.Errorf("asked for %+v, want what was decided before brought back", c)
	}
	if s.press("esc"); len(s.b.rows) != 6 {
		t.Errorf("%d rows after one decided before was brought back", len(s.b.rows))
	}
}

// What a reviewer said besides its findings can be read without its pane.
func TestWhatReviewersSaidBesides(t *testing.T) {
	s := open(t, review.English, english(), 100, 24)
	report := *s.run.state.Reviewers[0].Report
	report.Notes = []string{"Thank you for the small change."}
	s.run.write(t, event.ReportIn, s.run.state.Reviewers[0].Name, event.ReportData{Report: report})
	s.settle(nil)
	s.press("D")
	view := ansi.Strip(s.b.View())
	for _, want := range []string{"Said besides", s.run.state.Reviewers[0].Name + ": Thank you for the small change."} {
		if !strings.Contains(view, want) {
			t.Errorf("%q is not in\n%s", want, view)
		}
	}
}

// A board of which all is on the lists says so.
func TestAllDecidedBefore(t *testing.T) {
	s := open(t, review.English, english(), 120, 40)
	all := map[string]review.Decision{}
	for _, id := range s.run.state.Order {
		all[id] = review.Decision{Choice: review.Rejected, Reason: review.WontFix, Carried: "run 2026-11-29"}
	}
	s.run.write(t, event.Decided, "", event.StepData{Op: "carry", Patch: event.Patch{Decisions: all}})
	s.settle(nil)
	want := fmt.Sprintf("No findings here. Decided before %d", len(s.run.state.Entries))
	if view := ansi.Strip(s.b.View()); len(s.b.rows) != 0 || !strings.Contains(view, want) {
		t.Errorf("want %q in\n%s", want, view)
	}
}

func TestMoreContext(t *testing.T) {
	s := open(t, review.English, english(), 120, 40)
	s.run.lines = map[string][]string{}
	for i := range 140 {
		s.run.lines["api/refund.go"] = append(s.run.lines["api/refund.go"], "line "+string(rune('a'+i%26)))
	}
	s.press("j", "enter")
	before := strings.Count(ansi.Strip(s.b.View()), "\n  ")
	s.press("x", "x")
	view := ansi.Strip(s.b.View())
	if !strings.Contains(view, " 70  74   line v") || !strings.Contains(view, " 99 104   line z") || strings.Count(view, "\n  ") <= before {
		t.Errorf("no more lines:\n%s", view)
	}
}

func TestCoverage(t *testing.T) {
	s := open(t, review.English, english(), 100, 12)
	s.run.state.Plan.Files = []event.PlanFile{
		{NewPath: "api/refund.go", Hunks: 1, Reviewed: true}, {NewPath: "engine/retry.go", Hunks: 1, Reviewed: true}, {NewPath: "go.sum", Reason: "lock file"},
		{NewPath: "web/cart.go", Hunks: 2, Reviewed: true}, {NewPath: "web/pay.go", Hunks: 2, Reviewed: true},
	}
	for _, r := range s.run.state.Reviewers {
		r.Status = event.StatusDone
	}
	read := func(name, title, status string) {
		s.run.write(t, event.ToolCalled, name, review.Tool{ID: title, Name: "read", Title: title, Status: status})
	}
	read("quality-1", "api/refund.go:80-120", "completed")
	read("quality-1", "web/pay.go:1-40", "completed")
	read("security-1", "engine/retry.go", "error")
	s.run.state.Reviewers[0].Blocks, s.run.state.Reviewers[0].Dropped = nil, true // its calls are no longer kept
	s.run.state.Reviewers[1].Looked = map[string]int{"api/refund.go": 1, "web/cart.go": 2, "web/pay.go": 1}
	s.run.state.Reviewers[2].Status = event.StatusSkipped
	s.run.state.Reviewers[3].Status = event.StatusRunning
	want := [][]Look{
		{LookRead, LookRead, LookSkipped, LookRead}, // findings are there
		{LookRead, LookNot, LookSkipped, LookRead},
		{LookSkipped, LookSkipped, LookSkipped, LookSkipped},
		{LookNot, LookRead, LookSkipped, LookUnknown},  // all its hunks stood in the prompt
		{LookRead, LookPart, LookSkipped, LookUnknown}, // a call showed it; one hunk of two
	}
	for i, c := range CoverageOf(s.run.state) {
		if !slices.Equal(c.Looks, want[i]) {
			t.Errorf("%s: %v, want %v", c.File.Path(), c.Looks, want[i])
		}
	}
	s.settle(nil)
	s.press("v")
	wide := ansi.Strip(s.b.View())
	s.b.SetSize(40, 8)
	golden.RequireEqual(t, wide+"\n====\n"+ansi.Strip(s.b.View()))
}
