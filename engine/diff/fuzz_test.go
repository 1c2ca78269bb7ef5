package diff

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzParse: whatever comes in, nothing panics; what is accepted has good
// paths and hunks that are what they say, and is the same after Write.
func FuzzParse(f *testing.F) {
	for _, c := range corpus(f) {
		f.Add(corpusFile(f, c.File))
	}
	f.Add([]byte(twoFiles))
	f.Add([]byte(calcDiff))
	f.Fuzz(func(t *testing.T, raw []byte) {
		set, err := Parse(raw)
		if err != nil {
			return
		}
		for _, f := range set.Files {
			if f.OldPath+f.NewPath == "" {
				t.Fatal("a file without a name")
			}
			for _, path := range []string{f.OldPath, f.NewPath} {
				if path != "" && checkPath(path) != "" {
					t.Fatalf("%q: %s", path, checkPath(path))
				}
			}
			checkHunks(t, f)
			f.NumberedPatch()
		}
		again, err := Parse(Write(set))
		if err != nil {
			t.Fatalf("what Write wrote: %v\n%q", err, Write(set))
		}
		same(t, again, set)
		for _, f := range set.Files {
			if len(f.Hunks) == 0 || f.Unread != "" {
				continue
			}
			bare := *f
			bare.Hunks = nil
			one, err := ParsePatch(bare, hunksOf(f))
			if err != nil {
				t.Fatalf("its hunks alone: %v", err)
			}
			same(t, NewSet([]*File{one}), NewSet([]*File{f}))
		}
	})
}

func hunksOf(f *File) []byte {
	var b []byte
	for _, h := range f.Hunks {
		b = h.append(b)
	}
	return b
}

// checkHunks counts what the parser should have counted.
func checkHunks(t *testing.T, f *File) {
	t.Helper()
	add, del, oldEnd, newEnd := 0, 0, 0, 0
	for _, h := range f.Hunks {
		old, new := 0, 0
		for l := range h.All() {
			if strings.Contains(l.Text, "\n") {
				t.Fatalf("a line holds a newline: %q", l.Text)
			}
			switch l.Op {
			case Add:
				add, new = add+1, new+1
			case Delete:
				del, old = del+1, old+1
			case Context:
				old, new = old+1, new+1
			default:
				t.Fatalf("a line is %q", l.Op)
			}
			if l.Old > 0 && l.Old <= oldEnd || l.New > 0 && l.New <= newEnd {
				t.Fatalf("%q: lines are not in order", f.Path())
			}
			oldEnd, newEnd = max(oldEnd, l.Old), max(newEnd, l.New)
		}
		if old != h.OldLines || new != h.NewLines {
			t.Fatalf("%q: hunk has %d and %d lines, says %d and %d", f.Path(), old, new, h.OldLines, h.NewLines)
		}
	}
	if add != f.Additions || del != f.Deletions {
		t.Fatalf("%q: +%d -%d, says +%d -%d", f.Path(), add, del, f.Additions, f.Deletions)
	}
}

// FuzzNames: every name comes through quoting and a header, and what git's
// quoting can't mean is an error, not another name.
func FuzzNames(f *testing.F) {
	for _, c := range corpus(f) {
		for _, file := range c.Files {
			f.Add(string(file.Old), string(file.New))
		}
	}
	f.Add("a b/a", "b b/b")
	f.Add("\"\\\a\x00\xff", "dev/null")
	f.Fuzz(func(t *testing.T, x, y string) {
		if got, bad := unquoteName(quoteName(x)); bad != "" || strings.HasPrefix(x, `"`) != strings.HasPrefix(got, `"`) || got != x {
			t.Fatalf("%q is quoted as %s and read as %q %s", x, quoteName(x), got, bad)
		}
		if name, bad := unquoteName(x); bad == "" && !strings.HasPrefix(x, `"`) && name != x {
			t.Fatalf("%q is read as %q", x, name)
		}
		if checkPath(x) != "" || checkPath(y) != "" || strings.HasSuffix(x, "\r") || strings.HasSuffix(y, "\r") {
			return
		}
		for _, want := range []File{
			{OldPath: x, NewPath: x, Status: Modified, OldMode: "100644", NewMode: "100755"},
			{OldPath: x, NewPath: y, Status: Renamed},
			{OldPath: x, NewPath: y, Status: Copied},
			{NewPath: x, Status: Added, NewMode: "100644"},
			{OldPath: x, Status: Deleted, OldMode: "120000"},
			{OldPath: x, NewPath: x, Status: Modified, Binary: true},
		} {
			if x == y && want.Status != Modified && want.NewMode+want.OldMode == "" {
				continue
			}
			set, err := Parse(want.Patch())
			if err != nil {
				t.Fatalf("%v\n%s", err, want.Patch())
			}
			want.Binary = want.Binary || want.unseen() && binaryName(want.Path()) // the name is all there is to go by
			same(t, set, NewSet([]*File{&want}))
		}
	})
}

// FuzzLocate: a place in a hunk is one where a comment can stand, and its text
// is there.
func FuzzLocate(f *testing.F) {
	f.Add([]byte(calcDiff), "engine/calc.go", 3, 4, false, "sum := a + b")
	f.Add([]byte(calcDiff), "b/calc.go", 41, 0, true, "- log(total)")
	f.Add([]byte(calcDiff), "dead.go", 1, 2, false, "")
	f.Add([]byte(oneFile), "f", 1, 9, false, "+c")
	for _, c := range corpus(f) {
		if len(c.Files) > 0 {
			f.Add(corpusFile(f, c.File), string(c.Files[0].New), 1, 3, false, "line 4\nx")
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte, path string, start, end int, old bool, quote string) {
		set, err := Parse(raw)
		if err != nil {
			return
		}
		claim := Claim{Path: path, Start: start, End: end, Old: old, Quote: quote}
		p := set.LocateIn(nil, claim)
		if again := set.LocateIn(nil, claim); again != p {
			t.Fatalf("two answers: %+v and %+v", p, again)
		}
		if p.How != Exact && p.How != Moved {
			if p.Hunk != -1 || p.QuoteFound {
				t.Fatalf("%+v has a hunk", p)
			}
			return
		}
		file, hunk := set.HunkOf(p)
		if hunk == nil || p.Start < 1 || p.Start > p.End {
			t.Fatalf("%+v has no lines", p)
		}
		first := ""
		for l := range hunk.All() {
			if p.Side == Right && l.New == p.Start || p.Side == Left && l.Old == p.Start && l.Op == Delete {
				first = fmt.Sprintf("%q", l.Text)
			}
		}
		if first != fmt.Sprintf("%q", p.Text) {
			t.Fatalf("%+v, the line is %s", p, first)
		}
		if file.Submodule || !utf8.ValidString(p.Path) {
			return
		}
		a, ok := set.Anchor(p)
		if !ok || a.StartLine >= a.Line || set.Commentable(a) != nil {
			t.Fatalf("%+v gives %+v: %v", p, a, set.Commentable(a))
		}
	})
}
