package diff

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
)

var globCases = []struct {
	patterns string // separated by spaces
	takes    string
	leaves   string
}{
	{"*.go", "x.go a/x.go a.go/y", "x.gox a/x.g .golang"},
	{"/x.go", "x.go", "a/x.go"},
	{"docs/", "docs/a a/docs/b/c", "docs a/docs docsx/a"},
	{"a/b", "a/b a/b/c", "x/a/b a/bc"},
	{"a/*.go", "a/x.go", "a/b/x.go x/a/x.go"},
	{"**/a", "a x/a x/y/a a/z", "xa x/ab"},
	{"a/**", "a/b a/b/c", "a x/a/b"},
	{"a/**/b", "a/b a/x/b a/x/y/b a/b/c", "ab a/xb"},
	{"x?y", "xay x-y", "xy x/y xaay"},
	{"[ab].c", "a.c b.c q/a.c", "c.c ab.c"},
	{"[!ab].c", "c.c", "a.c /.c"},
	{"[]x].c", "].c x.c", "y.c"},
	{"[a-c]1", "a1 b1 c1", "d1 -1"},
	{`\*.c`, "*.c", "a.c"},
	{`\!x`, "!x", "x"},
	{"a.b+c(d)", "a.b+c(d)", "axb+c(d) a.bbc(d)"},
	{"**", "a a/b", ""},
	{"*", "a a/b .x", ""},
	{"日本*", "日本.txt 日本", "日x"},
}

func TestGlobs(t *testing.T) {
	for _, c := range append(globCases, []struct{ patterns, takes, leaves string }{
		{"*.go !*_test.go", "a.go", "a_test.go b/a_test.go x"},
		{"!a a", "a", ""},
		{"x?y", "xéy", ""}, // git counts bytes here
		{"gen/ !gen/keep/ gen/keep/not", "gen/a gen/keep/not", "gen/keep/b"},
	}...) {
		g, err := CompileGlobs(strings.Fields(c.patterns))
		if err != nil {
			t.Errorf("%s: %v", c.patterns, err)
			continue
		}
		for _, p := range strings.Fields(c.takes) {
			if !g.Match(p) {
				t.Errorf("%s does not take %s", c.patterns, p)
			}
		}
		for _, p := range strings.Fields(c.leaves) {
			if g.Match(p) {
				t.Errorf("%s takes %s", c.patterns, p)
			}
		}
	}
	if (Globs{}).Match("x") {
		t.Error("no patterns take x")
	}
	if p, _ := mustGlobs(t, "*.go", "a/*").Which("a/x.go"); p != "a/*" {
		t.Errorf("the last pattern that matches is a/*, not %s", p)
	}
}

func TestGlobsWrong(t *testing.T) {
	for _, p := range []string{"", "/", "!", "[ab", "[", "[!", `a\`, "[z-a]"} {
		if _, err := CompileGlobs([]string{p}); err == nil || !strings.Contains(err.Error(), "glob ") {
			t.Errorf("%q: got %v", p, err)
		}
	}
}

// TestGlobsAsGit: one pattern takes what git's own ignore rules take.
func TestGlobsAsGit(t *testing.T) {
	r := newRepo(t)
	for _, c := range globCases {
		var paths bytes.Buffer
		for _, p := range strings.Fields(c.takes + " " + c.leaves) {
			if strings.HasPrefix(p, "/") {
				continue // no path of a tree
			}
			paths.WriteString(p + "\x00")
		}
		if err := os.WriteFile(r.dir+"/.git/info/exclude", []byte(c.patterns+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("git", "check-ignore", "--no-index", "-z", "--stdin")
		cmd.Dir = r.dir
		cmd.Stdin = &paths
		out, _ := cmd.Output() // exit 1 is "none"
		ignored := map[string]bool{}
		for p := range strings.SplitSeq(string(out), "\x00") {
			ignored[p] = true
		}
		g := mustGlobs(t, c.patterns)
		for _, p := range strings.Fields(c.takes + " " + c.leaves) {
			if !strings.HasPrefix(p, "/") && g.Match(p) != ignored[p] {
				t.Errorf("%s, %s: git says %v", c.patterns, p, ignored[p])
			}
		}
	}
}

func mustGlobs(t testing.TB, patterns ...string) Globs {
	t.Helper()
	g, err := CompileGlobs(patterns)
	if err != nil {
		t.Fatal(err)
	}
	return g
}
