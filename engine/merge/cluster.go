package merge

import (
	"cmp"
	"slices"
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
	for _, p := range candidates(sources) {
		if l := likeness(sources[p[0]], sources[p[1]]); l >= threshold {
			out = append(out, edge{p[0], p[1], l})
		}
	}
	slices.SortFunc(out, func(x, y edge) int {
		return cmp.Or(cmp.Compare(y.like, x.like), cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b))
	})
	return out
}

// link runs average linkage over one component and returns its groups, each in
// the order of the sources. Must-link groups come first, as they are.
func link(sources []*source, members []int, c *constraints) [][]int {
	groups := mustGroups(members, c)
	n := len(groups)
	sum := make([][]float64, n) // of the likeness of all pairs between two groups
	for i := range sum {
		sum[i] = make([]float64, n)
		for j := range i {
			sum[i][j] = likenessSum(sources, groups[i], groups[j])
			sum[j][i] = sum[i][j]
		}
	}
	average := func(i, j int) float64 {
		if groups[j] == nil || !c.allowed(groups[i], groups[j]) {
			return -1
		}
		return sum[i][j] / float64(len(groups[i])*len(groups[j]))
	}
	best := make([]int, n) // the nearest later group of each, -1 for none
	value := make([]float64, n)
	find := func(i int) {
		best[i], value[i] = -1, -1
		for j := i + 1; j < n && groups[i] != nil; j++ {
			if v := average(i, j); v > value[i] {
				best[i], value[i] = j, v
			}
		}
	}
	for i := range groups {
		find(i)
	}
	for {
		i := 0
		for k := range groups {
			if value[k] > value[i] {
				i = k
			}
		}
		if n == 0 || value[i] < threshold {
			break
		}
		j := best[i]
		groups[i] = append(groups[i], groups[j]...)
		groups[j], value[j] = nil, -1
		for k := range groups {
			sum[i][k] += sum[j][k]
			sum[k][i] = sum[i][k]
		}
		for k := range i + 1 {
			find(k)
		}
		for k := i + 1; k < n; k++ {
			if best[k] == j {
				find(k)
			}
		}
	}
	groups = slices.DeleteFunc(groups, func(g []int) bool { return g == nil })
	for _, g := range groups {
		slices.Sort(g)
	}
	return groups
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
