package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine"
	"github.com/mrv-dev/mrv/engine/agent/opencode/scripted"
	"github.com/mrv-dev/mrv/engine/config"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

// endpoint is a person without OpenCode who has an endpoint called box.
func endpoint(t *testing.T, handle func(*scripted.Provider)) (engine.Options, *scripted.Provider) {
	t.Helper()
	p := scripted.Start(t)
	handle(p)
	o := branchOptions(t, t.TempDir())
	o.OpenCode = "/nowhere/opencode"
	o.Agent, o.Team = "direct:box", "quality:2"
	o.Person.Endpoints = map[string]config.Direct{"box": {BaseURL: p.URL(), KeyEnv: "BOX_KEY", Model: "one"}}
	t.Setenv("BOX_KEY", scripted.Key)
	return o, p
}

// TestDirectPanel: reviewers and coordinator without OpenCode, one at a time
// on this machine's own model, and the rest shown as queued.
func TestDirectPanel(t *testing.T) {
	o, p := endpoint(t, func(p *scripted.Provider) {
		p.Handle("one", func(r scripted.Request) scripted.Script {
			if strings.Contains(r.Prompt, "JSON Schema") {
				return scripted.Script{scripted.Say(`{"summary":"One.","groups":[["quality-1.1","quality-2.1"]],"reword":[],"severity":[],"drop":[]}`)}
			}
			return scripted.Script{scripted.Say(critical(r))}
		})
	})
	run := begin(t, o)
	settle(t, run)
	queued := false
	for _, e := range eventsOf(t, run) {
		var d event.StatusData
		if e.Kind == event.StatusChanged && e.Decode(&d) == nil && d.Status == event.StatusQueued {
			queued = queued || strings.Contains(d.Text, "direct:box takes 1 at a time")
		}
	}
	s := stateOf(t, run)
	for _, r := range s.Reviewers {
		if r.Status != done || r.ReportFrom != (review.Model{Provider: "direct:box", ID: "one"}) || r.Usage.Price != review.PriceUnknown || r.Usage.Output == 0 {
			t.Errorf("%s: %s %s, from %s, usage %+v", r.Name, r.Status, r.Text, r.ReportFrom, r.Usage)
		}
	}
	if !queued || len(s.Entries) != 1 || s.Verdict() != blocked || s.Summary.Text != "One." {
		t.Errorf("queued %v, %d entries, verdict %s, summary %+v", queued, len(s.Entries), s.Verdict(), s.Summary)
	}
	if r := p.Requests()[0]; !strings.Contains(r.Prompt, "newKey()") || len(r.Tools) > 0 {
		t.Error("the change must stand in the prompt")
	}
	finish(t, run)
}

// TestCommandPanel: a program of the person's reviews.
func TestCommandPanel(t *testing.T) {
	o := branchOptions(t, t.TempDir())
	o.Agent, o.Team, o.OpenCode = "command:mine", "quality:1", "/nowhere/opencode"
	script := filepath.Join(t.TempDir(), "mine")
	text := "#!/bin/sh\nprompt=$(cat)\nmarker=$(echo \"$prompt\" | sed -n 's/^Marker: //p' | head -1)\ntest -f retry/retry.go || exit 3\n" +
		"label=$(echo \"$prompt\" | sed -n 's/^[^|]*: *\\([^|]*\\) | .* | .*$/\\1/p' | tail -1)\n" +
		"printf '%s\\nRead: %s\\n## Summary\\nFine.\\n## Findings\\nNone.\\n## Validation gaps\\nNone.\\n' \"$label\" \"$marker\"\n"
	if err := os.WriteFile(script, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	o.Person.Commands = map[string]config.CLI{"mine": {Run: []string{script}}}
	run := begin(t, o)
	settle(t, run)
	s := stateOf(t, run)
	if r := s.Reviewer("quality-1"); r.Status != done || !r.Report.MarkerOK || s.Verdict() != clean {
		t.Errorf("%s %s, verdict %s, holds %+v", r.Status, r.Text, s.Verdict(), s.AllHolds())
	}
	finish(t, run)
	if left, _ := os.ReadDir(filepath.Join(o.Paths.Cache, "command")); len(left) > 0 {
		t.Errorf("private homes are left: %v", left)
	}
}

const sarifLog = `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"gosec","rules":[{"id":"G1","shortDescription":{"text":"A new key each time"}}]}},"results":[
 {"ruleId":"G1","level":"error","message":{"text":"The key is made in the loop: payments can be made twice."},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"retry/retry.go"},"region":{"startLine":14}}}]},
 {"ruleId":"G1","level":"note","message":{"text":"Old."},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"retry/none.go"},"region":{"startLine":1}}}]}]}]}`

// TestAnalyserConfirms: the findings of a SARIF file on added lines join a
// model's, and confirm it; a file alone is no model's reading.
func TestAnalyserConfirms(t *testing.T) {
	o, _ := endpoint(t, func(p *scripted.Provider) {
		p.Handle("one", func(r scripted.Request) scripted.Script { return scripted.Script{scripted.Say(critical(r))} })
	})
	o.Team = "quality:1"
	file := filepath.Join(t.TempDir(), "gosec.sarif")
	if err := os.WriteFile(file, []byte(sarifLog), 0o600); err != nil {
		t.Fatal(err)
	}
	o.SARIF = []string{file}
	run := begin(t, o)
	settle(t, run)
	s := stateOf(t, run)
	r := s.Reviewer("sarif-1")
	if r.Status != done || len(r.Report.Findings) != 1 || len(r.Report.Violations) > 0 {
		t.Errorf("%s %s: %+v", r.Status, r.Text, r.Report)
	}
	if len(s.Entries) != 1 || !s.Entries[0].Analyser || len(s.Entries[0].Sources) != 2 {
		t.Errorf("the analyser must confirm the model: %+v", s.Entries)
	}
	finish(t, run)
}

// TestOwnAgentsThatAreNotThere are mistakes of the command line.
func TestOwnAgentsThatAreNotThere(t *testing.T) {
	for agent, want := range map[string]string{
		"direct:nope": "no endpoint", "command:nope": "no command", "magic": "not known",
	} {
		o := branchOptions(t, t.TempDir())
		o.Agent = agent
		if _, err := engine.NewPlan(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", agent, err)
		}
	}
	o := branchOptions(t, t.TempDir())
	o.Agent, o.SARIF = engine.AgentChecks, []string{"/nowhere.sarif"}
	if _, err := engine.NewPlan(t.Context(), o); err == nil || !strings.Contains(err.Error(), "--sarif") {
		t.Errorf("%v", err)
	}
}

// eventsOf is everything that happened in a run so far.
func eventsOf(t testing.TB, run *engine.Run) []event.Event {
	t.Helper()
	updates, err := run.Updates(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return <-updates
}
