package diff

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// corpusDir holds diffs that real git wrote, and manifest.json with what
// `git diff --raw -z` and `--numstat -z` say about the same two commits.
const corpusDir = "../../testdata/diffs"

// corpusCase is one entry of the manifest. Files is nil where the input has no
// single truth.
type corpusCase struct {
	Name  string
	File  string
	Files []struct {
		Status       string
		OMode, NMode string
		Old, New     []byte // base64 in JSON
		Add, Del     int    // -1 for binary
	}
	Note string
}

func corpus(t testing.TB) []corpusCase {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(corpusDir, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []corpusCase
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	return cases
}

func corpusFile(t testing.TB, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(corpusDir, name))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// statusOf is git's letter for a status.
var statusOf = map[Status]byte{
	Added: 'A', Modified: 'M', Deleted: 'D', Renamed: 'R', Copied: 'C', TypeChanged: 'T',
}

func TestCorpus(t *testing.T) {
	for _, c := range corpus(t) {
		t.Run(c.Name, func(t *testing.T) {
			set, err := Parse(corpusFile(t, c.File))
			if len(c.Files) == 0 {
				t.Skipf("%v %v", set, err)
			}
			var pe *ParseError
			if errors.As(err, &pe) || err != nil {
				t.Fatal(err)
			}
			if len(set.Files) != len(c.Files) {
				t.Fatalf("%d files, want %d", len(set.Files), len(c.Files))
			}
			for i, f := range set.Files {
				w := c.Files[i]
				if f.Unread != "" {
					t.Errorf("%q: not read: %s", f.Path(), f.Unread)
				}
				oldPath, newPath := string(w.Old), string(w.New)
				if w.Status == "A" {
					oldPath = ""
				}
				if w.Status == "D" {
					newPath = ""
				}
				if f.OldPath != oldPath || f.NewPath != newPath || statusOf[f.Status] != w.Status[0] {
					t.Errorf("%c %q %q, want %s %q %q", statusOf[f.Status], f.OldPath, f.NewPath, w.Status, oldPath, newPath)
				}
				if w.Add >= 0 && (f.Additions != w.Add || f.Deletions != w.Del) {
					t.Errorf("%q: +%d -%d, want +%d -%d", f.Path(), f.Additions, f.Deletions, w.Add, w.Del)
				}
			}
		})
	}
}
