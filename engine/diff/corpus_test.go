package diff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
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
	Added: 'A', Modified: 'M', Deleted: 'D', Renamed: 'R', Copied: 'C', TypeChanged: 'T', Unmerged: 'U',
}

// unsure says what becomes of the inputs that have no single truth, or show
// only a part of it: part of the refusal, or what is read.
var unsure = map[string]string{
	"submodule-log":            `M "sm" +0 -0; M "z" +1 -1`,
	"submodule-diff":           `M "sm" +0 -0; M "sm/s" +1 -1; M "z" +1 -1`,
	"merge-cc":                 "line 1: this is a combined diff of a merge; pass `git diff base...head`",
	"unmerged-worktree":        "line 1: this is a combined diff of a merge; pass `git diff base...head`",
	"git-log-p":                "line 18: the input holds several commits",
	"github-patch-full-binary": "the input holds several patches",
	"empty-diff":               "",
	"plain-diff-u":             `M "f" +1 -1`,
	"plain-diff-urN":           `M "f" +1 -1; A "new" +1 -0`,
	"truncated-mid-hunk":       `M "f" +1 -1; M "g" +0 -0 (line 21 of the diff: the diff ends inside a hunk: 4 of its lines are missing)`,
}

func TestCorpus(t *testing.T) {
	for _, c := range corpus(t) {
		t.Run(c.Name, func(t *testing.T) {
			set, err := Parse(corpusFile(t, c.File))
			if want, ok := unsure[c.Name]; ok {
				if got := outcome(set, err); !strings.Contains(got, want) || want == "" && got != "" {
					t.Errorf("got  %s\nwant %s", got, want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var want []truth
			for _, f := range c.Files {
				want = append(want, truth{f.Status[0], f.OMode, f.NMode, string(f.Old), string(f.New), f.Add, f.Del})
			}
			check(t, set, split(want))
			again, err := Parse(Write(set))
			if err != nil {
				t.Fatalf("what Write wrote: %v", err)
			}
			same(t, again, set)
		})
	}
}

// outcome is an error, or the files in a line.
func outcome(set *Set, err error) string {
	if err != nil {
		return err.Error()
	}
	var list []string
	for _, f := range set.Files {
		s := fmt.Sprintf("%c %q +%d -%d", statusOf[f.Status], f.Path(), f.Additions, f.Deletions)
		if f.Unread != "" {
			s += " (" + f.Unread + ")"
		}
		list = append(list, s)
	}
	return strings.Join(list, "; ")
}

// TestOracle compares hunks with go-gitdiff, another reader of git's diffs,
// where it gives an answer: it does not know other prefixes, mails of which
// the message looks like a diff, coloured text or text converted to CRLF, and
// takes a diff that lost its last newline for a file that has none.
func TestOracle(t *testing.T) {
	other := map[string]bool{"noprefix": true, "mnemonic-worktree": true, "custom-prefix": true,
		"format-patch-one": true, "crlf-whole-diff": true, "ansi-color": true, "no-final-newline": true}
	compared := 0
	for _, c := range corpus(t) {
		raw := corpusFile(t, c.File)
		set, err := Parse(raw)
		files, _, oracleErr := gitdiff.Parse(bytes.NewReader(raw))
		if err != nil || oracleErr != nil || len(c.Files) == 0 || other[c.Name] {
			continue
		}
		compared++
		if len(files) != len(set.Files) {
			t.Errorf("%s: %d files, go-gitdiff has %d", c.Name, len(set.Files), len(files))
			continue
		}
		for i, f := range set.Files {
			var b strings.Builder
			for _, h := range files[i].TextFragments {
				fmt.Fprintf(&b, "%d %d %d %d %q\n", h.OldPosition, h.OldLines, h.NewPosition, h.NewLines, h.Comment)
				for _, l := range h.Lines {
					fmt.Fprintf(&b, "%s%q\n", l.Op, l.Line)
				}
			}
			if got := likeGitdiff(f); got != b.String() {
				t.Errorf("%s: %q\ngot  %s\nwant %s", c.Name, f.Path(), got, b.String())
			}
		}
	}
	if compared < 70 {
		t.Errorf("compared %d of the corpus, expected 70 or more", compared)
	}
}

func likeGitdiff(f *File) string {
	var b strings.Builder
	for _, h := range f.Hunks {
		fmt.Fprintf(&b, "%d %d %d %d %q\n", h.OldStart, h.OldLines, h.NewStart, h.NewLines, h.Section)
		for _, l := range h.Lines {
			end := "\n"
			if l.NoEOL {
				end = ""
			}
			fmt.Fprintf(&b, "%c%q\n", l.Op, l.Text+end)
		}
	}
	return b.String()
}

// TestCRLF: in a diff that was converted as a whole the carriage returns are
// not the file's.
func TestCRLF(t *testing.T) {
	set, err := Parse(corpusFile(t, "113-crlf-whole-diff.diff"))
	if err != nil {
		t.Fatal(err)
	}
	if l := set.Files[0].Hunks[0].Lines[0].Text; l != "line 2" {
		t.Errorf("first line is %q", l)
	}
	set, err = Parse(corpusFile(t, "47-crlf.diff"))
	if err != nil {
		t.Fatal(err)
	}
	if l := set.Files[0].Hunks[0].Lines[0].Text; !strings.HasSuffix(l, "\r") {
		t.Errorf("first line is %q, its carriage return is lost", l)
	}
}
