package diff

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// repo is a repository that a test makes trees in.
type repo struct {
	t   *testing.T
	dir string
}

func newRepo(t *testing.T) *repo {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		if os.Getenv("MRV_REQUIRE_GIT") != "" {
			t.Fatal(err)
		}
		t.Skip("needs git on PATH")
	}
	r := &repo{t: t, dir: t.TempDir()}
	r.git(nil, "init", "-q")
	return r
}

// git runs git apart from anybody's configuration.
func (r *repo) git(stdin []byte, args ...string) []byte {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.invalid", "GIT_AUTHOR_DATE=2026-01-01T00:00:00Z",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.invalid", "GIT_COMMITTER_DATE=2026-01-01T00:00:00Z")
	cmd.Stdin = bytes.NewReader(stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		r.t.Fatalf("git %q: %v\n%s", args, err, &stderr)
	}
	return out
}

// entry is one file of a tree: git's mode and content; the content of a
// submodule is a commit's id.
type entry struct{ mode, content string }

// tree writes a tree object, without a working tree: names may be anything.
func (r *repo) tree(files map[string]entry) string {
	r.t.Helper()
	var index bytes.Buffer
	for name, e := range files {
		id := e.content
		if e.mode != gitlink {
			id = strings.TrimSpace(string(r.git([]byte(e.content), "hash-object", "-w", "--stdin")))
		}
		fmt.Fprintf(&index, "%s %s 0\t%s\x00", e.mode, id, name)
	}
	r.git(nil, "read-tree", "--empty")
	r.git(index.Bytes(), "update-index", "-z", "--index-info")
	return strings.TrimSpace(string(r.git(nil, "write-tree")))
}

// truth is what git says about a file without a diff.
type truth struct {
	status           byte
	oldMode, newMode string
	oldPath, newPath string
	add, del         int // -1 for binary, -2 where --numstat does not count the diff's lines
}

// truths asks git for --raw and --numstat. git writes a change of type as two
// files, so it is two here.
func (r *repo) truths(from, to string, flags ...string) []truth {
	r.t.Helper()
	var list []truth
	args := append([]string{"diff-tree", "-r", "--raw", "-z"}, append(slices.Clone(flags), from, to)...)
	parts := strings.Split(strings.TrimSuffix(string(r.git(nil, args...)), "\x00"), "\x00")
	for i := 0; i < len(parts) && parts[i] != ""; {
		f := strings.Fields(strings.TrimPrefix(parts[i], ":"))
		t := truth{status: f[4][0], oldMode: f[0], newMode: f[1], oldPath: parts[i+1], newPath: parts[i+1]}
		i += 2
		if t.status == 'R' || t.status == 'C' {
			t.newPath = parts[i]
			i++
		}
		list = append(list, t)
	}
	args[2] = "--numstat"
	parts = strings.Split(strings.TrimSuffix(string(r.git(nil, args...)), "\x00"), "\x00")
	for n, i := 0, 0; i < len(parts) && parts[i] != ""; n++ {
		f := strings.SplitN(parts[i], "\t", 3)
		list[n].add, list[n].del = count(f[0]), count(f[1])
		i++
		if f[2] == "" {
			i += 2
		}
	}
	return split(list)
}

func count(s string) int {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	return -1
}

// split makes two files of a change of type and clears absent sides.
func split(list []truth) []truth {
	var out []truth
	for _, t := range list {
		switch t.status {
		case 'T':
			gone, come := t, t
			gone.status, gone.newPath, gone.newMode, gone.add = 'D', "", "", -2
			come.status, come.oldPath, come.oldMode, come.add = 'A', "", "", -2
			out = append(out, gone, come)
			continue
		case 'A':
			t.oldPath, t.oldMode = "", ""
		case 'D':
			t.newPath, t.newMode = "", ""
		}
		out = append(out, t)
	}
	return out
}

