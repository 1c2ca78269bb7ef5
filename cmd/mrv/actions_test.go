package main

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/mrv-dev/mrv/engine/forge/double"
)

// action is a composite action as it is read from its file.
type action struct {
	Inputs map[string]struct {
		Default  string `yaml:"default"`
		Required bool   `yaml:"required"`
	} `yaml:"inputs"`
	Runs struct {
		Steps []struct {
			ID, Name, If, Uses, Run, Shell string
			Env, With                      map[string]string
		} `yaml:"steps"`
	} `yaml:"runs"`
}

// runner runs the scripts of an action as a runner does: bash -eo pipefail,
// with the environment that the step names, expressions replaced.
type runner struct {
	*loop
	temp   string
	inputs map[string]string
	output map[string]string // of step "review"
}

func (x *runner) value(expr string) string {
	for _, r := range []struct{ from, to string }{{"${{ runner.temp }}", x.temp}, {"${{ github.token }}", double.Token}, {"${{ steps.review.outputs.exit-code }}", x.output["exit-code"]}} {
		expr = strings.ReplaceAll(expr, r.from, r.to)
	}
	for name, v := range x.inputs {
		expr = strings.ReplaceAll(expr, "${{ inputs."+name+" }}", v)
	}
	return expr
}

// action runs the scripts of an action but for the building, which is done, and
// the installing. It returns the exit code of the step that failed, by name.
func (x *runner) action(name string, with map[string]string) (failed string, code int, said string) {
	x.t.Helper()
	raw, err := os.ReadFile(filepath.Join("../../.github/actions", name, "action.yml"))
	if err != nil {
		x.t.Fatal(err)
	}
	var a action
	if err := yaml.Unmarshal(raw, &a); err != nil {
		x.t.Fatal(err)
	}
	x.inputs, x.output = map[string]string{}, map[string]string{}
	for k, in := range a.Inputs {
		v, set := with[k]
		if !set && in.Required {
			x.t.Fatalf("%s needs %s", name, k)
		}
		if !set {
			v = x.value(in.Default)
		}
		x.inputs[k] = v
	}
	for k := range with {
		if _, ok := a.Inputs[k]; !ok {
			x.t.Fatalf("%s has no input %s", name, k)
		}
	}
	for _, s := range a.Runs.Steps {
		if s.Run == "" || s.Name == "Build mrv" || s.Name == "Install OpenCode" {
			continue
		}
		out := filepath.Join(x.temp, "output")
		if err := os.WriteFile(out, nil, 0o600); err != nil {
			x.t.Fatal(err)
		}
		cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", s.Run)
		cmd.Dir = x.t.TempDir()
		cmd.Env = append(x.command().Env, "RUNNER_TEMP="+x.temp, "GITHUB_OUTPUT="+out, "GITHUB_REPOSITORY=acme/shop", "GITHUB_ACTIONS=true", "GITHUB_ACTION_PATH=/nowhere")
		for k, v := range s.Env {
			cmd.Env = append(cmd.Env, k+"="+x.value(v))
		}
		text, err := cmd.CombinedOutput()
		said += string(text)
		set, _ := os.ReadFile(out) // written above
		for line := range strings.Lines(string(set)) {
			if k, v, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
				x.output[k] = v
			}
		}
		if err != nil {
			return s.Name, cmd.ProcessState.ExitCode(), said
		}
	}
	return "", 0, said
}

