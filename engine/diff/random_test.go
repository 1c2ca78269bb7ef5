package diff

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestGitAtRandom: whatever two trees hold, and however a person has git write
// their difference, it is read as git itself counts it, its hunks turn one
// tree into the other, and Write keeps it.
//
// The same cases are made in each run; -rapid.seed and -rapid.checks make
// others, and more.
func TestGitAtRandom(t *testing.T) {
	r := newRepo(t)
	if f := flag.Lookup("rapid.seed"); f.Value.String() == f.DefValue {
		if err := f.Value.Set("20260101"); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = f.Value.Set(f.DefValue) }()
	}
	rapid.Check(t, func(rt *rapid.T) {
		r := &repo{t: rt, dir: r.dir}
		before := treeOf(drawNames(rt, "before"), nil).Draw(rt, "tree before")
		after := treeOf(drawNames(rt, "after"), before).Filter(func(after map[string]entry) bool {
			return !maps.Equal(after, before)
		}).Draw(rt, "tree after")
		d := drawDressing(rt)
		from, to := r.commits(before, after)
		raw := r.git(nil, d.args(from, to)...)
		if slices.Contains(d.config, "color.ui=always") && bytes.Contains(raw, []byte(escape)) {
			return // git's colours and the files' own can't be told apart
		}
		set, err := Parse(raw)
		if err != nil {
			rt.Fatalf("%q: %v\n%s", d, err, raw)
		}
		if slices.Contains(d.flags, "-R") {
			before, after = after, before
		}
		check(rt, set, r.truths(from, to, d.flags...))
		checkContent(rt, set, before, after)
		again, err := Parse(Write(set))
		if err != nil {
			rt.Fatalf("what Write wrote: %v\n%s", err, Write(set))
		}
		same(rt, again, set)
		if rt.Failed() {
			rt.Fatalf("%q\n%.8192s", d, raw)
		}
	})
}

// commits writes two commits, the second one's message being all that could be
// taken for a diff, in one process.
func (r *repo) commits(before, after map[string]entry) (from, to string) {
	var b bytes.Buffer
	commit := func(mark int, message string, files map[string]entry) {
		fmt.Fprintf(&b, "commit refs/heads/random\nmark :%d\ncommitter a <a@example.invalid> 1767225600 +0000\ndata %d\n%s\n", mark, len(message), message)
		if mark > 1 {
			fmt.Fprintf(&b, "from :%d\n", mark-1)
		}
		b.WriteString("deleteall\n")
		for _, name := range slices.Sorted(maps.Keys(files)) {
			e := files[name]
			if e.mode == gitlink {
				fmt.Fprintf(&b, "M %s %s %s\n", e.mode, e.content, forImport(name))
				continue
			}
			fmt.Fprintf(&b, "M %s inline %s\ndata %d\n%s\n", e.mode, forImport(name), len(e.content), e.content)
		}
	}
	commit(1, "first", before)
	commit(2, message, after)
	fmt.Fprint(&b, "get-mark :1\nget-mark :2\ndone\n")
	ids := strings.Fields(string(r.git(b.Bytes(), "fast-import", "--quiet", "--force", "--done", "--date-format=raw", "--cat-blob-fd=1")))
	if len(ids) != 2 {
		r.t.Fatalf("git fast-import gives %q", ids)
	}
	return ids[0], ids[1]
}

const message = "second\n\nbody\n--- not a header\n+++ nor this\ndiff --git a/in-message b/in-message\n@@ -1 +1 @@\n"

// forImport quotes every byte of a name.
func forImport(name string) string {
	var b strings.Builder
	for i := range len(name) {
		fmt.Fprintf(&b, `\%03o`, name[i])
	}
	return `"` + b.String() + `"`
}

// dressing is how git is asked for a difference: configuration, command, the
// flags that decide what is in it, and those for what stands around it.
type dressing struct {
	config, command, flags, around []string
}

func (d dressing) args(from, to string) []string {
	var args []string
	for _, c := range d.config {
		args = append(args, "-c", c)
	}
	args = slices.Concat(args, d.command, d.flags, d.around)
	if d.command[0] == "diff" || d.command[0] == "diff-tree" {
		args = append(args, from)
	}
	return append(args, to)
}

func drawDressing(rt *rapid.T) (d dressing) {
	one := func(what string, from ...string) []string {
		return strings.Fields(rapid.SampledFrom(from).Draw(rt, what))
	}
	add := func(to *[]string, what string, from ...string) { *to = append(*to, one(what, from...)...) }
	d.command = one("command", "diff-tree -r -p", "diff-tree -r -p", "diff", "diff", "show", "show --format=fuller", "show --oneline",
		"show --format=raw --notes", "log -p -1", "format-patch --stdout -1", "show --format=email --stat -p")
	plumbing := d.command[0] == "diff-tree"
	mail := slices.Contains(d.command, "--stat") || d.command[0] == "format-patch"
	add(&d.flags, "renames", "-M", "-M", "--no-renames", "-C --find-copies-harder", "-M -B", "-M1%", "-M100%")
	add(&d.flags, "context", "", "", "", "-U0", "-U1", "-U100", "-W", "--inter-hunk-context=3", "-U0 --inter-hunk-context=9")
	add(&d.flags, "algorithm", "", "", "--patience", "--histogram", "--minimal", "--anchored=x", "--no-indent-heuristic")
	add(&d.flags, "ids", "", "", "--full-index", "--binary", "--abbrev=4", "--abbrev=40")
	if !mail {
		add(&d.flags, "direction", "", "", "", "-R")
	}
	add(&d.config, "quotePath", "core.quotePath=true", "core.quotePath=false")
	add(&d.config, "prefix", "", "", "diff.noprefix=true", "diff.mnemonicPrefix=true")
	add(&d.flags, "prefixes", "", "", "", "--no-prefix", "--src-prefix=before/tree/ --dst-prefix=after/")
	add(&d.config, "blank", "", "", "diff.suppressBlankEmpty=true")
	if !plumbing && !mail {
		add(&d.around, "around", "", "", "", "--stat -p", "--raw --numstat --summary -p", "--compact-summary -p")
		add(&d.config, "colour", "", "", "", "color.ui=always", "color.ui=always diff.wsErrorHighlight=all", "color.ui=always diff.colorMoved=zebra")
	}
	return d
}

