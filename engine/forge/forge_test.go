package forge_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/forge"
	"github.com/mrv-dev/mrv/engine/forge/double"
	"github.com/mrv-dev/mrv/engine/git/gittest"
)

var repo = forge.Repo{Host: "github.com", Owner: "octo", Name: "repo"}

// upstream is a forge's repository with a pull request on branch topic.
func upstream(t *testing.T) *gittest.Repo {
	t.Helper()
	r := gittest.New(t)
	r.Write("a.go", "package a\n\nfunc A() {}\n")
	r.Write("old.txt", strings.Repeat("line\n", 20))
	r.Write(".mrv/config.yaml", "team: main\n")
	r.Write(".mrv/personas/x.yaml", "name: x\n")
	r.Link(".mrv/skill.md", "/etc/passwd")
	r.Commit("base")
	r.Git("checkout", "-q", "-b", "topic")
	r.Write("a.go", "package a\n\nfunc A() { panic(1) } // \f\x1b\n")
	r.Write("bin", "a\x00b")
	r.Write("empty", "")
	r.Write(`odd "name" b/x`, "odd\n")
	r.Write("größe", "g\n")
	r.Git("mv", "old.txt", "new.txt")
	r.Commit("the change\n\nwith a body")
	r.Git("checkout", "-q", "main")
	r.Write("later", "later\n")
	r.Commit("main moved on")
	return r
}

// start serves the pull request and makes a reader of it.
func start(t *testing.T, o double.Options, env func(*double.Server) []string) (*double.Server, *forge.GitHub, *gittest.Repo) {
	t.Helper()
	r := upstream(t)
	o.Dir = r.Dir
	s := double.Start(t, o, double.Pull{Number: 7, Title: "The change", Body: "Why", Base: "main", Head: "topic", HeadOwner: "forker"})
	s.Setenv(env(s))
	return s, reader(t), r
}

func reader(t *testing.T) *forge.GitHub {
	t.Helper()
	c, err := forge.NewClient(context.Background(), "github.com", "mrv/test")
	if err != nil {
		t.Fatal(err)
	}
	return &forge.GitHub{Client: c}
}

func TestReadPullRequest(t *testing.T) {
	for name, env := range map[string]func(*double.Server) []string{"token": (*double.Server).Env, "anonymous": (*double.Server).Anonymous} {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			s, g, r := start(t, double.Options{}, env)
			pr, err := g.PullRequest(ctx, repo, 7)
			if err != nil {
				t.Fatal(err)
			}
			head, base := r.Git("rev-parse", "topic"), r.Git("rev-parse", "main")
			want := forge.PullRequest{Repo: repo, Number: 7, URL: "https://github.com/octo/repo/pull/7", Title: "The change", Body: "Why",
				Author: forge.User{Login: "author", ID: 2}, State: "open", BaseRef: "main", BaseSHA: base, HeadRef: "topic", HeadSHA: head,
				HeadRepo: repo, DefaultBranch: "main", Visibility: forge.Public, ChangedFiles: 6, Additions: 3, Deletions: 1, Commits: 1}
			if *pr != want {
				t.Errorf("got  %+v\nwant %+v", *pr, want)
			}
			diff, err := g.Diff(ctx, pr)
			if err != nil || string(diff) != r.Git("diff", "-M", "--full-index", "main...topic")+"\n" {
				t.Errorf("diff: %v\n%s", err, diff)
			}
			c, err := g.Compare(ctx, repo, "main", head)
			if err != nil || c.BaseSHA != base || c.MergeBase != r.Git("rev-parse", "main~1") {
				t.Errorf("compare: %+v %v", c, err)
			}
			commits, err := g.Commits(ctx, pr)
			if err != nil || len(commits) != 1 || commits[0] != (forge.Commit{SHA: head, Author: "Ada", Text: "the change\n\nwith a body"}) {
				t.Errorf("commits: %+v %v", commits, err)
			}
			numbers, err := g.OpenFrom(ctx, repo, "forker", "topic")
			if err != nil || !slices.Equal(numbers, []int{7}) {
				t.Errorf("open from the branch: %v %v", numbers, err)
			}
			for _, request := range s.Requests() {
				if !strings.HasPrefix(request, "GET ") {
					t.Errorf("a reader sent %s", request)
				}
			}
		})
	}
}

