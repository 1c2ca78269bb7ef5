package checks

import (
	"slices"

	"github.com/mrv-dev/mrv/engine/diff"
)

// scan walks over a change once for all rules. In a line it looks for the texts
// that the patterns need; only a rule whose text is there is matched.
type scan struct {
	rules  []Rule
	finder *finder
	always []int // rules that need no text in the line

	// Of the file at hand, by rule.
	path   string
	looked []answer // whether the rule looks at such a path
	hits   [][]Hit

	// Of the hunk at hand: its lines; by number the last line with a text that
	// is looked for under it; and by rule the last line above with one that its
	// After needs.
	lines []line
	seen  []int
	above []int
	now   []int // numbers of the line at hand
}

// answer is to a question that may not have been asked yet.
type answer uint8

const (
	unknown answer = iota
	no
	yes
)

// line is one of the new file.
type line struct {
	text   string
	number int
	added  bool
}

// numbers are those under which a rule's pattern and its After are looked for.
func numbers(rule int) (pattern, after int) { return 2 * rule, 2*rule + 1 }

func newScan(rules []Rule) *scan {
	s := &scan{
		rules: rules, looked: make([]answer, len(rules)), hits: make([][]Hit, len(rules)),
		seen: make([]int, 2*len(rules)), above: make([]int, len(rules)),
	}
	texts := map[string][]int{}
	need := func(list []string, n int) {
		for _, t := range slices.Concat(list, foldsToASCII) {
			texts[t] = append(texts[t], n)
		}
	}
	for i := range rules {
		pattern, after := numbers(i)
		if rules[i].needs != nil {
			need(rules[i].needs, pattern)
		} else {
			s.always = append(s.always, i)
		}
		if rules[i].afterNeeds != nil {
			need(rules[i].afterNeeds, after)
		}
	}
	s.finder = newFinder(texts)
	return s
}

// looks reports whether a rule looks at the file. Paths are matched last: of
// most files no rule would have anything to say.
func (s *scan) looks(rule int) bool {
	if s.looked[rule] == unknown {
		r := &s.rules[rule]
		s.looked[rule] = no
		if (len(r.paths) == 0 || r.paths.Match(s.path)) && !r.not.Match(s.path) {
			s.looked[rule] = yes
		}
	}
	return s.looked[rule] == yes
}

// begin takes up a file.
func (s *scan) begin(path string) {
	s.path = path
	clear(s.looked)
	clear(s.hits)
}

// hunk matches one hunk. Removed lines are not part of the new file: no
// condition looks at them.
func (s *scan) hunk(h *diff.Hunk) {
	s.lines = s.lines[:0]
	number := h.NewStart
	for _, l := range h.Lines {
		if l.Op != diff.Delete {
			s.lines = append(s.lines, line{l.Text, number, l.Op == diff.Add})
			number++
		}
	}
	for n := range s.seen {
		s.seen[n], s.above[n/2] = -1, -1
	}
	for at, l := range s.lines {
		s.now = s.now[:0]
		s.finder.in(l.text, func(n int) {
			if s.seen[n] != at {
				s.seen[n], s.now = at, append(s.now, n)
			}
		})
		if l.added {
			s.added(at)
		}
		for _, n := range s.now {
			if rule := n / 2; n%2 == 1 {
				s.above[rule] = at
			}
		}
	}
}

// added matches an added line against the rules that may match it.
func (s *scan) added(at int) {
	for _, rule := range s.always {
		s.match(rule, at)
	}
	for _, n := range s.now {
		if rule := n / 2; n%2 == 0 {
			s.match(rule, at)
		}
	}
}

// match notes the line if the rule matches it.
func (s *scan) match(rule, at int) {
	r, l := &s.rules[rule], s.lines[at]
	if r.afterNeeds != nil && s.above[rule] < r.first(at) {
		return
	}
	if r.pattern.MatchString(l.text) && r.follows(s.lines, at) && !r.excused(s.lines, at) && s.looks(rule) {
		s.hits[rule] = append(s.hits[rule], Hit{Path: s.path, Line: l.number, Text: l.text})
	}
}
