package engine_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mrv-dev/mrv/engine"
	"github.com/mrv-dev/mrv/engine/agent/opencode/scripted"
	"github.com/mrv-dev/mrv/engine/config"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/journal"
	"github.com/mrv-dev/mrv/engine/review"
)

// branchOptions are options for a review of the demo's branch in a real clone.
func branchOptions(t testing.TB, home string) engine.Options {
	t.Helper()
	o := testOptions(t, home)
	o.Source = engine.SourceOptions{Base: "main", Dir: demoRepository(t), CacheDir: o.Paths.Cache}
	return o
}

// fingerprints hashes every file below a directory, .git included.
func fingerprints(t *testing.T, dir string) map[string]string {
	t.Helper()
	sums := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(raw)
		sums[strings.TrimPrefix(p, dir)] = hex.EncodeToString(sum[:])
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return sums
}

func sameFiles(t *testing.T, before, after map[string]string) {
	t.Helper()
	for p, sum := range after {
		if before[p] != sum {
			t.Errorf("the reviewed repository was touched: %s", p)
		}
	}
	for p := range before {
		if _, ok := after[p]; !ok {
			t.Errorf("the reviewed repository lost %s", p)
		}
	}
}

// below lists the processes whose command line names the directory.
func below(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Skip("needs /proc")
	}
	for _, e := range entries {
		for _, f := range []string{"cmdline", "environ"} {
			raw, err := os.ReadFile(filepath.Join("/proc", e.Name(), f))
			if err == nil && strings.Contains(string(raw), dir) && e.Name() != fmt.Sprint(os.Getpid()) {
				out = append(out, e.Name())
				break
			}
		}
	}
	return out
}

// TestChecksOverARealBranch: deterministic reviewers, no model, no network.
func TestChecksOverARealBranch(t *testing.T) {
	o := branchOptions(t, t.TempDir())
	o.Agent = engine.AgentChecks
	addFile(t, o.Source.Dir, "api/list.go", "package api\n\nfunc (h *Handler) list(r *http.Request) (*sql.Rows, error) {\n"+
		"\treturn h.db.QueryContext(r.Context(), \"SELECT id FROM refunds WHERE customer = '\"+r.FormValue(\"customer\")+\"'\")\n}\n")
	before := fingerprints(t, o.Source.Dir)
	run := begin(t, o)
	settle(t, run, time.Minute)
	s := stateOf(t, run)
	if !slices.ContainsFunc(s.Entries, func(e event.Entry) bool {
		return e.Place.Path == "api/list.go" && e.Place.QuoteFound && e.Security
	}) {
		t.Errorf("the string-built SQL must be found: %+v", s.Entries)
	}
	for _, r := range s.Reviewers {
		if r.Status != event.StatusDone && r.Status != event.StatusSkipped {
			t.Errorf("%s is %s: %s", r.Name, r.Status, r.Text)
		}
		if len(r.Persona.Checks) == 0 && r.Status != event.StatusSkipped {
			t.Errorf("%s has no checks and must be skipped, not a pass", r.Name)
		}
	}
	if v := s.Verdict(); v == review.NoBlockingFindings {
		t.Error("no model has read the change: the verdict can not be clean")
	}
	finish(t, run)
	sameFiles(t, before, fingerprints(t, o.Source.Dir))
}

// panel is a review of the demo's branch by the real server and n reviewers.
func panel(t testing.TB, model string, n int, handle func(*scripted.Provider)) engine.Options {
	t.Helper()
	needOpenCode(t)
	p := scripted.Start(t)
	if handle != nil {
		handle(p)
	}
	o := branchOptions(t, p.Home(t.TempDir()))
	o.Agent, o.Team, o.Model = engine.AgentOpenCode, fmt.Sprintf("quality:%d", n), "scripted/"+model
	o.Person.Concurrency = map[string]int{"scripted": n + 1}
	return o
}

// oneFinding is a report with one finding in the demo's change.
func oneFinding(r scripted.Request) scripted.Script {
	if r.Schema != nil {
		return scripted.Script{scripted.Structured(map[string]any{"summary": "One.", "groups": []any{}, "reword": []any{}, "severity": []any{}, "drop": []any{}})}
	}
	return scripted.Script{scripted.Say(r.Report(review.Block, review.Finding{
		Severity: review.Critical, Title: "A new key each time", Location: review.Location{Path: "retry/retry.go", Start: 14},
		Observation: "The key is made in the loop.", Inference: "Payments can be made twice.", Judgment: "Must be fixed; docs/payments.md rule 3.",
		Verification: "Count the keys.", Quote: "\t\tif err = f(newKey()); err == nil {",
	}))}
}

// TestEightReviewersOnOneServer is the panel at full size: one server process,
// eight reviewers' sessions and the coordinator's, nothing left afterwards, and
// the reviewed repository is byte-identical.
func TestEightReviewersOnOneServer(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("looks at processes in /proc")
	}
	var provider *scripted.Provider
	o := panel(t, "one", 8, func(p *scripted.Provider) { provider = p; p.Handle("one", oneFinding) })
	before := fingerprints(t, o.Source.Dir)
	run := begin(t, o)
	settle(t, run, 2*time.Minute)
	s := stateOf(t, run)
	for _, r := range s.Reviewers {
		if r.Status != event.StatusDone || r.Report == nil || len(r.Report.Violations) > 0 {
			t.Errorf("%s: %s %s", r.Name, r.Status, r.Text)
		}
	}
	if len(s.Entries) != 1 || len(s.Entries[0].Sources) != 8 || !s.Entries[0].Confirmed || s.Entries[0].Models != 1 {
		t.Errorf("eight reviewers said one thing: %+v", s.Entries)
	}
	if procs := below(t, o.Paths.Cache); len(procs) != 1 {
		t.Errorf("one server for all, found processes %v", procs)
	}
	prefix := commonPrefix(provider.Requests())
	if prefix < 2000 {
		t.Errorf("the prompts share only %d bytes: a provider's cache can not serve them", prefix)
	}
	finish(t, run)
	if procs := below(t, o.Paths.Cache); len(procs) != 0 {
		t.Errorf("processes are left: %v", procs)
	}
	for _, dir := range []string{"work", "opencode"} {
		if left, _ := os.ReadDir(filepath.Join(o.Paths.Cache, dir)); len(left) > 1 { // a lock file may stay
			t.Errorf("%s is not swept: %v", dir, left)
		}
	}
	sameFiles(t, before, fingerprints(t, o.Source.Dir))
}

