package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine/document"
	"github.com/mrv-dev/mrv/engine/forge/double"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/window"
)

// oneLine fails unless the command refused with exit 2, said one clear line
// that has the words, printed no result and left nothing behind.
func (p *place) oneLine(r result, words ...string) {
	p.t.Helper()
	if r.code != int(review.ExitUsage) {
		p.t.Errorf("exit %d, want 2", r.code)
	}
	if r.out != "" {
		p.t.Errorf("a refused command prints no result: %q", r.out)
	}
	if strings.Count(strings.TrimSpace(r.err), "\n") != 0 || !strings.HasPrefix(r.err, "mrv: ") {
		p.t.Errorf("want one line, got:\n%s", r.err)
	}
	for _, w := range words {
		if !strings.Contains(r.err, w) {
			p.t.Errorf("%q is not in %q", w, r.err)
		}
	}
	if runs, _ := filepath.Glob(filepath.Join(p.home, ".local/state/mrv/runs/*/*/*/*")); len(runs) != 0 {
		p.t.Errorf("something was left behind: %v", runs)
	}
	if _, err := os.Stat(filepath.Join(p.dir, ".ai")); err == nil {
		p.t.Error("an inbox was written")
	}
}

// TestBadInput: one clear line each, exit 2, nothing half-written.
func TestBadInput(t *testing.T) {
	patch := "diff --git a/x.go b/x.go\nindex 7898192..6178079 100644\n--- a/x.go\n+++ b/x.go\n@@ -1 +1 @@\n-a\n+b\n"
	for _, c := range []struct {
		name  string
		args  []string
		stdin string
		setup func(*place)
		words []string
	}{
		{name: "no such patch", args: []string{"review", "--diff", "nope.diff"}, words: []string{"nope.diff"}},
		{name: "not a diff", args: []string{"review", "--diff", "-", "--agent", "checks"}, stdin: "hello\n", words: []string{"diff"}},
		{name: "a truncated diff", args: []string{"review", "--diff", "-", "--agent", "checks"}, stdin: patch[:len(patch)-3], words: []string{"line"}},
		{name: "a combined diff", args: []string{"review", "--diff", "-", "--agent", "checks"},
			stdin: "diff --cc x.go\nindex 1,2..3\n--- a/x.go\n+++ b/x.go\n@@@ -1,1 -1,1 +1,1 @@@\n- a\n -b\n++c\n", words: []string{"combined"}},
		{name: "no repository", args: []string{"review", "--base", "main"}, words: []string{"repository"}},
		{name: "no such base", args: []string{"review", "--base", "nope", "--agent", "checks"}, setup: (*place).repository, words: []string{`"nope"`}},
		{name: "a number without a repository", args: []string{"review", "7", "--agent", "checks"}, words: []string{"--repo"}},
		{name: "an unknown persona", args: []string{"review", "--base", "main", "--agent", "checks", "--team", "qualty:1"}, setup: (*place).repository, words: []string{"qualty", "quality", "security"}},
		{name: "a bad count", args: []string{"review", "--base", "main", "--agent", "checks", "--team", "quality:0"}, setup: (*place).repository, words: []string{"quality"}},
		{name: "an unknown agent", args: []string{"review", "--base", "main", "--agent", "oracle"}, setup: (*place).repository, words: []string{"oracle", "opencode", "checks"}},
		{name: "no model and no --agent", args: []string{"review", "--base", "main"}, setup: (*place).repository, words: []string{"--agent checks"}},
		{name: "a broken configuration", args: []string{"review", "--demo"}, setup: func(p *place) { p.config("agent: checks\nlagn: zh\n") }, words: []string{"config.yaml:2", "lagn", "lang"}},
		{name: "an unknown language", args: []string{"review", "--demo", "--lang", "fr"}, words: []string{"fr", "en"}},
		{name: "an unknown severity", args: []string{"review", "--demo", "--fail-on", "meh"}, words: []string{"meh", "critical"}},
		{name: "a negative speed", args: []string{"review", "--demo", "--speed", "-1"}, words: []string{"--speed"}},
		{name: "two sources", args: []string{"review", "--demo", "--diff", "x"}, words: []string{"demo", "diff"}},
		{name: "a number and a source", args: []string{"review", "7", "--demo"}, words: []string{"7"}},
		{name: "an unknown flag", args: []string{"review", "--frobnicate"}, words: []string{"frobnicate"}},
		{name: "an unknown flag near a known one", args: []string{"review", "--bas", "main"}, words: []string{"did you mean --base?"}},
		{name: "a flag without its value", args: []string{"review", "--budget"}, words: []string{"--budget DOLLARS"}},
		{name: "no number", args: []string{"review", "--demo", "--speed", "fast"}, words: []string{`"fast" is not a number`}},
		{name: "no duration", args: []string{"review", "--timeout", "5"}, words: []string{`"5" is not a duration such as 90s`}},
		{name: "no age", args: []string{"runs", "prune", "--older", "old"}, words: []string{"30d"}},
		{name: "an unknown command", args: []string{"revew"}, words: []string{"revew", "did you mean mrv review?"}},
		{name: "an unknown command of a group", args: []string{"personas", "lst"}, words: []string{"did you mean mrv personas list?"}},
		{name: "another tool's word", args: []string{"personas", "add"}, words: []string{"did you mean mrv personas new?"}},
		{name: "an unknown command of one that runs", args: []string{"runs", "exprot", "x"}, words: []string{"did you mean mrv runs export?"}},
		{name: "help of nothing", args: []string{"help", "nope"}, words: []string{"nope", "mrv --help"}},
		{name: "no argument", args: []string{"resume"}, words: []string{"mrv resume RUN"}},
		{name: "too many arguments", args: []string{"tui", "1", "2"}, words: []string{"2 arguments were given", "mrv tui [PR|URL]"}},
		{name: "a flag that a recording does not heed", args: []string{"review", "--demo", "--team", "quality:1"}, words: []string{"--team", "recording"}},
		{name: "a pace without a recording", args: []string{"review", "--base", "main", "--speed", "3"}, words: []string{"--demo"}},
		{name: "a patch and a branch", args: []string{"review", "--diff", "x", "--base", "main"}, words: []string{"--base", "--diff"}},
		{name: "a tier of the environment", args: []string{"plan"}, setup: func(p *place) { p.env = append(p.env, "MRV_TIER=huge") }, words: []string{`MRV_TIER: "huge"`, "trivial"}},
		{name: "a home that cannot be written", args: []string{"review", "--demo"}, setup: func(p *place) {
			p.write("file", "")
			p.env = append(p.env, "XDG_STATE_HOME="+filepath.Join(p.dir, "file"))
		}, words: []string{"runs are kept in", "not a directory", "XDG_STATE_HOME"}},
		{name: "a bad name for a persona", args: []string{"personas", "new", "My Own"}, words: []string{"My Own", "lower-case"}},
		{name: "no such run", args: []string{"runs", "export", "nope"}, words: []string{"mrv runs"}},
		{name: "no terminal", args: []string{"tui", "--demo"}, words: []string{"mrv review"}},
		{name: "no such persona", args: []string{"personas", "show", "nobody"}, words: []string{"nobody", "personas list"}},
		{name: "bad findings", args: []string{"merge", "-"}, stdin: "{]", words: []string{"standard input"}},
		{name: "no such findings", args: []string{"merge", "nope.json"}, words: []string{"nope.json"}},
		{name: "no inbox", args: []string{"inbox"}, setup: (*place).repository, words: []string{".ai/reviews"}},
		{name: "an answer without a note", args: []string{"inbox", "resolve", "quality-1.1", "fixed"}, setup: (*place).repository, words: []string{"--note"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			if c.setup != nil {
				c.setup(p)
			}
			p.oneLine(p.feed(c.stdin, c.args...), c.words...)
		})
	}
}

