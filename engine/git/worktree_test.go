package git_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mrv-dev/mrv/engine/git"
	"github.com/mrv-dev/mrv/engine/git/gittest"
)

// changed lists what the working tree changes, as "M path".
func changed(t *testing.T, store *git.Store, base string) string {
	t.Helper()
	w, err := store.WorktreeTree(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if len(w.Unread) > 0 {
		t.Errorf("unread: %q", w.Unread)
	}
	list, err := store.Changes(context.Background(), base, w.Tree)
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, c := range list {
		name := c.NewPath
		if name == "" {
			name = c.OldPath
		}
		words = append(words, string(c.Status)+" "+name)
	}
	return strings.Join(words, ", ")
}

// The index may have any of its shapes; the files that did not change must
// never look changed.
func TestWorktreeWithEveryKindOfIndex(t *testing.T) {
	for name, prepare := range map[string]func(r *gittest.Repo){
		"plain":    func(*gittest.Repo) {},
		"split":    func(r *gittest.Repo) { r.Git("update-index", "--split-index") },
		"version4": func(r *gittest.Repo) { r.Git("update-index", "--index-version", "4") },
		"sparse": func(r *gittest.Repo) {
			r.Git("sparse-checkout", "init", "--cone", "--sparse-index")
			r.Git("sparse-checkout", "set", "kept")
		},
		"sparse without a sparse index": func(r *gittest.Repo) { r.Git("sparse-checkout", "set", "--no-cone", "/kept/", "/top") },
		"untracked cache": func(r *gittest.Repo) {
			r.Git("config", "core.untrackedCache", "true")
			r.Git("update-index", "--force-untracked-cache")
			r.Git("status")
		},
		"a staged change": func(r *gittest.Repo) {
			r.Write("top", "staged\n")
			r.Git("add", "top")
			r.Write("top", "top\n")
		},
		"intent to add": func(r *gittest.Repo) {
			r.Write("kept/new", "new\n")
			r.Git("add", "-N", "kept/new")
		},
		"assume unchanged elsewhere": func(r *gittest.Repo) { r.Git("update-index", "--assume-unchanged", "top") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("HOME", t.TempDir())
			r := gittest.New(t)
			r.Write("top", "top\n")
			r.Write("kept/a", "a\n")
			r.Write("dropped/b", "b\n")
			base := r.Commit("base")
			prepare(r)
			r.Write("kept/a", "A\n")
			r.Write("kept/new", "new\n")
			_, store := open(t, r)
			if got := changed(t, store, base); got != "M kept/a, A kept/new" {
				t.Errorf("changed: %s", got)
			}
		})
	}
}

