package event_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

// script makes events as the journal stamps them: 10 ms apart.
type script struct {
	t      *testing.T
	events []event.Event
}

func (s *script) add(kind event.Kind, reviewer string, turn int, data any) *script {
	s.t.Helper()
	e, err := event.New(kind, reviewer, turn, data)
	if err != nil {
		s.t.Fatal(err)
	}
	e.Seq, e.TMS = int64(len(s.events)+1), int64(10*len(s.events))
	s.events = append(s.events, e)
	return s
}

func (s *script) fold() *event.State {
	s.t.Helper()
	st, err := event.Fold(s.events)
	if err != nil {
		s.t.Fatal(err)
	}
	return st
}

var (
	glm  = review.Model{Provider: "zhipuai", ID: "glm-5.1"}
	kimi = review.Model{Provider: "moonshot", ID: "kimi-k2"}
)

func planned(t *testing.T) *script {
	s := &script{t: t}
	return s.add(event.Planned, "", 0, event.Plan{
		Run: "r", Change: event.Change{Source: event.FromPR, Owner: "acme", Repo: "shop", Number: 123, Identity: "8b1e07d2"},
		Team: []event.Member{
			{Name: "quality-1", Persona: review.Persona{Name: "quality"}, Models: []review.Model{glm}},
			{Name: "security-1", Persona: review.Persona{Name: "security"}, Models: []review.Model{kimi}},
			{Name: "docs-1", Skip: "no path matches"},
		},
	})
}

func finding(id string, sev review.Severity) review.Finding {
	who, n, _ := review.SplitID(id)
	return review.Finding{ID: id, Reviewer: who, Ordinal: n, Severity: sev, Title: id}
}

func report(model review.Model, ids ...string) event.ReportData {
	d := event.ReportData{Model: model}
	for _, id := range ids {
		d.Report.Findings = append(d.Report.Findings, finding(id, review.Critical))
	}
	return d
}

func twoReports(t *testing.T) *script {
	return planned(t).
		add(event.ReportIn, "quality-1", 1, report(glm, "quality-1.1", "quality-1.2")).
		add(event.ReportIn, "security-1", 1, report(kimi, "security-1.1")).
		add(event.StatusChanged, "quality-1", 1, event.StatusData{Status: event.StatusDone}).
		add(event.StatusChanged, "security-1", 1, event.StatusData{Status: event.StatusDone}).
		add(event.Merged, "", 0, event.MergedData{By: "deterministic", Entries: []event.Entry{
			{ID: "quality-1.1", Sources: []string{"quality-1.1", "security-1.1"}, Lead: "quality-1.1", Worst: review.Critical, Severity: review.Critical},
			{ID: "quality-1.2", Sources: []string{"quality-1.2"}, Lead: "quality-1.2", Worst: review.Warning, Severity: review.Warning},
		}})
}

func decide(choice review.Choice, ids ...string) event.StepData {
	d := event.StepData{Op: "do", Label: string(choice), Patch: event.Patch{Decisions: map[string]review.Decision{}}, Cursor: ids[0]}
	for _, id := range ids {
		d.Patch.Decisions[id] = review.Decision{Choice: choice, By: "ann"}
	}
	return d
}

func TestStreamedTextBecomesBlocks(t *testing.T) {
	s := planned(t).
		add(event.TurnStarted, "quality-1", 1, event.TurnData{Kind: event.TurnReview, Attempt: 1, Model: glm}).
		add(event.TextAppended, "quality-1", 1, event.TextData{Part: "a", Stream: "thinking", Text: "hm "}).
		add(event.ToolCalled, "quality-1", 1, review.Tool{ID: "t1", Name: "read", Status: "running"}).
		add(event.TextAppended, "quality-1", 1, event.TextData{Part: "b", Text: "one "}).
		add(event.TextAppended, "quality-1", 1, event.TextData{Part: "b", Text: "two"})
	r := s.fold().Reviewer("quality-1")
	if r.Tool == nil || r.Tool.Name != "read" || r.ToolCalls != 1 {
		t.Errorf("the call under way is %v", r.Tool)
	}
	var got []string
	for _, b := range r.Blocks {
		got = append(got, b.Kind+":"+b.Text)
	}
	if want := []string{"thinking:hm ", "tool:", "text:one two"}; !reflect.DeepEqual(got, want) {
		t.Errorf("blocks %q, want %q", got, want)
	}
	// A retry empties a part; what was set replaces what was streamed.
	r = s.add(event.ToolCalled, "quality-1", 1, review.Tool{ID: "t1", Name: "read", Status: "completed"}).
		add(event.TextDropped, "quality-1", 1, event.TextData{Part: "b"}).
		add(event.TextSet, "quality-1", 1, event.TextData{Part: "a", Text: "whole"}).
		fold().Reviewer("quality-1")
	if r.Tool != nil || len(r.Blocks) != 2 || r.Blocks[0].Text != "whole" || r.ToolCalls != 1 {
		t.Errorf("after the retry: %+v", r.Blocks)
	}
}