// config writes the person's configuration.
func (p *place) config(text string) {
	p.t.Helper()
	path := filepath.Join(p.home, ".config/mrv/config.yaml")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func TestAnEmptyChangeIsNothingToReview(t *testing.T) {
	p := newPlace(t)
	p.repository()
	for _, args := range [][]string{{"review", "--base", "feature", "--agent", "checks"}, {"plan", "--base", "feature"}} {
		r := p.run(args...)
		if r.code != 0 || !strings.Contains(r.err, "nothing to review") {
			t.Errorf("%v: exit %d, %s", args, r.code, r.err)
		}
	}
	if r := p.feed("", "review", "--diff", "-", "--agent", "checks"); r.code != 0 || !strings.Contains(r.err, "nothing to review") {
		t.Errorf("an empty patch: exit %d, %s", r.code, r.err)
	}
}

// TestChecksOnARealDiff: a branch, the working tree and a patch come out alike.
func TestChecksOnARealDiff(t *testing.T) {
	p := newPlace(t)
	p.repository()
	patch := p.git("diff", "main...feature") + "\n"
	sources := map[string]result{
		"branch": p.run("review", "--base", "main", "--agent", "checks", "--json"),
		"patch":  p.feed(patch, "review", "--diff", "-", "--agent", "checks", "--json"),
	}
	p.git("reset", "-q", "--soft", "main")
	sources["worktree"] = p.run("review", "--base", "main", "--worktree", "--agent", "checks", "--json")
	for name, r := range sources {
		d := decode[document.Document](t, r.out)
		if len(d.Findings) == 0 || d.Findings[0].Place.Path != "pay.go" {
			t.Errorf("%s: disabled verification was not found: %+v\n%s", name, d.Findings, r.err)
		}
		if r.code != int(d.Exit) || r.code == 0 {
			t.Errorf("%s: exit %d, in the document %d", name, r.code, d.Exit)
		}
	}
}

// withForge is a place with a pull request on a GitHub double.
func withForge(t *testing.T, o double.Options) (*place, *double.Server) {
	t.Helper()
	upstream := newPlace(t)
	upstream.repository()
	return pulled(t, upstream, "feature", o)
}

// pulled is a place with pull request 7 of a branch of upstream on a GitHub
// double.
func pulled(t *testing.T, upstream *place, branch string, o double.Options) (*place, *double.Server) {
	t.Helper()
	o.Owner, o.Name, o.Dir = "acme", "shop", upstream.dir
	s := double.Start(t, o, double.Pull{Number: 7, Title: "Pay with TLS", Body: "see #3", Base: "main", Head: branch})
	p := newPlace(t)
	p.env = s.Env()
	return p, s
}

func TestPullRequest(t *testing.T) {
	p, _ := withForge(t, double.Options{})
	for _, args := range [][]string{{"7", "--repo", "acme/shop"}, {"https://github.com/acme/shop/pull/7"}} {
		r := p.run(append([]string{"review", "--agent", "checks", "--json", "--out", p.dir}, args...)...)
		d := decode[document.Document](t, r.out)
		if d.Change.Name != "acme/shop#7" || d.Change.Title != "Pay with TLS" || len(d.Findings) == 0 {
			t.Errorf("%v: %+v, %d findings\n%s", args, d.Change, len(d.Findings), r.err)
		}
	}
	s := window.Start(t, p.command("tui", "7", "--repo", "acme/shop", "--agent", "checks"), 120, 36)
	s.See("acme/shop#7", "Pay with TLS")
	s.Press("tab")
	s.See("pay.go")
	s.Press("q", "y")
	if code := s.Exit(); code != 0 {
		t.Errorf("exit %d", code)
	}
}

func TestAPublicPullRequestNeedsNoToken(t *testing.T) {
	p, s := withForge(t, double.Options{})
	p.env = s.Anonymous()
	if r := p.run("review", "7", "--repo", "acme/shop", "--agent", "checks", "--json"); r.code == 2 {
		t.Errorf("refused: %s", r.err)
	}
}

func TestForgeErrorsAreOneClearLine(t *testing.T) {
	p, s := withForge(t, double.Options{Private: true})
	p.oneLine(p.run("review", "9", "--repo", "acme/shop", "--agent", "checks"), "9")
	anonymous := newPlace(t)
	anonymous.env = s.Anonymous()
	anonymous.oneLine(anonymous.run("review", "7", "--repo", "acme/shop", "--agent", "checks"), "GH_TOKEN")
	s.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		w.Header().Set("X-GitHub-SSO", "required; url=https://github.com/orgs/acme/sso?x=1")
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte(`{"message":"Resource protected by organization SAML enforcement."}`))
		return true
	})
	p.oneLine(p.run("review", "7", "--repo", "acme/shop", "--agent", "checks"), "https://github.com/orgs/acme/sso?x=1")
}

