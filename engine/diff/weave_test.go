package diff

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

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
	modes := []string{file, file, file, script, link}
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
