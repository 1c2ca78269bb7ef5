package diff

import (
	"regexp"
	"strings"
)

// byQuote finds the quoted lines in the file's hunks. The surest reading of
// the quote that is found anywhere counts.
func (c Claim) byQuote(files []*File) (spot, bool) {
	for _, same := range []func(line, quoted string) bool{sameText, sameWords, partOf} {
		for _, quote := range quotations(c.Quote) {
			for _, seq := range c.sequences() {
				var found []spot
				for _, f := range files {
					found = append(found, findQuote(f, quote, seq, same, c.Old)...)
				}
				if len(found) > 0 {
					return c.choose(found)
				}
			}
		}
	}
	return spot{}, false
}

// sequence says which lines of a hunk stand one below the other: those of one
// side, or all of them as in the diff.
type sequence string

const (
	newSide sequence = " +"
	oldSide sequence = " -"
	asShown sequence = " +-"
)

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
	if c.Start == 0 {
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

// findQuote lists where the quoted lines stand one below the other.
func findQuote(f *File, quote []string, seq sequence, same func(line, quoted string) bool, old bool) []spot {
	var found []spot
	for i, h := range f.Hunks {
		o, n := h.OldStart, h.NewStart
		for at := range h.Lines {
			l := &h.Lines[at]
			if picked := h.match(at, o, n, quote, seq, same); picked != nil {
				s := spotOf(i, picked, old)
				s.quoted = true
				found = append(found, s)
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

// match compares the lines from an index on, whose numbers are o and n, with
// the quote. It returns them if they are the same.
func (h *Hunk) match(at, o, n int, quote []string, seq sequence, same func(line, quoted string) bool) []Numbered {
	if strings.IndexByte(string(seq), byte(h.Lines[at].Op)) < 0 || !same(h.Lines[at].Text, quote[0]) {
		return nil
	}
	var picked []Numbered
	rest := Hunk{OldStart: o, NewStart: n, Lines: h.Lines[at:]}
	for l := range rest.All() {
		if strings.IndexByte(string(seq), byte(l.Op)) < 0 {
			continue
		}
		if !same(l.Text, quote[len(picked)]) {
			return nil
		}
		if picked = append(picked, l); len(picked) == len(quote) {
			return picked
		}
	}
	return nil
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

// minPart is the least length of a quoted part of a line, in bytes.
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