func TestContents(t *testing.T) {
	ctx := context.Background()
	_, g, _ := start(t, double.Options{}, (*double.Server).Env)
	data, ok, err := g.FileAt(ctx, repo, "main", ".mrv/config.yaml")
	if err != nil || !ok || string(data) != "team: main\n" {
		t.Errorf("%q %v %v", data, ok, err)
	}
	for _, path := range []string{".mrv", ".mrv/skill.md", "nope"} {
		if _, ok, err := g.FileAt(ctx, repo, "main", path); ok || err != nil {
			t.Errorf("%s reads as a file: %v %v", path, ok, err)
		}
	}
	list, err := g.ListAt(ctx, repo, "main", ".mrv/personas")
	if err != nil || !slices.Equal(list, []string{".mrv/personas/x.yaml"}) {
		t.Errorf("%v %v", list, err)
	}
	if list, err := g.ListAt(ctx, repo, "main", "nope"); err != nil || len(list) > 0 {
		t.Errorf("%v %v", list, err)
	}
}

func TestComments(t *testing.T) {
	ctx := context.Background()
	s, g, _ := start(t, double.Options{}, (*double.Server).Env)
	ada, bot := double.User{Login: "ada", ID: 5}, double.User{Login: "ci[bot]", ID: 6, Type: "Bot"}
	for i := range 250 {
		s.Say(7, ada, fmt.Sprintf("comment %d", i))
	}
	s.Say(7, bot, "coverage went up")
	s.Review(7, ada, "please look again")
	s.Review(7, ada, "")
	s.SayAt(7, ada, "a.go", 3, "why panic?")
	pr, err := g.PullRequest(ctx, repo, 7)
	if err != nil {
		t.Fatal(err)
	}
	all, err := g.Comments(ctx, pr)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 253 || all[249].Text != "comment 249" || !all[250].Author.Bot {
		t.Errorf("%d comments", len(all))
	}
	if last := all[252]; last.Kind != "line" || last.Path != "a.go" || last.Line != 3 || last.Author.Login != "ada" {
		t.Errorf("%+v", last)
	}
}

func TestTooLargeForOneDiff(t *testing.T) {
	ctx := context.Background()
	_, g, r := start(t, double.Options{DiffFiles: 2}, (*double.Server).Env)
	pr, err := g.PullRequest(ctx, repo, 7)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Diff(ctx, pr); !forge.IsKind(err, forge.TooLarge) {
		t.Fatalf("%v", err)
	}
	files, err := g.Files(ctx, pr)
	if err != nil {
		t.Fatal(err)
	}
	set := forge.Change(files)
	for _, f := range set.Files {
		if f.Unread != "" {
			t.Errorf("%q is unread: %s", f.Path(), f.Unread)
		}
	}
	if err := diff.Verify(set, forge.Counts(files)); err != nil {
		t.Error(err)
	}
	// git itself reads what is written of it, and it is the same change.
	raw := diff.Write(set)
	patch := filepath.Join(t.TempDir(), "patch")
	if err := os.WriteFile(patch, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	want := r.Git("-c", "core.quotePath=false", "diff", "-M", "--numstat", "main...topic")
	if got := r.Git("-c", "core.quotePath=false", "apply", "--numstat", patch); sorted(got) != sorted(strings.ReplaceAll(want, "old.txt => new.txt", "new.txt")) {
		t.Errorf("git reads\n%s\nwant\n%s\nin\n%s", got, want, raw)
	}
	if !strings.Contains(string(raw), "panic(1) } // \f\x1b") {
		t.Error("control characters of the patch were altered")
	}
}

func sorted(text string) string {
	lines := strings.Split(text, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func TestPatchesCanNotPose(t *testing.T) {
	for name, f := range map[string]forge.File{
		"another header behind":    {Patch: "@@ -1 +1 @@\n-a\n+b\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-c\n+d", Additions: 2, Deletions: 2},
		"no hunk":                  {Patch: "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-c\n+d", Additions: 1, Deletions: 1},
		"longer than it says":      {Patch: "@@ -1 +1 @@\n-a\n+b\n+c", Additions: 2, Deletions: 1},
		"shorter than it says":     {Patch: "@@ -1,2 +1,2 @@\n-a\n+b", Additions: 1, Deletions: 1},
		"not what the forge says":  {Patch: "@@ -1 +1 @@\n-a\n+b", Additions: 3, Deletions: 1},
		"nothing although counted": {Additions: 3},
	} {
		f.OldPath, f.NewPath, f.Status = "f", "f", "modified"
		set := forge.Change([]forge.File{f})
		if len(set.Files) != 1 || set.Files[0].Path() != "f" || set.Files[0].Unread == "" {
			t.Errorf("%s: %+v", name, set.Files[0])
		}
	}
}

func TestErrorsSayWhatToDo(t *testing.T) {
	ctx := context.Background()
	broken := func(status int, header map[string]string, body string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, _ *http.Request) bool {
			for k, v := range header {
				w.Header().Set(k, v)
			}
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
			return true
		}
	}
	s, g, _ := start(t, double.Options{Private: true}, (*double.Server).Env)
	for _, c := range []struct {
		name      string
		number    int
		intercept func(http.ResponseWriter, *http.Request) bool
		kind      forge.Kind
		want      string
	}{
		{"no such pull request", 8, nil, forge.NotFound, "octo/repo has no pull request #8"},
		{"sso", 7, broken(403, map[string]string{"X-GitHub-SSO": "required; url=https://github.com/orgs/octo/sso?authorization_request=A1"},
			`{"message":"Resource protected by organization SAML enforcement."}`), forge.NeedsSSO,
			"reading pull request octo/repo#7: the organisation wants the token authorised for single sign-on: open https://github.com/orgs/octo/sso?authorization_request=A1"},
		{"forbidden", 7, broken(403, nil, `{"message":"Resource not accessible by integration"}`), forge.Forbidden,
			"reading pull request octo/repo#7: the token may not do this (Resource not accessible by integration)"},
		{"errors as strings", 7, broken(422, nil, `{"message":"Unprocessable","errors":["one","two"]}`), forge.Invalid,
			"reading pull request octo/repo#7: github.com answers 422: Unprocessable; one; two"},
		{"errors as a string", 7, broken(422, nil, `{"message":"Unprocessable","errors":"one"}`), forge.Invalid,
			"reading pull request octo/repo#7: github.com answers 422: Unprocessable; one"},
		{"too large by code whatever the status", 7, broken(422, nil, `{"message":"x","errors":[{"code":"too_large"}]}`), forge.TooLarge,
			"reading pull request octo/repo#7: github.com answers 422: x; too_large"},
		{"a limit of an hour", 7, broken(403, map[string]string{"Retry-After": "3600"}, `{"message":"You have exceeded a secondary rate limit"}`), forge.RateLimited, ""},
		{"a page of HTML", 7, broken(200, nil, `<html>`), forge.Broken, ""},
		{"moved away to another host", 7, broken(301, map[string]string{"Location": "https://evil.example/repos/x"}, ""), forge.Moved, ""},
	} {
		s.Intercept(c.intercept)
		_, err := g.PullRequest(ctx, repo, c.number)
		if !forge.IsKind(err, c.kind) {
			t.Errorf("%s: %v is not %q", c.name, err, c.kind)
			continue
		}
		if c.want != "" && err.Error() != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, err, c.want)
		}
		if strings.ContainsAny(err.Error(), "\n") || strings.Contains(err.Error(), double.Token) {
			t.Errorf("%s: %q is not one clear line", c.name, err)
		}
	}
}

