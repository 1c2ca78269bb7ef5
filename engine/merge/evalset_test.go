package merge

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
)

// labelled is one change of a labelled set: what its tools said, and which of
// it is the same problem.
type labelled struct {
	ID        string              `json:"id"`
	NotAbout  map[string][]string `json:"judged_not_about"`
	Ambiguous [][2]int            `json:"ambiguous_pairs"`
	Findings  []labelledFinding   `json:"findings"`
}

type labelledFinding struct {
	ID      string   `json:"id"`
	Tool    string   `json:"tool"`
	File    string   `json:"file"`
	Line    int      `json:"line"`
	EndLine int      `json:"end_line"`
	Text    string   `json:"text"`
	Code    string   `json:"existing_code"`
	Gold    []string `json:"gold"`
	Valid   bool     `json:"valid"`
	Status  string   `json:"status"`
}

func (f labelledFinding) item() Item {
	return Item{ID: f.ID, Reviewer: f.Tool, File: f.File, Line: f.Line, EndLine: f.EndLine, Text: f.Text, Quote: f.Code}
}

// readLabelled reads one set of the labelled findings.
func readLabelled(t testing.TB, path string) []labelled {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var rows []labelled
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var row labelled
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		rows = append(rows, row)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return rows
}

// same says whether two findings are labelled as one problem. known is false
// where the labels do not say.
func (l labelled) same(a, b labelledFinding, complete bool) (same, known bool) {
	for _, g := range a.Gold {
		if slices.Contains(b.Gold, g) {
			return true, true
		}
	}
	if complete || len(a.Gold) > 0 && len(b.Gold) > 0 {
		return false, true
	}
	for _, p := range [][2]labelledFinding{{a, b}, {b, a}} {
		for _, g := range p[0].Gold {
			if slices.Contains(l.NotAbout[p[1].Tool], g) {
				return false, true
			}
		}
	}
	return false, false
}

// ambiguous says whether the labellers could not agree on a pair of indices.
func (l labelled) ambiguous(i, j int) bool {
	return slices.Contains(l.Ambiguous, [2]int{i, j}) || slices.Contains(l.Ambiguous, [2]int{j, i})
}

// score counts what a merge got right against the labels.
type score struct {
	together, wrong, missed int // pairs
	findings, entries, want int
	flagged, flagWrong      int // findings flagged as confirmed
	flagMissed              int
	// Entries flagged as confirmed, and those of them in which two tools have
	// one problem; problems of two tools, and those with such an entry.
	confirmed, confirmedRight int
	problems, problemsFound   int
}

func measure(rows []labelled, complete bool, keep func(labelledFinding) bool) score {
	var s score
	for _, l := range rows {
		s.add(l, complete, keep)
	}
	return s
}

func (s *score) add(l labelled, complete bool, keep func(labelledFinding) bool) {
	var items []Item
	var kept []int
	for i, f := range l.Findings {
		if keep(f) {
			items = append(items, f.item())
			kept = append(kept, i)
		}
	}
	entry := map[string]int{}
	result := MergeItems(items, nil)
	for n, m := range result.Merged {
		for _, id := range m.Sources {
			entry[id] = n
		}
	}
	s.findings += len(items)
	s.entries += len(result.Merged)
	clusters := map[string]map[string]bool{}
	for n, i := range kept {
		a := l.Findings[i]
		for _, g := range a.Gold {
			if clusters[g] == nil {
				clusters[g] = map[string]bool{}
			}
			clusters[g][a.Tool] = true
		}
		for _, j := range kept[:n] {
			b := l.Findings[j]
			same, known := l.same(a, b, complete)
			if !known || l.ambiguous(i, j) {
				continue
			}
			together := entry[a.ID] == entry[b.ID]
			switch {
			case together && same:
				s.together++
			case together:
				s.wrong++
			case same:
				s.missed++
			}
		}
	}
	s.want += len(clusters)
	s.flags(l, result, clusters)
}

