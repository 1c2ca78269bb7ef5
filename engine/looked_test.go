package engine

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

const twoHunks = `diff --git a/pay/pay.go b/pay/pay.go
index 1111111..2222222 100644
--- a/pay/pay.go
+++ b/pay/pay.go
@@ -10,3 +10,4 @@ func Pay() {
 a
-b
+c
+d
 e
@@ -40,2 +41,2 @@
-f
+g
 h
\ No newline at end of file
`

func parsed(t *testing.T, text string) *diff.Set {
	t.Helper()
	set, err := diff.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// beside is a change too large to stand in a prompt, with the two hunks first.
func beside(t *testing.T) *diff.Set {
	t.Helper()
	return parsed(t, twoHunks+"diff --git a/big.txt b/big.txt\nnew file mode 100644\nindex 0000000..3333333\n--- /dev/null\n+++ b/big.txt\n@@ -0,0 +1,2000 @@\n"+
		strings.Repeat("+"+strings.Repeat("x", 60)+"\n", 2000))
}

// read is a completed call of the server's own form.
func read(path string, from, to int) review.Tool {
	var b strings.Builder
	b.WriteString("<path>" + path + "</path>\n<type>file</type>\n<content>\n")
	for n := from; n <= to; n++ {
		b.WriteString(strconv.Itoa(n) + ": 7: text\n")
	}
	b.WriteString("\n(End of file - total 90 lines)\n</content>")
	return review.Tool{Name: "read", Status: "completed", Input: `{"filePath":"` + path + `","offset":` + strconv.Itoa(from) + `}`, Output: b.String()}
}

func below(path string) string { return strings.TrimPrefix(path, "/snap/") }

func TestSeenBy(t *testing.T) {
	grep := review.Tool{Name: "grep", Status: "completed", Output: "Found 3 matches\n/snap/a/x.go:\n  Line 3: func a() {:\n  Line 40: b\n\n\n/snap/b.go:\n  Line 7: /snap/c.go:\n"}
	failed := read("/snap/a.go", 1, 9)
	failed.Status = "error"
	folder := review.Tool{Name: "read", Status: "completed", Input: `{"filePath":"/snap"}`, Output: "<path>/snap</path>\n<type>directory</type>\n<entries>\n1: a\n</entries>"}
	for _, c := range []struct {
		name string
		tool review.Tool
		want []review.Seen
	}{
		{"a whole file", read("/snap/pay/pay.go", 1, 90), []review.Seen{{Path: "pay/pay.go", From: 1, To: 90}}},
		{"a stretch", read("/snap/pay/pay.go", 20, 29), []review.Seen{{Path: "pay/pay.go", From: 20, To: 29}}},
		{"matches", grep, []review.Seen{{Path: "a/x.go", From: 3, To: 3}, {Path: "a/x.go", From: 40, To: 40}, {Path: "b.go", From: 7, To: 7}}},
		{"a call that failed", failed, nil},
		{"a directory", folder, nil},
		{"names only", review.Tool{Name: "glob", Status: "completed", Output: "/snap/pay/pay.go\n"}, nil},
	} {
		if got := seenBy(c.tool, below); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestLooked: a hunk in the prompt counts when the report proves that the
// prompt's front was read; a file or patch that was read counts for the lines
// that were shown; nothing else does.
func TestLooked(t *testing.T) {
	marked, unmarked := &review.Report{MarkerOK: true}, &review.Report{}
	place := func(hunk, line int, side diff.Side) diff.Place {
		return diff.Place{Path: "pay/pay.go", Hunk: hunk, Start: line, End: line, Side: side}
	}
	patch := "/snap/mrv-context/diff/001-pay-pay.go.patch"
	for _, c := range []struct {
		name   string
		large  bool
		report *review.Report
		tool   review.Tool
		place  diff.Place
		want   bool
	}{
		{"its hunk is in the prompt", false, marked, review.Tool{}, place(0, 11, diff.Right), true},
		{"the prompt was cut", false, unmarked, review.Tool{}, place(0, 11, diff.Right), false},
		{"the file is in the prompt, the line is not", false, marked, review.Tool{}, place(-1, 70, diff.Right), false},
		{"the line was read", false, marked, read("/snap/pay/pay.go", 60, 79), place(-1, 70, diff.Right), true},
		{"other lines were read", false, marked, read("/snap/pay/pay.go", 1, 69), place(-1, 70, diff.Right), false},
		{"another file was read", false, marked, read("/snap/x/pay/pay.go", 1, 90), place(-1, 70, diff.Right), false},
		{"no report", false, nil, read("/snap/pay/pay.go", 1, 90), place(0, 11, diff.Right), false},
		{"nothing but an index in the prompt", true, marked, review.Tool{}, place(0, 11, diff.Right), false},
		{"the patch was read", true, marked, read(patch, 1, 16), place(0, 11, diff.Right), true},
		{"the patch's second hunk was not", true, marked, read(patch, 1, 9), place(1, 41, diff.Right), false},
		{"only the second hunk was", true, marked, read(patch, 11, 14), place(1, 41, diff.Right), true},
		{"a deleted line stands in the patch", true, marked, read(patch, 5, 7), place(0, 11, diff.Left), true},
		{"a deleted line does not stand in the file", true, marked, read("/snap/pay/pay.go", 1, 90), place(0, 11, diff.Left), false},
	} {
		set := parsed(t, twoHunks)
		if c.large {
			set = beside(t)
		}
		c.tool.Seen = seenBy(c.tool, below)
		if got := newSight(set).looked(c.report, []review.Tool{c.tool}, c.place); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// TestPatchLine holds patchLine against the patch's own text.
func TestPatchLine(t *testing.T) {
	f := parsed(t, twoHunks).Files[0]
	lines := strings.Split(string(f.Patch()), "\n")
	for _, c := range []struct {
		place diff.Place
		want  string
	}{
		{diff.Place{Hunk: 0, Start: 11, Side: diff.Right}, "+c"}, {diff.Place{Hunk: 0, Start: 11, Side: diff.Left}, "-b"},
		{diff.Place{Hunk: 0, Start: 13, Side: diff.Right}, " e"}, {diff.Place{Hunk: 1, Start: 40, Side: diff.Left}, "-f"},
		{diff.Place{Hunk: 1, Start: 42, Side: diff.Right}, " h"},
	} {
		if n := patchLine(f, c.place); n < 1 || lines[n-1] != c.want {
			t.Errorf("%+v: line %d, want %q", c.place, n, c.want)
		}
	}
}

// TestHunksLookedAt: what the map of who looked where is made of.
func TestHunksLookedAt(t *testing.T) {
	marked, unmarked := &review.Report{MarkerOK: true}, &review.Report{}
	patch := "/snap/mrv-context/diff/001-pay-pay.go.patch"
	for _, c := range []struct {
		name   string
		large  bool
		agent  string
		report *review.Report
		tool   review.Tool
		want   map[string]int
	}{
		{"the prompt has all hunks", false, AgentOpenCode, marked, review.Tool{}, map[string]int{"pay/pay.go": 2}},
		{"the prompt was cut", false, AgentOpenCode, unmarked, review.Tool{}, map[string]int{}},
		{"the prompt has an index", true, AgentOpenCode, marked, review.Tool{}, map[string]int{}},
		{"the whole patch was read", true, AgentOpenCode, marked, read(patch, 1, 16), map[string]int{"pay/pay.go": 2}},
		{"a part of the patch was read", true, AgentOpenCode, marked, read(patch, 1, 9), map[string]int{"pay/pay.go": 1}},
		{"rules read every added line", true, AgentChecks, marked, review.Tool{}, map[string]int{"pay/pay.go": 2, "big.txt": 1}},
		{"a model without tools is sent every hunk", true, AgentDirect + ":local", marked, review.Tool{}, map[string]int{"pay/pay.go": 2, "big.txt": 1}},
	} {
		set := parsed(t, twoHunks)
		if c.large {
			set = beside(t)
		}
		c.tool.Seen = seenBy(c.tool, below)
		if got := newSight(set).hunks(event.Member{Agent: c.agent}, c.report, []review.Tool{c.tool}); !maps.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