// check compares a parsed diff with git's truths.
func check(t *testing.T, set *Set, want []truth) {
	t.Helper()
	if len(set.Files) != len(want) {
		t.Fatalf("%d files, want %d", len(set.Files), len(want))
	}
	for i, f := range set.Files {
		w := want[i]
		if f.Unread != "" {
			t.Errorf("%q: not read: %s", f.Path(), f.Unread)
		}
		if statusOf[f.Status] != w.status || f.OldPath != w.oldPath || f.NewPath != w.newPath {
			t.Errorf("%c %q %q, want %c %q %q", statusOf[f.Status], f.OldPath, f.NewPath, w.status, w.oldPath, w.newPath)
		}
		// A pure rename or copy does not show its mode.
		if f.OldMode+f.NewMode != "" && (f.OldMode != w.oldMode || f.NewMode != w.newMode) {
			t.Errorf("%q: modes %s %s, want %s %s", f.Path(), f.OldMode, f.NewMode, w.oldMode, w.newMode)
		}
		if w.add >= 0 && (f.Additions != w.add || f.Deletions != w.del) || w.add == -1 && f.Additions+f.Deletions > 0 {
			t.Errorf("%q: +%d -%d, want +%d -%d", f.Path(), f.Additions, f.Deletions, w.add, w.del)
		}
	}
}

// applied is the old content with the file's hunks applied.
func applied(old string, f *File) (string, error) {
	lines := strings.SplitAfter(old, "\n")
	var b strings.Builder
	at := 0 // lines of old that were used
	for _, h := range f.Hunks {
		for ; at < first(h.OldStart, h.OldLines)-1; at++ {
			b.WriteString(lines[at])
		}
		for _, l := range h.Lines {
			text := l.Text + "\n"
			if l.NoEOL {
				text = l.Text
			}
			if l.Op != Add {
				if lines[at] != text {
					return "", fmt.Errorf("old line %d is %q, the diff says %q", at+1, lines[at], text)
				}
				at++
			}
			if l.Op != Delete {
				b.WriteString(text)
			}
		}
	}
	b.WriteString(strings.Join(lines[at:], ""))
	return b.String(), nil
}

// checkContent applies every file that has hunks to the old tree.
func checkContent(t *testing.T, set *Set, before, after map[string]entry) {
	t.Helper()
	for _, f := range set.Files {
		if f.Submodule || f.Binary || len(f.Hunks) == 0 {
			continue
		}
		got, err := applied(before[f.OldPath].content, f)
		if err != nil || got != after[f.NewPath].content {
			t.Errorf("%q: applied to the old content the hunks give %.200q (%v), want %.200q",
				f.Path(), got, err, after[f.NewPath].content)
		}
	}
}

