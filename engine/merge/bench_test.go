package merge

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/review"
)

// crowded makes n findings over the given number of files: problems that one
// to four of six reviewers report in words of their own, drawn by how common
// they are from the background vocabulary, around the same identifiers.
func crowded(n, files int) Input {
	r := rand.New(rand.NewSource(1))
	in := Input{Places: map[string]diff.Place{}, Reviewers: map[string]Reviewer{}}
	v := background()
	common := slices.SortedFunc(maps.Keys(v.in), func(a, b string) int {
		return cmp.Or(cmp.Compare(v.in[b], v.in[a]), cmp.Compare(a, b))
	})
	zipf := rand.NewZipf(r, 1.1, 8, uint64(len(common)-1))
	draw := func(n int) []string {
		var out []string
		for range n {
			out = append(out, common[zipf.Uint64()])
		}
		return out
	}
	ordinal := map[string]int{}
	for problem := 0; len(in.Findings) < n; problem++ {
		path := fmt.Sprintf("pkg/file%d.go", r.Intn(files))
		line := 1 + r.Intn(900)
		about := append(draw(12), fmt.Sprintf("handler%dName", r.Intn(4*files)), fmt.Sprintf("buf%dLen", problem))
		for k := range 1 + r.Intn(4) {
			name := fmt.Sprintf("reviewer-%d", (problem+k)%6+1)
			ordinal[name]++
			said := append(slices.Clone(about), draw(20)...)
			r.Shuffle(len(said), func(i, j int) { said[i], said[j] = said[j], said[i] })
			f := review.Finding{
				ID: review.FindingID(name, ordinal[name]), Reviewer: name, Ordinal: ordinal[name],
				Severity: review.Severities()[r.Intn(3)], Title: strings.Join(about[:4], " "),
				Location:    review.Location{Path: path, Start: line, End: line + 2},
				Observation: strings.Join(said, " "), Quote: strings.Join(about[8:], " "),
			}
			in.Findings = append(in.Findings, f)
			in.Places[f.ID] = diff.Place{How: diff.Exact, Path: path, Side: diff.Right, Start: line, End: line + 2, QuoteFound: true}
			in.Reviewers[name] = Reviewer{Model: "p/" + name}
		}
	}
	in.Findings = in.Findings[:n]
	return in
}

func BenchmarkMerge(b *testing.B) {
	for _, n := range []int{1000, 3000, 10000, 30000} {
		in := crowded(n, 500)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			entries := 0
			for b.Loop() {
				entries = len(Merge(in))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/finding")
			b.ReportMetric(float64(entries), "entries")
		})
	}
}

func BenchmarkMergeOneFile(b *testing.B) {
	in := crowded(3000, 1)
	for b.Loop() {
		Merge(in)
	}
}

func BenchmarkUpdate(b *testing.B) {
	in := crowded(10000, 500)
	standing := Merge(in)
	for b.Loop() {
		Update(standing, in)
	}
}
