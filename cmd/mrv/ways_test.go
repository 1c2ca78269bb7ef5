package main

import (
	"archive/zip"
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/rhysd/actionlint"

	"github.com/mrv-dev/mrv/cmd/mrv/screen"
	"github.com/mrv-dev/mrv/engine/document"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/forge/double"
	"github.com/mrv-dev/mrv/engine/review"
)

// triaged is a loop whose first run is decided: the token, TLS, SQL and the
// shell are accepted, the mode is rejected.
func triaged(t *testing.T) (*loop, document.Document) {
	t.Helper()
	l := newLoop(t)
	d := l.review()
	l.triage("a", "a", "a", "a", "r", "w")
	return l, d
}

// TestWhatPublishRefuses: each is found before anything is sent.
func TestWhatPublishRefuses(t *testing.T) {
	l, _ := triaged(t)
	for _, c := range []struct {
		name   string
		set    func()
		unset  func()
		args   []string
		code   review.Exit
		says   string
		posted bool
	}{
		{"own pull request", func() { l.forge.Update(7, func(p *double.Pull) { p.Author = double.User{Login: "viewer", ID: 1} }) },
			func() { l.forge.Update(7, func(p *double.Pull) { p.Author = double.User{Login: "author", ID: 2} }) },
			[]string{"--event", "approve"}, review.ExitUsage, "one's own pull request", false},
		{"untriaged asked for", nil, nil, []string{"--untriaged"}, review.ExitUsage, "is triaged", false},
		{"closed", func() { l.forge.Update(7, func(p *double.Pull) { p.State = "closed" }) },
			func() { l.forge.Update(7, func(p *double.Pull) { p.State = "open" }) }, nil, review.ExitUsage, "closed", false},
		{"an unknown event", nil, nil, []string{"--event", "merge"}, review.ExitUsage, "merge", false},
		{"an unknown finding", nil, nil, []string{"--post-security", "nobody-1.1"}, review.ExitUsage, "nobody-1.1", false},
		{"no permission", func() {
			l.forge.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
				if r.Method == http.MethodGet || r.URL.Path == "/graphql" {
					return false
				}
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusForbidden)
				_, _ = io.WriteString(w, `{"message":"Resource not accessible by personal access token"}`) // the client may be gone
				return true
			})
		}, func() { l.forge.Intercept(nil) }, nil, review.ExitUsage, "the inbox was written instead", false},
		{"a pending review", func() { l.forge.StartReview(7) }, nil, nil, review.ExitUsage, "not submitted", false},
	} {
		if c.set != nil {
			c.set()
		}
		r := l.run(append([]string{"publish", "latest"}, c.args...)...)
		if c.unset != nil {
			c.unset()
		}
		if r.code != int(c.code) || !strings.Contains(r.err, c.says) {
			t.Errorf("%s: exit %d, %s, want %q", c.name, r.code, r.err, c.says)
		}
		if n := len(l.forge.Standing("comment", 7)) + len(l.forge.Standing("line", 7)); n != 0 {
			t.Fatalf("%s: %d comments were posted", c.name, n)
		}
	}
	if ids := openList(t, l.read(".ai/reviews/pr-7.md")); len(ids) != 4 {
		t.Errorf("the inbox after a refusal holds %v, want the four that were accepted", ids)
	}
}

// TestTheOutboxPosts: what the screen lists is what is sent, to both places.
func TestTheOutboxPosts(t *testing.T) {
	l, _ := triaged(t)
	s := screen.Start(t, l.command("resume", "latest"), 140, 40)
	s.Wait("acme/shop#7")
	s.Press("tab", "tab")
	s.Wait("pull/7", "pr-7.md", "kept", "viewer")
	s.Press("enter")
	s.Until("says that it was posted", func(string) bool {
		return len(l.forge.Standing("comment", 7)) == 1
	})
	s.Settle()
	s.Press("q", "y")
	if code := s.Exit(); code != 0 {
		t.Errorf("exit %d", code)
	}
	if n := len(l.forge.Standing("line", 7)); n != 3 {
		t.Errorf("%d comments on lines, want 3: the critical one is kept off the page", n)
	}
	if ids := openList(t, l.read(".ai/reviews/pr-7.md")); len(ids) != 4 {
		t.Errorf("the inbox holds %v, want four", ids)
	}
}

