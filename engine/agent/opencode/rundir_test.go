package opencode

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/mrv-dev/mrv/engine/agent"
)

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// abandoned is a run dir as a killed mrv leaves it.
func abandoned(t *testing.T, root string) *runDir {
	t.Helper()
	d, err := makeRunDir(root)
	if err != nil {
		t.Fatal(err)
	}
	d.owner.Close()
	d.server.Close()
	return d
}

// TestSweep removes what dead processes left, and nothing else: not what a
// living one holds, not what lacks the mark, nothing behind a link.
func TestSweep(t *testing.T) {
	root := filepath.Join(t.TempDir(), "runs")
	living, err := makeRunDir(root)
	if err != nil {
		t.Fatal(err)
	}
	defer living.remove()
	dead := abandoned(t, root)

	outside := t.TempDir()
	writeFile(t, filepath.Join(outside, "precious"), "x")
	if err := os.Symlink(outside, filepath.Join(dead.path, "home")); err != nil {
		t.Fatal(err)
	}
	unmarked := filepath.Join(root, "server-unmarked")
	writeFile(t, filepath.Join(unmarked, ownerFile), `{"made":"somebody else"}`)
	writeFile(t, filepath.Join(root, "other", ownerFile), `{"made":"mrv opencode"}`)
	behind := abandoned(t, filepath.Join(outside, "runs"))
	if err := os.Symlink(behind.path, filepath.Join(root, "server-link")); err != nil {
		t.Fatal(err)
	}

	if err := Sweep(root); err != nil {
		t.Fatal(err)
	}
	want := []string{"other", filepath.Base(living.path), "server-link", "server-unmarked"}
	got := names(t, root)
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("after the sweep %q, want %q", got, want)
	}
	for _, path := range []string{filepath.Join(outside, "precious"), behind.path} {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("behind a link: %v", err)
		}
	}
	if err := Sweep(filepath.Join(root, "not there")); err != nil {
		t.Errorf("nothing to sweep: %v", err)
	}
	link := filepath.Join(outside, "link")
	if err := os.Symlink(root, link); err != nil {
		t.Fatal(err)
	}
	if err := Sweep(link); err == nil {
		t.Error("a root that is a link was swept")
	}
}

// TestSweepEndsTheServer: where the kernel does not, the next start ends the
// server that a killed mrv left; the lock it inherited says that it is one.
func TestSweepEndsTheServer(t *testing.T) {
	root := filepath.Join(t.TempDir(), "runs")
	d, err := makeRunDir(root)
	if err != nil {
		t.Fatal(err)
	}
	lockFile, err := d.handOver()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sleep", "1000")
	cmd.ExtraFiles = []*os.File{lockFile}
	p, err := agent.StartProcess(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer p.End(0)
	if err := d.started(cmd.Process.Pid); err != nil {
		t.Fatal(err)
	}
	d.owner.Close() // mrv is dead
	if err := Sweep(root); err != nil {
		t.Fatal(err)
	}
	<-p.Done()
	if left := names(t, root); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// TestPrivateDir: a run root that others could change is not used.
func TestPrivateDir(t *testing.T) {
	open := filepath.Join(t.TempDir(), "open")
	if err := os.Mkdir(open, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := privateDir(open); err != nil {
		t.Fatal(err)
	}
	if fi, err := os.Stat(open); err != nil || fi.Mode().Perm() != 0o700 {
		t.Errorf("mode %v, %v", fi.Mode(), err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(open, link); err != nil {
		t.Fatal(err)
	}
	if err := privateDir(link); err == nil {
		t.Error("a link was taken for a private directory")
	}
}
