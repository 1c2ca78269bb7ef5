package secret

import (
	"encoding/base64"
	"regexp"
	"strings"
)

// This file finds secrets that are written in another way than providers give
// them out: in base64 (a Kubernetes secret, a registry's login), percent-encoded
// in a URL, or cut over lines or string literals.

// run64 is a run of base64 that is long enough for the shortest known value.
var run64 = regexp.MustCompile(`[A-Za-z0-9+/_-]{8,}={0,2}`)

// encoded lists the secrets that a text holds in base64 or percent-encoded.
func encoded(text string) []Match {
	all := decoded(text)
	for _, plus := range []byte{'+', ' '} {
		if !strings.Contains(text, "%") {
			break
		}
		v := unescaped(text, plus)
		for _, m := range shapes(v.text) {
			all = append(all, v.back(m))
		}
	}
	return all
}

// decoded lists the secrets in runs of base64.
func decoded(text string) []Match {
	var all []Match
	for _, at := range run64.FindAllStringIndex(text, -1) {
		if at[1]-at[0] < 24 {
			continue // no shape is that short
		}
		for cut, plain := range uncut(text[at[0]:at[1]]) {
			for _, m := range shapes(plain) {
				from := at[0] + cut + m.Start/3*4
				to := min(at[0]+cut+(m.End+2)/3*4, at[1])
				all = append(all, Match{Pattern: m.Pattern, Start: from, End: to, Hint: from})
			}
		}
	}
	return all
}

// uncut decodes a run of base64. It may have letters before it that are none
// of its own, so each way of cutting it is tried.
func uncut(run string) (plain [4]string) {
	run = strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(run, "="))
	for cut := range min(4, len(run)) {
		whole := run[cut:]
		if len(whole)%4 == 1 {
			whole = whole[:len(whole)-1]
		}
		raw, _ := base64.RawStdEncoding.DecodeString(whole) // what does not decode holds nothing
		plain[cut] = string(raw)
	}
	return plain
}

// readings are a text as it is and in every way in which it can be read.
func readings(text string) []string {
	texts := []string{text}
	for _, plus := range []byte{'+', ' '} {
		texts = append(texts, unescaped(text, plus).text)
	}
	for _, seam := range []*regexp.Regexp{literals, lineEnds} {
		texts = append(texts, without(text, seam).text)
	}
	for _, t := range texts[:len(texts):len(texts)] {
		for _, run := range run64.FindAllString(t, -1) {
			plain := uncut(run)
			texts = append(texts, plain[:]...)
		}
	}
	return texts
}

// shapes are the secrets of a text that are known by their own shape.
func shapes(text string) []Match {
	var out []Match
	for _, m := range plain(text) {
		if !m.Pattern.named {
			out = append(out, m)
		}
	}
	return out
}

// view is a text without some of its bytes, and where the others were.
type view struct {
	text  string
	at    []int // for each byte where it was; one more for the end
	seams []int // offsets in text at which bytes are missing
}

func (v view) back(m Match) Match {
	m.Start, m.End, m.Hint = v.at[m.Start], v.at[m.End-1]+v.width(m.End-1), v.at[m.Hint]
	return m
}

// width is how many bytes one byte of the view was made of.
func (v view) width(i int) int {
	for _, s := range v.seams {
		if s == i+1 {
			return 1 // what is missing behind it is not its own
		}
	}
	return v.at[i+1] - v.at[i]
}

// unescaped undoes percent-encoding. A plus sign is itself in a path and a
// space in a query.
func unescaped(text string, plus byte) view {
	var b strings.Builder
	var v view
	for i := 0; i < len(text); i++ {
		v.at = append(v.at, i)
		if text[i] == '%' && i+2 < len(text) {
			if hi, lo := digit(text[i+1]), digit(text[i+2]); hi >= 0 && lo >= 0 {
				b.WriteByte(byte(hi<<4 | lo))
				i += 2
				continue
			}
		}
		if text[i] == '+' {
			b.WriteByte(plus)
			continue
		}
		b.WriteByte(text[i])
	}
	v.text, v.at = b.String(), append(v.at, len(text))
	return v
}

func digit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

var (
	// literals is what joins two string literals: a closing quote, a sign or
	// none, maybe a new line with a diff's or a quotation's mark, and an
	// opening quote; or an escaped line end.
	literals = regexp.MustCompile("[\"'`][ \t]*(?:\\+|\\.\\.?|&|\\|\\||\\\\)?[ \t]*(?:\r?\n[ \t>+-]*)?(?:\\+|\\.\\.?|&)?[ \t]*[\"'`]|\\\\\r?\n[ \t>+-]*")
	// lineEnds is where a text was wrapped.
	lineEnds = regexp.MustCompile("[ \t]*\r?\n[ \t>+#*/|-]*")
)

// split lists the secrets that are cut over literals or lines.
func split(text string) []Match {
	var all []Match
	for _, seam := range []*regexp.Regexp{literals, lineEnds} {
		v := without(text, seam)
		if len(v.seams) == 0 {
			continue
		}
		for _, m := range append(shapes(v.text), decoded(v.text)...) {
			if seam == lineEnds {
				m = v.shortest(m)
			}
			all = append(all, v.back(m))
		}
	}
	return all
}

func without(text string, seam *regexp.Regexp) view {
	var b strings.Builder
	var v view
	last := 0
	for _, at := range seam.FindAllStringIndex(text, -1) {
		for i := last; i < at[0]; i++ {
			v.at = append(v.at, i)
		}
		b.WriteString(text[last:at[0]])
		v.seams = append(v.seams, b.Len())
		last = at[1]
	}
	for i := last; i < len(text); i++ {
		v.at = append(v.at, i)
	}
	b.WriteString(text[last:])
	v.text, v.at = b.String(), append(v.at, len(text))
	return v
}

// shortest ends a match at the first seam behind which it would be whole: what
// follows is more likely the next word.
func (v view) shortest(m Match) Match {
	if m.Hint == m.Start {
		return m
	}
	for _, s := range v.seams {
		if s <= m.Hint || s >= m.End {
			continue
		}
		if at := m.Pattern.Expr.FindStringIndex(v.text[m.Start:s]); at != nil && at[0] == 0 && at[1] == s-m.Start {
			m.End = s
			break
		}
	}
	return m
}
