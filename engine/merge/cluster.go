package merge

import (
	"cmp"
	"iter"
	"math"
	"slices"
)

// crowd is how many findings may share a term that makes them candidates.
const crowd = 64

// cohesion is between average linkage (0) and that of centroids (0.5): how much
// the spread within two groups is allowed for when they are compared. Findings
// of one problem by many reviewers are worded in many ways.
const (
	cohesion = 0.2
	loosest  = 0.05 // the least cohesion of a group that is allowed for
)

// maxPart bounds a component on which linkage runs exactly; it costs the
// square of it. Real ones are below a hundred.
const maxPart = 1000

// edge is a pair of sources that are alike enough to be one problem.
type edge struct {
	a, b int
	like float64
}

// cluster groups the sources by average linkage, obeying the constraints.
// Single linkage would chain different problems together over findings that
// touch two of them.
//
// Two groups whose average likeness reaches the threshold have at least one
// pair that does, so no merge leaves a connected component of the graph of
// such pairs: linkage is exact within each component, and the cost grows with
// the components rather than with the square of all findings.
func cluster(sources []*source, c *constraints) [][]*source {
	parts := newPartition(len(sources))
	firstOf := map[int]int{}
	for i, g := range c.group {
		if j, ok := firstOf[g]; ok {
			parts.union(i, j)
		} else {
			firstOf[g] = i
		}
	}
	// Strongest first, so that a component that grows too large breaks at its
	// weakest edge.
	for _, e := range edges(sources) {
		if parts.size(e.a)+parts.size(e.b) <= maxPart {
			parts.union(e.a, e.b)
		}
	}
	var groups [][]*source
	for _, members := range parts.sets() {
		for _, g := range link(sources, members, c) {
			list := make([]*source, len(g))
			for k, i := range g {
				list[k] = sources[i]
			}
			groups = append(groups, list)
		}
	}
	return groups
}

// edges lists the candidate pairs that reach the threshold, the most alike first.
func edges(sources []*source) []edge {
	var out []edge
	for a, b := range candidates(sources) {
		if l := likeness(sources[a], sources[b]); l >= threshold {
			out = append(out, edge{a, b, l})
		}
	}
	slices.SortFunc(out, func(x, y edge) int {
		return cmp.Or(cmp.Compare(y.like, x.like), cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b))
	})
	return out
}

// candidates walks the pairs that are worth comparing, each once: those whose
// texts share enough in terms that few findings have, or few of the same file.
// Findings of one problem share several, if only the name of what is wrong;
// up to crowd findings no pair is left out that could reach the threshold.
func candidates(sources []*source) iter.Seq2[int, int] {
	lists := post(sources)
	return func(yield func(int, int) bool) {
		shared := make([]float64, len(sources))
		var touched []int
		for i, s := range sources {
			touched = touched[:0]
			for _, t := range s.vec {
				for _, p := range lists.of(i, t.term) {
					if p.source >= i {
						break
					}
					if shared[p.source] == 0 {
						touched = append(touched, p.source)
					}
					shared[p.source] += float64(t.w) * float64(p.w)
				}
			}
			for _, j := range touched {
				enough := shared[j] >= least || s.cjk != sources[j].cjk
				shared[j] = 0
				if enough && !yield(j, i) {
					return
				}
			}
		}
	}
}

// least is what two texts must share to be compared: place can make three
// times of it, and half of it may be in terms that many findings have.
const least = threshold / (1 + placeCap) / 2

// posting is a finding that has a term, and the term's weight there.
type posting struct {
	source int
	w      float32
}

// postings are the lists of findings by term and, for terms that too many
// have, by file and term.
type postings struct {
	path   []int32 // of each source, by number
	byTerm [][]posting
	byFile map[[2]int32][]posting
}

func post(sources []*source) postings {
	paths := map[string]int32{}
	l := postings{path: make([]int32, len(sources)), byFile: map[[2]int32][]posting{}}
	for i, s := range sources {
		if _, ok := paths[s.place.Path]; !ok {
			paths[s.place.Path] = int32(len(paths))
		}
		l.path[i] = paths[s.place.Path]
		for _, t := range s.vec {
			for int(t.term) >= len(l.byTerm) {
				l.byTerm = append(l.byTerm, nil)
			}
			l.byTerm[t.term] = append(l.byTerm[t.term], posting{i, t.w})
		}
	}
	for t, list := range l.byTerm {
		if len(list) <= crowd {
			continue
		}
		for _, p := range list {
			k := [2]int32{l.path[p.source], int32(t)}
			l.byFile[k] = append(l.byFile[k], p)
		}
	}
	return l
}

// of is the list on which source i is compared by a term, nil if it is too long.
func (l postings) of(i int, term int32) []posting {
	list := l.byTerm[term]
	if len(list) > crowd {
		list = l.byFile[[2]int32{l.path[i], term}]
	}
	if len(list) > crowd {
		return nil
	}
	return list
}

