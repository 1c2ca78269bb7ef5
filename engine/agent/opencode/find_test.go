package opencode

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// program writes a script that says it is a version of OpenCode.
func program(t *testing.T, path, version string) string {
	t.Helper()
	writeFile(t, path, "#!/bin/sh\necho "+version+"\n")
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFindOrder(t *testing.T) {
	dir := t.TempDir()
	named := program(t, filepath.Join(dir, "named"), "1.18.33")
	env := program(t, filepath.Join(dir, "env"), "1.18.32")
	private := program(t, PrivateCopy(filepath.Join(dir, "data")), "1.18.31")
	onPath := program(t, filepath.Join(dir, "bin", "opencode"), "1.18.30")
	path := "relative:" + filepath.Dir(onPath) + ":/usr/bin:/bin"
	data := filepath.Join(dir, "data")
	for _, tt := range []struct {
		source, path, version string
		opt                   FindOptions
	}{
		{"--opencode", named, "1.18.33", FindOptions{Path: named, DataDir: data, Getenv: getenvOf(map[string]string{"MRV_OPENCODE": env, "PATH": path})}},
		{"MRV_OPENCODE", env, "1.18.32", FindOptions{DataDir: data, Getenv: getenvOf(map[string]string{"MRV_OPENCODE": env, "PATH": path})}},
		{"private copy", private, "1.18.31", FindOptions{DataDir: data, Getenv: getenvOf(map[string]string{"PATH": path})}},
		{"PATH", onPath, "1.18.30", FindOptions{DataDir: filepath.Join(dir, "none"), Getenv: getenvOf(map[string]string{"PATH": path})}},
	} {
		got, err := Find(t.Context(), tt.opt)
		if err != nil || got.Source != tt.source || got.Path != tt.path || got.Version != tt.version {
			t.Errorf("want %s %s %s, got %+v, %v", tt.source, tt.path, tt.version, got, err)
		}
	}
	_, err := Find(t.Context(), FindOptions{Getenv: getenvOf(map[string]string{"PATH": "/nowhere"})})
	if !errors.Is(err, ErrNotFound) {
		t.Errorf("nothing installed: %v", err)
	}
}

func TestFindVersions(t *testing.T) {
	for _, tt := range []struct{ says, refused, warned string }{
		{says: "1.18.33"},
		{says: "1.2.0"},
		{says: "1.1.65", warned: "older than 1.2.0"},
		{says: "2.0.3", refused: "OpenCode 2.x has another server API"},
		{says: "0.15.0", refused: "not 1.x"},
		{says: "some other program", refused: "not OpenCode"},
		{says: "", refused: "not OpenCode"},
	} {
		path := program(t, filepath.Join(t.TempDir(), "opencode"), tt.says)
		b, err := Find(t.Context(), FindOptions{Path: path, Getenv: getenvOf(map[string]string{"PATH": os.Getenv("PATH")})})
		if (err != nil) != (tt.refused != "") || err != nil && !strings.Contains(err.Error(), tt.refused) {
			t.Errorf("%q: error %v, want %q", tt.says, err, tt.refused)
		}
		if err == nil && !strings.Contains(b.Warning, tt.warned) {
			t.Errorf("%q: warning %q, want %q", tt.says, b.Warning, tt.warned)
		}
	}
	for _, path := range []string{filepath.Join(t.TempDir(), "gone"), t.TempDir()} {
		if _, err := Find(t.Context(), FindOptions{Path: path}); err == nil || !strings.Contains(err.Error(), "--opencode") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestFindBehindWrapper: npm installs a script that starts the program; the
// program itself is what must be started.
func TestFindBehindWrapper(t *testing.T) {
	real := binary(t)
	dir := t.TempDir()
	wrapper := program(t, filepath.Join(dir, "node_modules/opencode-ai/bin/opencode"), "1.18.33")
	inner := filepath.Join(dir, "node_modules/opencode-linux-x64/bin/opencode")
	if err := os.MkdirAll(filepath.Dir(inner), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(real.Path, inner); err != nil {
		if err := os.Symlink(real.Path, inner); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(dir, "opencode")
	if err := os.Symlink(wrapper, link); err != nil {
		t.Fatal(err)
	}
	b, err := Find(context.Background(), FindOptions{Path: link})
	if err != nil || b.Path != inner || b.Warning != "" {
		t.Errorf("got %+v, %v, want %s", b, err, inner)
	}
	if err := os.Remove(inner); err != nil {
		t.Fatal(err)
	}
	if b, err = Find(context.Background(), FindOptions{Path: link}); err != nil || !strings.Contains(b.Warning, "wrapper script") {
		t.Errorf("without the program: %+v, %v", b, err)
	}
}