// A file that Git LFS keeps as a pointer does not look changed only because
// its program is not run, and a changed one does.
func TestWorktreeOfPointers(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", home)
	r := gittest.New(t)
	pointer := filepath.Join(home, "pointer")
	text := fmt.Sprintf("version https://git-lfs.github.com/spec/v1\noid sha256:%x\nsize 12\n", sha256.Sum256([]byte("big content\n")))
	if err := os.WriteFile(pointer, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r.Git("config", "filter.lfs.clean", "cat >/dev/null; cat "+pointer)
	r.Write(".gitattributes", "*.bin filter=lfs\n")
	r.Write("same.bin", "big content\n")
	r.Write("touched.bin", "big content\n")
	r.Write("other.bin", "big content\n")
	r.Write("a", "a\n")
	base := r.Commit("base")
	if got := r.Git("cat-file", "blob", "HEAD:same.bin"); !strings.HasPrefix(got, "version https") {
		t.Fatalf("the filter did not run: %s", got)
	}
	r.Write("touched.bin", "big content\n")
	r.Write("other.bin", "new content\n")
	r.Write("a", "A\n")
	_, store := open(t, r)
	if got := changed(t, store, base); got != "M a, M other.bin" {
		t.Errorf("changed: %s", got)
	}
}

func TestWorktreeLeavesHugeFilesOut(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	r := gittest.New(t)
	r.Write("a", "a\n")
	r.Commit("base")
	names := []string{"data set [1]*.bin", "!not", "#no comment", `back\slash `, "deep/huge"}
	for _, name := range names {
		r.Write(name, "")
		if err := os.Truncate(filepath.Join(r.Dir, name), git.MaxUntracked+1); err != nil { // no bytes on disk
			t.Fatal(err)
		}
	}
	r.Write("data set 1x.bin", "small\n")
	r.Write("deep/small", "small\n")
	_, store := open(t, r)
	w, err := store.WorktreeTree(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	entries, err := store.Tree(context.Background(), w.Tree)
	if err != nil || len(entries) != 3 {
		t.Errorf("%v %v", entries, err)
	}
	if len(w.Unread) != len(names) {
		t.Errorf("unread: %q", w.Unread)
	}
}

func TestWorktreeWithSubmodule(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	r := gittest.New(t)
	r.Write("a", "a\n")
	sub := gittest.Init(t, filepath.Join(r.Dir, "sub"))
	sub.Write("s", "s\n")
	sub.Commit("one")
	base := r.Commit("base")
	sub.Write("s", "dirty\n")
	_, store := open(t, r)
	if got := changed(t, store, base); got != "" {
		t.Errorf("a dirty submodule changed: %s", got)
	}
}

func TestSubmoduleMoves(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	r := gittest.New(t)
	sub := gittest.Init(t, filepath.Join(r.Dir, "sub"))
	sub.Commit("one")
	base := r.Commit("base")
	sub.Commit("two")
	_, store := open(t, r)
	if got := changed(t, store, base); got != "M sub" {
		t.Errorf("changed: %s", got)
	}
}

// A hook of git runs its programs with variables that point to a repository;
// they must not lead anywhere.
func TestVariablesOfGitDoNotLeadAway(t *testing.T) {
	r, other := gittest.New(t), gittest.New(t)
	r.Write("a", "a\n")
	base := r.Commit("base")
	other.Commit("other")
	r.Write("a", "A\n")
	for _, kv := range []string{"GIT_DIR=" + filepath.Join(other.Dir, ".git"), "GIT_WORK_TREE=" + other.Dir,
		"GIT_INDEX_FILE=" + filepath.Join(other.Dir, ".git", "index"), "GIT_OBJECT_DIRECTORY=/nowhere", "GIT_PREFIX=x/", "GIT_NAMESPACE=x"} {
		k, v, _ := strings.Cut(kv, "=")
		// gittest's own commands ran before.
		t.Setenv(k, v)
	}
	clone, store := open(t, r)
	if root, _ := filepath.EvalSymlinks(r.Dir); clone.Root != root {
		t.Errorf("found %s", clone.Root)
	}
	if got := changed(t, store, base); got != "M a" {
		t.Errorf("changed: %s", got)
	}
}

func TestStoresOfOddClones(t *testing.T) {
	for _, name := range []string{"with space", `quote"d`, `back\slash`, "#comment", "new\nline", "ünï", "*?[x]"} {
		r := gittest.Init(t, filepath.Join(t.TempDir(), name))
		r.Write("a", "a\n")
		base := r.Commit("base")
		r.Write("a", "A\n")
		_, store := open(t, r)
		if got := changed(t, store, base); got != "M a" {
			t.Errorf("%q: changed: %s", name, got)
		}
	}
}

// A store that is half made or damaged is made anew: it holds copies only.
func TestDamagedStore(t *testing.T) {
	ctx := context.Background()
	r := gittest.New(t)
	r.Write("a", "a\n")
	base := r.Commit("base")
	clone, store := open(t, r)
	for name, damage := range map[string]func() error{
		"no HEAD":       func() error { return os.Remove(filepath.Join(store.Dir, "HEAD")) },
		"an empty HEAD": func() error { return os.WriteFile(filepath.Join(store.Dir, "HEAD"), nil, 0o600) },
		"a broken config": func() error {
			return os.WriteFile(filepath.Join(store.Dir, "config"), []byte("[core\n"), 0o600)
		},
		"a file in its place": func() error {
			if err := os.RemoveAll(store.Dir); err != nil {
				return err
			}
			return os.WriteFile(store.Dir, []byte("x"), 0o600)
		},
	} {
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		again, err := git.OpenStore(ctx, store.Dir, clone)
		if err != nil || !again.HasCommit(ctx, base) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLeftOverDirectoriesAreSwept(t *testing.T) {
	r := gittest.New(t)
	r.Commit("base")
	clone, store := open(t, r)
	for name, age := range map[string]time.Duration{"worktree-old": 48 * time.Hour, "worktree-new": time.Minute, "attributes-old": 48 * time.Hour} {
		dir := filepath.Join(store.Dir, name)
		when := time.Now().Add(-age)
		if err := errors.Join(os.Mkdir(dir, 0o700), os.Chtimes(dir, when, when)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := git.OpenStore(context.Background(), store.Dir, clone); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(store.Dir, "*-*"))
	if err != nil || len(left) != 1 || filepath.Base(left[0]) != "worktree-new" {
		t.Errorf("left: %v", left)
	}
}

func TestOneStoreForManyAtOnce(t *testing.T) {
	ctx := context.Background()
	r := gittest.New(t)
	r.Write("a", "a\n")
	base := r.Commit("base")
	r.Write("a", "A\n")
	clone, first := open(t, r)
	var wg sync.WaitGroup
	trees := make([]string, 6)
	for i := range trees {
		wg.Go(func() {
			store, err := git.OpenStore(ctx, first.Dir, clone)
			if err != nil {
				t.Error(err)
				return
			}
			w, err := store.WorktreeTree(ctx)
			if err != nil || !store.HasCommit(ctx, base) {
				t.Errorf("%v", err)
			}
			trees[i] = w.Tree
		})
	}
	wg.Wait()
	for _, tree := range trees {
		if tree != trees[0] || tree == "" {
			t.Errorf("trees: %v", trees)
		}
	}
}

func TestBlobs(t *testing.T) {
	ctx := context.Background()
	r := gittest.New(t)
	r.Write("empty", "")
	r.Write("nul", "a\x00b\n\n")
	r.Write("big", strings.Repeat("0123456789", 300_000))
	head := r.Commit("base")
	_, store := open(t, r)
	entries, err := store.Tree(ctx, head)
	if err != nil {
		t.Fatal(err)
	}
	blobs, err := store.Blobs(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for _, e := range entries {
			data, err := blobs.Read(e.Hash)
			want, rerr := os.ReadFile(filepath.Join(r.Dir, e.Path))
			if err != nil || rerr != nil || string(data) != string(want) || int64(len(data)) != e.Size {
				t.Errorf("%s: %d bytes of %d, %v %v", e.Path, len(data), e.Size, err, rerr)
			}
		}
		for _, bad := range []string{strings.Repeat("0", 40), head} {
			if _, err := blobs.Read(bad); err == nil {
				t.Errorf("%s is no blob, and was read", bad)
			}
		}
	}
	if err := blobs.Close(); err != nil {
		t.Error(err)
	}
}
