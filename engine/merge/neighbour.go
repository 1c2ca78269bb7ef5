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

// acquaint gives each finding its neighbours: those that share terms with it.
// Findings of one problem share several, if only the name of what is wrong.
func acquaint(list []*source) {
	terms := post(list)
	inParts(len(list), func(from, to int) {
		shared := make([]float64, len(list)) // the likeness so far, by index
		var touched []int32
		for i := from; i < to; i++ {
			touched = terms.share(i, list[i].vec, shared, touched[:0])
			list[i].meet(list, i, shared, touched)
			for _, j := range touched {
				shared[j] = 0
			}
		}
	})
}

// share adds up how alike finding i is to those it shares terms with, and
// lists them.
func (p postings) share(i int, vec []weight, shared []float64, touched []int32) []int32 {
	for k, t := range vec {
		for _, n := range p.around(t.term, p.at[i][k]) {
			if shared[n.index] == 0 {
				touched = append(touched, n.index)
			}
			shared[n.index] += float64(t.w) * float64(n.like)
		}
	}
	return touched
}

// meet sets the neighbours of finding i.
func (s *source) meet(list []*source, i int, shared []float64, touched []int32) {
	near := make([]neighbour, 0, len(touched))
	for _, j := range touched {
		like := shared[j]
		switch {
		case int(j) == i:
			continue
		case s.cjk != list[j].cjk:
			like = textLikeness(s, list[j])
		case like >= faint/mostBrief:
			like *= brief(s, list[j])
		}
		if like >= faint {
			near = append(near, neighbour{j, float32(like)})
		}
	}
	s.near = nearest(near)
	for _, n := range s.near {
		s.nearness += float64(n.like) * float64(n.like)
	}
}

// nearest keeps the most alike, ordered by index; of equals, the earlier.
func nearest(near []neighbour) []neighbour {
	if len(near) > crowd {
		best := make([]uint64, 0, crowd) // the least first
		for _, n := range near {
			key := n.key()
			if len(best) == crowd {
				if key < best[0] {
					continue
				}
				best = slices.Delete(best, 0, 1)
			}
			at, _ := slices.BinarySearch(best, key)
			best = slices.Insert(best, at, key)
		}
		near = slices.DeleteFunc(near, func(n neighbour) bool { return n.key() < best[0] })
	}
	slices.SortFunc(near, func(a, b neighbour) int { return cmp.Compare(a.index, b.index) })
	return slices.Clone(near)
}

// key orders neighbours by likeness, which is above 0, then by index: the bits
// of positive floats are in the order of their values.
func (n neighbour) key() uint64 {
	return uint64(math.Float32bits(n.like))<<32 | uint64(math.MaxUint32-uint32(n.index))
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

// pairs walks the neighbours of some findings that can be one problem, the
// earlier first; over all findings, each pair once.
func pairs(list []*source, from, to int) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for i := from; i < to; i++ {
			for _, n := range list[i].near {
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

// postings are the findings by term, each list in the order of their places.
// Here the likeness is the term's weight.
type postings struct {
	byTerm [][]neighbour
	at     [][]int32 // of each finding, where it stands in the list of each of its terms
}

func post(list []*source) postings {
	p := postings{at: make([][]int32, len(list))}
	for _, i := range byPlace(list) {
		p.at[i] = make([]int32, len(list[i].vec))
		for k, t := range list[i].vec {
			for int(t.term) >= len(p.byTerm) {
				p.byTerm = append(p.byTerm, nil)
			}
			p.at[i][k] = int32(len(p.byTerm[t.term]))
			p.byTerm[t.term] = append(p.byTerm[t.term], neighbour{int32(i), t.w})
		}
	}
	return p
}

// byPlace lists the indices of the findings by file and line.
func byPlace(list []*source) []int {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		p, q := list[i].place, list[j].place
		return cmp.Or(cmp.Compare(p.Path, q.Path), cmp.Compare(p.Start, q.Start), cmp.Compare(i, j))
	})
	return order
}

// around lists the findings with a term that the one at a position of its list
// is compared with: all, or those at the nearest places where they are too many.
func (p postings) around(term, at int32) []neighbour {
	all := p.byTerm[term]
	if len(all) <= crowd {
		return all
	}
	from := min(max(0, int(at)-crowd/2), len(all)-crowd)
	return all[from : from+crowd]
}
