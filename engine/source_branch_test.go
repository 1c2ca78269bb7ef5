package engine_test

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/forge/double"
	"github.com/mrv-dev/mrv/engine/git"
	"github.com/mrv-dev/mrv/engine/git/gittest"
)

func TestBranch(t *testing.T) {
	r := project(t)
	dir := cloned(t, r)
	c := gittest.At(t, dir)
	c.Git("checkout", "-q", "topic")
	c.Git("remote", "set-head", "origin", "trunk")
	c.Write("uncommitted.go", "package a\n")
	untouched(t, dir)
	head := r.Git("rev-parse", "topic")

	l := loadSource(t, engine.SourceOptions{Base: "main", Dir: dir})
	if got := l.Change; got.Source != event.FromBase || got.HeadSHA != head || got.Identity != head || got.BaseRef != "main" ||
		got.BaseSHA != r.Git("rev-parse", "main") || got.MergeBase != r.Git("merge-base", "main", "topic") || got.HeadRef != "topic" ||
		got.Owner != "octo" || got.Visibility != "unknown" || got.Dir != dir {
		t.Errorf("%+v", got)
	}
	if p := paths(t, l); p != ".mrv/config.yaml a.go new.go" {
		t.Errorf("files: %s", p)
	}
	wantRules(t, l, "from: the base\n", "from: the default\n")
	if len(l.Change.Context) != 1 || l.Change.Context[0].Author != "Ada" {
		t.Errorf("context: %+v", l.Change.Context)
	}

	w := loadSource(t, engine.SourceOptions{Base: "main", Worktree: true, Dir: dir})
	if p := paths(t, w); p != ".mrv/config.yaml a.go new.go uncommitted.go" || w.Change.Source != event.FromWorktree || w.Change.Identity == head {
		t.Errorf("worktree: %s %+v", p, w.Change)
	}
	for _, loaded := range []*engine.Loaded{l, w} {
		if now, err := engine.CurrentHead(context.Background(), loaded.Change); err != nil || now != loaded.Change.Identity {
			t.Errorf("%s is now %s, %v", loaded.Change.Name(), now, err)
		}
	}
	d := loadSource(t, engine.SourceOptions{Dir: dir, Worktree: true})
	if d.Change.BaseRef != "origin/trunk" {
		t.Errorf("the default base is %s", d.Change.BaseRef)
	}
	var none *git.NoSuchRef
	if _, err := engine.LoadSource(context.Background(), engine.SourceOptions{Base: "nope", Dir: dir, CacheDir: t.TempDir()}); !errors.As(err, &none) {
		t.Errorf("%v", err)
	}
	if _, err := engine.LoadSource(context.Background(), engine.SourceOptions{Base: "topic", Dir: dir, CacheDir: t.TempDir()}); !errors.Is(err, engine.ErrNothingToReview) {
		t.Errorf("%v", err)
	}
}

// A change must not bring its own rules by way of what it is compared with.
func TestBranchDoesNotJudgeItself(t *testing.T) {
	r := project(t)
	dir := cloned(t, r)
	c := gittest.At(t, dir)
	c.Git("checkout", "-q", "topic")
	c.Git("remote", "set-head", "origin", "trunk")
	c.Write("last.go", "package a\n")
	c.Commit("last")
	for base, want := range map[string]string{
		"HEAD~1": "from: the default\n", "topic~1": "from: the default\n", "@{upstream}": "from: the default\n",
		"origin/topic": "from: the default\n", r.Git("rev-parse", "main"): "from: the default\n",
		"main": "from: the base\n", "origin/main": "from: the base\n",
	} {
		l := loadSource(t, engine.SourceOptions{Base: base, Dir: dir})
		if got, ok, err := l.RulesAt(context.Background(), ".mrv/config.yaml"); err != nil || !ok || string(got) != want {
			t.Errorf("compared with %s the rules read %q %v %v, want %q", base, got, ok, err, want)
		}
		if (len(l.Notes) > 0) != (want == "from: the default\n") {
			t.Errorf("compared with %s: notes %v", base, l.Notes)
		}
	}
}

