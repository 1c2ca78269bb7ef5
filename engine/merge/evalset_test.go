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
	confirmed := map[string]bool{}
	result := MergeItems(items, nil)
	for n, m := range result.Merged {
		for _, id := range m.Sources {
			entry[id], confirmed[id] = n, m.Confirmed
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
			switch together := entry[a.ID] == entry[b.ID]; {
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
	for _, i := range kept {
		f := l.Findings[i]
		truly := slices.ContainsFunc(f.Gold, func(g string) bool { return len(clusters[g]) > 1 })
		switch {
		case confirmed[f.ID] && truly:
			s.flagged++
		case confirmed[f.ID]:
			s.flagWrong++
		case truly:
			s.flagMissed++
		}
	}
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
	if dir == "" {
		t.Skip("set MRV_EVALSET to the folder of labelled findings (martian_annot.jsonl, kodus.jsonl, aacr.jsonl)")
	}
	all := func(labelledFinding) bool { return true }
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	line := func(set, what, want string, got ...float64) {
		fmt.Fprintf(w, "%s\t%s\t", set, what)
		for i, g := range got {
			if i > 0 {
				fmt.Fprint(w, " / ")
			}
			fmt.Fprintf(w, "%.3f", g)
		}
		fmt.Fprintf(w, "\t%s\n", want)
	}
	fmt.Fprintf(w, "set\tmeasure\tgot\tordinary, aim\n")

	annot := readLabelled(t, filepath.Join(dir, "martian_annot.jsonl"))
	var s score
	for _, l := range annot {
		s.add(l, true, all)
	}
	line("martian_annot, 16 tools", "pair precision / duplicates removed", ".97/.75, .99/.90", s.precision(), s.removed())
	line("martian_annot, 16 tools", "pair recall", "", s.recall())
	line("martian_annot, 16 tools", "confirmed P / R", ".98/.85, .99/.95", s.flagPrecision(), s.flagRecall())
	var p, r float64
	five := draws(annot)
	for _, picked := range five {
		var s score
		for _, l := range annot {
			s.add(l, true, func(f labelledFinding) bool { return picked[f.Tool] })
		}
		p += s.precision() / float64(len(five))
		r += s.removed() / float64(len(five))
	}
	line("martian_annot, 5 tools", "pair precision / duplicates removed", ".95/.60, .98/.85", p, r)
	for _, set := range []struct{ name, want string }{{"martian_opus", ""}, {"kodus", ".96/.92, .99/.95"}} {
		var s score
		for _, l := range readLabelled(t, filepath.Join(dir, set.name+".jsonl")) {
			s.add(l, false, all)
		}
		line(set.name, "pair P / R", set.want, s.precision(), s.recall())
	}
	var kept score
	for _, l := range readLabelled(t, filepath.Join(dir, "aacr.jsonl")) {
		kept.add(l, false, func(f labelledFinding) bool { return f.Valid })
	}
	line("aacr, kept apart", "share merged", "<=.10, <=.05", kept.merged())
	w.Flush()
	t.Log("\n" + out.String())
}
