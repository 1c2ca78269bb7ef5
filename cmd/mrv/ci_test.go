package main

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/rhysd/actionlint"

	"github.com/mrv-dev/mrv/engine/forge/double"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/window"
)

// TestARunOfAWorkflow: a workflow's run is announced in one line, fetched and
// triaged on the screen; what the pull request could have made up is refused.
func TestARunOfAWorkflow(t *testing.T) {
	l := newLoop(t)
	l.up.git("checkout", "-q", "main")
	l.up.write(".github/workflows/mrv-review.yml", "name: mrv review\n")
	l.up.git("add", "-A")
	l.up.git("commit", "-q", "-m", "workflow")
	runner := newPlace(t)
	runner.env = l.forge.Env()
	if r := runner.run("review", "7", "--repo", "acme/shop", "--agent", "checks", "--trust-rules", "base", "--json"); r.code == int(review.ExitUsage) {
		t.Fatal(r.err)
	}
	l.forge.AddRun(double.WorkflowRun{ID: 41, Path: ".github/workflows/mrv-review.yml", Pull: 7, HeadRepo: "fork/shop", Kept: keptRun(t, runner)})
	l.forge.AddRun(double.WorkflowRun{ID: 42, Path: ".github/workflows/mrv-review.yml", Pull: 7, Kept: keptRun(t, runner)})
	l.forge.AddRun(double.WorkflowRun{ID: 43, Path: ".github/workflows/other.yml", Pull: 7})

	for id, why := range map[string]string{"41": "fork", "43": "kept no review"} {
		if r := l.run("ci", "publish", "--repo", "acme/shop", "--run-id", id); r.code != int(review.ExitUsage) || !strings.Contains(r.err, why) {
			t.Errorf("run %s: exit %d, %s", id, r.code, r.err)
		}
	}
	for range 2 { // the second updates the first
		l.must(review.ExitOK, "ci", "publish", "--repo", "acme/shop", "--run-id", "42")
	}
	said := l.forge.Standing("comment", 7)
	if len(said) != 1 || !strings.Contains(said[0].Body, "ready: 5 findings, `mrv tui 7 --from-pr`") {
		t.Fatalf("said %+v", said)
	}
	s := window.Start(t, l.command("tui", "7", "--from-pr"), 140, 40)
	s.See("acme/shop#7")
	s.See("undecided")
	s.Press("a")
	s.Settle()
	s.Press("q", "y")
	if code := s.Exit(); code != 0 {
		t.Fatalf("exit %d", code)
	}
	l.must(review.ExitOK, "publish", "latest", "--post-security", "security-1.1")
	if lines := l.forge.Standing("line", 7); len(lines) != 1 {
		t.Errorf("%d comments on lines, want the one that was accepted", len(lines))
	}
	if r := l.run("ci", "publish", "--repo", "acme/shop", "--run-id", "42", "--raw"); r.code != int(review.ExitUsage) || !strings.Contains(r.err, "triaged review") {
		t.Errorf("raw over a triaged review: exit %d, %s", r.code, r.err)
	}
	l.write(".github/workflows/mrv-review.yml", "name: mine\n")
	l.git("add", "-A")
	l.push("touch the workflow")
	l.forge.AddRun(double.WorkflowRun{ID: 45, Path: ".github/workflows/mrv-review.yml", Pull: 7, Kept: keptRun(t, runner)})
	if r := l.run("ci", "publish", "--repo", "acme/shop", "--run-id", "45"); r.code != int(review.ExitUsage) || !strings.Contains(r.err, "changes .github/workflows/mrv-review.yml itself") {
		t.Errorf("a workflow of its own: exit %d, %s", r.code, r.err)
	}
}

// keptRun is the artefact of a place's one run.
func keptRun(t *testing.T, p *place) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(p.home, ".local/state/mrv/runs/*/*/*/*.jsonl"))
	if err != nil || len(paths) != 1 {
		t.Fatalf("journals %v, %v", paths, err)
	}
	raw, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	f, err := z.Create("run.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(raw); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{"mrv-run": out.Bytes()}
}