// TestAKnownTokenNeverLeaves: masking knows shapes, this knows the value.
func TestAKnownTokenNeverLeaves(t *testing.T) {
	l := newLoop(t)
	l.write("pay.go", strings.Replace(problems, "SELECT * FROM t WHERE", "SELECT '"+double.Token+"' FROM t WHERE", 1))
	l.push("a token of no known shape")
	l.review()
	l.triage("a", "a", "a")
	for _, args := range [][]string{{"publish", "latest"}, {"publish", "latest", "--dry-run"}, {"runs", "export", "latest", "--format", "markdown"}} {
		if r := l.run(args...); r.code != int(review.ExitUsage) || !strings.Contains(r.err, "token or password") || strings.Contains(r.out+r.err, double.Token) {
			t.Errorf("%v: exit %d\n%s%s", args, r.code, r.out, r.err)
		}
	}
	if n := len(l.forge.Standing("comment", 7)) + len(l.forge.Standing("line", 7)); n != 0 {
		t.Errorf("%d comments were posted", n)
	}
}

// TestUndoneAfterPosting: a decision taken back takes its comment along, and a
// moved head gets what did not change.
func TestUndoneAfterPosting(t *testing.T) {
	l, _ := triaged(t)
	l.must(review.ExitOK, "publish", "latest")
	l.triage("u", "u") // the mode's and the shell's
	r := l.must(review.ExitOK, "publish", "latest")
	if lines := l.forge.Standing("line", 7); len(lines) != 2 || !strings.Contains(r.out, "withdrawn") {
		t.Errorf("%d comments stand, want 2\n%s", len(lines), r.out)
	}
	l.write("pay.go", strings.Replace(problems, "db.Query(", "db.QueryRow(", 1))
	l.push("another query")
	l.must(review.ExitStale, "publish", "latest")
	r = l.must(review.ExitOK, "publish", "latest", "--on-moved", "reanchor", "--dry-run", "--json")
	p := decode[struct{ Planned event.Destination }](t, r.out)
	as := map[string]int{}
	for _, x := range p.Planned.Items {
		as[x.As]++
	}
	if as["there"] != 1 || as["summary"] != 1 || as["kept"] != 1 {
		t.Errorf("after the head moved: %+v", p.Planned.Items)
	}
}

// TestOtherFormats: what was accepted, or all of it.
func TestOtherFormats(t *testing.T) {
	l, first := triaged(t)
	rejected := of(t, first, "Writable").Title
	for format, in := range map[string]string{"json": `"schema": "mrv.review.v1"`, "markdown": "# Review of", "sarif": `"version": "2.1.0"`} {
		some, all := l.must(review.ExitOK, "runs", "export", "latest", "--format", format).out, l.must(review.ExitOK, "runs", "export", "latest", "--format", format, "--all").out
		if !strings.Contains(some, in) || strings.Contains(some, rejected) || strings.Contains(all, token) {
			t.Errorf("%s:\n%s", format, some)
		}
		if format != "markdown" && !strings.Contains(all, rejected) {
			t.Errorf("%s --all leaves the rejected one out:\n%s", format, all)
		}
	}
	if r := l.run("runs", "export", "latest", "--format", "pdf"); r.code != int(review.ExitUsage) || !strings.Contains(r.err, "sarif") {
		t.Errorf("exit %d: %s", r.code, r.err)
	}
}

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
	s := screen.Start(t, l.command("tui", "7", "--from-pr"), 140, 40)
	s.Wait("acme/shop#7")
	s.Press("tab")
	s.Wait("undecided")
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
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		linter, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{})
		if err != nil {
			t.Fatal(err)
		}
		found, err := linter.Lint(name, raw, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range found {
			t.Errorf("%v", e)
		}
		text := string(raw)
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
