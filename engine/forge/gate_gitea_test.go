package forge_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine/forge"
)

// What the gate asks of a Gitea is answered as a real one answered (1.27.3).
func TestGiteaStandingAsRecorded(t *testing.T) {
	raw, err := os.ReadFile("../../testdata/gitea/standing.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded []struct {
		Request struct {
			Method, Path string
			Body         json.RawMessage
		}
		Response struct {
			Status int
			Body   json.RawMessage
		}
	}
	if err := json.Unmarshal(raw, &recorded); err != nil {
		t.Fatal(err)
	}
	listen(t, func(w http.ResponseWriter, r *http.Request) {
		var body any
		_ = json.NewDecoder(r.Body).Decode(&body) // reads have none
		for _, e := range recorded {
			var want any
			_ = json.Unmarshal(e.Request.Body, &want) // likewise
			if e.Request.Method == r.Method && e.Request.Path == r.URL.Path && reflect.DeepEqual(body, want) {
				w.WriteHeader(e.Response.Status)
				if string(e.Response.Body) != "null" {
					_, _ = w.Write(e.Response.Body)
				}
				return
			}
		}
		t.Errorf("%s %s %v was not recorded", r.Method, r.URL.Path, body)
		w.WriteHeader(http.StatusNotFound)
	})
	g, err := forge.NewGitea("git.example.org", "mrv/test")
	if err != nil {
		t.Fatal(err)
	}
	ctx, repo := context.Background(), forge.Repo{Host: "git.example.org", Owner: "boss", Name: "shop"}
	for login, want := range map[string]string{"dev": "write", "boss": "admin", "nobody": "none"} {
		if got, err := g.Permission(ctx, repo, login); err != nil || got != want {
			t.Errorf("%s may %s (%v), want %s", login, got, err, want)
		}
	}
	for branch, want := range map[string][]string{"main": {"build", "ci/*"}, "feature": nil} {
		if got, err := g.Required(ctx, repo, branch); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s requires %v (%v), want %v", branch, got, err, want)
		}
	}
	const head, base = "c0026a2c3594c7e9a6570ec5a7030c98ffa12d15", "9b4f18b496f22251fe8abd212d2a7558ba1bbef0"
	for sha, want := range map[string][]forge.Check{head: {{Name: "build", State: "success"}}, base: nil} {
		if got, err := g.Checks(ctx, repo, sha); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("the checks of %s: %v (%v), want %v", sha, got, err, want)
		}
	}
	if at, err := g.Committed(ctx, repo, head); err != nil || at != "2026-12-01T00:34:16Z" {
		t.Errorf("committed %q (%v)", at, err)
	}
	pr := &forge.PullRequest{Repo: repo, Number: 1}
	if err := g.Label(ctx, pr, "ready-to-merge"); err != nil {
		t.Error(err)
	}
	// Gitea answers as if all were well.
	if err := g.Label(ctx, pr, "no-such"); !forge.IsKind(err, forge.Invalid) || !strings.Contains(err.Error(), "make it first") {
		t.Errorf("a label that is not there: %v", err)
	}
	if err := g.DeleteLine(ctx, pr, 4); err != nil {
		t.Errorf("deleting a comment on a line: %v", err)
	}
	for _, err := range []error{g.CommentFile(ctx, pr, head, "a.txt", "x"), second(g.WorkflowRun(ctx, repo, 1)), second(g.WorkflowRuns(ctx, repo, head))} {
		if !forge.IsKind(err, forge.Invalid) {
			t.Errorf("what Gitea can not do: %v", err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// An older Gitea answers that a comment on a line is gone, and it is not.
func TestGiteaSaysThatItDeleted(t *testing.T) {
	listen(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	g, err := forge.NewGitea("git.example.org", "mrv/test")
	if err != nil {
		t.Fatal(err)
	}
	pr := &forge.PullRequest{Repo: forge.Repo{Host: "git.example.org", Owner: "boss", Name: "shop"}, Number: 1}
	if err := g.DeleteLine(context.Background(), pr, 3); !forge.IsKind(err, forge.Invalid) {
		t.Errorf("%v, want Invalid, so that it is emptied instead", err)
	}
}