func TestKeptTextIsBounded(t *testing.T) {
	s := planned(t)
	for i := range 40 {
		s.add(event.TextAppended, "quality-1", 1, event.TextData{Part: string(rune('a' + i%3)), Text: strings.Repeat("问题。", 2000)})
	}
	r := s.fold().Reviewer("quality-1")
	n := 0
	for _, b := range r.Blocks {
		n += len(b.Text)
		if !utf8.ValidString(b.Text) {
			t.Error("a block was cut inside a character")
		}
	}
	if n > event.TextCap || !r.Dropped || r.TextBytes != 40*18000 {
		t.Errorf("%d bytes kept of %d, dropped %v", n, r.TextBytes, r.Dropped)
	}
}

func TestALaterReportReplacesTheFirst(t *testing.T) {
	d := report(glm, "quality-1.1")
	d.Superseded = true
	s := planned(t).
		add(event.ReportIn, "quality-1", 1, report(glm, "quality-1.1", "quality-1.2")).
		add(event.ReportIn, "quality-1", 2, d)
	if st := s.fold(); len(st.Order) != 2 {
		t.Errorf("a superseded report must not stand: %v", st.Order)
	}
	st := s.add(event.ReportIn, "quality-1", 3, report(glm, "quality-1.1")).fold()
	if !reflect.DeepEqual(st.Order, []string{"quality-1.1"}) || len(st.Findings) != 1 {
		t.Errorf("got %v", st.Order)
	}
}

func TestUndoAndRedoHaveNoLimit(t *testing.T) {
	s := twoReports(t).
		add(event.Decided, "", 0, decide(review.Accepted, "quality-1.1", "security-1.1")).
		add(event.Decided, "", 0, decide(review.Escalated, "quality-1.2")).
		add(event.Decided, "", 0, decide(review.Rejected, "quality-1.2"))
	st := s.fold()
	for want := 3; want > 0; want-- {
		if len(st.UndoStack) != want {
			t.Fatalf("%d steps to undo, want %d", len(st.UndoStack), want)
		}
		ref := st.UndoStack[want-1]
		st = s.add(event.Decided, "", 0, event.StepData{Op: "undo", Patch: ref.Before, Cursor: ref.Cursor}).fold()
	}
	if len(st.Decisions) != 0 || len(st.RedoStack) != 3 || st.Cursor != "quality-1.1" {
		t.Errorf("after undoing all: %v, cursor %s", st.Decisions, st.Cursor)
	}
	ref := st.RedoStack[2]
	st = s.add(event.Decided, "", 0, event.StepData{Op: "redo", Patch: ref.After, Cursor: ref.Cursor}).fold()
	if st.Decisions["security-1.1"].Choice != review.Accepted || len(st.UndoStack) != 1 || len(st.RedoStack) != 2 {
		t.Errorf("after redoing one: %v", st.Decisions)
	}
	st = s.add(event.Decided, "", 0, decide(review.Rejected, "quality-1.2")).fold()
	if len(st.RedoStack) != 0 {
		t.Error("a new step must end what could be redone")
	}
}

func TestAnEntryShowsWhatItsSourcesAgreeOn(t *testing.T) {
	s := twoReports(t).add(event.Decided, "", 0, decide(review.Accepted, "quality-1.1"))
	st := s.fold()
	if d, conflicting := st.DecisionOf(st.Entries[0]); !conflicting || d.Choice != review.Undecided {
		t.Errorf("half decided is %v, conflicting %v", d, conflicting)
	}
	st = s.add(event.Decided, "", 0, decide(review.Accepted, "security-1.1")).fold()
	if d, conflicting := st.DecisionOf(st.Entries[0]); conflicting || d.Choice != review.Accepted {
		t.Errorf("wholly decided is %v, conflicting %v", d, conflicting)
	}
	if got := st.Tally(); got != (event.Tally{Total: 2, Undecided: 1, Accepted: 1}) {
		t.Errorf("tally %+v", got)
	}
}

