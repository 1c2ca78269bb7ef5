package diff

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite golden files")

// golden compares with a file of testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	name = filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("%s:\n%s\nwant:\n%s", name, got, want)
	}
}

// TestWrite: every kind of header, as git would write it.
func TestWrite(t *testing.T) {
	hunk := []*Hunk{{OldStart: 1, OldLines: 1, NewStart: 1, NewLines: 2, Section: "func f()",
		Lines: []Line{{Text: "a\r", Op: Context}, {Text: "b", Op: Add, NoEOL: true}}}}
	set := &Set{Files: []*File{
		{OldPath: "f", NewPath: "f", Status: Modified, OldMode: "100644", NewMode: "100644", OldID: "1111111", NewID: "2222222", Additions: 1, Hunks: hunk},
		{OldPath: "mode", NewPath: "mode", Status: Modified, OldMode: "100644", NewMode: "100755"},
		{OldPath: "b b/x", NewPath: "c b/x", Status: Renamed},
		{OldPath: "x y", NewPath: "\ttab \"é\"\xff", Status: Copied, OldMode: "100644", NewMode: "100755", OldID: "1111111", NewID: "2222222", Additions: 1, Hunks: hunk},
		{NewPath: "empty", Status: Added, NewMode: "100644", OldID: "0000000", NewID: "e69de29"},
		{OldPath: "gone.png", Status: Deleted, OldMode: "100644", OldID: "1111111", NewID: "0000000", Binary: true},
		{OldPath: "sm", NewPath: "sm", Status: Modified, OldMode: gitlink, NewMode: gitlink, OldID: "1111111", NewID: "2222222", Submodule: true},
		{NewPath: "sm 2", Status: Added, NewMode: gitlink, OldID: "0000000", NewID: "2222222", Submodule: true},
		{OldPath: "sm3", Status: Deleted, OldMode: gitlink, OldID: "1111111", NewID: "0000000", Submodule: true},
		{OldPath: "sm4", NewPath: "sm4", Status: Modified, OldMode: gitlink, NewMode: gitlink, Submodule: true},
		{OldPath: "part.js", NewPath: "part.js", Status: Modified, OldMode: "100644", NewMode: "100644", OldID: "1111111", NewID: "2222222", Additions: 1, Hunks: hunk, Unread: "cut off"},
		{OldPath: "big.js", NewPath: "big.js", Status: Modified, Unread: "the forge sent no patch"},
		{OldPath: "u", NewPath: "u", Status: Unmerged, Unread: "its merge is not resolved"},
	}}
	golden(t, "write.golden", Write(set))
	again, err := Parse(Write(set))
	if err != nil {
		t.Fatal(err)
	}
	same(t, again, set)
}

// TestNumberedPatch: what a model reads; both numbers, so that it need not
// count.
func TestNumberedPatch(t *testing.T) {
	golden(t, "numbered.golden", calcSet(t).Files[0].NumberedPatch())
}

func TestParsePatch(t *testing.T) {
	const patch = "@@ -1,2 +1,2 @@ x\n a\n-b\n+c\n\\ No newline at end of file"
	known := File{OldPath: "f", NewPath: "f", Status: Modified}
	for _, c := range []struct {
		name     string
		add, del int
		patch    string
		want     string // part of the error, "" for none
	}{
		{"as counted", 1, 1, patch, ""},
		{"not counted", 0, 0, patch, ""},
		{"fewer than counted", 2, 1, patch, "the patch has +1 -1 lines, its source says +2 -1"},
		{"cut off", 1, 1, "@@ -1,2 +1,2 @@ x\n a\n-b", "the diff ends inside a hunk"},
		{"more behind it", 1, 1, patch + "\ndiff --git a/x b/x\n", "there is text behind its last hunk"},
		{"no hunk", 1, 1, "", "the patch has +0 -0 lines, its source says +1 -1"},
		{"nothing to show", 0, 0, "", ""},
		{"a header", 1, 1, "--- a/f\n+++ b/f\n" + patch, "there is text behind its last hunk"},
		{"other order", 0, 0, "@@ -9 +9 @@\n-a\n+b\n@@ -1 +1 @@\n-a\n+b", "the hunks are not in order"},
	} {
		known.Additions, known.Deletions = c.add, c.del
		f, err := ParsePatch(known, []byte(c.patch))
		if c.want != "" {
			var pe *ParseError
			if !errors.As(err, &pe) || pe.Path != "f" || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: got %v, want %q", c.name, err, c.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if c.patch != "" && (f.Additions != 1 || f.Deletions != 1 || !f.Hunks[0].Lines[2].NoEOL || f.Hunks[0].Lines[1].NoEOL) {
			t.Errorf("%s: got %+v", c.name, f)
		}
		if known.Hunks != nil {
			t.Errorf("%s: the caller's file was changed", c.name)
		}
	}
	if _, err := ParsePatch(File{NewPath: "../f"}, []byte(patch)); err == nil {
		t.Error("a path out of the tree is taken")
	}
}

func TestVerify(t *testing.T) {
	set, err := Parse([]byte(twoFiles + "diff --git a/b.png b/b.png\nindex 1111111..2222222 100644\nBinary files a/b.png and b/b.png differ\n"))
	if err != nil {
		t.Fatal(err)
	}
	set = NewSet(append(set.Files, &File{OldPath: "big", NewPath: "big", Unread: "too large"}))
	good := []Want{{"f", 1, 1}, {"g", 1, 1}, {"b.png", -1, -1}, {"big", 900, 2}}
	with := func(i int, w Want) []Want {
		list := append([]Want(nil), good...)
		list[i] = w
		return list
	}
	for _, c := range []struct {
		name  string
		wants []Want
		want  string
	}{
		{"the same", good, ""},
		{"a count", with(0, Want{"f", 2, 1}), `the diff is not what its source says: "f" has +1 -1, not +2 -1`},
		{"a name", with(0, Want{"F", 1, 1}), `the diff is not what its source says: "F" is missing; "f" is not in it`},
		{"binary with lines", with(1, Want{"g", -1, -1}), `"g" has lines, but is said to be binary`},
		{"one more", append(with(0, good[0]), Want{"h", 1, 0}), `"h" is missing`},
		{"nothing", nil, `"b.png" is not in it; "big" is not in it; "f" is not in it; "g" is not in it`},
	} {
		err := Verify(set, c.wants)
		var mismatch *MismatchError
		if (err == nil) != (c.want == "") || err != nil && (!errors.As(err, &mismatch) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
}