// link runs average linkage over one component and returns its groups, each in
// the order of the sources. Must-link groups come first, as they are.
func link(sources []*source, members []int, c *constraints) [][]int {
	l := newLinkage(sources, mustGroups(members, c), c)
	for {
		i := 0
		for k := range l.groups {
			if l.value[k] > l.value[i] {
				i = k
			}
		}
		if l.value[i] < threshold {
			break
		}
		l.merge(i, l.best[i])
	}
	groups := slices.DeleteFunc(l.groups, func(g []int) bool { return g == nil })
	for _, g := range groups {
		slices.Sort(g)
	}
	return groups
}

// linkage is the state of one agglomerative clustering: the groups, the sum of
// the likeness of all pairs between any two, and for each group the later one
// it is best linked to.
type linkage struct {
	groups [][]int
	sum    [][]float64
	within []float64 // the sum over all pairs within a group, each with itself too
	best   []int     // -1 for none
	value  []float64
	c      *constraints
}

func newLinkage(sources []*source, groups [][]int, c *constraints) *linkage {
	n := len(groups)
	l := &linkage{groups: groups, c: c, sum: make([][]float64, n), within: make([]float64, n), best: make([]int, n), value: make([]float64, n)}
	for i := range n {
		l.sum[i] = make([]float64, n)
		for j := range i {
			l.sum[i][j] = likenessSum(sources, groups[i], groups[j])
			l.sum[j][i] = l.sum[i][j]
		}
		l.within[i] = float64(len(groups[i]))
		for k, a := range groups[i] {
			l.within[i] += 2 * likenessSum(sources, groups[i][:k], []int{a})
		}
	}
	for i := range n {
		l.find(i)
	}
	return l
}

// link is how well two groups are linked, -1 if they may not be.
func (l *linkage) link(i, j int) float64 {
	a, b := l.groups[i], l.groups[j]
	if b == nil {
		return -1
	}
	n, m := float64(len(a)), float64(len(b))
	v := l.sum[i][j] / (n * m)
	if v <= 0 {
		return v
	}
	spread := max(l.within[i]/(n*n), loosest) * max(l.within[j]/(m*m), loosest)
	if v /= math.Pow(spread, cohesion); v >= threshold && !l.c.allowed(a, b) {
		return -1
	}
	return v
}

// find works out the later group that i is best linked to.
func (l *linkage) find(i int) {
	l.best[i], l.value[i] = -1, -1
	for j := i + 1; j < len(l.groups) && l.groups[i] != nil; j++ {
		if v := l.link(i, j); v > l.value[i] {
			l.best[i], l.value[i] = j, v
		}
	}
}

// merge puts group j into group i, which comes before it.
func (l *linkage) merge(i, j int) {
	l.groups[i] = append(l.groups[i], l.groups[j]...)
	l.within[i] += l.within[j] + 2*l.sum[i][j]
	l.groups[j], l.value[j] = nil, -1
	for k := range l.groups {
		l.sum[i][k] += l.sum[j][k]
		l.sum[k][i] = l.sum[i][k]
	}
	l.find(i)
	for k := range l.groups[:j] {
		switch {
		case l.best[k] == i || l.best[k] == j:
			l.find(k)
		case k < i && l.groups[k] != nil:
			if v := l.link(k, i); v > l.value[k] {
				l.best[k], l.value[k] = i, v
			}
		}
	}
}

func likenessSum(sources []*source, a, b []int) float64 {
	var sum float64
	for _, i := range a {
		for _, j := range b {
			sum += likeness(sources[i], sources[j])
		}
	}
	return sum
}

// mustGroups splits the members, in order, by their must-link group.
func mustGroups(members []int, c *constraints) [][]int {
	var groups [][]int
	at := map[int]int{}
	for _, i := range members {
		g, ok := at[c.group[i]]
		if !ok {
			g = len(groups)
			at[c.group[i]] = g
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], i)
	}
	return groups
}

// partition is a set of disjoint sets of 0..n-1 (union-find).
type partition struct{ parent, count []int }

func newPartition(n int) *partition {
	p := &partition{make([]int, n), make([]int, n)}
	for i := range n {
		p.parent[i], p.count[i] = i, 1
	}
	return p
}

func (p *partition) root(i int) int {
	for p.parent[i] != i {
		p.parent[i] = p.parent[p.parent[i]]
		i = p.parent[i]
	}
	return i
}

// size is how many are in the set of i; 0 would be none.
func (p *partition) size(i int) int { return p.count[p.root(i)] }

// union makes the sets of a and b one; its root is the smaller number.
func (p *partition) union(a, b int) {
	a, b = p.root(a), p.root(b)
	if a == b {
		return
	}
	a, b = min(a, b), max(a, b)
	p.parent[b] = a
	p.count[a] += p.count[b]
}

// sets lists the sets by their smallest member, each in order.
func (p *partition) sets() [][]int {
	at := map[int]int{}
	var out [][]int
	for i := range p.parent {
		r := p.root(i)
		k, ok := at[r]
		if !ok {
			k = len(out)
			at[r] = k
			out = append(out, nil)
		}
		out[k] = append(out[k], i)
	}
	return out
}