func TestVerdictOfARun(t *testing.T) {
	all := []string{"quality-1.1", "security-1.1", "quality-1.2"}
	for _, c := range []struct {
		name string
		make func(*script) *script
		want review.Verdict
	}{
		{"an undecided critical finding", func(s *script) *script { return s }, review.ChangesNeeded},
		{"all rejected", func(s *script) *script { return s.add(event.Decided, "", 0, decide(review.Rejected, all...)) }, review.NoBlockingFindings},
		{"an open escalation", func(s *script) *script { return s.add(event.Decided, "", 0, decide(review.Escalated, all...)) }, review.HumanCheckNeeded},
		{"a reviewer that failed", func(s *script) *script {
			return s.add(event.Decided, "", 0, decide(review.Rejected, all...)).
				add(event.StatusChanged, "security-1", 1, event.StatusData{Status: event.StatusFailed})
		}, review.HumanCheckNeeded},
		{"a human gap", func(s *script) *script {
			return s.add(event.Decided, "", 0, decide(review.Rejected, all...)).add(event.GapFound, "", 0, review.Gap{Text: "device", Human: true})
		}, review.HumanCheckNeeded},
		{"a gap that needs nobody", func(s *script) *script {
			return s.add(event.Decided, "", 0, decide(review.Rejected, all...)).add(event.GapFound, "", 0, review.Gap{Text: "no test ran"})
		}, review.NoBlockingFindings},
		{"part of it unread", func(s *script) *script {
			return s.add(event.Decided, "", 0, decide(review.Rejected, all...)).add(event.HoldSet, "", 0, review.Hold{Code: "unread", Text: "a.bin"})
		}, review.HumanCheckNeeded},
		{"a dropped finding counts", func(s *script) *script {
			return s.add(event.Merged, "", 0, event.MergedData{Entries: []event.Entry{
				{ID: "x", Sources: all, Worst: review.Critical, Dropped: "the judge says so"}}})
		}, review.ChangesNeeded},
		{"the person's own severity holds", func(s *script) *script {
			w := &event.Wording{Severity: review.Suggestion}
			return s.add(event.Decided, "", 0, event.StepData{Op: "do", Patch: event.Patch{Edits: map[string]*event.Wording{all[0]: w, all[1]: w, all[2]: w}}})
		}, review.NoBlockingFindings},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.make(twoReports(t)).fold().Verdict(); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestChecksAloneAreNoReading(t *testing.T) {
	st := planned(t).
		add(event.ReportIn, "quality-1", 1, report(review.Model{})).
		add(event.ReportIn, "security-1", 1, report(review.Model{})).
		add(event.StatusChanged, "quality-1", 1, event.StatusData{Status: event.StatusDone}).
		add(event.StatusChanged, "security-1", 1, event.StatusData{Status: event.StatusDone}).fold()
	if st.Verdict() != review.HumanCheckNeeded || st.AllHolds()[0].Code != "no-model" {
		t.Errorf("%s %v", st.Verdict(), st.AllHolds())
	}
}

func TestWordingOverTheLead(t *testing.T) {
	st := twoReports(t).add(event.Decided, "", 0, event.StepData{Op: "do", Patch: event.Patch{
		Edits: map[string]*event.Wording{"security-1.1": {Title: "mine", Severity: review.Warning}}}}).fold()
	f := st.Shown(st.Entries[0])
	if f.Title != "mine" || f.Severity != review.Warning || st.Findings["quality-1.1"].Title != "quality-1.1" {
		t.Errorf("shown %+v", f)
	}
}

func TestTheDiffIsKept(t *testing.T) {
	raw := "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	if _, err := w.Write([]byte(raw)); err != nil {
		t.Fatal(err)
	}
	w.Close()
	st := planned(t).add(event.DiffStored, "", 0, event.DiffData{Gzip: z.Bytes()}).fold()
	if st.Diff == nil || st.Diff.Find("x") == nil {
		t.Error("the diff did not come back")
	}
}

func TestRedactedEventsTellNothing(t *testing.T) {
	s := twoReports(t).add(event.TextAppended, "quality-1", 1, event.TextData{Part: "a", Text: "SECRETWORD in engine/pay.go"})
	d := report(glm, "quality-1.1")
	d.Report.Findings[0].Observation, d.Raw = "SECRETWORD", "SECRETWORD"
	s.add(event.ReportIn, "quality-1", 1, d)
	for _, e := range s.events {
		raw, err := json.Marshal(event.Redact(e))
		if err != nil || bytes.Contains(raw, []byte("SECRETWORD")) || bytes.Contains(raw, []byte("engine/pay.go")) {
			t.Errorf("%s tells too much: %s, %v", e.Kind, raw, err)
		}
	}
}

func TestUnknownReviewerIsAnError(t *testing.T) {
	s := planned(t).add(event.StatusChanged, "ghost-1", 1, event.StatusData{Status: event.StatusDone})
	if _, err := event.Fold(s.events); err == nil {
		t.Error("an event about nobody must be refused")
	}
}