// commonPrefix is how many bytes the reviewers' first prompts share.
func commonPrefix(requests []scripted.Request) int {
	var first []string
	for _, r := range requests {
		if r.Schema == nil && r.Turn == 1 && len(r.Results) == 0 {
			first = append(first, r.Prompt)
		}
	}
	if len(first) < 2 {
		return 0
	}
	n := 0
	for n < len(first[0]) {
		for _, p := range first {
			if n >= len(p) || p[n] != first[0][n] {
				return n
			}
		}
		n++
	}
	return n
}

// TestOneFailureHoldsNobody: a reviewer that fails never holds the others'
// results, is named as missing, and the verdict is not clean.
func TestOneFailureHoldsNobody(t *testing.T) {
	o := panel(t, "one", 2, func(p *scripted.Provider) { p.Handle("one", oneFinding) })
	o.Team = "quality:1,security:1"
	o.Model = ""
	o.Person.Tiers = map[string]config.Models{"strong": {"scripted/one"}}
	o.Person.Personas = map[string]config.Routing{"security": {Model: config.Models{"scripted/err401"}}}
	run := begin(t, o)
	settle(t, run, 2*time.Minute)
	s := stateOf(t, run)
	if got := s.Missing(); !slices.Equal(got, []string{"security-1"}) {
		t.Errorf("missing %v", got)
	}
	bad := s.Reviewer("security-1")
	if bad.Status != event.StatusFailed || bad.Failure == nil || bad.Failure.Kind != review.FailAuth {
		t.Errorf("%s %+v", bad.Status, bad.Failure)
	}
	if len(s.Entries) != 1 || s.Phase != event.PhaseTriage {
		t.Errorf("the other's finding must be there: %+v, phase %s", s.Entries, s.Phase)
	}
	finish(t, run)
}

// TestStopKeepsWhatCame: the person stops a panel that is under way.
func TestStopKeepsWhatCame(t *testing.T) {
	hold := make(chan struct{})
	defer close(hold)
	o := panel(t, "slow", 2, func(p *scripted.Provider) {
		p.Handle("slow", func(scripted.Request) scripted.Script {
			return scripted.Script{scripted.Say("I begin to look. "), scripted.Until(hold)}
		})
	})
	run := begin(t, o)
	waitFor(t, run, func(s *event.State) bool {
		return !slices.ContainsFunc(s.Reviewers, func(r *event.Reviewer) bool { return r.TextBytes == 0 })
	})
	if err := run.Do(t.Context(), event.Command{Kind: event.CmdStop}); err != nil {
		t.Fatal(err)
	}
	settle(t, run, time.Minute)
	s := stateOf(t, run)
	for _, r := range s.Reviewers {
		if r.Status != event.StatusAborted || len(r.Blocks) == 0 {
			t.Errorf("%s: %s, %d blocks", r.Name, r.Status, len(r.Blocks))
		}
	}
	if !s.Interrupted || s.Verdict() != review.HumanCheckNeeded {
		t.Errorf("interrupted %v, verdict %s", s.Interrupted, s.Verdict())
	}
	finish(t, run)
}

// waitFor reads the run's events until its state holds.
func waitFor(t *testing.T, run *engine.Run, holds func(*event.State) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	updates, err := run.Updates(ctx)
	if err != nil {
		t.Fatal(err)
	}
	s := event.NewState()
	for batch := range updates {
		for _, e := range batch {
			if err := s.Apply(e); err != nil {
				t.Fatal(err)
			}
		}
		if holds(s) {
			return
		}
	}
	for _, r := range s.Reviewers {
		t.Logf("%s: %s %q, turn %d, %d bytes of text", r.Name, r.Status, r.Text, r.Turn, r.TextBytes)
	}
	t.Fatalf("the run never got there: %s, server %+v, notices %+v", s.Phase, s.Server, s.Notices)
}

// settledDemo is the demo's run, at its end.
func settledDemo(t *testing.T) (*engine.Run, engine.Options) {
	t.Helper()
	o := testOptions(t, t.TempDir())
	o.Demo, o.Out = true, t.TempDir()
	run := begin(t, o)
	settle(t, run, time.Minute)
	return run, o
}

func do(t *testing.T, run *engine.Run, c event.Command) {
	t.Helper()
	if err := run.Do(t.Context(), c); err != nil {
		t.Fatalf("%s: %v", c.Kind, err)
	}
}

func accept(ids ...string) event.Command {
	return event.Command{Kind: event.CmdDecide, IDs: ids, Decision: &review.Decision{Choice: review.Accepted}}
}

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
	settle(t, run, time.Minute)
	s := stateOf(t, run)
	if len(s.Entries) != 1 || s.Tally().Accepted != 1 {
		t.Errorf("one entry was accepted, now there are %d, %+v", len(s.Entries), s.Tally())
	}
	if s.Summary.Text != "Two." {
		t.Errorf("the judge's summary stands: %+v", s.Summary)
	}
	finish(t, run)
}
