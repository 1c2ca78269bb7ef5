// Package secret knows what private keys and provider tokens look like. It
// finds them in text, also in base64, percent-encoded or cut over lines and
// string literals, masks them, and tells whether a text holds a value that
// must never leave. It never learns a secret: the values it compares with are
// handed in, and nothing is kept.
package secret

import (
	"sort"
	"strings"
)

// Match is one secret in a text, by byte offsets.
type Match struct {
	Pattern    Pattern
	Start, End int
	// Hint is the end, in bytes of the text, of the part that may be shown.
	Hint int
}

// Find lists the secrets in a text, in order and without overlaps. Where two
// shapes claim the same bytes, they are one match: of the shape that starts
// first, then of the longer one, to the end of both.
func Find(text string) []Match {
	all := plain(text)
	all = append(all, encoded(text)...)
	return joined(append(all, split(text)...))
}

// plain lists what stands in a text as it is, in the order of the table.
func plain(text string) []Match {
	var all []Match
	for _, p := range table {
		if !p.signed(text) {
			continue
		}
		for _, m := range p.Expr.FindAllStringSubmatchIndex(text, -1) {
			end := m[1]
			if len(m) > 4 {
				end = m[5]
			}
			if !p.named || stands(text[m[0]:m[3]], text[m[3]:end]) {
				all = append(all, Match{Pattern: p, Start: m[0], End: end, Hint: m[3]})
			}
		}
	}
	return all
}

// joined sorts matches and makes one of those that overlap.
func joined(all []Match) []Match {
	sort.SliceStable(all, func(i, j int) bool {
		if all[i].Start != all[j].Start {
			return all[i].Start < all[j].Start
		}
		return all[i].End > all[j].End
	})
	out := all[:0]
	for _, m := range all {
		if n := len(out); n > 0 && m.Start < out[n-1].End {
			out[n-1].End = max(out[n-1].End, m.End)
			continue
		}
		out = append(out, m)
	}
	return out
}

// Mask replaces every secret in a text by a hint of it, such as "ghp_…3f":
// enough to find it, not enough to use it. A masked text has no secret left.
func Mask(text string) string {
	found := Find(text)
	if len(found) == 0 {
		return text
	}
	var b strings.Builder
	at := 0
	for _, m := range found {
		b.WriteString(text[at:m.Hint])
		b.WriteString("…")
		// Two characters tell one key from another; a key's header tells enough.
		if m.Pattern.ID != "private-key" && m.End-m.Hint > 8 {
			b.WriteString(text[m.End-2 : m.End])
		}
		at = m.End
	}
	b.WriteString(text[at:])
	// What is left of one secret can be the beginning of another. Each round
	// is shorter than the one before, so this ends.
	return Mask(b.String())
}

// shortest is the length below which a known value is too common a string to
// be looked for.
const shortest = 6

// Contains reports whether a text holds one of the known values (tokens, keys,
// a server's password): as it is, in base64, percent-encoded, or cut over lines
// and string literals.
func Contains(text string, known ...string) bool {
	var texts []string // made for the first value that is long enough
	for _, v := range known {
		v = strings.TrimSpace(v)
		if len(v) < shortest {
			continue
		}
		if texts == nil {
			texts = readings(text)
		}
		for _, t := range texts {
			if strings.Contains(t, v) {
				return true
			}
		}
	}
	return false
}
