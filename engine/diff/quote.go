package diff

import (
	"regexp"
	"strings"
)

// quoteMatch is one way to look for a quote. atEdge lets it begin above a hunk or
// end below it: what stands between hunks is not in the change.
type quoteMatch struct {
	same   func(line, quoted string) bool
	atEdge bool
}

// byQuote finds the quoted lines in the file's hunks: whole and on the claimed
// side first. White space counts only to choose between several.
func (c Claim) byQuote(files []*File) (spot, bool) {
	quotes := quotations(c.Quote)
	for _, m := range []quoteMatch{{sameWords, false}, {sameWords, true}, {partOf, false}} {
		for _, seq := range c.sequences() {
			for _, quote := range quotes {
				found := m.findIn(files, quote, seq, c.Old)
				if len(found) == 0 {
					continue
				}
				if at, ok := c.choose(found); ok {
					return at, true
				}
				return c.choose(quoteMatch{sameText, m.atEdge}.findIn(files, quote, seq, c.Old))
			}
		}
	}
	return spot{}, false
}

func (m quoteMatch) findIn(files []*File, quote []string, seq sequence, old bool) []spot {
	var found []spot
	for _, f := range files {
		found = append(found, m.find(f, quote, seq, old)...)
	}
	return found
}

// sequence says which lines of a hunk stand one below the other: those of one
// side, or all of them as in the diff.
type sequence string

const (
	newSide sequence = " +"
	oldSide sequence = " -"
	asShown sequence = " +-"
)

func (s sequence) has(op Op) bool { return strings.IndexByte(string(s), byte(op)) >= 0 }

func (c Claim) sequences() []sequence {
	if c.Old {
		return []sequence{oldSide, newSide, asShown}
	}
	return []sequence{newSide, oldSide, asShown}
}

// choose takes the spot at the claimed lines, else the only one, else the
// nearest if the next is more than twice as far.
func (c Claim) choose(found []spot) (spot, bool) {
	if len(found) == 1 {
		return found[0], true
	}
	if c.Start == 0 || len(found) == 0 {
		return spot{}, false
	}
	best, next := 0, -1
	for i := 1; i < len(found); i++ {
		switch d := found[i].distance(c); {
		case d < found[best].distance(c):
			best, next = i, best
		case next < 0 || d < found[next].distance(c):
			next = i
		}
	}
	near, far := found[best].distance(c), found[next].distance(c)
	return found[best], near == 0 && far > 0 || far > 2*near+2
}

// find lists where the quoted lines stand one below the other.
func (m quoteMatch) find(f *File, quote []string, seq sequence, old bool) []spot {
	var found []spot
	add := func(hunk int, picked []Numbered) {
		if picked != nil {
			at := spotOf(hunk, picked, old)
			at.quoted = true
			found = append(found, at)
		}
	}
	for i, h := range f.Hunks {
		begun := false // whether a line of the sequence was seen
		o, n := h.OldStart, h.NewStart
		for at := range h.Lines {
			l := &h.Lines[at]
			if seq.has(l.Op) {
				if m.atEdge && !begun || m.same(l.Text, quote[0]) {
					rest := Hunk{OldStart: o, NewStart: n, Lines: h.Lines[at:]}
					add(i, m.at(&rest, quote, seq, !begun))
				}
				begun = true
			}
			if l.Op != Add {
				o++
			}
			if l.Op != Delete {
				n++
			}
		}
	}
	return found
}

// at compares the quote with lines from the first one on. With atEdge it may
// end below the last line, and begin above the first of a hunk.
func (m quoteMatch) at(lines *Hunk, quote []string, seq sequence, firstOfHunk bool) []Numbered {
	picked := m.run(lines, quote, seq)
	if !m.atEdge {
		if len(picked) < len(quote) {
			return nil
		}
		return picked
	}
	if len(picked) > 0 && len(picked) < len(quote) && tells(picked) {
		return picked
	}
	for above := 1; firstOfHunk && above < len(quote); above++ {
		if picked = m.run(lines, quote[above:], seq); tells(picked) {
			return picked
		}
	}
	return nil
}

