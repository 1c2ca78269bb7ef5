package diff

import (
	"strings"
	"testing"
)

// calcDiff: calc.go has two hunks, lines 2-8 and 40-43 on the new side, 2-7
// and 39-43 on the old one.
const calcDiff = `diff --git a/engine/calc.go b/engine/calc.go
index 1111111..2222222 100644
--- a/engine/calc.go
+++ b/engine/calc.go
@@ -2,6 +2,7 @@ package calc
 func Add(a, b int) int {
-	return a - b
+	sum := a + b
+	return sum
 }
 
 func Sub(a, b int) int {
 	return a - b
@@ -39,5 +40,4 @@ func Mul(a, b int) int {
 	total := 0
 	for range b {
-		total = total + a
-		log(total)
+		total += a
 	}
diff --git a/old.txt b/gone/new.txt
similarity index 100%
rename from old.txt
rename to gone/new.txt
diff --git a/dead.go b/dead.go
deleted file mode 100644
index 3333333..0000000
--- a/dead.go
+++ /dev/null
@@ -1,2 +0,0 @@
-package dead
-var x = 1
`

func calcSet(t testing.TB) *Set {
	t.Helper()
	set, err := Parse([]byte(calcDiff))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestLocate(t *testing.T) {
	set := calcSet(t)
	const calc = "engine/calc.go"
	tree := func(path string) bool { return path == "README.md" || path == "calc.go.bak" || path == calc }
	on := func(how How, side Side, start, end, hunk int) Place {
		return Place{How: how, Path: calc, Side: side, Start: start, End: end, Hunk: hunk}
	}
	quoted := func(p Place, shift int) Place {
		p.QuoteFound, p.Shift = true, shift
		return p
	}
	for _, c := range []struct {
		name  string
		claim Claim
		want  Place // Text and Fingerprint are not compared
	}{
		// Lines alone.
		{"added lines", Claim{Path: calc, Start: 3, End: 4}, on(Exact, Right, 3, 4, 0)},
		{"context", Claim{Path: calc, Start: 2}, on(Exact, Right, 2, 2, 0)},
		{"second hunk", Claim{Path: calc, Start: 42}, on(Exact, Right, 42, 42, 1)},
		{"a range that leaves its hunk", Claim{Path: calc, Start: 7, End: 41}, on(Exact, Right, 7, 8, 0)},
		{"a range that enters a hunk", Claim{Path: calc, Start: 20, End: 41}, on(Exact, Right, 40, 41, 1)},
		{"a range over both hunks, most of it in the first", Claim{Path: calc, Start: 1, End: 99}, on(Exact, Right, 2, 8, 0)},
		{"between hunks", Claim{Path: calc, Start: 20, End: 22}, on(InFile, Right, 20, 22, -1)},
		{"line 1 where the hunk begins at 2", Claim{Path: calc, Start: 1}, on(InFile, Right, 1, 1, -1)},
		{"whole file", Claim{Path: calc}, on(InFile, Right, 0, 0, -1)},
		{"end before start", Claim{Path: calc, Start: 4, End: 2}, on(Exact, Right, 4, 4, 0)},
		{"deleted line", Claim{Path: calc, Start: 3, Old: true}, on(Exact, Left, 3, 3, 0)},
		{"old context is commented on the new side", Claim{Path: calc, Start: 40, Old: true}, on(Exact, Right, 41, 41, 1)},
		{"an old range begins and ends with what was deleted", Claim{Path: calc, Start: 39, End: 43, Old: true}, on(Exact, Left, 41, 42, 1)},
		// Quotes.
		{"at its lines", Claim{Path: calc, Start: 4, Quote: "return sum"}, quoted(on(Exact, Right, 4, 4, 0), 0)},
		{"inside the claimed range", Claim{Path: calc, Start: 2, End: 6, Quote: "\treturn sum"}, quoted(on(Exact, Right, 4, 4, 0), 0)},
		{"elsewhere", Claim{Path: calc, Start: 30, Quote: "\t\ttotal += a"}, quoted(on(Moved, Right, 42, 42, 1), 12)},
		{"without lines", Claim{Path: calc, Quote: "total += a"}, quoted(on(Exact, Right, 42, 42, 1), 0)},
		{"other white space", Claim{Path: calc, Start: 3, Quote: "  sum  :=  a  +  b  "}, quoted(on(Exact, Right, 3, 3, 0), 0)},
		{"context and added lines", Claim{Path: calc, Start: 2, End: 4, Quote: "func Add(a, b int) int {\n\tsum := a + b\n\treturn sum\n}"}, quoted(on(Exact, Right, 2, 5, 0), 0)},
		{"with the signs of a diff", Claim{Path: calc, Start: 3, Quote: "+\tsum := a + b\n+\treturn sum"}, quoted(on(Exact, Right, 3, 4, 0), 0)},
		{"as in the diff, both sides", Claim{Path: calc, Start: 2, End: 4, Quote: " func Add(a, b int) int {\n-\treturn a - b\n+\tsum := a + b"}, quoted(on(Exact, Right, 2, 3, 0), 0)},
		{"with the numbers of the prompt", Claim{Path: calc, Start: 3, Quote: "          3 +\tsum := a + b\n          4 +\treturn sum"}, quoted(on(Exact, Right, 3, 4, 0), 0)},
		{"with the numbers of a listing", Claim{Path: calc, Start: 3, Quote: "3: \tsum := a + b\n4: \treturn sum"}, quoted(on(Exact, Right, 3, 4, 0), 0)},
		{"in a fence with empty lines", Claim{Path: calc, Start: 3, Quote: "\n```go\nsum := a + b\n```\n"}, quoted(on(Exact, Right, 3, 3, 0), 0)},
		{"cut with an ellipsis", Claim{Path: calc, Start: 3, Quote: "sum := a + b\n// ...\nfoo()"}, quoted(on(Exact, Right, 3, 3, 0), 0)},
		{"deleted code", Claim{Path: calc, Start: 41, Quote: "total = total + a\nlog(total)"}, quoted(on(Exact, Left, 41, 42, 1), 0)},
		{"context above deleted code", Claim{Path: calc, Start: 40, End: 42, Old: true, Quote: "for range b {\n\t\ttotal = total + a"}, quoted(on(Exact, Left, 41, 41, 1), 0)},
		{"a part of a line", Claim{Path: calc, Start: 2, Quote: "Add(a, b int)"}, quoted(on(Exact, Right, 2, 2, 0), 0)},
		{"begins above the hunk", Claim{Path: calc, Start: 38, End: 41, Quote: "func Mul(a, b int) int {\n\ttotal := 0\n\tfor range b {"}, quoted(on(Exact, Right, 40, 41, 1), 0)},
		{"ends below the hunk", Claim{Path: calc, Start: 7, End: 9, Quote: "func Sub(a, b int) int {\n\treturn a - b\n}\n// end"}, quoted(on(Exact, Right, 7, 8, 0), 0)},
		{"twice, claimed at one", Claim{Path: calc, Start: 8, Quote: "return a - b"}, quoted(on(Exact, Right, 8, 8, 0), 0)},
		{"twice, one on each side: the new one", Claim{Path: calc, Start: 30, Quote: "return a - b"}, quoted(on(Moved, Right, 8, 8, 0), -22)},
		{"twice, the old one asked for", Claim{Path: calc, Start: 3, Old: true, Quote: "return a - b"}, quoted(on(Exact, Left, 3, 3, 0), 0)},
		{"twice, one clearly nearer", Claim{Path: calc, Start: 1, Quote: "int) int {"}, quoted(on(Moved, Right, 2, 2, 0), 1)},
		{"twice, none clearly nearer", Claim{Path: calc, Start: 4, End: 5, Quote: "int) int {"}, on(InFile, Right, 4, 5, -1)},
		{"nowhere: the lines do not count", Claim{Path: calc, Start: 3, Quote: "panic(err)"}, on(InFile, Right, 3, 3, -1)},
		{"a short word at its line", Claim{Path: calc, Start: 41, Quote: "for"}, on(Exact, Right, 41, 41, 1)},
		{"too short to tell: the lines count", Claim{Path: calc, Start: 5, Quote: "}"}, on(Exact, Right, 5, 5, 0)},
		// Paths.
		{"prefix of a diff", Claim{Path: "b/engine/calc.go", Start: 3}, on(Exact, Right, 3, 3, 0)},
		{"dot, slash, space", Claim{Path: " ././engine/calc.go", Start: 3}, on(Exact, Right, 3, 3, 0)},
		{"leading slash", Claim{Path: "/engine/calc.go", Start: 3}, on(Exact, Right, 3, 3, 0)},
		{"backslashes", Claim{Path: `.\engine\calc.go`, Start: 3}, on(Exact, Right, 3, 3, 0)},
		{"quoted", Claim{Path: `"engine/c\141lc.go"`, Start: 3}, on(Exact, Right, 3, 3, 0)},
		{"the only end", Claim{Path: "calc.go", Start: 3}, on(Exact, Right, 3, 3, 0)},
		{"an absolute path of a checkout", Claim{Path: "/home/ci/src/engine/calc.go", Start: 3}, on(Exact, Right, 3, 3, 0)},
		{"half a name", Claim{Path: "alc.go", Start: 3}, Place{How: NoPath, Path: "alc.go", Side: Right, Start: 3, End: 3, Hunk: -1}},
		{"in the tree, not in the change", Claim{Path: "./README.md", Start: 3}, Place{How: NotChanged, Path: "README.md", Side: Right, Start: 3, End: 3, Hunk: -1}},
		{"other case", Claim{Path: "Engine/Calc.go", Start: 3}, Place{How: NoPath, Path: "Engine/Calc.go", Side: Right, Start: 3, End: 3, Hunk: -1}},
		{"no path", Claim{Start: 3}, Place{How: Nowhere, Hunk: -1}},
		{"old name of a rename", Claim{Path: "old.txt"}, Place{How: InFile, Path: "gone/new.txt", Side: Right, Hunk: -1}},
		{"deleted file", Claim{Path: "dead.go", Start: 2}, Place{How: Exact, Path: "dead.go", Side: Left, Start: 2, End: 2}},
		{"deleted file, quoted", Claim{Path: "dead.go", Start: 1, Quote: "var x = 1"}, Place{How: Moved, Path: "dead.go", Side: Left, Start: 2, End: 2, Shift: 1, QuoteFound: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := set.LocateIn(tree, c.claim)
			if got.How == Exact || got.How == Moved {
				_, h := set.HunkOf(got)
				if h == nil || !strings.Contains(string(h.append(nil)), got.Text) {
					t.Errorf("text %q is not in the hunk", got.Text)
				}
			}
			if (got.Fingerprint == "") != (got.How == Nowhere) {
				t.Errorf("fingerprint %q", got.Fingerprint)
			}
			got.Text, got.Fingerprint = "", ""
			if got != c.want {
				t.Errorf("\ngot  %+v\nwant %+v", got, c.want)
			}
		})
	}
}

// TestFind: a path's file by its new name first, then by its old one, with an
// index or without.
func TestFind(t *testing.T) {
	was, is := &File{OldPath: "a", NewPath: "b", Status: Renamed}, &File{OldPath: "b", NewPath: "a", Status: Renamed}
	gone := &File{OldPath: "c", Status: Deleted}
	for _, set := range []*Set{NewSet([]*File{was, is, gone}), {Files: []*File{was, is, gone}}} {
		if set.Find("a") != is || set.Find("b") != was || set.Find("c") != gone || set.Find("d") != nil || set.Find("") != nil {
			t.Errorf("a is %+v, b is %+v, c is %+v", set.Find("a"), set.Find("b"), set.Find("c"))
		}
	}
	var none *Set
	if none.Find("a") != nil || none.Locate("a", 1, 1, false, "x").How != NoPath {
		t.Error("a nil Set has files")
	}
}

// TestLocateTypeChange: a file that became a link is two files of one path.
// TestNotUTF8: a name that is not UTF-8 is found by its bytes, and by what JSON
// makes of them if that is one file; no forge takes it.
func TestNotUTF8(t *testing.T) {
	diffOf := func(names ...string) *Set {
		var raw string
		for _, name := range names {
			raw += strings.NewReplacer("a/f", "a/"+name, "b/f", "b/"+name).Replace(oneFile)
		}
		set, err := Parse([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	const name, shown = "caf\xe9.txt", "caf\ufffd.txt"
	set := diffOf(name, "other.txt")
	for _, path := range []string{name, shown, "./" + shown} {
		p := set.Locate(path, 2, 0, false, "c")
		if p.How != Exact || p.Path != name || p.Fingerprint != set.Locate(name, 2, 0, false, "").Fingerprint {
			t.Errorf("%q is at %+v", path, p)
		}
	}
	if f := set.Find(shown); f == nil || f.Path() != name {
		t.Errorf("%q finds %v", shown, f)
	}
	p := set.Locate(shown, 2, 0, false, "")
	p.Path = shown // as it comes back from a file
	if _, hunk := set.HunkOf(p); hunk == nil {
		t.Error("its hunk is lost")
	}
	if a, ok := set.Anchor(p); ok {
		t.Errorf("it can be commented on: %+v", a)
	}
	if set = diffOf(name, "caf\xe8.txt"); set.Find(shown) != nil || set.Locate(shown, 2, 0, false, "c").How != NoPath {
		t.Errorf("%q is one of two", shown)
	}
	if set = diffOf(name, shown); set.Find(shown).Path() != shown || set.Find(name).Path() != name {
		t.Errorf("%q is itself, where that is in the change", shown)
	}
}

func TestLocateTypeChange(t *testing.T) {
	set, err := Parse(corpusFile(t, "59-typechange-file-to-symlink.diff"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		claim Claim
		side  Side
		text  string
	}{
		{Claim{Path: "l", Start: 1, Old: true}, Left, "t1"},
		{Claim{Path: "l", Start: 1}, Right, "t2"},
	} {
		p := set.LocateIn(nil, c.claim)
		f, h := set.HunkOf(p)
		if p.Side != c.side || p.Text != c.text || f == nil || h == nil || h.Lines[0].Text != c.text {
			t.Errorf("%+v: got %+v in %+v", c.claim, p, f)
		}
		if a, ok := set.Anchor(p); !ok || a.Line != 1 {
			t.Errorf("%+v: anchor %+v, %v", c.claim, a, ok)
		}
	}
}

// TestFingerprint: the key of a place stays when its line moves or is indented
// otherwise, and differs between files and lines.
func TestFingerprint(t *testing.T) {
	set := calcSet(t)
	one := set.Locate("engine/calc.go", 3, 0, false, "")
	two := set.Locate("engine/calc.go", 30, 0, false, "sum := a + b")
	if one.Fingerprint != two.Fingerprint || one.Fingerprint == "" {
		t.Errorf("%q and %q", one.Fingerprint, two.Fingerprint)
	}
	moved, err := Parse([]byte(strings.NewReplacer("+\tsum", "+\t\tsum", "@@ -2,6 +2,7 @@", "@@ -7,6 +7,7 @@").Replace(calcDiff)))
	if err != nil {
		t.Fatal(err)
	}
	if p := moved.Locate("engine/calc.go", 8, 0, false, ""); p.Fingerprint != one.Fingerprint {
		t.Errorf("moved and indented: %q and %q", p.Fingerprint, one.Fingerprint)
	}
	if p := set.Locate("engine/calc.go", 4, 0, false, ""); p.Fingerprint == one.Fingerprint {
		t.Error("two lines have one fingerprint")
	}
	// A range is known by its first line that says something.
	if p := set.Locate("engine/calc.go", 5, 7, false, ""); p.Fingerprint != set.Locate("engine/calc.go", 7, 0, false, "").Fingerprint {
		t.Error("a range that begins with a brace has the brace's fingerprint")
	}
}

func TestAnchor(t *testing.T) {
	set := calcSet(t)
	const calc = "engine/calc.go"
	for _, c := range []struct {
		name  string
		claim Claim
		want  Anchor // zero for none
	}{
		{"a line", Claim{Path: calc, Start: 3}, Anchor{calc, OnLine, Right, 3, 0}},
		{"a range", Claim{Path: calc, Start: 3, End: 4}, Anchor{calc, OnLine, Right, 4, 3}},
		{"a range cut to one line", Claim{Path: calc, Start: 8, End: 20}, Anchor{calc, OnLine, Right, 8, 0}},
		{"an old range", Claim{Path: calc, Start: 41, End: 42, Old: true}, Anchor{calc, OnLine, Left, 42, 41}},
		{"outside of hunks", Claim{Path: calc, Start: 20}, Anchor{calc, OnFile, "", 0, 0}},
		{"pure rename", Claim{Path: "gone/new.txt"}, Anchor{}},
		{"not in the change", Claim{Path: "README.md", Start: 1}, Anchor{}},
		{"nowhere", Claim{}, Anchor{}},
	} {
		got, ok := set.Anchor(set.LocateIn(nil, c.claim))
		if got != c.want || ok != (c.want != Anchor{}) {
			t.Errorf("%s: got %+v, %v, want %+v", c.name, got, ok, c.want)
		}
	}
}

// TestCommentable: what GitHub answers with 422 is refused before it is sent.
func TestCommentable(t *testing.T) {
	set := calcSet(t)
	const calc = "engine/calc.go"
	for _, c := range []struct {
		name string
		a    Anchor
		want string // "" where it is taken
	}{
		{"added", Anchor{calc, OnLine, Right, 3, 0}, ""},
		{"context", Anchor{calc, OnLine, Right, 2, 0}, ""},
		{"deleted", Anchor{calc, OnLine, Left, 3, 0}, ""},
		{"file", Anchor{calc, OnFile, "", 0, 0}, ""},
		{"range of one line", Anchor{calc, OnLine, Right, 3, 3}, "a range must begin before line 3, not at 3"},
		{"range over hunks", Anchor{calc, OnLine, Right, 41, 3}, "lines 3 to 41 are not in one hunk on the side RIGHT"},
		{"outside", Anchor{calc, OnLine, Right, 20, 0}, "lines 20 to 20 are not in one hunk"},
		{"context on the old side", Anchor{calc, OnLine, Left, 2, 0}, "not in one hunk on the side LEFT"},
		{"no side", Anchor{calc, OnLine, "", 3, 0}, "not in one hunk"},
		{"old name", Anchor{"old.txt", OnFile, "", 0, 0}, "the change has no lines of it"},
		{"unknown", Anchor{"x", OnLine, Right, 1, 0}, "the change has no lines of it"},
	} {
		err := set.Commentable(c.a)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
}
