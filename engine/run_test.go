package engine_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine"
	"github.com/mrv-dev/mrv/engine/agent/opencode/scripted"
	"github.com/mrv-dev/mrv/engine/config"
	"github.com/mrv-dev/mrv/engine/event"
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
	settle(t, run)
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
	settle(t, run)
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
	settle(t, run)
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
	settle(t, run)
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