func TestPrivateRepository(t *testing.T) {
	ctx := context.Background()
	s, g, _ := start(t, double.Options{Private: true}, (*double.Server).Anonymous)
	_, err := g.PullRequest(ctx, repo, 7)
	if !forge.IsKind(err, forge.NotFound) || !strings.Contains(err.Error(), "gh auth login or set GH_TOKEN") {
		t.Errorf("without a token: %v", err)
	}
	t.Setenv("GH_TOKEN", "wrong")
	_, err = reader(t).PullRequest(ctx, repo, 7)
	if !forge.IsKind(err, forge.Unauthorized) || !strings.Contains(err.Error(), "Bad credentials") {
		t.Errorf("with a wrong one: %v", err)
	}
	s.Setenv(s.Env())
	pr, err := reader(t).PullRequest(ctx, repo, 7)
	if err != nil || pr.Visibility != forge.Private {
		t.Errorf("with the right one: %+v %v", pr, err)
	}
	if u, err := reader(t).Viewer(ctx); err != nil || u != (forge.User{Login: "viewer", ID: 1}) {
		t.Errorf("viewer %+v %v", u, err)
	}
}

// A locked keychain does not answer; the program goes on after the limit.
func TestLockedKeychain(t *testing.T) {
	dir := t.TempDir()
	gh := filepath.Join(dir, "gh")
	if err := os.WriteFile(gh, []byte("#!/bin/sh\nexec sleep 600\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, kv := range []string{"GH_CONFIG_DIR=" + dir, "GH_TOKEN=", "GITHUB_TOKEN=", "GH_PATH=" + gh} {
		k, v, _ := strings.Cut(kv, "=")
		t.Setenv(k, v)
	}
	_, _, err := forge.Token(context.Background(), "github.com")
	if err == nil || !strings.Contains(err.Error(), "GH_TOKEN") {
		t.Errorf("%v", err)
	}
}
