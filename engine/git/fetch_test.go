package git_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine/git"
	"github.com/mrv-dev/mrv/engine/git/gittest"
)

// upstream is a repository with a pull request that no clone has, behind
// git's own HTTP server, which wants a password.
type upstream struct {
	*gittest.Repo
	URL        string
	base, head string
	password   string
}

func serve(t *testing.T) *upstream {
	t.Helper()
	backend, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	u := &upstream{Repo: gittest.New(t), password: "s3cret-token"}
	u.Write("a", "1\n")
	u.Commit("one")
	u.Write("a", "2\n")
	u.base = u.Commit("two")
	u.Git("checkout", "-q", "-b", "topic")
	u.Write("b", "b\n")
	u.head = u.Commit("three")
	u.Git("update-ref", "refs/pull/7/head", u.head)
	u.Git("checkout", "-q", "main")
	u.Git("branch", "-q", "-D", "topic")
	u.Git("config", "uploadpack.allowAnySHA1InWant", "true")
	handler := &cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(backend)), "git-http-backend"),
		Env:  []string{"GIT_PROJECT_ROOT=" + u.Dir, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1"},
	}
	// TLS, because a token is given to https only.
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); password != u.password {
			w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
			http.Error(w, "who are you", http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	u.URL = server.URL + "/.git"
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	t.Setenv("GIT_SSL_NO_VERIFY", "1")
	return u
}

// arguments has every git that is run from now on note its arguments.
func arguments(t *testing.T) (file string) {
	t.Helper()
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file = filepath.Join(dir, "arguments")
	script := "#!/bin/sh\necho \"$@\" >> " + file + "\nexec " + real + " \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return file
}

func TestFetch(t *testing.T) {
	ctx := context.Background()
	u := serve(t)
	pull := "+refs/pull/7/head:refs/mrv/pull/7/head"

	t.Run("with a token and no clone, cut", func(t *testing.T) {
		seen := arguments(t)
		store, err := git.OpenStore(ctx, git.Place(t.TempDir(), nil, "github.com", "o", "r"), nil)
		if err != nil {
			t.Fatal(err)
		}
		o := git.FetchOptions{URL: u.URL, Depth: 1, Token: u.password,
			Refspecs: []string{"+" + u.head + ":refs/mrv/keep/head", "+" + u.base + ":refs/mrv/keep/base"}}
		if err := store.Fetch(ctx, o); err != nil {
			t.Fatal(err)
		}
		out, err := store.Diff(ctx, u.base, u.head)
		if err != nil || !strings.Contains(string(out), "+b\n") {
			t.Errorf("diff %s, %v", out, err)
		}
		if log, err := store.Log(ctx, u.base, u.head, 0); err != nil || len(log) != 1 {
			t.Errorf("log %v, %v", log, err)
		}
		config, err := os.ReadFile(filepath.Join(store.Dir, "config"))
		if err != nil || strings.Contains(string(config), u.password) {
			t.Errorf("the token was kept: %s %v", config, err)
		}
		args, err := os.ReadFile(seen)
		if err != nil || !strings.Contains(string(args), "fetch") || strings.Contains(string(args), u.password) {
			t.Errorf("the token is in an argument: %s %v", args, err)
		}
		again, err := git.OpenStore(ctx, store.Dir, nil)
		if err != nil || !again.HasCommit(ctx, u.head) {
			t.Errorf("opened again it lost the head: %v", err)
		}
		if _, err := again.Log(ctx, u.base, u.head, 0); err != nil {
			t.Errorf("opened again it lost the cut: %v", err)
		}
	})

	t.Run("a wrong token falls back to the person's own credentials", func(t *testing.T) {
		helper := "!f() { echo username=me; echo password=" + u.password + "; }; f"
		for _, args := range [][]string{{"credential.helper", helper}, {"filter.x.clean", "false"}} {
			if out, err := exec.Command("git", "config", "--global", args[0], args[1]).CombinedOutput(); err != nil {
				t.Fatalf("%v %s", err, out)
			}
		}
		clone := gittest.At(t, filepath.Join(t.TempDir(), "clone"))
		u.Git("clone", "-q", "--no-local", u.Dir, clone.Dir)
		_, store := open(t, clone)
		if err := store.Fetch(ctx, git.FetchOptions{URL: u.URL, Refspecs: []string{pull}, Token: "wrong"}); err != nil {
			t.Fatal(err)
		}
		if base, err := store.MergeBase(ctx, u.base, u.head); err != nil || base != u.base {
			t.Errorf("merge base %s, %v", base, err)
		}
		if err := os.Remove(filepath.Join(os.Getenv("HOME"), ".gitconfig")); err != nil {
			t.Fatal(err)
		}
	})

	t.Run("refused", func(t *testing.T) {
		_, store := open(t, u.Repo)
		err := store.Fetch(ctx, git.FetchOptions{URL: strings.Replace(u.URL, "https://", "https://me:pass@", 1), Refspecs: []string{pull}})
		if err == nil || strings.Contains(err.Error(), "pass@") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v", err)
		}
	})

	t.Run("cancelled", func(t *testing.T) {
		_, store := open(t, u.Repo)
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		if err := store.Fetch(ctx, git.FetchOptions{URL: u.URL, Refspecs: []string{pull}}); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	})
}

// A process that hangs is ended with its children.
func TestCancelEndsTheGroup(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", home)
	started := filepath.Join(home, "started")
	t.Setenv("GIT_SSH_COMMAND", "sh -c 'echo $$ > "+started+".tmp; mv "+started+".tmp "+started+"; exec sleep 600'")
	store, err := git.OpenStore(context.Background(), git.Place(t.TempDir(), nil, "h", "o", "r"), nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- store.Fetch(ctx, git.FetchOptions{URL: "ssh://git@nowhere.invalid/r", Refspecs: []string{"HEAD"}})
	}()
	for {
		if _, err := os.Stat(started); err == nil {
			break
		}
		select {
		case err := <-done:
			t.Fatalf("ended early: %v", err)
		default:
		}
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	pid, err := os.ReadFile(started)
	if err != nil {
		t.Fatal(err)
	}
	if state, err := exec.Command("ps", "-o", "stat=", "-p", strings.TrimSpace(string(pid))).Output(); err == nil && !strings.HasPrefix(string(state), "Z") {
		t.Errorf("ssh still runs: %s", state)
	}
}

func TestLineEndsAreReadAsACommitWould(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", home)
	ctx := context.Background()
	r := gittest.New(t)
	r.Write("crlf.txt", "one\r\ntwo\r\n")
	r.Write("lf.txt", "one\ntwo\n")
	base := r.Commit("base")
	r.Git("config", "core.autocrlf", "true")
	r.Write("crlf.txt", "one\r\nTWO\r\n")
	r.Write("lf.txt", "one\r\nTWO\r\n")
	_, store := open(t, r)
	w, err := store.WorktreeTree(ctx)
	if err != nil {
		t.Fatal(err)
	}
	changes, err := store.Changes(ctx, base, w.Tree)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range changes {
		if c.Additions != 1 || c.Deletions != 1 {
			t.Errorf("%s: %d lines added and %d removed, want one each", c.NewPath, c.Additions, c.Deletions)
		}
	}
	if len(changes) != 2 {
		t.Errorf("%d files changed, want 2", len(changes))
	}
}
