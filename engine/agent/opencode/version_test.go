package opencode

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// TestVersionIsKept: the program is asked once; another file, a record that
// cannot be read and a script are asked.
func TestVersionIsKept(t *testing.T) {
	b := binary(t)
	cache := filepath.Join(t.TempDir(), "mrv")
	kept := filepath.Join(cache, spokenFile)
	find := func(path string) string {
		t.Helper()
		got, err := Find(t.Context(), FindOptions{Path: path, CacheDir: cache})
		if err != nil {
			t.Fatal(err)
		}
		return got.Version
	}
	said := find(b.Path)
	var first spoken
	raw, err := os.ReadFile(kept)
	if err != nil || json.Unmarshal(raw, &first) != nil || first.Version != said || first.Path != b.Path {
		t.Fatalf("kept %s, %v", raw, err)
	}
	keep := func(change func(*spoken)) {
		t.Helper()
		s := first
		s.Version = "1.2.3"
		change(&s)
		raw, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, kept, string(raw))
	}
	for _, c := range []struct {
		name   string
		change func(*spoken)
		want   string
	}{
		{"the same file", func(*spoken) {}, "1.2.3"},
		{"another size", func(s *spoken) { s.Size++ }, said},
		{"another inode", func(s *spoken) { s.Inode++ }, said},
		{"another time", func(s *spoken) { s.Modified++ }, said},
		{"another path", func(s *spoken) { s.Path += "x" }, said},
	} {
		keep(c.change)
		if got := find(b.Path); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	writeFile(t, kept, "{")
	if got := find(b.Path); got != said {
		t.Errorf("a broken record: %s", got)
	}
	script := program(t, filepath.Join(t.TempDir(), "opencode"), "1.18.1")
	find(script)
	if got := find(program(t, script, "1.18.2")); got != "1.18.2" {
		t.Errorf("a script: %s", got)
	}
}
