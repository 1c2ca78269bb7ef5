package merge

import (
	"cmp"
	"math"
	"slices"
	"sync"
)

// cohesion is between average linkage (0) and that of centroids (0.5): how much
// the spread within two groups is allowed for when they are compared. Findings
// of one problem by many reviewers are worded in many ways.
const (
	cohesion = 0.15
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

// edges lists the pairs of neighbours that reach the threshold, the most alike first.
func edges(sources []*source) []edge {
	var out []edge
	var mu sync.Mutex
	inParts(len(sources), func(from, to int) {
		var some []edge
		for a, b := range pairs(sources, from, to) {
			if reach(sources[a], sources[b]) < threshold {
				continue
			}
			if l := likeness(sources[a], sources[b]); l >= threshold {
				some = append(some, edge{a, b, l})
			}
		}
		mu.Lock()
		defer mu.Unlock()
		out = append(out, some...)
	})
	slices.SortFunc(out, func(x, y edge) int {
		return cmp.Or(cmp.Compare(y.like, x.like), cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b))
	})
	return out
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