// flags counts the findings and the entries flagged as confirmed against the
// problems that two tools report.
func (s *score) flags(l labelled, result Result, clusters map[string]map[string]bool) {
	byID := map[string]labelledFinding{}
	for _, f := range l.Findings {
		byID[f.ID] = f
	}
	found := map[string]bool{}
	for _, m := range result.Merged {
		for _, id := range m.Sources {
			s.flag(m.Confirmed, slices.ContainsFunc(byID[id].Gold, func(g string) bool { return len(clusters[g]) > 1 }))
		}
		if !m.Confirmed {
			continue
		}
		s.confirmed++
		tools := map[string]map[string]bool{}
		for _, id := range m.Sources {
			for _, g := range byID[id].Gold {
				if tools[g] == nil {
					tools[g] = map[string]bool{}
				}
				tools[g][byID[id].Tool] = true
			}
		}
		right := false
		for g := range tools {
			if len(tools[g]) > 1 {
				right, found[g] = true, true
			}
		}
		s.confirmedRight += off(right)
	}
	for g := range clusters {
		if len(clusters[g]) > 1 {
			s.problems++
			s.problemsFound += off(found[g])
		}
	}
}

// flag counts one finding: flagged as confirmed or not, and whether it is.
func (s *score) flag(flagged, truly bool) {
	s.flagged += off(flagged && truly)
	s.flagWrong += off(flagged && !truly)
	s.flagMissed += off(!flagged && truly)
}

func (s score) precision() float64     { return ratio(s.together, s.together+s.wrong) }
func (s score) recall() float64        { return ratio(s.together, s.together+s.missed) }
func (s score) removed() float64       { return ratio(s.findings-s.entries, s.findings-s.want) }
func (s score) merged() float64        { return ratio(s.findings-s.entries, s.findings) }
func (s score) flagPrecision() float64 { return ratio(s.flagged, s.flagged+s.flagWrong) }
func (s score) flagRecall() float64    { return ratio(s.flagged, s.flagged+s.flagMissed) }

