package checks

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
)

// needed lists texts, in lower case, of which every text that a pattern matches
// has at least one; none when that cannot be told. Looking for them is a
// hundred times cheaper than matching the pattern.
func needed(pattern string) []string {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil
	}
	return neededBy(re)
}

func neededBy(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		text := string(re.Rune)
		if strings.ContainsFunc(text, func(r rune) bool {
			// Only the letters of ASCII are folded here, and a byte that is no
			// UTF-8 matches as U+FFFD.
			return r == unicode.ReplacementChar || r > unicode.MaxASCII && re.Flags&syntax.FoldCase != 0
		}) {
			return nil
		}
		return []string{lower(text)}
	case syntax.OpCapture, syntax.OpPlus:
		return neededBy(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return neededBy(re.Sub[0])
		}
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			one := neededBy(sub)
			if one == nil {
				return nil
			}
			all = append(all, one...)
		}
		slices.Sort(all)
		return slices.Compact(all)
	case syntax.OpConcat:
		var best []string
		for _, sub := range re.Sub {
			if one := neededBy(sub); shortest(one) > shortest(best) {
				best = one
			}
		}
		return best
	}
	return nil
}

// shortest is the length of the shortest text, 0 of none: the longer, the
// rarer.
func shortest(texts []string) int {
	if len(texts) == 0 {
		return 0
	}
	return len(slices.MinFunc(texts, func(a, b string) int { return len(a) - len(b) }))
}

// lower folds the letters of ASCII.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, s)
}

// finder looks for many texts at once, in one walk over the bytes
// (Aho and Corasick, 1975). Letters of ASCII are folded.
type finder struct {
	class [256]uint8 // of a byte; 0 = in none of the texts
	width int        // classes
	next  []uint32   // state*width + class -> state; 0 is the start
	found [][]int    // state -> what was said to be found there
}

// foldsToASCII are the letters beyond ASCII that (?i) takes for k and s. A text
// with one of them may hold any of the others.
var foldsToASCII = []string{"\u212a", "\u017f"}

// newFinder makes a finder of texts; each stands for some numbers.
func newFinder(texts map[string][]int) *finder {
	f := &finder{width: 1}
	words := make([]string, 0, len(texts))
	for w := range texts {
		words = append(words, w)
		for i := range len(w) {
			if f.class[w[i]] == 0 {
				f.class[w[i]] = uint8(f.width)
				f.width++
			}
		}
	}
	for c := 'A'; c <= 'Z'; c++ {
		f.class[c] = f.class[c+'a'-'A']
	}
	slices.Sort(words)
	f.state()
	for _, w := range words {
		at := uint32(0)
		for i := range len(w) {
			edge := int(at)*f.width + int(f.class[w[i]])
			if f.next[edge] == 0 {
				f.next[edge] = f.state()
			}
			at = f.next[edge]
		}
		f.found[at] = append(f.found[at], texts[w]...)
	}
	f.link()
	return f
}

// state adds one.
func (f *finder) state() uint32 {
	f.next = append(f.next, make([]uint32, f.width)...)
	f.found = append(f.found, nil)
	return uint32(len(f.found) - 1)
}

// link completes the transitions: where a text does not go on, the longest end
// of what was read that begins a text does.
func (f *finder) link() {
	fail := make([]uint32, len(f.found))
	var queue []uint32
	for c := range f.width {
		if s := f.next[c]; s != 0 {
			queue = append(queue, s)
		}
	}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		f.found[at] = append(f.found[at], f.found[fail[at]]...)
		for c := range f.width {
			edge, back := int(at)*f.width+c, f.next[int(fail[at])*f.width+c]
			if s := f.next[edge]; s != 0 {
				fail[s] = back
				queue = append(queue, s)
			} else {
				f.next[edge] = back
			}
		}
	}
}

// in says what is found in a text; the same may be said again.
func (f *finder) in(text string, say func(int)) {
	at := uint32(0)
	for i := range len(text) {
		at = f.next[int(at)*f.width+int(f.class[text[i]])]
		for _, n := range f.found[at] {
			say(n)
		}
	}
}
