package merge

import (
	"math"
	"slices"
)

// threshold is the likeness from which two groups are one problem.
const threshold = 0.42

// features are what a finding is compared by.
type features struct {
	vec map[string]float64
}

func describe(list []*source) {
	df := map[string]int{}
	for _, s := range list {
		s.vec = map[string]float64{}
		for _, t := range terms(s.Title + "\n" + s.Observation + "\n" + s.Inference + "\n" + s.Quote) {
			s.vec[t.text]++
		}
		for t := range s.vec {
			df[t]++
		}
	}
	for _, s := range list {
		var norm float64
		for _, t := range sortedTerms(s.vec) {
			s.vec[t] = (1 + math.Log(s.vec[t])) * math.Log(1+float64(len(list))/float64(df[t]))
			norm += s.vec[t] * s.vec[t]
		}
		for t := range s.vec {
			s.vec[t] /= math.Sqrt(norm)
		}
	}
}

func sortedTerms(m map[string]float64) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// likeness is how likely two findings are about one problem, 0 to 1.
func likeness(a, b *source) float64 {
	var dot float64
	for _, t := range sortedTerms(a.vec) {
		dot += a.vec[t] * b.vec[t]
	}
	return dot
}

func candidates(list []*source) [][2]int {
	var out [][2]int
	for i := range list {
		for j := range i {
			out = append(out, [2]int{j, i})
		}
	}
	return out
}
