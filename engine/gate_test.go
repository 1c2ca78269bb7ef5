package engine

import (
	"context"
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine/config"
	"github.com/mrv-dev/mrv/engine/forge"
	"github.com/mrv-dev/mrv/engine/forge/double"
	"github.com/mrv-dev/mrv/engine/git/gittest"
)

func TestCardState(t *testing.T) {
	for _, c := range []struct{ text, field, want, fails string }{
		{"---\nstatus: in review\n---\n# Task", "", "in review", ""},
		{"---\r\nstate: done\r\n---\r\n", "state", "done", ""},
		{"state: todo\n", "state", "todo", ""},
		{"---\nstatus: done\n---\nstatus: todo\n", "", "done", ""},
		{"---\nother: x\n---\n", "", "", ""},
		{"---\nstatus: done\n", "", "", "does not end"},
		{"---\nstatus: [\n---\n", "", "", "front matter"},
	} {
		got, err := cardState([]byte(c.text), c.field)
		if c.fails != "" {
			if err == nil || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%q: %v, want %q", c.text, err, c.fails)
			}
			continue
		}
		if err != nil || got != c.want {
			t.Errorf("%q: %q, %v, want %q", c.text, got, err, c.want)
		}
	}
}

// TestTheChangeCanNotReleaseItsOwnCard: the card is the target branch's.
func TestTheChangeCanNotReleaseItsOwnCard(t *testing.T) {
	r := gittest.New(t)
	r.Write("tasks/PAY-12.md", "---\nstatus: todo\n---\n")
	r.Commit("base")
	r.Git("checkout", "-q", "-b", "PAY-12-refund")
	r.Write("tasks/PAY-12.md", "---\nstatus: done\n---\n")
	r.Commit("release myself")
	s := double.Start(t, double.Options{Dir: r.Dir}, double.Pull{Number: 7, Title: "Refund", Base: "main", Head: "PAY-12-refund"})
	s.Setenv(s.Env())
	ctx := context.Background()
	reader, err := forge.Open(ctx, "github.com")
	if err != nil {
		t.Fatal(err)
	}
	pr, err := reader.PullRequest(ctx, forge.Repo{Host: "github.com", Owner: "octo", Name: "repo"}, 7)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		gate  config.Gate
		path  string
		state string
		fails bool
	}{
		{config.Gate{TaskPath: "tasks/{id}.md", TaskStates: []string{"done"}}, "tasks/PAY-12.md", "todo", false},
		{config.Gate{TaskPath: "tasks/{pr}.md", TaskStates: []string{"done"}}, "", "", false},
		{config.Gate{TaskStates: []string{"done"}}, "", "", true},
		{config.Gate{TaskPath: "tasks/{id}.md"}, "", "", false},
	} {
		got := taskCard(ctx, reader, pr, c.gate)
		if got.Path != c.path || got.State != c.state || (got.Err != nil) != c.fails {
			t.Errorf("%+v: %+v", c.gate, got)
		}
	}
}