// text numbers lines, so that git finds renames and several hunks.
func text(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

const (
	file  = "100644"
	exec_ = "100755"
	link  = "120000"
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
		{"empty executable", trees{}, trees{"e": {exec_, ""}}, nil},
		{"mode only and empty", trees{"e": {file, ""}}, trees{"e": {exec_, ""}}, nil},
		{"mode and content", trees{"e": {file, text(9)}}, trees{"e": {exec_, text(10)}}, nil},
		{"binary with mode as the last file", trees{"b": {file, nul}}, trees{"b": {exec_, nul + "x"}}, nil},
		{"binary renamed with mode", trees{"b": {file, nul}}, trees{"c": {exec_, nul + "x"}}, []string{"-M"}},
		{"binary patch renamed with mode", trees{"b": {file, nul}, "z": {file, "1\n"}}, trees{"c": {exec_, nul + "x"}, "z": {file, "2\n"}}, []string{"-M", "--binary"}},
		{"binary patch added and removed", trees{"b": {file, nul}, "z": {file, "1\n"}}, trees{"c": {file, "\x00"}, "z": {file, "2\n"}}, []string{"--binary", "--no-renames"}},
		{"binary copied", trees{"b": {file, nul}}, trees{"b": {file, nul}, "c": {file, nul + "x"}}, []string{"-C", "--find-copies-harder"}},
		{"binary from and to text", trees{"b": {file, nul}, "t": {file, "x\n"}}, trees{"b": {file, "x\n"}, "t": {file, nul}}, nil},
		{"NUL shown as text", trees{"b": {file, "a\x00b\nc\n"}}, trees{"b": {file, "a\x00b\nd\x00\n"}}, []string{"--text"}},
		{"names that look like headers", trees{"--- a/x": {file, "1\n"}, "+++ b/x": {file, "1\n"}, "diff --git a/x b/x": {file, "1\n"}, "@@ -1 +1 @@": {file, "1\n"}, "rename from x": {file, "1\n"}, "Binary files a and b differ": {file, "1\n"}},
			trees{"--- a/x": {file, "2\n"}, "+++ b/x": {file, "2\n"}, "diff --git a/x b/x": {file, "2\n"}, "@@ -1 +1 @@": {file, "2\n"}, "rename from x": {file, "2\n"}, "Binary files a and b differ": {file, "2\n"}}, nil},
		{"spaces everywhere", trees{" a": {file, "1\n"}, "b ": {file, "1\n"}, " ": {file, "1\n"}, "c  d/ e ": {file, "1\n"}},
			trees{" a": {exec_, "1\n"}, "b ": {exec_, "1\n"}, " ": {exec_, "1\n"}, "c  d/ e ": {exec_, "1\n"}}, nil},
		{"spaces everywhere, content", trees{" a": {file, "1\n"}, "b ": {file, "1\n"}, " ": {file, "1\n"}, "c  d/ e ": {file, "1\n"}},
			trees{" a": {file, "2\n"}, "b ": {file, "2\n"}, " ": {file, "2\n"}, "c  d/ e ": {file, "2\n"}}, nil},
		{"b/ inside names", trees{"x b/x": {file, ""}, "a/x b/a/x": {file, ""}, "b/b b/b": {file, "1\n"}},
			trees{"x b/x": {exec_, ""}, "a/x b/a/x": {exec_, ""}, "b/b b/b": {file, "2\n"}}, nil},
		{"renamed around b/", trees{"x b/y": {file, text(20)}}, trees{"y b/x b/y": {file, text(20)}}, []string{"-M"}},
		{"renamed around b/, changed", trees{"x b/y": {file, text(20)}}, trees{"y b/x b/y": {exec_, text(21)}}, []string{"-M"}},
		{"control bytes and quotes", trees{"\a\b\t\n\v\f\r\"\\\x01\x7f": {file, "1\n"}, "\"": {file, "1\n"}, "\\": {file, "1\n"}, "e\r": {file, "1\n"}},
			trees{"\a\b\t\n\v\f\r\"\\\x01\x7f": {file, "2\n"}, "\"": {exec_, "1\n"}, "\\": {file, "2\n"}, "e\r": {file, "2\n"}}, nil},
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
		{"one source, many copies", trees{"a": {file, text(20)}}, trees{"a": {file, text(21)}, "b": {file, text(20)}, "c": {exec_, text(22)}}, []string{"-C", "--find-copies-harder"}},
		{"rewritten whole", trees{"a": {file, text(60)}}, trees{"a": {file, strings.ToUpper(text(70))}}, []string{"-B"}},
		{"no prefix", trees{"a/x": {file, "1\n"}, "b/x": {file, "1\n"}, "x y": {file, ""}}, trees{"a/x": {file, "2\n"}, "b/x": {exec_, "1\n"}, "x y": {exec_, ""}}, []string{"--no-prefix"}},
		{"no prefix, renamed", trees{"a/x": {file, text(20)}, "z": {file, "1\n"}}, trees{"b/x": {file, text(20)}, "z": {exec_, "1\n"}}, []string{"--no-prefix", "-M"}},
		{"no prefix, dev/null", trees{"dev/null": {file, "1\n"}}, trees{"dev/null": {file, "2\n"}}, []string{"--no-prefix"}},
		{"no prefix, backticks", trees{"`x`": {file, "1\n"}}, trees{"`x`": {file, "2\n"}}, []string{"--no-prefix"}},
		{"mnemonic prefixes", trees{"a/x": {file, "1\n"}, "y z": {file, ""}}, trees{"a/x": {file, "2\n"}, "y z": {exec_, ""}}, []string{"--src-prefix=c/", "--dst-prefix=w/"}},
		{"mnemonic prefixes, added first", trees{"z": {file, "1\n"}}, trees{"a b": {file, "1\n"}, "z": {file, "2\n"}}, []string{"--src-prefix=i/", "--dst-prefix=w/"}},
		{"own prefixes", trees{"x": {file, "1\n"}}, trees{"x": {file, "2\n"}}, []string{"--src-prefix=before/tree/", "--dst-prefix=after/"}},
		{"reversed", trees{"x": {file, "1\n"}, "y": {file, ""}}, trees{"x": {file, "2\n"}}, []string{"-R"}},
		{"binary, other prefixes", trees{"b c": {file, nul}}, trees{"b c": {exec_, nul + "x"}}, []string{"--src-prefix=i/", "--dst-prefix=w/"}},
		{"full index", trees{"x": {file, "1\n"}}, trees{"x": {file, "2\n"}}, []string{"--full-index"}},
		{"function context", trees{"x.c": {file, "int a(void)\n{\n" + text(20) + "}\n"}}, trees{"x.c": {file, "int a(void)\n{\n" + text(21) + "}\n"}}, []string{"-W"}},
		{"section like a hunk's end", trees{"x": {file, "f @@ -1 +1 @@ x\n" + text(20)}}, trees{"x": {file, "f @@ -1 +1 @@ x\n" + text(21)}}, nil},
		{"section like a binary marker", trees{"x": {file, "deserializeBinaryBulkStatePrefix() Binary files differ\n" + text(20)}}, trees{"x": {file, "deserializeBinaryBulkStatePrefix() Binary files differ\n" + text(21)}}, nil},
		{"no differences", trees{"x": {file, "1\n"}}, trees{"x": {file, "1\n"}}, nil},
		{"one long line", trees{"x": {file, strings.Repeat("a", 1<<20) + "\n"}}, trees{"x": {file, strings.Repeat("b", 1<<20) + "\n"}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, quote := range []string{"true", "false"} {
				r := newRepo(t)
				from, to := r.tree(c.before), r.tree(c.after)
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
					c.before, c.after = c.after, c.before
				}
				checkContent(t, set, c.before, c.after)
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

// TestGitWeave does the same with random trees and flags.
func TestGitWeave(t *testing.T) {
	r := newRepo(t)
	for seed := range uint64(60) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		before := weave(rnd, nil)
		after := weave(rnd, before)
		from, to := r.tree(before), r.tree(after)
		flags := pick(rnd, [][]string{nil, {"-M"}, {"-C", "--find-copies-harder"}, {"-M", "-B"}})
		flags = append(flags, pick(rnd, [][]string{nil, {"-U0"}, {"-U1"}, {"-U9"}, {"--inter-hunk-context=3"}, {"-W"}})...)
		flags = append(flags, pick(rnd, [][]string{nil, {"--no-prefix"}, {"--src-prefix=i/", "--dst-prefix=w/"}, {"--binary"}, {"--full-index"}, {"--patience"}, {"--minimal"}})...)
		quote := pick(rnd, [][]string{{"core.quotePath=true"}, {"core.quotePath=false"}})
		raw := r.git(nil, append([]string{"-c", quote[0], "diff-tree", "-r", "-p"}, append(slices.Clone(flags), from, to)...)...)
		set, err := Parse(raw)
		if err != nil {
			t.Fatalf("seed %d, %q: %v\n%s", seed, flags, err, raw)
		}
		check(t, set, r.truths(from, to, flags...))
		checkContent(t, set, before, after)
		again, err := Parse(Write(set))
		if err != nil {
			t.Fatalf("seed %d: what Write wrote: %v", seed, err)
		}
		same(t, again, set)
		if t.Failed() {
			t.Fatalf("seed %d, %q\n%.8192s", seed, flags, raw)
		}
	}
}

func pick(rnd *rand.Rand, from [][]string) []string { return slices.Clone(from[rnd.IntN(len(from))]) }

// weave makes a random tree, a changed copy of another where one is given.
func weave(rnd *rand.Rand, from map[string]entry) map[string]entry {
	pieces := []string{"a", "b", "x", " ", "a/", "b/", " b/", "\t", "\"", "\\", "\u00e9", "\xe9", "dev/null", "-", "+", "@@", "日本"}
	name := func() string {
		var b strings.Builder
		for range 1 + rnd.IntN(5) {
			b.WriteString(pieces[rnd.IntN(len(pieces))])
		}
		return filepath.Join("r", strings.Trim(b.String(), "/"), "f"+strconv.Itoa(rnd.IntN(99)))
	}
	lines := []string{"x", "", "-- a", "++ b", "@@ -1 +1 @@", "diff --git a/x b/x", "\\ No newline at end of file", "\r", "x\r", "func f() {", "}", "-", "+", " "}
	content := func(old string) string {
		in := strings.SplitAfter(old, "\n")
		var b strings.Builder
		for _, l := range in {
			if rnd.IntN(8) > 0 {
				b.WriteString(l)
			}
			if l != "" && !strings.HasSuffix(l, "\n") {
				b.WriteString("\n")
			}
			if rnd.IntN(8) == 0 || len(in) < 3 {
				for range rnd.IntN(25) {
					fmt.Fprintf(&b, "%s\n", lines[rnd.IntN(len(lines))])
				}
			}
		}
		s := b.String()
		if rnd.IntN(4) == 0 {
			s = strings.TrimSuffix(s, "\n")
		}
		if rnd.IntN(12) == 0 {
			s += "\x00"
		}
		return s
	}
	modes := []string{file, file, file, exec_, link}
	out := map[string]entry{}
	for n, e := range from {
		switch rnd.IntN(6) {
		case 0:
			continue
		case 1:
			out[name()] = entry{e.mode, e.content}
			continue
		case 2:
			out[name()] = entry{e.mode, content(e.content)}
		case 3:
			e.mode = modes[rnd.IntN(len(modes))]
		case 4:
			e.content = content(e.content)
		}
		out[n] = e
	}
	for range 2 + rnd.IntN(4) {
		out[name()] = entry{modes[rnd.IntN(len(modes))], content("")}
	}
	for n, e := range out {
		if e.mode == link && (e.content == "" || strings.ContainsRune(e.content, 0)) {
			out[n] = entry{link, "target"}
		}
	}
	return out
}

// same compares two changes file by file.
func same(t *testing.T, got, want *Set) {
	t.Helper()
	if len(got.Files) != len(want.Files) {
		t.Fatalf("%d files, want %d", len(got.Files), len(want.Files))
	}
	for i := range got.Files {
		g, w := fmt.Sprintf("%+v", flat(got.Files[i])), fmt.Sprintf("%+v", flat(want.Files[i]))
		if g != w {
			t.Errorf("got  %.2000s\nwant %.2000s", g, w)
		}
	}
}

// flat is a file with its hunks as values.
func flat(f *File) any {
	c := *f
	c.Hunks = nil
	var hunks []Hunk
	for _, h := range f.Hunks {
		hunks = append(hunks, *h)
	}
	return struct {
		File  File
		Hunks []Hunk
	}{c, hunks}
}
