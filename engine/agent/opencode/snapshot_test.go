package opencode

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSnapshotRefused: a directory in which the server would run or obey what
// is under review is never given to it.
func TestSnapshotRefused(t *testing.T) {
	root := t.TempDir()
	link := tree(t, root, nil)
	if err := os.Symlink("/etc/hostname", filepath.Join(link, "link")); err != nil {
		t.Fatal(err)
	}
	noGit := tree(t, root, map[string]string{"a.go": "package a\n"})
	if err := os.RemoveAll(filepath.Join(noGit, ".git")); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, dir, want string }{
		{"plugin", tree(t, root, map[string]string{".opencode/plugin/evil.js": "x"}), ".opencode"},
		{"plugin below", tree(t, root, map[string]string{"a/b/.OpenCode/plugins/evil.ts": "x"}), ".OpenCode"},
		{"configuration", tree(t, root, map[string]string{"pkg/opencode.jsonc": "{}"}), "opencode.jsonc"},
		{"link", link, "symbolic link"},
		{"no git of its own", noGit, ".git"},
		{"relative", "snapshot", "absolute"},
		{"not there", filepath.Join(root, "none"), ".git"},
	} {
		if err := checkSnapshot(tt.dir); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if _, err := New(t.Context(), Config{Snapshot: tt.dir, RunRoot: filepath.Join(root, "runs")}); err == nil {
			t.Errorf("%s: a server was started", tt.name)
		}
	}
	if err := checkSnapshot(tree(t, root, snapshotFiles)); err != nil {
		t.Errorf("a clean one: %v", err)
	}
}