func TestStaleBranch(t *testing.T) {
	r := project(t)
	dir := cloned(t, r)
	c := gittest.At(t, dir)
	c.Git("checkout", "-q", "topic")
	ctx := context.Background()
	l := loadSource(t, engine.SourceOptions{Base: "origin/main", Dir: dir})
	w := loadSource(t, engine.SourceOptions{Base: "origin/main", Worktree: true, Dir: dir})
	c.Git("checkout", "-q", "main")
	if now, err := engine.CurrentHead(ctx, l.Change); err != nil || now != l.Change.Identity {
		t.Errorf("another branch checked out made it stale: %s %v", now, err)
	}
	c.Git("checkout", "-q", "topic")
	c.Write("a.go", "package changed\n")
	if now, err := engine.CurrentHead(ctx, w.Change); err != nil || now == w.Change.Identity {
		t.Errorf("an edit did not make the worktree stale: %v", err)
	}
	c.Commit("more")
	if now, err := engine.CurrentHead(ctx, l.Change); err != nil || now == l.Change.Identity {
		t.Errorf("a commit did not make it stale: %v", err)
	}
}

func TestShallowBranch(t *testing.T) {
	r := project(t)
	s := pulled(t, r, double.Options{})
	dir := cloned(t, r, "--depth=1", "--no-single-branch")
	gittest.At(t, dir).Git("checkout", "-q", "topic")
	untouched(t, dir)
	l := loadSource(t, engine.SourceOptions{Base: "main", Dir: dir})
	if l.Change.MergeBase != r.Git("merge-base", "main", "topic") || paths(t, l) != ".mrv/config.yaml a.go new.go" {
		t.Errorf("%+v %s", l.Change, paths(t, l))
	}
	s.Intercept(func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusNotFound)
		return true
	})
	_, err := engine.LoadSource(context.Background(), engine.SourceOptions{Base: "main", Dir: dir, CacheDir: t.TempDir()})
	if !errors.Is(err, engine.ErrShallow) || !strings.Contains(err.Error(), "fetch-depth: 0") {
		t.Errorf("%v", err)
	}
}

// What a partial clone lacks is not fetched into it.
func TestPartialBranch(t *testing.T) {
	r := project(t)
	r.Git("config", "uploadpack.allowFilter", "true")
	dir := filepath.Join(t.TempDir(), "clone")
	r.Git("clone", "-q", "--filter=blob:none", "--no-checkout", "file://"+r.Dir, dir)
	c := gittest.At(t, dir)
	c.Git("update-ref", "HEAD", r.Git("rev-parse", "topic"))
	untouched(t, dir)
	_, err := engine.LoadSource(context.Background(), engine.SourceOptions{Base: "origin/main", Dir: dir, CacheDir: t.TempDir()})
	if !errors.Is(err, engine.ErrPartial) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
}

func TestNoArgument(t *testing.T) {
	r := project(t)
	s := pulled(t, r, double.Options{})
	dir := cloned(t, r)
	c := gittest.At(t, dir)
	c.Git("checkout", "-q", "topic")
	if l := loadSource(t, engine.SourceOptions{Dir: dir}); l.Change.Source != event.FromPR || l.Change.Number != 7 {
		t.Errorf("the branch with a pull request gives %+v", l.Change)
	}
	c.Git("config", "branch.topic.merge", "refs/pull/7/head")
	if l := loadSource(t, engine.SourceOptions{Dir: dir}); l.Change.Number != 7 {
		t.Errorf("a branch checked out by gh gives %+v", l.Change)
	}
	c.Git("config", "branch.topic.merge", "refs/heads/topic")
	s.Update(7, func(p *double.Pull) { p.State = "closed" })
	l := loadSource(t, engine.SourceOptions{Dir: dir})
	if l.Change.Source != event.FromBase || l.Change.BaseRef != "origin/main" || len(l.Notes) > 0 {
		t.Errorf("a branch without one gives %+v, %v", l.Change, l.Notes)
	}
	s.Intercept(func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusForbidden)
		return true
	})
	if l := loadSource(t, engine.SourceOptions{Dir: dir}); l.Change.Source != event.FromBase || len(l.Notes) != 1 {
		t.Errorf("without an answer: %+v, %v", l.Change, l.Notes)
	}
}