func ratio(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// draws picks five tools, eight times, always the same.
func draws(rows []labelled) []map[string]bool {
	var tools []string
	for _, l := range rows {
		for _, f := range l.Findings {
			tools = append(tools, f.Tool)
		}
	}
	slices.Sort(tools)
	tools = slices.Compact(tools)
	var out []map[string]bool
	for seed := range int64(8) {
		picked := map[string]bool{}
		for _, i := range rand.New(rand.NewSource(seed)).Perm(len(tools))[:min(5, len(tools))] {
			picked[tools[i]] = true
		}
		out = append(out, picked)
	}
	return out
}

// TestEvalset measures the merge on labelled findings of real reviewers. The
// sets may not be copied; their folder is named by MRV_EVALSET.
func TestEvalset(t *testing.T) {
	dir := os.Getenv("MRV_EVALSET")
	if dir == "" && os.Getenv("MRV_REQUIRE_EVALSET") != "" {
		t.Fatal("MRV_REQUIRE_EVALSET is set, MRV_EVALSET is not")
	}
	if dir == "" {
		t.Skip("set MRV_EVALSET to the folder of labelled findings (martian_annot.jsonl, kodus.jsonl, aacr.jsonl)")
	}
	all := func(labelledFinding) bool { return true }
	rows := table{t: t}
	annot := readLabelled(t, filepath.Join(dir, "martian_annot.jsonl"))
	s := measure(annot, true, all)
	rows.add("martian_annot, 16 tools", "pair precision", s.precision(), .97, .99)
	rows.add("", "duplicates removed", s.removed(), .75, .90)
	rows.add("", "pair recall", s.recall(), 0, 0)
	rows.add("", "confirmed by finding, precision", s.flagPrecision(), .98, .99)
	rows.add("", "confirmed by finding, recall", s.flagRecall(), .85, .95)
	rows.add("", "confirmed by entry, precision", ratio(s.confirmedRight, s.confirmed), .98, .99)
	rows.add("", "confirmed by problem, recall", ratio(s.problemsFound, s.problems), .85, .95)
	var precision, removed float64
	five := draws(annot)
	for _, picked := range five {
		s := measure(annot, true, func(f labelledFinding) bool { return picked[f.Tool] })
		precision += s.precision() / float64(len(five))
		removed += s.removed() / float64(len(five))
	}
	rows.add("martian_annot, 5 tools", "pair precision", precision, .95, .98)
	rows.add("", "duplicates removed", removed, .60, .85)
	s = measure(readLabelled(t, filepath.Join(dir, "martian_opus.jsonl")), false, all)
	rows.add("martian_opus", "pair precision", s.precision(), 0, 0)
	rows.add("", "pair recall", s.recall(), 0, 0)
	// A finding with labels of two problems can not be with both of them: the
	// ordinary column comes from a count that leaves the few of them out.
	kodus := readLabelled(t, filepath.Join(dir, "kodus.jsonl"))
	s = measure(kodus, false, func(f labelledFinding) bool { return len(f.Gold) < 2 })
	rows.add("kodus, one problem each", "pair precision", s.precision(), .96, .99)
	rows.add("", "pair recall", s.recall(), .92, .95)
	s = measure(kodus, false, all)
	rows.add("kodus, all findings", "pair precision", s.precision(), .96, .99)
	rows.add("", "pair recall", s.recall(), .92, .95)
	s = measure(readLabelled(t, filepath.Join(dir, "aacr.jsonl")), false, func(f labelledFinding) bool { return f.Valid })
	rows.add("aacr, kept apart", "share not merged", 1-s.merged(), .90, .95)
	rows.print()
}

// slack is how far below the ordinary column a measure may be before the test
// fails: the labels are wrong in some places, and other halves of the sets vary.
const slack = 0.04

// table collects the measures; a column of 0 is none.
type table struct {
	t   *testing.T
	out strings.Builder
}

func (r *table) add(set, what string, got, ordinary, aim float64) {
	fmt.Fprintf(&r.out, "%s\t%s\t%.3f\t%.2f\t%.2f\n", set, what, got, ordinary, aim)
	if got < ordinary-slack {
		r.t.Errorf("%s %s: %.3f, well below %.2f", set, what, got, ordinary)
	}
}

func (r *table) print() {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "set\tmeasure\tgot\tordinary\taim\n", r.out.String())
	if err := w.Flush(); err != nil {
		r.t.Fatal(err)
	}
	r.t.Log("\n" + b.String())
}

// TestOwnSet measures the merge on the set that belongs to the project. Its
// bounds are what is reached, so that a change for the worse is seen.
func TestOwnSet(t *testing.T) {
	var s score
	for _, l := range readLabelled(t, "../../testdata/merge/own.jsonl") {
		s.add(l, true, func(labelledFinding) bool { return true })
		logMistakes(t, l)
	}
	t.Logf("pairs: precision %.3f, recall %.3f; duplicates removed %.3f; confirmed: precision %.3f, recall %.3f",
		s.precision(), s.recall(), s.removed(), s.flagPrecision(), s.flagRecall())
	if s.precision() < 0.99 || s.recall() < 0.97 {
		t.Errorf("pair precision %.3f, recall %.3f; want at least .99 and .97", s.precision(), s.recall())
	}
}

// logMistakes names the entries that hold different problems, and the problems
// that are spread over several entries.
func logMistakes(t *testing.T, l labelled) {
	byID := map[string]labelledFinding{}
	var items []Item
	for _, f := range l.Findings {
		byID[f.ID] = f
		items = append(items, f.item())
	}
	entries := map[string]int{}
	for _, m := range MergeItems(items, nil).Merged {
		gold := map[string]bool{}
		for _, id := range m.Sources {
			gold[byID[id].Gold[0]] = true
		}
		if len(gold) > 1 {
			t.Logf("%s: %v are different problems in one entry", l.ID, m.Sources)
		}
		for g := range gold {
			entries[g]++
		}
	}
	for g, n := range entries {
		if n > 1 {
			t.Logf("%s: %q stands in %d entries", l.ID, g, n)
		}
	}
}
