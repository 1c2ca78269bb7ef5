package engine_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine"
	"github.com/mrv-dev/mrv/engine/agent/opencode/scripted"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/journal"
	"github.com/mrv-dev/mrv/engine/review"
)

func TestDecisionsAreOnDiskAndSurviveAResume(t *testing.T) {
	run, o := settledDemo(t)
	s := stateOf(t, run)
	do(t, run, accept(s.Entries[0].ID))
	do(t, run, event.Command{Kind: event.CmdDecide, IDs: []string{s.Entries[1].ID}, Decision: &review.Decision{Choice: review.Rejected, Reason: review.WontFix}})
	if _, events, err := journal.Read(run.Journal()); err != nil || events[len(events)-1].Kind != event.Decided {
		t.Fatalf("a decision must be on disk when Do returns: %v", err)
	}
	if _, err := engine.Open(t.Context(), run.Journal(), o, false); err == nil {
		t.Fatal("two mrv on one run: the second must be refused")
	} else if locked := (*journal.LockedError)(nil); !errors.As(err, &locked) || locked.PID != os.Getpid() {
		t.Errorf("refused with the pid, got %v", err)
	}
	finish(t, run)
	again, err := engine.Open(t.Context(), run.Journal(), o, false)
	if err != nil {
		t.Fatal(err)
	}
	defer finish(t, again)
	got := stateOf(t, again)
	if got.Tally() != (event.Tally{Total: s.Tally().Total, Undecided: s.Tally().Total - 2, Accepted: 1, Rejected: 1}) || got.Phase != event.PhaseTriage {
		t.Errorf("after the resume: %+v, phase %s", got.Tally(), got.Phase)
	}
	do(t, again, event.Command{Kind: event.CmdUndo})
	do(t, again, event.Command{Kind: event.CmdUndo})
	if err := again.Do(t.Context(), event.Command{Kind: event.CmdUndo}); err == nil {
		t.Error("nothing is left to undo")
	}
	if got := stateOf(t, again).Tally(); got.Undecided != got.Total {
		t.Errorf("undo goes past the resume: %+v", got)
	}
}

func TestCommandsThatCanNotBeObeyedSayWhy(t *testing.T) {
	run, _ := settledDemo(t)
	defer finish(t, run)
	id := stateOf(t, run).Entries[0].ID
	before := stateOf(t, run).Seq
	for _, c := range []struct {
		command event.Command
		want    string
	}{
		{event.Command{Kind: event.CmdDecide, IDs: []string{id}, Decision: &review.Decision{Choice: review.Rejected}}, "reason"},
		{event.Command{Kind: event.CmdDecide, IDs: []string{id}, Decision: &review.Decision{Choice: review.Rejected, Reason: review.ReasonOther}}, "note"},
		{event.Command{Kind: event.CmdDecide, IDs: []string{id}, Decision: &review.Decision{Choice: review.Escalated, To: "lin"}}, "why"},
		{event.Command{Kind: event.CmdDecide, IDs: []string{"ghost-1.1"}, Decision: &review.Decision{Choice: review.Accepted}}, "ghost-1.1"},
		{event.Command{Kind: event.CmdDecide, IDs: []string{id}}, "no decision"},
		{event.Command{Kind: event.CmdUndo}, "nothing to undo"},
		{event.Command{Kind: event.CmdRedo}, "nothing to redo"},
		{event.Command{Kind: event.CmdStop}, "nothing is running"},
		{event.Command{Kind: event.CmdAbort, Reviewer: "quality-1"}, "not running"},
		{event.Command{Kind: event.CmdAbort, Reviewer: "ghost-1"}, "no reviewer"},
		{event.Command{Kind: event.CmdModel, Reviewer: "quality-1", Text: "glm"}, "provider/model"},
		{event.Command{Kind: event.CmdJoin, IDs: []string{id}}, "two findings"},
		{event.Command{Kind: event.CmdExport}, "ticked"},
		{event.Command{Kind: event.CmdExport, Targets: []string{"pr"}}, "no target"},
		{event.Command{Kind: "dance"}, "unknown command"},
	} {
		err := run.Do(t.Context(), c.command)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.command.Kind, err, c.want)
		}
	}
	if after := stateOf(t, run).Seq; after != before {
		t.Errorf("refused commands changed the run: %d events more", after-before)
	}
}