// pieces are what names are made of.
var pieces = []string{"a", "b", "x", "x", "a/", "b/", "i/", "w/", "r/", " ", " b/", " a/", "\t", "\n", "\r", "\"", "\\", "\\n", "\\303", "\x01", "\x7f",
	"\u00e9", "e\u0301", "\xe9", "\xff", "\u202e", "日本", "dev/null", "-", "--- ", "+++ ", "@@", "diff --git ", "rename from ", "Binary files ", " and ",
	" differ", "GIT binary patch", " => ", "{", "}", "Submodule ", ".", "..x", ":", "`", "'", "*", "%s", "src://", ".go", ".png"}

func drawNames(rt *rapid.T, what string) []string {
	name := rapid.Custom(func(rt *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 5).Draw(rt, "pieces"), "")
	}).Filter(func(name string) bool { return checkPath(name) == "" })
	return rapid.SliceOfN(name, 1, 6).Draw(rt, "names "+what)
}

// escape is a line in red, but not as git writes it.
const escape = "\x1b[0;31mred"

// odd are lines that have been taken for something else.
var odd = []string{"x", "y", "", "-- a", "++ b", "-- ", "--", "@@ -1 +1 @@", "@@ -1,2 +1,3 @@ f()", "diff --git a/x b/x", `\ No newline at end of file`, "\r", "x\r", "x\ry",
	"func f() {", "}", "-", "+", " ", "\t x \t", "\f", "\v", "\u0085", "\u2028", escape, "\xff\xfe", "\ufeff", "Index: x", "=======", "2.39.5", "From x", "日本", "Subproject commit 1111111111111111111111111111111111111111"}

// treeOf makes a tree with new files of these names: from nothing, or by
// changing another.
func treeOf(names []string, from map[string]entry) *rapid.Generator[map[string]entry] {
	return rapid.Custom(func(rt *rapid.T) map[string]entry {
		out := map[string]entry{}
		put := func(name string, e entry) {
			for other := range out {
				if strings.HasPrefix(other, name+"/") || strings.HasPrefix(name, other+"/") {
					return
				}
			}
			out[name] = e
		}
		for _, name := range slices.Sorted(maps.Keys(from)) {
			e := from[name]
			switch rapid.IntRange(0, 7).Draw(rt, "what becomes of it") {
			case 0:
				continue
			case 1: // moved
				name = rapid.SampledFrom(names).Draw(rt, "to")
			case 2: // moved and changed
				name, e = rapid.SampledFrom(names).Draw(rt, "to"), drawEntry(rt, &e)
			case 3: // copied
				put(rapid.SampledFrom(names).Draw(rt, "copy"), e)
			case 4:
				e.mode = drawMode(rt, e.content)
			case 5:
				e = drawEntry(rt, &e)
			}
			put(name, e)
		}
		for _, name := range names {
			if rapid.Bool().Draw(rt, "a new file") {
				put(name, drawEntry(rt, nil))
			}
		}
		return out
	})
}

// drawMode is a mode that the content can have.
func drawMode(rt *rapid.T, content string) string {
	if gitlinkText.MatchString("Subproject commit " + content) {
		return gitlink
	}
	mode := rapid.SampledFrom([]string{file, file, script, link}).Draw(rt, "mode")
	if mode == link && (content == "" || strings.ContainsRune(content, 0)) {
		return script
	}
	return mode
}

// drawEntry is new content, or a change of the old one.
func drawEntry(rt *rapid.T, old *entry) entry {
	kind := rapid.SampledFrom([]string{"text", "text", "text", "text", "submodule", "binary", "empty"}).Draw(rt, "kind")
	switch kind {
	case "submodule":
		return entry{gitlink, strings.Repeat(rapid.SampledFrom([]string{"1", "2", "a"}).Draw(rt, "commit"), 40)}
	case "empty":
		return entry{drawMode(rt, ""), ""}
	}
	var text string
	if old == nil || old.mode == gitlink {
		text = strings.Join(rapid.SliceOfN(rapid.SampledFrom(odd), 0, 30).Draw(rt, "lines"), "\n")
	} else {
		lines := strings.SplitAfter(old.content, "\n")
		for range rapid.IntRange(1, 3).Draw(rt, "edits") {
			i := rapid.IntRange(0, len(lines)).Draw(rt, "at")
			j := min(len(lines), i+rapid.IntRange(0, 3).Draw(rt, "cut"))
			come := rapid.SliceOfN(rapid.SampledFrom(odd), 0, 4).Draw(rt, "come")
			for k := range come {
				come[k] += "\n"
			}
			lines = slices.Replace(lines, i, j, come...)
		}
		text = strings.Join(lines, "")
	}
	if rapid.Bool().Draw(rt, "newline at the end") {
		text += "\n"
	}
	if kind == "binary" {
		text = "\x00" + text
	}
	return entry{drawMode(rt, text), text}
}
