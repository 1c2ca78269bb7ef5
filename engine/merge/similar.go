package merge

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mrv-dev/mrv/engine/diff"
)

// What the likeness of two findings is made of. The numbers were chosen on
// labelled findings of real reviewers (TestEvalset prints what they reach), by
// coarse steps, so that neighbouring values do about as well.
const (
	// threshold is the linkage from which two groups are one problem.
	threshold = 0.308
	// local is how much of a term's weight comes from the findings at hand
	// rather than from the background: what the whole change is about says
	// little about a single problem in it.
	local = 0.35
	// prior is how many findings the background stands for when only a few
	// are at hand.
	prior = 20
	// temper takes a little off the rarest terms: most of them are names, which
	// say where a finding is rather than what is wrong there.
	temper = 0.9
	// partWeight is the weight of a part of an identifier; whole identifiers
	// come on top of their parts, so that they outweigh prose.
	partWeight = 0.6
	// codeWeight is the weight of whole identifiers and quoted words.
	codeWeight = 0.85
	// conceptWeight is the weight of a concept beside the words that stand for
	// it, conceptAcross where two languages have nothing but code besides.
	conceptWeight = 0.35
	conceptAcross = 0.7
	// repeats is how much saying a term again counts, for each factor of e.
	repeats = 0.5
	// located is what is left of a term that stands in the quoted code too: it
	// says where a finding is rather than what is wrong there. Between two
	// languages the names on the line are most of what can be shared.
	located       = 0.85
	locatedAcross = 0.5

	// brevity gives back some of what the cosine takes from a short finding that
	// says a part of what a long one says: the likeness grows with that power of
	// the ratio of their lengths, by mostBrief at most (Singhal, Buckley and
	// Mitra, "Pivoted document length normalization", 1996).
	brevity   = 0.15
	mostBrief = 1.18

	// sameCompany is the most that being like the same other findings adds.
	sameCompany = 0.1

	// Place helps: the most that overlapping lines and a shared quote add. It
	// never decides: what it adds is at most placeCap times the likeness of
	// the texts.
	sameLines = 0.13
	sameQuote = 0.12
	placeCap  = 2.2
	// Place separates: what different files and lines far away (farLines and
	// more) take off.
	otherFile = 0.25
	otherLine = 0.25
	farLines  = 40
	// unquoted is what lines count that no quote backs: models miscount.
	unquoted = 0.5

	// sameReviewer is what a pair of one reviewer's findings loses. One seldom
	// reports the same thing twice; what looks so are mostly two cases of one
	// kind, in the same words.
	sameReviewer = 0.55
	// foreign is what is left of the likeness of two findings in different
	// languages, which can only share code and concepts: without their places
	// that is not enough.
	foreign = 0.36
)

// weight is one term of a finding and how much it says, of a unit vector.
type weight struct {
	term int32
	w    float32
}

// features are what a finding is compared by.
type features struct {
	vec    []weight // all terms, by term
	across []weight // the code and concepts among them, as a vector of its own
	quote  []int32  // the terms of the quoted code, in order
	size   float64  // the length of vec before it was scaled to one, to the power of brevity
	cjk    bool     // mostly written in Chinese, Japanese or Korean

	near     []neighbour // by index
	nearness float64     // the sum of their squared likeness
}

// describe works out the features of findings that are to be compared with
// each other; the weight of a term depends on them all.
func describe(list []*source) {
	v := background()
	found := make([]map[string]bag, len(list))
	quotes := make([][]term, len(list))
	inParts(len(list), func(from, to int) {
		for i := from; i < to; i++ {
			found[i] = count(terms(words(list[i]), v.stops))
			conceive(found[i])
			quotes[i] = terms(list[i].Quote, v.stops)
		}
	})
	in := map[string]int{}
	for i := range list {
		for t := range found[i] {
			in[t]++
		}
	}
	names := numbered(in)
	for i, s := range list {
		s.quote = quoted(quotes[i], names)
	}
	inParts(len(list), func(from, to int) {
		for i := from; i < to; i++ {
			list[i].weigh(found[i], func(t string) weight {
				// The term's own finding does not count: a term is common
				// if others have it too.
				share := (1-local)*v.share(t) + local*float64(in[t]-1)/(float64(len(list))+prior)
				return weight{names[t], float32(math.Pow(max(0, -math.Log(share)), temper))}
			})
		}
	})
	acquaint(list)
}

// weigh makes the vectors of a finding from its terms and how much each says.
func (s *source) weigh(found map[string]bag, says func(string) weight) {
	s.vec = make([]weight, 0, len(found))
	for t, b := range found {
		x := says(t)
		x.w *= float32(1 + repeats*math.Log(float64(b.n)))
		across := x
		switch b.kind {
		case part:
			x.w *= partWeight
			across = x
		case code:
			x.w *= codeWeight
			across = x
		case concept:
			x.w *= conceptWeight
			across.w *= conceptAcross
		}
		s.vec = append(s.vec, x)
		if b.kind != prose {
			s.across = append(s.across, across)
		}
	}
	s.size = math.Pow(unit(s.vec), brevity)
	unit(s.across)
	s.discount(s.vec, located)
	s.discount(s.across, locatedAcross)
	s.cjk = mostlyCJK(found)
}

// discount leaves a part of the weight of the terms that stand in the quoted
// code. What it takes is not spread over the others: two findings are no more
// alike for it.
func (s *source) discount(v []weight, left float32) {
	for i, x := range v {
		if _, ok := slices.BinarySearch(s.quote, x.term); ok {
			v[i].w *= left
		}
	}
}