// TestInit: the workflows pass actionlint, ask for no more than they need, and
// nothing that exists is written over.
func TestInit(t *testing.T) {
	p := newPlace(t)
	p.repository()
	p.write(".github/workflows/mrv-publish.yml", "mine\n")
	r := p.run("init")
	if r.code != 0 || !strings.Contains(r.out, "kept  .github/workflows/mrv-publish.yml") || p.read(".github/workflows/mrv-publish.yml") != "mine\n" {
		t.Fatalf("exit %d: %s%s", r.code, r.out, r.err)
	}
	if r := p.run("plan", "--base", "main", "--agent", "checks"); r.code != 0 {
		t.Errorf("the configuration is not read: %s", r.err)
	}
	names, err := filepath.Glob("workflows/*.yml")
	if err != nil || len(names) != 3 {
		t.Fatalf("workflows %v, %v", names, err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	project, err := actionlint.NewProject(root)
	if err != nil {
		t.Fatal(err)
	}
	ours := regexp.MustCompile(`mrv-dev/mrv/(\.github/actions/[a-z]+)@main`)
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		linter, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{})
		if err != nil {
			t.Fatal(err)
		}
		text := string(raw)
		// Once as it is, once with the actions as they are here, so that they
		// and what they are given are checked too.
		for _, as := range []string{text, ours.ReplaceAllString(text, "./$1")} {
			found, err := linter.Lint(filepath.Join(root, ".github/workflows", filepath.Base(name)), []byte(as), project)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range found {
				t.Errorf("%v", e)
			}
		}
		if strings.Contains(text, "pull_request_target") || strings.Contains(text, "actions/checkout") || !strings.Contains(text, "\npermissions:") || !strings.Contains(text, "\nconcurrency:") {
			t.Errorf("%s: it checks out code, or has no permissions or concurrency of its own", name)
		}
		injection(t, name, text)
	}
}

// TestActions: every input of an action that a workflow sets exists, and no
// expression stands in a script, where it would be code.
func TestActions(t *testing.T) {
	inputs := map[string]map[string]any{}
	for _, name := range []string{"review", "publish"} {
		path := filepath.Join("../../.github/actions", name, "action.yml")
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var a struct {
			Inputs map[string]any `yaml:"inputs"`
			Runs   struct {
				Using string `yaml:"using"`
				Steps []struct {
					Run   string `yaml:"run"`
					Shell string `yaml:"shell"`
				} `yaml:"steps"`
			} `yaml:"runs"`
		}
		if err := yaml.Unmarshal(raw, &a); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if a.Runs.Using != "composite" || len(a.Runs.Steps) == 0 {
			t.Errorf("%s: %+v", path, a.Runs)
		}
		for _, s := range a.Runs.Steps {
			if s.Run != "" && (s.Shell == "" || strings.Contains(s.Run, "${{")) {
				t.Errorf("%s: a script without a shell, or with an expression in it:\n%s", path, s.Run)
			}
		}
		inputs[name] = a.Inputs
	}
	for _, name := range []string{"team", "tier", "model", "effort", "thinking", "lang", "keys", "budget", "timeout", "fail-on", "allow-provider"} {
		if inputs["review"][name] == nil {
			t.Errorf("the review action has no input %q", name)
		}
	}
	names, _ := filepath.Glob("workflows/*.yml") // the pattern is well-formed
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var w struct {
			Jobs map[string]struct {
				Steps []struct {
					Uses string         `yaml:"uses"`
					With map[string]any `yaml:"with"`
				} `yaml:"steps"`
			} `yaml:"jobs"`
		}
		if err := yaml.Unmarshal(raw, &w); err != nil {
			t.Fatal(err)
		}
		for _, j := range w.Jobs {
			for _, s := range j.Steps {
				action := strings.TrimSuffix(filepath.Base(s.Uses), "@main")
				for key := range s.With {
					if inputs[action][key] == nil {
						t.Errorf("%s: %s has no input %q", name, action, key)
					}
				}
			}
		}
	}
}

var script = regexp.MustCompile(`(?ms)^\s+run: \|\n(.*?)(^\s{0,6}\S|\z)`)

// injection fails on an expression inside a script.
func injection(t *testing.T, name, text string) {
	t.Helper()
	for _, m := range script.FindAllStringSubmatch(text, -1) {
		if strings.Contains(m[1], "${{") {
			t.Errorf("%s: an expression in a script:\n%s", name, m[1])
		}
	}
}
