package diff

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// TestLarge: sizes at which other readers stop, skip or misread.
func TestLarge(t *testing.T) {
	header := func(name string) string {
		return fmt.Sprintf("diff --git a/%s b/%s\nindex 1111111..2222222 100644\n--- a/%s\n+++ b/%s\n", name, name, name, name)
	}
	repeat := func(n int, line func(i int) string) string {
		var b bytes.Buffer
		for i := range n {
			b.WriteString(line(i))
		}
		return b.String()
	}
	for _, c := range []struct {
		name, input string
		files       int
		add, del    int
	}{
		{"one line of 5 MB", header("f") + "@@ -1 +1 @@\n-" + strings.Repeat("a", 5<<20) + "\n+" + strings.Repeat("b", 5<<20) + "\n", 1, 1, 1},
		{"100,000 lines", header("f") + "@@ -1,100000 +1,100000 @@\n" + repeat(100000, func(i int) string { return fmt.Sprintf("-old %d\n", i) }) +
			repeat(100000, func(i int) string { return fmt.Sprintf("+new %d\n", i) }), 1, 100000, 100000},
		{"100,000 hunks", header("f") + repeat(100000, func(i int) string { return fmt.Sprintf("@@ -%d +%d @@\n-a\n+b\n", 3*i+1, 3*i+1) }), 1, 100000, 100000},
		{"more than is read again at once", repeat(300, func(i int) string {
			return header(fmt.Sprintf("d/f%d", i)) + "@@ -1 +1 @@\n-a\n+" + strings.Repeat("b", 20000) + "\n"
		}), 300, 300, 300},
		{"3,000 files", repeat(3000, func(i int) string { return header(fmt.Sprintf("d/f%d", i)) + "@@ -1 +1 @@\n-a\n+b\n" }), 3000, 3000, 3000},
	} {
		t.Run(c.name, func(t *testing.T) {
			set, err := Parse([]byte(c.input))
			if err != nil {
				t.Fatal(err)
			}
			add, del := set.Stat()
			if len(set.Files) != c.files || add != c.add || del != c.del || set.unread() {
				t.Errorf("%d files, +%d -%d, want %d, +%d -%d: %s", len(set.Files), add, del, c.files, c.add, c.del, set.Files[0].Unread)
			}
			if got := Write(set); string(got) != c.input {
				t.Errorf("Write gives other bytes: %.300q", got)
			}
			last := set.Files[len(set.Files)-1]
			h := last.Hunks[len(last.Hunks)-1]
			if p := set.Locate(last.Path(), 0, 0, false, h.Lines[len(h.Lines)-1].Text); c.files > 1 && p.How != Exact {
				t.Errorf("its last line is at %+v", p)
			}
		})
	}
}

// TestSlowHeaders: header lines made to be ambiguous end in an answer, not in
// a search that grows with the square of their length.
func TestSlowHeaders(t *testing.T) {
	for _, line := range []string{
		"diff --git " + strings.Repeat("x ", 1<<20),
		"diff --git " + strings.Repeat("a/b b/b ", 1<<18),
		"diff --git " + strings.Repeat(`"`, 1<<20),
		"diff --git \"" + strings.Repeat(`\`, 1<<20) + "\"",
		"Binary files " + strings.Repeat("x and ", 1<<18) + " differ",
		"From: x\nSubject: y\n\n" + strings.Repeat("\ndiff --git a/x b/x\n", 1<<16),
		"Submodule " + strings.Repeat("a 1111111..2222222 ", 1<<16),
		"commit 1111111\n" + strings.Repeat("    x\n", 1<<18) + "x\n",
	} {
		if set, err := Parse([]byte(line + "\n")); err == nil && !set.unread() {
			t.Errorf("%.40q is read as %.100s", line, outcome(set, err))
		}
	}
}

// TestShared: lines are parts of one copy of the input, so a large change is
// not held twice; the input may be changed afterwards.
func TestShared(t *testing.T) {
	raw := []byte(oneFile)
	set, err := Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	clear(raw)
	if got := string(Write(set)); got != oneFile {
		t.Errorf("the change is %q after its input was cleared", got)
	}
	many := []byte(strings.Replace(oneFile, "@@ -1,2 +1,2 @@\n a\n-b\n+c\n", "@@ -0,0 +1,1000 @@\n"+strings.Repeat("+line\n", 1000), 1))
	if allocs := testing.AllocsPerRun(5, func() {
		p := &parser{lines: lines{text: string(many)}}
		for !p.eof() {
			if err := p.section(); err != nil {
				t.Fatal(err)
			}
		}
	}); allocs > 100 {
		t.Errorf("%v allocations for 1000 lines", allocs)
	}
}