func TestListsAndTables(t *testing.T) {
	p := newPlace(t)
	for args, want := range map[string]string{
		"personas list": "architecture", "personas show security --lang zh": "安全无虞", "keys": "accept", "version": "mrv ", "runs": "mrv tui --demo",
		"completion bash": "complete", "help": "resume",
	} {
		if r := p.run(strings.Fields(args)...); r.code != 0 || !strings.Contains(r.out, want) {
			t.Errorf("mrv %s: exit %d, want %q in\n%s%s", args, r.code, want, r.out, r.err)
		}
	}
	if r := p.run("doctor"); !strings.Contains(r.out, "git") || !strings.Contains(r.out, "mrv setup opencode") {
		t.Errorf("the doctor names the remedy:\n%s", r.out)
	}
	if r := p.run("personas", "lint", filepath.Join(mustAbs(t, "../../personas/security.yaml"))); r.code != 0 {
		t.Errorf("our own persona: %s", r.err)
	}
}

func TestPlanAsJSON(t *testing.T) {
	p := newPlace(t)
	p.repository()
	p.write("go.sum", "x v1 h1:abc=\n")
	p.git("add", "-A")
	p.git("commit", "-q", "-m", "sums")
	r := p.run("plan", "--base", "main", "--json", "--agent", "opencode")
	if r.code != 0 {
		t.Fatalf("exit %d: %s", r.code, r.err)
	}
	plan := decode[struct {
		Files []struct {
			NewPath  string `json:"new_path"`
			OldPath  string `json:"old_path"`
			Reviewed bool   `json:"reviewed"`
			Reason   string `json:"reason"`
		} `json:"files"`
		Team []struct {
			Name   string   `json:"name"`
			Models []string `json:"models"`
		} `json:"team"`
	}](t, r.out)
	if len(plan.Files) != 2 || plan.Files[0].NewPath != "go.sum" || plan.Files[0].Reviewed || !strings.Contains(plan.Files[0].Reason, "lock") || plan.Files[0].OldPath != "" {
		t.Errorf("files %+v", plan.Files)
	}
	if len(plan.Team) == 0 || plan.Team[0].Models != nil {
		t.Errorf("models are not known without a server: %+v", plan.Team)
	}
}

func TestMerge(t *testing.T) {
	p := newPlace(t)
	p.write("a.json", `{"findings":[{"id":"a1","reviewer":"x","file":"a.go","line":3,"title":"SQL injection in query","text":"The query is built by concatenating user input."}]}`)
	p.write("b.jsonl", `{"id":"b1","reviewer":"y","file":"a.go","line":3,"title":"SQL injection","text":"User input is concatenated into the query."}`+"\n")
	r := p.run("merge", "a.json", "b.jsonl", "--json")
	out := decode[struct {
		Merged []struct {
			ID        string   `json:"id"`
			Sources   []string `json:"sources"`
			Confirmed bool     `json:"confirmed"`
		} `json:"merged"`
	}](t, r.out)
	if r.code != 0 || len(out.Merged) != 1 || len(out.Merged[0].Sources) != 2 || !out.Merged[0].Confirmed {
		t.Errorf("exit %d: %s", r.code, r.out)
	}
}