// words is the text a finding is compared by: what it says the code does and
// what that leads to. The judgment is left out: different problems may break
// one contract.
func words(s *source) string {
	text := s.Title + "\n" + s.Observation + "\n" + s.Inference
	if strings.TrimSpace(text) == "" {
		return s.Judgment
	}
	return text
}

// bag is how often a term stands in a text, and the greatest kind it has there.
type bag struct {
	n    int
	kind kind
}

func count(list []term) map[string]bag {
	m := make(map[string]bag, len(list))
	for _, t := range list {
		b := m[t.text]
		m[t.text] = bag{b.n + 1, max(b.kind, t.kind)}
	}
	return m
}

// numbered gives each term a number, in the order of the terms, so that sums
// run in one order whatever the order of the input.
func numbered(in map[string]int) map[string]int32 {
	all := make([]string, 0, len(in))
	for t := range in {
		all = append(all, t)
	}
	slices.Sort(all)
	names := make(map[string]int32, len(all))
	for i, t := range all {
		names[t] = int32(i)
	}
	return names
}

// unit sorts a vector by term, scales it to length one and returns what its
// length was.
func unit(v []weight) float64 {
	slices.SortFunc(v, func(a, b weight) int { return cmp.Compare(a.term, b.term) })
	var sum float64
	for _, x := range v {
		sum += float64(x.w) * float64(x.w)
	}
	length := math.Sqrt(sum)
	if length == 0 {
		return 0
	}
	for i := range v {
		v[i].w /= float32(length)
	}
	return length
}

// mostlyCJK reports whether most of a text's prose is in CJK characters.
func mostlyCJK(m map[string]bag) bool {
	cjk, all := 0, 0
	for t, b := range m {
		if b.kind == prose {
			all++
			r, _ := utf8.DecodeRuneInString(t)
			cjk += off(isCJK(r))
		}
	}
	return 2*cjk > all
}

// quoted numbers the terms of quoted code: those that any finding's text has as
// they are there, the others with numbers of their own.
func quoted(list []term, names map[string]int32) []int32 {
	var out []int32
	for _, t := range list {
		n, ok := names[t.text]
		if !ok {
			n = int32(len(names))
			names[t.text] = n
		}
		out = append(out, n)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// likeness is how alike two findings are: about 1 for the same words at the
// same place, below 0 for different words at different places.
func likeness(a, b *source) float64 {
	if a.Reviewer == b.Reviewer && a.analyser {
		return -1 // an analyser's words are its rules': each finding is its own
	}
	text := textLikeness(a, b)
	return text + sameCompany*company(a, b, text) + known(a, b, text)
}

// reach is the most that the likeness of two findings can be. It leaves out
// the company, which is dear to work out.
func reach(a, b *source) float64 {
	text := textLikeness(a, b)
	return text + sameCompany + known(a, b, text)
}

// known is what is known of two findings besides their texts: what their
// places and their reviewers add or take off.
func known(a, b *source, text float64) float64 {
	if a.Reviewer == b.Reviewer {
		return placed(a, b, text) - sameReviewer
	}
	return placed(a, b, text)
}

// textLikeness is how alike the texts are, from 0 to about 1.
func textLikeness(a, b *source) float64 {
	if a.cjk != b.cjk {
		return foreign * dot(a.across, b.across)
	}
	return dot(a.vec, b.vec) * brief(a, b)
}

// brief is what the likeness of texts of different lengths is multiplied by.
func brief(a, b *source) float64 {
	short, long := min(a.size, b.size), max(a.size, b.size)
	if short == 0 {
		return 1
	}
	return min(mostBrief, long/short)
}

// dot is the cosine of two unit vectors.
func dot(a, b []weight) float64 {
	var sum float64
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i].term < b[j].term:
			i++
		case a[i].term > b[j].term:
			j++
		default:
			sum += float64(a[i].w) * float64(b[j].w)
			i++
			j++
		}
	}
	return sum
}

// placed is what the places of two findings add to or take off the likeness of
// their texts.
func placed(a, b *source, text float64) float64 {
	p, q := a.place, b.place
	if p.Path == "" || q.Path == "" {
		return 0
	}
	if p.Path != q.Path {
		return -otherFile
	}
	var near, far float64
	if lined(p) && lined(q) && p.Side == q.Side {
		trust := 1.0
		if len(a.quote) == 0 || len(b.quote) == 0 {
			trust = unquoted
		}
		overlap, gap := compareLines(p, q)
		near += trust * sameLines * math.Sqrt(overlap)
		far = trust * otherLine * min(1, gap/farLines)
	}
	near += sameQuote * jaccard(a.quote, b.quote)
	return min(near, placeCap*text) - far
}

// lined reports whether a place has lines that somebody gave.
func lined(p diff.Place) bool { return p.Start > 0 && !p.Guessed }

// compareLines is the shared part of the lines of two places, 0 to 1, and how
// many lines lie between them.
func compareLines(p, q diff.Place) (overlap, gap float64) {
	from, to := max(p.Start, q.Start), min(max(p.Start, p.End), max(q.Start, q.End))
	if from > to {
		return 0, float64(from - to)
	}
	all := max(p.Start, p.End, q.Start, q.End) - min(p.Start, q.Start) + 1
	return float64(to-from+1) / float64(all), 0
}

// jaccard is the shared part of two ordered sets, 0 to 1.
func jaccard(a, b []int32) float64 {
	both := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			both++
			i++
			j++
		}
	}
	if both == 0 {
		return 0
	}
	return float64(both) / float64(len(a)+len(b)-both)
}
