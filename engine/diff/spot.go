package diff

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"
)

// spot is a run of lines in one hunk, on one side.
type spot struct {
	hunk       int
	side       Side
	start, end int
	first      string // text of the first line
	words      string // text of the first line that has a letter or digit
	// num and last are the run's numbers as a finding would give them.
	num, last int
	quoted    bool
}

// spotOf makes a spot of picked lines of a hunk. If there is an added one they
// are lines of the new side; else, if there is a deleted one, the deleted ones
// are lines of the old side; context alone, which both sides have, is on the
// new one, the only one where forges take it.
func spotOf(hunk int, picked []Numbered, old bool) spot {
	at := spot{hunk: hunk, side: sideOf(picked)}
	for _, l := range picked {
		if claimed := l.on(old); at.num == 0 {
			at.num, at.last = claimed, claimed
		} else {
			at.last = max(at.last, claimed)
		}
		number := l.New
		if at.side == Left {
			number = l.Old
		}
		if at.side == Left && l.Op != Delete || number == 0 {
			continue
		}
		if at.start == 0 {
			at.start, at.first = number, l.Text
		}
		at.end = number
		if at.words == "" && hasWord(l.Text) {
			at.words = l.Text
		}
	}
	return at
}

func sideOf(picked []Numbered) Side {
	side := Right
	for _, l := range picked {
		switch l.Op {
		case Add:
			return Right
		case Delete:
			side = Left
		}
	}
	return side
}

// on is the line's number on a side, or on the other where it has none.
func (n Numbered) on(old bool) int {
	if old && n.Old > 0 || n.New == 0 {
		return n.Old
	}
	return n.New
}

// place writes the spot into a place that has its path.
func (at spot) place(p Place, c Claim) Place {
	p.How, p.Side, p.Hunk, p.Text, p.QuoteFound = Exact, at.side, at.hunk, at.first, at.quoted
	if at.quoted && c.Start > 0 && at.distance(c) > 0 {
		p.How, p.Shift = Moved, at.num-c.Start
	}
	p.Start, p.End = at.start, at.end
	p.Fingerprint = fingerprint(p.Path, at.words)
	return p
}

// distance is by how many lines the claim misses the spot: 0 if one of the two
// ranges is inside the other.
func (at spot) distance(c Claim) int {
	if at.num >= c.Start && at.last <= c.End || at.num <= c.Start && at.last >= c.End {
		return 0
	}
	return max(at.num-c.Start, c.Start-at.num)
}

// byLines finds a range of line numbers in the file's hunks: in the hunk that
// has its first line, else in the one that has most of it.
func byLines(f *File, start, end int, old bool) (spot, bool) {
	best, most := -1, 0
	for i, h := range f.Hunks {
		from, lines := h.NewStart, h.NewLines
		if old {
			from, lines = h.OldStart, h.OldLines
		}
		shared := min(end, from+lines-1) - max(start, from) + 1
		if shared < 1 {
			continue
		}
		if start >= from {
			best, most = i, shared
			break
		}
		if shared > most {
			best, most = i, shared
		}
	}
	if best < 0 {
		return spot{}, false
	}
	var picked []Numbered
	for l := range f.Hunks[best].All() {
		number := l.New
		if old {
			number = l.Old
		}
		if number >= start && number <= end {
			picked = append(picked, l)
		}
	}
	return spotOf(best, picked, old), true
}

// fingerprint is a memory key for a place: it survives moved lines and changed
// indentation.
func fingerprint(path, text string) string {
	sum := sha256.Sum256([]byte(path + "\x00" + squash(text)))
	return hex.EncodeToString(sum[:12])
}

// squash makes every run of white space one space and trims the ends.
func squash(s string) string { return strings.Join(strings.Fields(s), " ") }

// firstWords is the first line of a text that holds a letter or digit.
func firstWords(text string) string {
	for line := range strings.SplitSeq(text, "\n") {
		if hasWord(line) {
			return line
		}
	}
	return ""
}

func hasWord(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) >= 0
}

// telling says whether a quote is enough to move a finding by: more than
// brackets and a keyword.
func telling(quote string) bool {
	const least = 5
	n := 0
	for _, r := range quote {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n >= least
}
