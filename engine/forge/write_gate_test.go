package forge_test

import (
	"context"
	"slices"
	"testing"

	"github.com/mrv-dev/mrv/engine/forge"
	"github.com/mrv-dev/mrv/engine/forge/double"
)

func TestWhatTheGateAsks(t *testing.T) {
	s, g, r := start(t, double.Options{}, (*double.Server).Env)
	s.SetGate(double.Gate{
		Permissions: map[string]string{"ada": "maintain", "bob": "triage", "root": "admin"},
		Protected:   []string{"build"}, Ruled: []string{"lint", "build"},
		Runs:     map[string]string{"build": "success", "lint": "in_progress"},
		Statuses: map[string]string{"legacy": "failure"},
	})
	ctx, repo := context.Background(), forge.Repo{Host: "github.com", Owner: "octo", Name: "repo"}
	for login, want := range map[string]string{"ada": "maintain", "bob": "triage", "root": "admin", "stranger": "none"} {
		if got, err := g.Permission(ctx, repo, login); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", login, got, err, want)
		}
	}
	required, err := g.Required(ctx, repo, "main")
	if err != nil || !slices.Equal(required, []string{"build", "lint"}) {
		t.Errorf("required: %v, %v", required, err)
	}
	head := r.Git("rev-parse", "topic")
	checks, err := g.Checks(ctx, repo, head)
	slices.SortFunc(checks, func(a, b forge.Check) int { return slices.Compare([]byte(a.Name), []byte(b.Name)) })
	if want := []forge.Check{{Name: "build", State: "success"}, {Name: "legacy", State: "failure"}, {Name: "lint", State: "pending"}}; err != nil || !slices.Equal(checks, want) {
		t.Errorf("checks: %v, %v", checks, err)
	}
	if at, err := g.Committed(ctx, repo, head); err != nil || at != "2024-01-02T03:04:05Z" && at != "2024-01-02T03:04:05+00:00" {
		t.Errorf("committed %q, %v", at, err)
	}
	pr, err := g.PullRequest(ctx, repo, 7)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Label(ctx, pr, "ready-to-merge"); err != nil || len(s.Standing("label", 7)) != 1 {
		t.Errorf("label: %v", err)
	}
}
