package git_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine/git"
	"github.com/mrv-dev/mrv/engine/git/gittest"
)

// person gives the process a home whose configuration would change every
// output, and a hook and filters that leave a mark if they run.
func person(t *testing.T) (mark string) {
	t.Helper()
	home := t.TempDir()
	mark = filepath.Join(home, "ran")
	hooks := filepath.Join(home, "hooks")
	if err := os.MkdirAll(hooks, 0o700); err != nil {
		t.Fatal(err)
	}
	run := "touch " + mark + "; cat"
	for _, hook := range []string{"reference-transaction", "post-index-change", "pre-auto-gc"} {
		if err := os.WriteFile(filepath.Join(hooks, hook), []byte("#!/bin/sh\n"+run+" >/dev/null\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	config := `[core]
	hooksPath = ` + hooks + `
	attributesFile = ` + filepath.Join(home, "attributes") + `
	quotePath = true
[color]
	ui = always
[diff]
	noprefix = true
	mnemonicPrefix = true
	external = "` + run + `"
	renames = false
	context = 9
	algorithm = histogram
	orderFile = ` + filepath.Join(home, "order") + `
[diff "evil"]
	textconv = "` + run + `"
	command = "` + run + `"
[filter "evil"]
	clean = "` + run + `"
	smudge = "` + run + `"
	required = true
[log]
	showSignature = true
`
	files := map[string]string{
		".gitconfig": config,
		"attributes": "* diff=evil filter=evil\n",
		"order":      "z*\n",
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	t.Setenv("GIT_EXTERNAL_DIFF", run)
	t.Setenv("GIT_DIFF_OPTS", "--unified=0")
	return mark
}

// open discovers the clone and opens a store for it, and checks at the end of
// the test that nothing in the repository was touched.
func open(t *testing.T, r *gittest.Repo) (*git.Clone, *git.Store) {
	t.Helper()
	before := gittest.State(t, r.Dir)
	t.Cleanup(func() {
		if after := gittest.State(t, r.Dir); after != before {
			t.Errorf("the repository was touched:\nbefore\n%s\nafter\n%s", before, after)
		}
	})
	ctx := context.Background()
	clone, err := git.Discover(ctx, r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	store, err := git.OpenStore(ctx, git.Place(t.TempDir(), clone, "", "", ""), clone)
	if err != nil {
		t.Fatal(err)
	}
	return clone, store
}

func TestReviewedCodeDoesNotDecideHowItIsRead(t *testing.T) {
	mark := person(t)
	r := gittest.New(t)
	r.Write("a.go", "package a\n")
	r.Write("old name.txt", strings.Repeat("line\n", 40))
	base := r.Commit("base")
	r.Write(".gitattributes", "*.go -diff\nb.go binary\nhidden.go export-ignore\nsub.go export-subst\nf.go filter=evil diff=evil\n*.txt text eol=crlf\n")
	r.Write("a.go", "package a // $Id$\n")
	r.Write("b.go", "package b\n")
	r.Write("hidden.go", "package hidden\n")
	r.Write("sub.go", "package sub // $Format:%H$\n")
	r.Write("f.go", "package f\n")
	r.Write("größe.go", "package g\n")
	r.Write("deep/er/.gitattributes", "*.go diff\n")
	r.Write("deep/er/x.go", "package x\n")
	r.Write("deep/y.go", "package y\n")
	r.Git("mv", "old name.txt", "new name.txt")
	head := r.Commit("head")
	_, store := open(t, r)
	ctx := context.Background()

	out, err := store.Diff(ctx, base, head)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"diff --git a/a.go b/a.go\n", "-package a\n+package a // $Id$\n", "+package b\n", "+package hidden\n",
		"+package sub // $Format:%H$\n", "+package f\n", "a/größe.go", "rename from old name.txt\nrename to new name.txt\n",
	} {
		if !bytes.Contains(out, []byte(want)) {
			t.Errorf("the diff lacks %q", want)
		}
	}
	if bytes.Contains(out, []byte("Binary files")) || bytes.Contains(out, []byte("\x1b[")) {
		t.Errorf("the diff was changed by a setting:\n%s", out)
	}
	blob, ok, err := store.Show(ctx, head, "f.go")
	if err != nil || !ok || string(blob) != "package f\n" {
		t.Errorf("f.go reads %q, %v, %v", blob, ok, err)
	}
	log, err := store.Log(ctx, base, head, 0)
	if err != nil || len(log) != 1 || log[0].Text != "head" || log[0].SHA != head {
		t.Errorf("log: %+v, %v", log, err)
	}
	attrs, err := store.Attributes(ctx, head, []string{"a.go", "b.go", "größe.go", "new name.txt", "deep/er/x.go", "deep/y.go"}, "diff", "eol")
	if err != nil {
		t.Fatal(err)
	}
	if attrs["a.go"]["diff"] != "unset" || attrs["b.go"]["diff"] != "unset" || attrs["new name.txt"]["eol"] != "crlf" ||
		attrs["deep/er/x.go"]["diff"] != "set" || attrs["deep/y.go"]["diff"] != "unset" {
		t.Errorf("attributes: %v", attrs)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("a hook, a filter or a converter ran")
	}
}

func TestChangesAreCounted(t *testing.T) {
	person(t)
	r := gittest.New(t)
	r.Write("mod", "1\n2\n3\n")
	r.Write("del", "x\n")
	r.Write("bin", "a\x00b")
	r.Write("move", strings.Repeat("same\n", 30))
	r.Write("run.sh", "x\n")
	base := r.Commit("base")
	r.Write("mod", "1\ntwo\n3\n4\n")
	r.Git("rm", "-q", "del")
	r.Git("mv", "move", "dir\tmoved")
	r.Write("bin", "a\x00c")
	r.Write("new", "n\n")
	r.Git("rm", "-q", "run.sh")
	r.Link("run.sh", "mod")
	head := r.Commit("head")
	_, store := open(t, r)

	got, err := store.Changes(context.Background(), base, head)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]git.FileChange{
		"bin":        {OldPath: "bin", NewPath: "bin", Status: 'M', Binary: true},
		"del":        {OldPath: "del", Status: 'D', Deletions: 1},
		"dir\tmoved": {OldPath: "move", NewPath: "dir\tmoved", Status: 'R'},
		"mod":        {OldPath: "mod", NewPath: "mod", Status: 'M', Additions: 2, Deletions: 1},
		"new":        {NewPath: "new", Status: 'A', Additions: 1},
		"run.sh":     {OldPath: "run.sh", NewPath: "run.sh", Status: 'T', Additions: 1, Deletions: 1},
	}
	if len(got) != len(want) {
		t.Fatalf("%d files, want %d: %+v", len(got), len(want), got)
	}
	for _, c := range got {
		name := c.NewPath
		if name == "" {
			name = c.OldPath
		}
		c.OldMode, c.NewMode, c.OldBlob, c.NewBlob = "", "", "", ""
		if c != want[name] {
			t.Errorf("%q: %+v, want %+v", name, c, want[name])
		}
	}
}

func TestWorktreeIsHashedAsACommitWouldBe(t *testing.T) {
	mark := person(t)
	r := gittest.New(t)
	r.Write("a.txt", "one\n")
	r.Write("crlf.txt", "one\r\n")
	r.Write("gone", "x\n")
	r.Write(".gitignore", "*.log\n")
	r.Write(".gitattributes", "*.go filter=evil\n")
	r.Write("f.go", "package f\n")
	r.Commit("base")
	// The same size, within the same tick of the clock as the index.
	r.Write("a.txt", "two\n")
	r.Write("untracked/new.txt", "new\n")
	r.Write("noise.log", "ignored\n")
	r.Write("secret.txt", "excluded\n")
	r.Write(".git/info/exclude", "secret.txt\n")
	r.Write("f.go", "package f // changed\n")
	if err := os.Remove(filepath.Join(r.Dir, "gone")); err != nil {
		t.Fatal(err)
	}
	r.Link("link", "/etc/passwd")
	_, store := open(t, r)
	ctx := context.Background()

	w, err := store.WorktreeTree(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if len(w.Unread) > 0 {
		t.Errorf("unread: %q", w.Unread)
	}
	entries, err := store.Tree(ctx, w.Tree)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, e := range entries {
		paths = append(paths, e.Path)
	}
	if got, want := strings.Join(paths, " "), ".gitattributes .gitignore a.txt crlf.txt f.go link untracked/new.txt"; got != want {
		t.Errorf("the tree has %s, want %s", got, want)
	}
	for path, want := range map[string]string{"a.txt": "two\n", "crlf.txt": "one\r\n", "f.go": "package f // changed\n"} {
		if got, ok, err := store.Show(ctx, w.Tree, path); err != nil || !ok || string(got) != want {
			t.Errorf("%s reads %q, %v, %v", path, got, ok, err)
		}
	}
	if _, ok, err := store.Show(ctx, w.Tree, "link"); ok || err != nil {
		t.Errorf("a link reads as a file: %v %v", ok, err)
	}
	if left, _ := filepath.Glob(filepath.Join(store.Dir, "worktree-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("a filter or a hook ran")
	}
	// The tree git itself would commit, in a copy with nobody's configuration.
	copied := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(copied, os.DirFS(r.Dir)); err != nil {
		t.Fatal(err)
	}
	twin := gittest.At(t, copied)
	twin.Git("add", "-A")
	if tree := twin.Git("write-tree"); tree != w.Tree {
		t.Errorf("the tree is %s, git makes it %s", w.Tree, tree)
	}
}

func TestWorktreeWithUnreadableParts(t *testing.T) {
	r := gittest.New(t)
	r.Write("a", "a\n")
	r.Commit("base")
	r.Write("b", "b\n")
	gittest.Init(t, filepath.Join(r.Dir, "nested")) // a repository without a commit
	_, store := open(t, r)
	w, err := store.WorktreeTree(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if len(w.Unread) == 0 || !strings.Contains(strings.Join(w.Unread, "\n"), "nested") {
		t.Errorf("what could not be read is not said: %q", w.Unread)
	}
	if _, ok, _ := store.Show(context.Background(), w.Tree, "b"); !ok {
		t.Error("the rest was not read")
	}
}

func TestDiscover(t *testing.T) {
	ctx := context.Background()
	r := gittest.New(t)
	sha := r.Commit("one")
	r.Git("remote", "add", "origin", "git@github.com:o/r.git")
	r.Git("remote", "add", "up.stream", "https://github.com/up/r")
	r.Git("config", "remote.up.stream.gh-resolved", "base")
	r.Git("config", "branch.main.remote", "origin")
	r.Git("config", "branch.main.merge", "refs/heads/trunk")
	r.Write("sub/x", "x\n")
	clone, err := git.Discover(ctx, filepath.Join(r.Dir, "sub"))
	if err != nil {
		t.Fatal(err)
	}
	root, _ := filepath.EvalSymlinks(r.Dir)
	if clone.Root != root || clone.Branch != "main" || clone.Format != "sha1" || clone.Shallow || clone.Partial {
		t.Errorf("%+v", clone)
	}
	if up, ok := clone.Remote("up.stream"); !ok || up.URL != "https://github.com/up/r" || up.Resolved != "base" {
		t.Errorf("remotes: %+v", clone.Remotes)
	}
	if head, err := clone.Head(ctx); err != nil || head != sha {
		t.Errorf("head %s, %v", head, err)
	}
	if remote, name, err := clone.Tracking(ctx, "main"); err != nil || remote != "origin" || name != "trunk" {
		t.Errorf("tracking %s %s %v", remote, name, err)
	}
	if ref, err := clone.DefaultBranch(ctx, "origin"); err != nil || ref != "refs/heads/main" {
		t.Errorf("default branch %q %v", ref, err)
	}
	r.Git("update-ref", "refs/remotes/origin/main", sha)
	for rev, want := range map[string]string{"main": "refs/heads/main", "origin/main": "refs/remotes/origin/main", "HEAD": "refs/heads/main",
		sha: "", "main^{commit}": "", "main~0": "", "nope": "", "--all": ""} {
		if full, err := clone.FullName(ctx, rev); err != nil || full != want {
			t.Errorf("the full name of %q is %q, %v, want %q", rev, full, err, want)
		}
	}
	var none *git.NoSuchRef
	for _, bad := range []string{"nope", "--all", "-x", "", "a\nb", "HEAD^{tree}"} {
		if _, err := clone.Resolve(ctx, bad); !errors.As(err, &none) {
			t.Errorf("resolving %q: %v", bad, err)
		}
	}
	if _, err := git.Discover(ctx, t.TempDir()); !errors.Is(err, git.ErrNotARepository) {
		t.Errorf("outside: %v", err)
	}
	if _, err := git.Discover(ctx, filepath.Join(r.Dir, ".git")); !errors.Is(err, git.ErrNotARepository) {
		t.Errorf("inside .git: %v", err)
	}
}

func TestLinkedWorktreeAndSHA256(t *testing.T) {
	ctx := context.Background()
	r := gittest.Init(t, filepath.Join(t.TempDir(), "r"), "--object-format=sha256")
	r.Write("a", "a\n")
	base := r.Commit("one")
	linked := filepath.Join(t.TempDir(), "linked")
	r.Git("worktree", "add", "-q", "-b", "topic", linked)
	l := gittest.At(t, linked)
	l.Write("b", "b\n")
	_, store := open(t, l)
	w, err := store.WorktreeTree(ctx)
	if err != nil {
		t.Fatal(err)
	}
	out, err := store.Diff(ctx, base, w.Tree)
	if err != nil || !bytes.Contains(out, []byte("+++ b/b\n+b\n")) && !bytes.Contains(out, []byte("+b\n")) {
		t.Errorf("diff %s, %v", out, err)
	}
	if clone, err := git.Discover(ctx, linked); err != nil || clone.Branch != "topic" {
		t.Errorf("%+v %v", clone, err)
	}
}

func TestShallowClone(t *testing.T) {
	ctx := context.Background()
	r := gittest.New(t)
	r.Write("a", "1\n")
	r.Commit("one")
	r.Write("a", "2\n")
	two := r.Commit("two")
	r.Git("checkout", "-q", "-b", "topic", "HEAD~1")
	r.Write("b", "b\n")
	head := r.Commit("three")
	dir := filepath.Join(t.TempDir(), "shallow")
	r.Git("clone", "-q", "--depth=1", "--no-single-branch", "file://"+r.Dir, dir)
	clone, store := open(t, gittest.At(t, dir))
	if !clone.Shallow {
		t.Fatal("not seen as shallow")
	}
	if _, err := store.MergeBase(ctx, two, head); !errors.Is(err, git.ErrNoMergeBase) {
		t.Errorf("merge base of a cut history: %v", err)
	}
	if log, err := store.Log(ctx, two, head, 0); err != nil || len(log) != 1 {
		t.Errorf("log: %v %v", log, err)
	}
	if _, err := store.Diff(ctx, two, head); err != nil {
		t.Error(err)
	}
}