// run is the lines of the sequence that are the quote's, from the first one of
// both on until either ends; nil if one differs.
func (m quoteMatch) run(lines *Hunk, quote []string, seq sequence) []Numbered {
	if !m.same(lines.Lines[0].Text, quote[0]) {
		return nil
	}
	var picked []Numbered
	for l := range lines.All() {
		if !seq.has(l.Op) {
			continue
		}
		if !m.same(l.Text, quote[len(picked)]) {
			return nil
		}
		if picked = append(picked, l); len(picked) == len(quote) {
			break
		}
	}
	return picked
}

// tells says whether lines are enough to know a place by.
func tells(lines []Numbered) bool {
	size := 0
	for _, l := range lines {
		if hasWord(l.Text) {
			size += len(strings.TrimSpace(l.Text))
		}
	}
	return size >= minPart
}

// sameText allows for nothing but a carriage return at the end.
func sameText(line, quoted string) bool {
	return strings.TrimSuffix(line, "\r") == quoted
}

// sameWords ignores white space at the ends, and how much there is inside.
func sameWords(line, quoted string) bool {
	line, quoted = strings.TrimSpace(line), strings.TrimSpace(quoted)
	for line != "" && quoted != "" && line[0] == quoted[0] {
		if line[0] == ' ' || line[0] == '\t' {
			line, quoted = strings.TrimLeft(line, " \t"), strings.TrimLeft(quoted, " \t")
			continue
		}
		line, quoted = line[1:], quoted[1:]
	}
	return line == quoted
}

// partOf takes a quoted part of a line, unless it is too short to mean it.
func partOf(line, quoted string) bool {
	quoted = strings.TrimSpace(quoted)
	return len(quoted) >= minPart && strings.Contains(line, quoted)
}

// minPart is how much of a quote must be found, in bytes, if not all of it.
const minPart = 8

// Prefixes that quotes carry over from how the code was shown: a diff's signs,
// numbers of both sides with a sign, numbers of a listing.
var (
	shownSign    = regexp.MustCompile(`^[-+ ]`)
	shownNumbers = regexp.MustCompile(`^ *\d* +\d* *[-+ ]`)
	listedNumber = regexp.MustCompile(`^\s*\d+\s?[:|]\s?`)
)

// quotations are the ways to read a quote, as lines, surest first.
func quotations(quote string) [][]string {
	lines := strings.Split(strings.ReplaceAll(quote, "\r\n", "\n"), "\n")
	lines = trimLines(lines)
	list := [][]string{lines}
	for _, shown := range []*regexp.Regexp{shownSign, shownNumbers, listedNumber} {
		if bare := without(lines, shown); bare != nil {
			list = append(list, bare)
		}
	}
	return list
}

// trimLines drops what is around the code: fences, a hunk's header, empty
// lines; and what stands behind an ellipsis.
func trimLines(lines []string) []string {
	around := func(s string) bool {
		s = strings.TrimSpace(s)
		return s == "" || strings.HasPrefix(s, "```") || strings.HasPrefix(s, "@@ -")
	}
	for len(lines) > 1 && around(lines[0]) {
		lines = lines[1:]
	}
	for i, l := range lines {
		if bare := strings.Trim(l, " \t/#*+-"); i > 0 && (bare == "..." || bare == "…") {
			lines = lines[:i]
			break
		}
	}
	for len(lines) > 1 && around(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// without cuts a prefix from all lines; nil if one that is not empty has none.
func without(lines []string, prefix *regexp.Regexp) []string {
	bare := make([]string, len(lines))
	for i, l := range lines {
		if l == "" {
			continue
		}
		cut := prefix.FindString(l)
		if cut == "" {
			return nil
		}
		bare[i] = l[len(cut):]
	}
	return bare
}
