package diff

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// text numbers lines, so that git finds renames and several hunks.
func text(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

const (
	file   = "100644"
	script = "100755"
	link   = "120000"
)

// TestGit compares with git on changes that have gone wrong in other readers
// of diffs: each is two trees, flags, and whatever git makes of them.
func TestGit(t *testing.T) {
	id1, id2 := strings.Repeat("1", 40), strings.Repeat("2", 40)
	nul := "\x00\x01binary" + text(30)
	type trees = map[string]entry
	for _, c := range []struct {
		name          string
		before, after trees
		flags         []string
	}{
		{"empty file added, removed, filled, emptied", trees{"gone": {file, ""}, "fill": {file, ""}, "drain": {file, "x\n"}},
			trees{"come": {file, ""}, "fill": {file, "x\n"}, "drain": {file, ""}}, nil},
		{"empty executable", trees{}, trees{"e": {script, ""}}, nil},
		{"mode only and empty", trees{"e": {file, ""}}, trees{"e": {script, ""}}, nil},
		{"mode and content", trees{"e": {file, text(9)}}, trees{"e": {script, text(10)}}, nil},
		{"binary with mode as the last file", trees{"b": {file, nul}}, trees{"b": {script, nul + "x"}}, nil},
		{"binary renamed with mode", trees{"b": {file, nul}}, trees{"c": {script, nul + "x"}}, []string{"-M"}},
		{"binary patch renamed with mode", trees{"b": {file, nul}, "z": {file, "1\n"}}, trees{"c": {script, nul + "x"}, "z": {file, "2\n"}}, []string{"-M", "--binary"}},
		{"binary patch added and removed", trees{"b": {file, nul}, "z": {file, "1\n"}}, trees{"c": {file, "\x00"}, "z": {file, "2\n"}}, []string{"--binary", "--no-renames"}},
		{"binary copied", trees{"b": {file, nul}}, trees{"b": {file, nul}, "c": {file, nul + "x"}}, []string{"-C", "--find-copies-harder"}},
		{"binary from and to text", trees{"b": {file, nul}, "t": {file, "x\n"}}, trees{"b": {file, "x\n"}, "t": {file, nul}}, nil},
		{"NUL shown as text", trees{"b": {file, "a\x00b\nc\n"}}, trees{"b": {file, "a\x00b\nd\x00\n"}}, []string{"--text"}},
		{"names that look like headers", trees{"--- a/x": {file, "1\n"}, "+++ b/x": {file, "1\n"}, "diff --git a/x b/x": {file, "1\n"}, "@@ -1 +1 @@": {file, "1\n"}, "rename from x": {file, "1\n"}, "Binary files a and b differ": {file, "1\n"}},
			trees{"--- a/x": {file, "2\n"}, "+++ b/x": {file, "2\n"}, "diff --git a/x b/x": {file, "2\n"}, "@@ -1 +1 @@": {file, "2\n"}, "rename from x": {file, "2\n"}, "Binary files a and b differ": {file, "2\n"}}, nil},
		{"spaces everywhere", trees{" a": {file, "1\n"}, "b ": {file, "1\n"}, " ": {file, "1\n"}, "c  d/ e ": {file, "1\n"}},
			trees{" a": {script, "1\n"}, "b ": {script, "1\n"}, " ": {script, "1\n"}, "c  d/ e ": {script, "1\n"}}, nil},
		{"spaces everywhere, content", trees{" a": {file, "1\n"}, "b ": {file, "1\n"}, " ": {file, "1\n"}, "c  d/ e ": {file, "1\n"}},
			trees{" a": {file, "2\n"}, "b ": {file, "2\n"}, " ": {file, "2\n"}, "c  d/ e ": {file, "2\n"}}, nil},
		{"b/ inside names", trees{"x b/x": {file, ""}, "a/x b/a/x": {file, ""}, "b/b b/b": {file, "1\n"}},
			trees{"x b/x": {script, ""}, "a/x b/a/x": {script, ""}, "b/b b/b": {file, "2\n"}}, nil},
		{"renamed around b/", trees{"x b/y": {file, text(20)}}, trees{"y b/x b/y": {file, text(20)}}, []string{"-M"}},
		{"renamed around b/, changed", trees{"x b/y": {file, text(20)}}, trees{"y b/x b/y": {script, text(21)}}, []string{"-M"}},
		{"control bytes and quotes", trees{"\a\b\t\n\v\f\r\"\\\x01\x7f": {file, "1\n"}, "\"": {file, "1\n"}, "\\": {file, "1\n"}, "e\r": {file, "1\n"}},
			trees{"\a\b\t\n\v\f\r\"\\\x01\x7f": {file, "2\n"}, "\"": {script, "1\n"}, "\\": {file, "2\n"}, "e\r": {file, "2\n"}}, nil},
		{"only one of two names quoted", trees{"plain name": {file, text(20)}}, trees{"caf\xe9 \"name": {file, text(21)}}, []string{"-M"}},
		{"only the old name quoted", trees{"tab\tname": {file, text(20)}}, trees{"plain name": {file, text(20)}}, []string{"-M"}},
		{"invalid UTF-8 and normal forms", trees{"\xff\xfe": {file, "1\n"}, "e\u0301": {file, "1\n"}, "\u00e9": {file, "1\n"}}, trees{"\xff\xfe": {file, "2\n"}, "e\u0301": {file, "2\n"}, "\u00e9": {file, "2\n"}}, nil},
		{"names of the null device", trees{"dev/null": {file, "1\n"}}, trees{"dev/null": {file, "2\n"}}, nil},
		{"no newline, all ways", trees{"a": {file, "x"}, "b": {file, "x\n"}, "c": {file, "x\ny"}, "d": {file, "1\n2\n3\n4\n5"}},
			trees{"a": {file, "x\n"}, "b": {file, "x"}, "c": {file, "x\nz"}, "d": {file, "0\n1\n2\n3\n4\n5"}}, nil},
		{"line ends", trees{"a": {file, "x\r\ny\r\n\r\n"}, "b": {file, "x\ry\n"}, "c": {file, "x\r\n"}, "d": {file, "\r"}},
			trees{"a": {file, "x\r\nz\r\n\r\n"}, "b": {file, "x\rz\n"}, "c": {file, "x\n"}, "d": {file, "\r\n"}}, nil},
		{"odd white space", trees{"a": {file, "\f\n\v\n\u0085\n\u2028\n"}}, trees{"a": {file, "\f\n\vx\n\u0085\n\u2029\n"}}, nil},
		{"byte order mark comes", trees{"a": {file, "x\n"}}, trees{"a": {file, "\ufeffx\n"}}, nil},
		{"lines like headers, no context", trees{"a": {file, "-- a/evil\n1\n2\n3\n4\n"}}, trees{"a": {file, "++ b/evil\n1\n2\n3\n4x\n"}}, []string{"-U0"}},
		{"lines like headers", trees{"a": {file, "-- a/evil\n-- \n--\n@@ -1 +1 @@\n"}}, trees{"a": {file, "++ b/evil\n@@ -1 +1 @@\ndiff --git a/x b/x\n"}}, nil},
		{"hunks without context", trees{"a": {file, text(40)}}, trees{"a": {file, "0\n" + strings.Replace(text(41), "line 20\n", "", 1)}}, []string{"-U0"}},
		{"symbolic link retargeted", trees{"l": {link, "a"}}, trees{"l": {link, "b c"}}, nil},
		{"link added, removed, renamed", trees{"l": {link, "a"}, "m": {link, "target"}}, trees{"n": {link, "target"}, "o": {link, "z"}}, []string{"-M"}},
		{"file to link and back", trees{"a": {file, "x\n"}, "b": {link, "x"}}, trees{"a": {link, "x"}, "b": {file, "x\n"}}, nil},
		{"file to submodule and back", trees{"a": {file, "x\n"}, "b": {gitlink, id1}}, trees{"a": {gitlink, id2}, "b": {file, "x\n"}}, nil},
		{"submodule added, moved on, removed", trees{"m": {gitlink, id1}, "d": {gitlink, id1}}, trees{"m": {gitlink, id2}, "a": {gitlink, id2}}, []string{"--no-renames"}},
		{"submodule renamed", trees{"m": {gitlink, id1}}, trees{"n": {gitlink, id1}}, []string{"-M"}},
		{"rename chain", trees{"a": {file, text(20)}, "b": {file, "b" + text(30)}}, trees{"b": {file, text(20)}, "c": {file, "b" + text(31)}}, []string{"-M", "-B"}},
		{"swap", trees{"a": {file, text(20)}, "b": {file, strings.ToUpper(text(20))}}, trees{"b": {file, text(20)}, "a": {file, strings.ToUpper(text(20))}}, []string{"-M", "-B"}},
		{"one source, many copies", trees{"a": {file, text(20)}}, trees{"a": {file, text(21)}, "b": {file, text(20)}, "c": {script, text(22)}}, []string{"-C", "--find-copies-harder"}},
		{"rewritten whole", trees{"a": {file, text(60)}}, trees{"a": {file, strings.ToUpper(text(70))}}, []string{"-B"}},
		{"no prefix", trees{"a/x": {file, "1\n"}, "b/x": {file, "1\n"}, "x y": {file, ""}}, trees{"a/x": {file, "2\n"}, "b/x": {script, "1\n"}, "x y": {script, ""}}, []string{"--no-prefix"}},
		{"no prefix, renamed", trees{"a/x": {file, text(20)}, "z": {file, "1\n"}}, trees{"b/x": {file, text(20)}, "z": {script, "1\n"}}, []string{"--no-prefix", "-M"}},
		{"no prefix, dev/null", trees{"dev/null": {file, "1\n"}}, trees{"dev/null": {file, "2\n"}}, []string{"--no-prefix"}},
		{"no prefix, backticks", trees{"`x`": {file, "1\n"}}, trees{"`x`": {file, "2\n"}}, []string{"--no-prefix"}},
		{"mnemonic prefixes", trees{"a/x": {file, "1\n"}, "y z": {file, ""}}, trees{"a/x": {file, "2\n"}, "y z": {script, ""}}, []string{"--src-prefix=c/", "--dst-prefix=w/"}},
		{"mnemonic prefixes, added first", trees{"z": {file, "1\n"}}, trees{"a b": {file, "1\n"}, "z": {file, "2\n"}}, []string{"--src-prefix=i/", "--dst-prefix=w/"}},
		{"own prefixes", trees{"x": {file, "1\n"}}, trees{"x": {file, "2\n"}}, []string{"--src-prefix=before/tree/", "--dst-prefix=after/"}},
		{"reversed", trees{"x": {file, "1\n"}, "y": {file, ""}}, trees{"x": {file, "2\n"}}, []string{"-R"}},
		{"binary, other prefixes", trees{"b c": {file, nul}}, trees{"b c": {script, nul + "x"}}, []string{"--src-prefix=i/", "--dst-prefix=w/"}},
		{"full index", trees{"x": {file, "1\n"}}, trees{"x": {file, "2\n"}}, []string{"--full-index"}},
		{"function context", trees{"x.c": {file, "int a(void)\n{\n" + text(20) + "}\n"}}, trees{"x.c": {file, "int a(void)\n{\n" + text(21) + "}\n"}}, []string{"-W"}},
		{"section like a hunk's end", trees{"x": {file, "f @@ -1 +1 @@ x\n" + text(20)}}, trees{"x": {file, "f @@ -1 +1 @@ x\n" + text(21)}}, nil},
		{"section like a binary marker", trees{"x": {file, "deserializeBinaryBulkStatePrefix() Binary files differ\n" + text(20)}}, trees{"x": {file, "deserializeBinaryBulkStatePrefix() Binary files differ\n" + text(21)}}, nil},
		{"no differences", trees{"x": {file, "1\n"}}, trees{"x": {file, "1\n"}}, nil},
		{"one long line", trees{"x": {file, strings.Repeat("a", 1<<20) + "\n"}}, trees{"x": {file, strings.Repeat("b", 1<<20) + "\n"}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			from, to := r.tree(c.before), r.tree(c.after)
			for _, quote := range []string{"true", "false"} {
				raw := r.git(nil, append([]string{"-c", "core.quotePath=" + quote, "diff-tree", "-r", "-p"}, append(c.flags, from, to)...)...)
				set, err := Parse(raw)
				if err != nil {
					t.Fatalf("%v\n%s", err, raw)
				}
				want := r.truths(from, to, c.flags...)
				if slices.Contains(c.flags, "--text") {
					want[0].add = -2
				}
				check(t, set, want)
				if slices.Contains(c.flags, "-R") {
					checkContent(t, set, c.after, c.before)
				} else {
					checkContent(t, set, c.before, c.after)
				}
				again, err := Parse(Write(set))
				if err != nil {
					t.Fatalf("what Write wrote: %v\n%s", err, Write(set))
				}
				same(t, again, set)
				if t.Failed() {
					t.Logf("%.4096s", raw)
				}
			}
		})
	}
}

// TestGitDressed: the same change, in everything git can put around it, is the
// same Set.
func TestGitDressed(t *testing.T) {
	r := newRepo(t)
	// A file's own escape sequences, in lines of context, are no colours of git's.
	const own = "\tputs(\"\x1b[31mred\x1b[0m\"); \n\x1b[1mbold\x1b[m\r\n"
	before := map[string]entry{"a.c": {file, "int a(void)\n{\n" + text(20) + own + "\treturn 0;\r\n}\n"}, "b b.txt": {file, text(30)}, "bin": {file, "\x00" + text(9)}, "mode": {file, ""}}
	after := map[string]entry{"a.c": {file, "int a(void)\n{\n" + text(10) + own + "line 9 \n\treturn 1;\r\n\n \t}"}, "c \"c.txt": {file, text(29) + "x  \n"}, "bin": {file, "\x00" + text(8)}, "mode": {script, ""}, "new": {file, "\tx \r\n\n"}}
	from, to := r.tree(before), r.tree(after)
	first := strings.TrimSpace(string(r.git([]byte("first"), "commit-tree", from)))
	message := "second\n\nbody\n--- not a header\n+++ nor this\ndiff --git a/in-message b/in-message\n@@ -1 +1 @@\n"
	second := strings.TrimSpace(string(r.git([]byte(message), "commit-tree", "-p", first, to)))
	plain, err := Parse(r.git(nil, "diff", "-M", first, second))
	if err != nil {
		t.Fatal(err)
	}
	check(t, plain, r.truths(from, to, "-M"))
	checkContent(t, plain, before, after)
	for _, args := range [][]string{
		{"diff", "-M", "--color=always"},
		{"diff", "-M", "--color=always", "--color-moved=zebra", "--ws-error-highlight=all"},
		{"diff", "-M", "--color=always", "--no-prefix"},
		{"-c", "color.diff.context=dim white", "-c", "color.diff.old=normal", "diff", "-M", "--color=always"},
		{"-c", "color.diff.context=dim white", "diff", "-M", "--color=always", "--ws-error-highlight=all"},
		{"diff", "-M", "--raw", "--stat", "--summary", "--numstat", "--dirstat", "-p"},
		{"show", "-M"},
		{"show", "-M", "--stat", "-p", "--color=always"},
		{"show", "-M", "--format=fuller", "--raw", "-p"},
		{"show", "-M", "--format=raw"},
		{"show", "-M", "--oneline"},
		{"show", "-M", "--format=email"},
		{"show", "-M", "--format=email", "--stat", "-p"},
		{"log", "-M", "-p", "-1", "--stat", "--notes", "--decorate=full"},
		{"format-patch", "-M", "--stdout", "-1"},
		{"format-patch", "-M", "--stdout", "-1", "--base=" + first},
		{"format-patch", "-M", "--stdout", "-1", "--no-signature"},
		{"format-patch", "-M", "--stdout", "-1", "--subject-prefix=RFC", "--from=x <x@example.invalid>", "--to=y@example.invalid", "--no-binary"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			args := append(slices.Clone(args), second)
			if slices.Contains(args, "diff") {
				args = append(args[:len(args)-1], first, second)
			}
			raw := r.git(nil, args...)
			set, err := Parse(raw)
			if err != nil {
				t.Fatalf("%v\n%q", err, raw)
			}
			for i, f := range set.Files {
				// A mail shows ids and binary files in full.
				if p := plain.Files[i]; strings.HasPrefix(f.OldID, p.OldID) {
					f.OldID, f.NewID = p.OldID, p.NewID
				}
			}
			same(t, set, plain)
			if t.Failed() {
				t.Logf("%q", raw)
			}
		})
	}
	for _, args := range [][]string{
		{"log", "-p", second},
		{"log", "-p", "--oneline", second},
		{"log", "-p", "--graph", second},
		{"format-patch", "--stdout", "--root", second},
		{"format-patch", "--stdout", "--attach", "-1", second},
		{"format-patch", "--stdout", "--no-stat", "-1", second}, // an empty line of the binary patch may end the message
		{"diff", "--stat", first, second},
		{"diff", "--name-status", first, second},
		{"diff", "--word-diff", "--color=always", first, second, "--", "a.c"},
	} {
		set, err := Parse(r.git(nil, args...))
		if err == nil && !set.unread() {
			t.Errorf("%q is read as %s", args, outcome(set, err))
		}
	}
}
