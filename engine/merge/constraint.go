package merge

import (
	"slices"

	"github.com/mrv-dev/mrv/engine/event"
)

// constraints say which sources belong together and which stand apart, in the
// terms of constrained clustering: must-link and cannot-link (Wagstaff et al.,
// "Constrained k-means clustering with background knowledge", 2001). Sources
// are named by their index.
type constraints struct {
	// group is the must-link group of each source.
	group []int
	// frozen is the standing entry of each source, 0 for none. Two different
	// ones never become one.
	frozen []int
	// cannot holds the pairs that were split by hand, both ways.
	cannot map[int][]int
	next   int // the next free label
}

// constrain gathers the constraints: entries that stand, then what was decided
// together or apart, then what was done by hand, the latest word last.
func constrain(sources []*source, standing []event.Entry, in Input) *constraints {
	n := len(sources)
	c := &constraints{group: make([]int, n), frozen: make([]int, n), cannot: map[int][]int{}, next: n}
	index := make(map[string]int, n)
	for i, s := range sources {
		c.group[i] = i
		index[s.ID] = i
	}
	for _, e := range standing {
		c.freeze(indices(e.Sources, index))
	}
	keys := map[string][]int{}
	for i, s := range sources {
		if key, ok := in.Decided[s.ID]; ok {
			keys[key] = append(keys[key], i)
		}
	}
	for _, s := range sources {
		if key, ok := in.Decided[s.ID]; ok {
			c.decided(keys[key])
			delete(keys, key)
		}
	}
	for _, op := range in.Ops {
		ids := indices(op.IDs, index)
		switch op.Op {
		case "join":
			c.join(ids)
		case "split":
			if x, ok := index[first(op.IDs)]; ok {
				c.split(x, ids)
			}
		}
	}
	return c
}

func first(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return ids[0]
}

func indices(ids []string, index map[string]int) []int {
	var out []int
	for _, id := range ids {
		if i, ok := index[id]; ok {
			out = append(out, i)
		}
	}
	return out
}

// label is a name for a group that no other has.
func (c *constraints) label() int {
	c.next++
	return c.next
}

// freeze makes the sources one group that stands.
func (c *constraints) freeze(ids []int) {
	if len(ids) == 0 {
		return
	}
	g, f := c.label(), c.label()
	for _, i := range ids {
		c.group[i], c.frozen[i] = g, f
	}
}

// decided keeps together what was decided together: new sources stand in the
// entry in which the others stand; what stands in several entries, because it
// was decided while they were made, is taken out into one.
func (c *constraints) decided(ids []int) {
	standing := map[int]int{} // frozen label -> group
	for _, i := range ids {
		if f := c.frozen[i]; f != 0 {
			standing[f] = c.group[i]
		}
	}
	if len(standing) != 1 {
		c.freeze(ids)
		return
	}
	for f, g := range standing {
		for _, i := range ids {
			c.group[i], c.frozen[i] = g, f
		}
	}
}

// join makes the sources and all that already belong to them one group, and
// forgets what kept them apart.
func (c *constraints) join(ids []int) {
	if len(ids) < 2 {
		return
	}
	joined := map[int]bool{}
	for _, i := range ids {
		joined[c.group[i]] = true
	}
	g, f := c.label(), 0
	var members []int
	for i := range c.group {
		if joined[c.group[i]] {
			members = append(members, i)
			f = max(f, c.frozen[i])
		}
	}
	in := func(j int) bool { return slices.Contains(members, j) }
	for _, i := range members {
		c.group[i], c.frozen[i] = g, f
		c.cannot[i] = slices.DeleteFunc(c.cannot[i], in)
	}
}

// split takes x out of its group if any of the rest is in it, and keeps it
// apart from the rest.
func (c *constraints) split(x int, rest []int) {
	for _, r := range rest {
		if r == x {
			continue
		}
		if c.group[r] == c.group[x] {
			c.group[x] = c.label()
			c.frozen[x] = 0
		}
		c.cannot[x] = append(c.cannot[x], r)
		c.cannot[r] = append(c.cannot[r], x)
	}
}

// allowed reports whether two groups of sources may become one: not if both
// stand as different entries, nor if a pair between them was split.
func (c *constraints) allowed(a, b []int) bool {
	fa, fb := c.entryOf(a), c.entryOf(b)
	if fa != 0 && fb != 0 && fa != fb {
		return false
	}
	if len(c.cannot) == 0 {
		return true
	}
	for _, i := range a {
		for _, j := range b {
			if slices.Contains(c.cannot[i], j) {
				return false
			}
		}
	}
	return true
}

// entryOf is the standing entry that a group belongs to, 0 for none.
func (c *constraints) entryOf(group []int) int {
	for _, i := range group {
		if c.frozen[i] != 0 {
			return c.frozen[i]
		}
	}
	return 0
}
