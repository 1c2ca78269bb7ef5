package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mergedEntry and mergeAnswer are what mrv merge --json promises.
type mergedEntry struct {
	ID, Severity, Worst, File, Place string
	Sources, Reviewers               []string
	Confirmed                        *bool
	Models, Line                     int
}

type mergeAnswer struct {
	Merged    []mergedEntry
	Findings  int
	Reviewers []string
}

// formatFile is the path of a file in each of the formats, about one change.
func formatFile(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", "testdata", "merge", "formats", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func (p *place) merge(args ...string) mergeAnswer {
	p.t.Helper()
	r := p.run(append([]string{"merge", "--json"}, args...)...)
	var a mergeAnswer
	if err := json.Unmarshal([]byte(r.out), &a); err != nil || r.code != 0 {
		p.t.Fatalf("exit %d, %v: %s%s", r.code, err, r.out, r.err)
	}
	return a
}

func TestMergeReadsTheThreeFormats(t *testing.T) {
	p := newPlace(t)
	findings, lines, sarif := formatFile(t, "findings.json"), formatFile(t, "lines.jsonl"), formatFile(t, "vet.sarif")
	for _, args := range [][]string{{findings, lines, sarif}, {sarif, lines, findings, "--diff", formatFile(t, "change.diff")}} {
		a := p.merge(args...)
		var ids []string
		for _, m := range a.Merged {
			ids = append(ids, m.Sources...)
			if m.Confirmed == nil {
				t.Errorf("%s does not say whether it is confirmed", m.ID)
			}
		}
		slices.Sort(ids)
		if want := []string{"p1", "q1", "q2", "vet.1", "vet.2", "zh1"}; !slices.Equal(ids, want) || a.Findings != len(want) {
			t.Errorf("%v: sources %v of %d findings, want each of %v once", args, ids, a.Findings, want)
		}
		race := a.Merged[slices.IndexFunc(a.Merged, func(m mergedEntry) bool {
			return slices.Contains(m.Sources, "q1")
		})]
		if !*race.Confirmed || len(race.Sources) != 3 || race.Models != 2 || race.Worst != "critical" {
			t.Errorf("%v: the race is %+v, want three sources of two models in two languages", args, race)
		}
		if slices.Contains(args, "--diff") && (race.Place != "moved" && race.Place != "exact" || race.Line != 2) {
			t.Errorf("the race stands %s at line %d, want line 2 where its quote is", race.Place, race.Line)
		}
	}
	r := p.run("merge", findings, sarif)
	for _, want := range []string{"[critical] cfg.go:20  Race on `cfg.values`  (quality)", "[no severity] no place  The error of `Close` is dropped.", "[critical] token.go:7", "4 findings, 4 problems"} {
		if !strings.Contains(r.out, want) {
			t.Errorf("%q is not in\n%s", want, r.out)
		}
	}
}

func TestMergeRefusesBadInput(t *testing.T) {
	p := newPlace(t)
	p.write("a.json", `{"findings":[`+"\n"+`{"id":"q1","reviewer":"quality","text":"t"}]}`)
	p.write("again.jsonl", `{"id":"q1","reviewer":"other","text":"t"}`)
	p.write("no.diff", "not a diff\n")
	for _, c := range []struct {
		args []string
		say  string
	}{
		{[]string{"a.json", "again.jsonl"}, `again.jsonl:1: the id "q1" was used before at a.json:2`},
		{[]string{"a.json", "a.json"}, "ids must be unique"},
		{[]string{"a.json", "--diff", "no.diff"}, "not a unified diff"},
		{[]string{"a.json", "--diff", "gone.diff"}, "gone.diff"},
		{nil, "arg"},
	} {
		if r := p.run(append([]string{"merge", "--json"}, c.args...)...); r.code != 2 || !strings.Contains(r.err, c.say) || r.out != "" {
			t.Errorf("%v: exit %d, %q, want 2 and %q", c.args, r.code, r.err, c.say)
		}
	}
}

func TestMergeOfMany(t *testing.T) {
	p := newPlace(t)
	var b strings.Builder
	const n = 20000
	for i := range n {
		fmt.Fprintf(&b, `{"id":"f%d","reviewer":"bot-%d","file":"pkg/f%d.go","line":%d,"text":"handler%d drops the error of write%d."}`+"\n", i, i%5, i/2%500, i/2%700+1, i/2, i/2%90)
	}
	p.write("many.jsonl", b.String())
	seen := map[string]int{}
	for _, m := range p.merge("many.jsonl").Merged {
		for _, id := range m.Sources {
			seen[id]++
		}
	}
	for i := range n {
		if id := fmt.Sprintf("f%d", i); seen[id] != 1 {
			t.Fatalf("%s stands %d times", id, seen[id])
		}
	}
}