func TestSplitJoinAndUndo(t *testing.T) {
	run, _ := settledDemo(t)
	defer finish(t, run)
	shape := func() string {
		var all []string
		for _, e := range stateOf(t, run).Entries {
			all = append(all, strings.Join(e.Sources, "+"))
		}
		slices.Sort(all)
		return strings.Join(all, " ")
	}
	start := shape()
	if !strings.Contains(start, "architecture-1.2+quality-1.1") {
		t.Fatalf("the demo joins the two about the key: %s", start)
	}
	do(t, run, event.Command{Kind: event.CmdSplit, IDs: []string{"quality-1.1"}})
	if got := shape(); strings.Contains(got, "architecture-1.2+quality-1.1") {
		t.Errorf("after the split: %s", got)
	}
	do(t, run, event.Command{Kind: event.CmdUndo})
	if got := shape(); got != start {
		t.Errorf("after the undo:\n%s\nwant\n%s", got, start)
	}
	do(t, run, event.Command{Kind: event.CmdJoin, IDs: []string{"performance-1.2", "performance-1.3"}})
	if got := shape(); !strings.Contains(got, "performance-1.2+performance-1.3") {
		t.Errorf("after joining: %s", got)
	}
	do(t, run, event.Command{Kind: event.CmdUndo})
	if got := shape(); got != start {
		t.Errorf("after undoing the join:\n%s\nwant\n%s", got, start)
	}
}

func TestOwnFindingEditAndNote(t *testing.T) {
	run, _ := settledDemo(t)
	defer finish(t, run)
	do(t, run, event.Command{Kind: event.CmdOwn, Finding: &review.Finding{Title: "No test", Location: review.Location{Path: "retry/retry.go", Start: 17}}})
	s := stateOf(t, run)
	e, ok := s.Entry("you.1")
	if d, _ := s.DecisionOf(e); !ok || d.Choice != review.Accepted || s.Places["you.1"].Path != "retry/retry.go" {
		t.Errorf("the person's own finding: %+v", e)
	}
	do(t, run, event.Command{Kind: event.CmdEdit, IDs: []string{"security-1.4"}, Wording: &event.Wording{Title: "Mine", Severity: review.Critical}})
	s = stateOf(t, run)
	e, _ = s.Entry("security-1.4")
	if f := s.Shown(e); f.Title != "Mine" || f.Severity != review.Critical {
		t.Errorf("the edit is shown: %+v", f)
	}
	do(t, run, event.Command{Kind: event.CmdNote, IDs: []string{"security-1.4"}, To: "builder", Text: "see #7"})
	do(t, run, event.Command{Kind: event.CmdUndo})
	do(t, run, event.Command{Kind: event.CmdUndo})
	do(t, run, event.Command{Kind: event.CmdUndo})
	s = stateOf(t, run)
	if _, ok := s.Entry("you.1"); ok || len(s.Edits) != 0 || len(s.Notes) != 0 {
		t.Error("all three can be undone")
	}
}

// TestExportWritesExactlyTheAccepted: what was accepted, and nothing else.
func TestExportWritesExactlyTheAccepted(t *testing.T) {
	run, o := settledDemo(t)
	defer finish(t, run)
	do(t, run, accept("security-1.2", "performance-1.1"))
	land, err := run.Landing(t.Context())
	if err != nil || len(land.Destinations) != 1 || !land.Destinations[0].Ready || len(land.Destinations[0].Items) != 2 {
		t.Fatalf("landing %+v, %v", land, err)
	}
	if left, _ := os.ReadDir(filepath.Join(o.Out, ".ai")); len(left) != 0 {
		t.Error("a landing writes nothing")
	}
	do(t, run, event.Command{Kind: event.CmdExport, Targets: []string{engine.TargetInbox}})
	raw, err := os.ReadFile(filepath.Join(o.Out, ".ai/reviews/latest.md"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	if !strings.Contains(text, "## Open (2)") || !strings.Contains(text, "security-1.2") || strings.Contains(text, "The copy of Amount") {
		t.Errorf("the inbox:\n%s", text)
	}
	if s := stateOf(t, run); len(s.Exports) != 1 || len(s.Exports[0].Accepted) != 2 {
		t.Errorf("the export is journaled: %+v", s.Exports)
	}
}

// TestWhatWasDecidedWhileTheJudgeThinksStaysTogether: the person accepts an
// entry of two findings; the judge, who was asked before, has them apart.
func TestWhatWasDecidedWhileTheJudgeThinksStaysTogether(t *testing.T) {
	asked, answer := make(chan struct{}), make(chan struct{})
	o := panel(t, "one", 2, func(p *scripted.Provider) {
		p.Handle("one", func(r scripted.Request) scripted.Script {
			if r.Schema == nil {
				return oneFinding(r)
			}
			close(asked)
			return scripted.Script{scripted.Until(answer), scripted.Structured(map[string]any{"summary": "Two.",
				"groups": [][]string{{"quality-1.1"}, {"quality-2.1"}}, "reword": []any{}, "severity": []any{}, "drop": []any{}})}
		})
	})
	run := begin(t, o)
	<-asked
	do(t, run, accept("quality-1.1"))
	close(answer)
	settle(t, run)
	s := stateOf(t, run)
	if len(s.Entries) != 1 || s.Tally().Accepted != 1 {
		t.Errorf("one entry was accepted, now there are %d, %+v", len(s.Entries), s.Tally())
	}
	if s.Summary.Text != "Two." {
		t.Errorf("the judge's summary stands: %+v", s.Summary)
	}
	finish(t, run)
}
