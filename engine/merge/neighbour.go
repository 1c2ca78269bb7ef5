package merge

import (
	"cmp"
	"iter"
	"math"
	"slices"
)

const (
	// crowd is how many findings may share a term for it to make neighbours,
	// and how many neighbours a finding has at most. Up to crowd findings
	// nothing is left out; beyond it the work grows with the findings rather
	// than with their square.
	crowd = 64
	// faint is the likeness of texts below which findings are no neighbours.
	faint = 0.01
)

// neighbour is another finding whose text is like one's own.
type neighbour struct {
	index int32
	like  float32
}

// acquaint gives each finding its neighbours, in the order of the list: those
// that share terms which few findings have, or few of the same file. Findings
// of one problem share several, if only the name of what is wrong.
func acquaint(list []*source) {
	terms := post(list)
	shared := make([]float64, len(list))
	var touched []int32
	for i, s := range list {
		touched = touched[:0]
		for _, t := range s.vec {
			for _, p := range terms.of(i, t.term) {
				if shared[p.index] == 0 {
					touched = append(touched, p.index)
				}
				shared[p.index] += float64(t.w) * float64(p.like)
			}
		}
		for _, j := range touched {
			like := shared[j]
			shared[j] = 0
			if s.cjk != list[j].cjk {
				like = textLikeness(s, list[j])
			}
			if int(j) != i && like >= faint {
				s.near = append(s.near, neighbour{j, float32(like)})
			}
		}
		s.near = nearest(s.near)
		for _, n := range s.near {
			s.nearness += float64(n.like) * float64(n.like)
		}
	}
}

// nearest keeps the most alike, ordered by index.
func nearest(near []neighbour) []neighbour {
	if len(near) > crowd {
		slices.SortFunc(near, func(a, b neighbour) int {
			return cmp.Or(cmp.Compare(b.like, a.like), cmp.Compare(a.index, b.index))
		})
		near = near[:crowd]
	}
	slices.SortFunc(near, func(a, b neighbour) int { return cmp.Compare(a.index, b.index) })
	return slices.Clip(near)
}

// company is how much two findings have the same neighbours, 0 to 1: the
// cosine of what each is like, leaving out each other. It tells findings in
// other words about one problem from those that only share some words
// (Jarvis and Patrick, "Clustering using a similarity measure based on shared
// near neighbors", 1973).
func company(a, b *source, text float64) float64 {
	var sum float64
	for i, j := 0, 0; i < len(a.near) && j < len(b.near); {
		switch p, q := a.near[i], b.near[j]; {
		case p.index < q.index:
			i++
		case p.index > q.index:
			j++
		default:
			sum += float64(p.like) * float64(q.like)
			i++
			j++
		}
	}
	scale := (a.nearness - text*text) * (b.nearness - text*text)
	if sum == 0 || scale < 1e-9 {
		return 0
	}
	return min(1, sum/math.Sqrt(scale))
}

// least is the likeness of texts from which two findings can be one problem:
// company adds to it, and place makes at most placeCap times more of it.
const least = (threshold - sameCompany) / (1 + placeCap)

// pairs walks the neighbours that can be one problem, each pair once, the
// earlier first.
func pairs(list []*source) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for i, s := range list {
			for _, n := range s.near {
				j := int(n.index)
				if n.like < least || j > i && list[j].knows(i) {
					continue // the latter comes when it is j's turn
				}
				if !yield(min(i, j), max(i, j)) {
					return
				}
			}
		}
	}
}

// knows reports whether finding i is one of the neighbours.
func (s *source) knows(i int) bool {
	_, ok := slices.BinarySearchFunc(s.near, int32(i), func(n neighbour, i int32) int { return cmp.Compare(n.index, i) })
	return ok
}

// postings are the findings by term and, for terms that too many have, by file
// and term. Here the likeness is the term's weight.
type postings struct {
	file   []int32 // of each finding, by number
	byTerm [][]neighbour
	byFile map[[2]int32][]neighbour
}

func post(list []*source) postings {
	files := map[string]int32{}
	p := postings{file: make([]int32, len(list)), byFile: map[[2]int32][]neighbour{}}
	for i, s := range list {
		if _, ok := files[s.place.Path]; !ok {
			files[s.place.Path] = int32(len(files))
		}
		p.file[i] = files[s.place.Path]
		for _, t := range s.vec {
			for int(t.term) >= len(p.byTerm) {
				p.byTerm = append(p.byTerm, nil)
			}
			p.byTerm[t.term] = append(p.byTerm[t.term], neighbour{int32(i), t.w})
		}
	}
	for t, all := range p.byTerm {
		if len(all) <= crowd {
			continue
		}
		for _, n := range all {
			k := [2]int32{p.file[n.index], int32(t)}
			p.byFile[k] = append(p.byFile[k], n)
		}
	}
	return p
}

// of lists the findings with a term that finding i is compared with by it;
// none where they are too many.
func (p postings) of(i int, term int32) []neighbour {
	all := p.byTerm[term]
	if len(all) > crowd {
		all = p.byFile[[2]int32{p.file[i], term}]
	}
	if len(all) > crowd {
		return nil
	}
	return all
}