// TestTheActionsRun: the scripts of both actions, executed as on GitHub, from a
// review that can write nothing to the line on the pull request.
func TestTheActionsRun(t *testing.T) {
	for _, tool := range []string{"bash", "jq"} {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("MRV_REQUIRE_JQ") != "" {
				t.Fatalf("%s is not installed", tool)
			}
			t.Skipf("needs %s, as GitHub's runners have it: apt-get install %s", tool, tool)
		}
	}
	l, _ := ofAWorkflow(t)
	x := &runner{loop: l, temp: t.TempDir()}
	if err := os.Symlink(binary, filepath.Join(x.temp, "mrv")); err != nil {
		t.Fatal(err)
	}
	head := l.up.git("rev-parse", "feature")
	before := len(l.forge.Requests())
	failed, code, said := x.action("review", map[string]string{"pull-request": "7", "head": head, "agent": "checks", "team": "security:1", "fail-on": "none", "keys": "GOOD_KEY=hunter2hunter2\nnot a key\n$(touch " + x.temp + "/ran)"})
	if failed != "" || x.output["exit-code"] != "4" {
		t.Errorf("%q failed with %d, mrv with %q:\n%s", failed, code, x.output["exit-code"], said)
	}
	if _, err := os.Stat(filepath.Join(x.temp, "ran")); err == nil {
		t.Error("a key was run")
	}
	for _, r := range l.forge.Requests()[before:] {
		if !strings.HasPrefix(r, "GET ") && r != "POST /graphql" {
			t.Errorf("the review wrote: %s", r)
		}
	}
	journal, err := os.ReadFile(filepath.Join(x.temp, "mrv-kept/run.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(journal, []byte("hunter2")) || strings.Contains(said, "hunter2") {
		t.Error("a key is in what is kept or said")
	}
	l.forge.AddRun(double.WorkflowRun{ID: 42, Path: reviewing, Pull: 7, Kept: packed(t, journal)})
	l.forge.As(bot)
	l.says(-1, "GET user", http.StatusForbidden, `{"message":"Resource not accessible by integration"}`)
	if failed, code, said := x.action("publish", map[string]string{"run-id": "42"}); failed != "" || !strings.Contains(said, "posted: ") {
		t.Errorf("%q failed with %d:\n%s", failed, code, said)
	}
	if c := l.forge.Standing("comment", 7); len(c) != 1 || !strings.Contains(c[0].Body, "ready: 5 findings") || c[0].By != bot.Login {
		t.Errorf("said %+v", c)
	}
	if failed, code, said := x.action("publish", map[string]string{"run-id": "42", "raw": "true"}); failed != "" {
		t.Errorf("%q failed with %d:\n%s", failed, code, said)
	}
	if c := l.forge.Standing("comment", 7); len(c) != 2 || !strings.Contains(strings.ToLower(c[1].Body), "not triaged") {
		t.Errorf("raw: %+v", c)
	}
	l.forge.Intercept(nil)
	l.forge.As(me)

	for name, c := range map[string]struct {
		with   map[string]string
		failed string
		code   int
		says   string
	}{
		"findings":       {map[string]string{"pull-request": "7", "agent": "checks", "fail-on": "critical"}, "Result", 1, ""},
		"another head":   {map[string]string{"pull-request": "7", "agent": "checks", "head": strings.Repeat("ab", 20), "fail-on": "none"}, "Review", 3, "::error::the head moved"},
		"not started":    {map[string]string{"pull-request": "7", "agent": "magic"}, "Review", 2, "magic"},
		"no such number": {map[string]string{"pull-request": "99", "agent": "checks"}, "Review", 2, "no pull request #99"},
	} {
		x.temp, x.home = t.TempDir(), t.TempDir()
		if err := os.Symlink(binary, filepath.Join(x.temp, "mrv")); err != nil {
			t.Fatal(err)
		}
		if failed, code, said := x.action("review", c.with); failed != c.failed || code != c.code || !strings.Contains(said, c.says) {
			t.Errorf("%s: %q failed with %d, want %q with %d\n%s", name, failed, code, c.failed, c.code, said)
		}
	}
}

var pinned = regexp.MustCompile(`^[^@]+@[0-9a-f]{40}$`)

// TestOthersActionsArePinned: a tag can be moved to other code, a commit can not.
func TestOthersActionsArePinned(t *testing.T) {
	seen := 0
	for _, name := range []string{"review", "publish"} {
		raw, err := os.ReadFile(filepath.Join("../../.github/actions", name, "action.yml"))
		if err != nil {
			t.Fatal(err)
		}
		var a action
		if err := yaml.Unmarshal(raw, &a); err != nil {
			t.Fatal(err)
		}
		for _, s := range a.Runs.Steps {
			if s.Uses == "" {
				continue
			}
			seen++
			if !pinned.MatchString(s.Uses) {
				t.Errorf("%s uses %s", name, s.Uses)
			}
		}
	}
	if seen == 0 {
		t.Error("no action is used")
	}
}
