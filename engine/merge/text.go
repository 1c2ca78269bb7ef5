package merge

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind says what a term is taken from. Where one text has a term in several
// ways the greatest counts.
type kind uint8

const (
	prose   kind = iota
	part         // one of the words an identifier is made of
	code         // an identifier, an acronym, or a word quoted as code
	concept      // what a word stands for
)

// term is one unit of a finding's text as it is compared.
type term struct {
	text string
	kind kind
}

// terms takes a text apart: words by their stem, identifiers whole and in their
// parts, Chinese, Japanese and Korean by pairs of characters. What stands in
// backticks is code; elsewhere a word is code if it is written as only
// identifiers are. Words in stop are left out.
func terms(text string, stop func(string) bool) []term {
	s := splitter{stop: stop}
	for {
		before, after, found := strings.Cut(text, "`")
		s.split(before)
		if !found {
			return s.out
		}
		text = strings.TrimLeft(after, "`")
		s.quoted = !s.quoted
	}
}

// splitter collects terms.
type splitter struct {
	stop   func(string) bool
	quoted bool // between backticks
	out    []term
}

// split adds the terms of a stretch of text.
func (s *splitter) split(text string) {
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		same := isWord
		switch {
		case isCJK(r):
			same = isCJK
		case !isWord(r):
			text = text[size:]
			continue
		}
		end := strings.IndexFunc(text, func(r rune) bool { return !same(r) })
		if end < 0 {
			end = len(text)
		}
		if isCJK(r) {
			s.pairs(text[:end])
		} else {
			s.word(text[:end])
		}
		text = text[end:]
	}
}

func isWord(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '$' || r == '@') && !isCJK(r)
}

func isCJK(r rune) bool {
	return r >= 0x1100 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// pairs adds each pair of neighbouring characters, a lone one by itself. Pairs
// stand in for words where nothing separates words.
func (s *splitter) pairs(run string) {
	rs := []rune(run)
	if len(rs) == 1 {
		s.out = append(s.out, term{text: run})
	}
	for i := 0; i+1 < len(rs); i++ {
		s.out = append(s.out, term{text: string(rs[i : i+2])})
	}
}

// word adds a word's stem, or an identifier and the words it is made of.
func (s *splitter) word(w string) {
	w = strings.Trim(w, "_$@")
	words := identifierParts(w)
	of := prose
	switch {
	case len(words) > 1:
		s.out = append(s.out, term{strings.ToLower(strings.ReplaceAll(w, "_", "")), code})
		of = part
	case s.quoted, termOfArt(w):
		of = code
	}
	for _, p := range words {
		if p = strings.ToLower(p); len(p) > 1 && !s.stop(p) {
			s.out = append(s.out, term{stem(p), of})
		}
	}
}

// termOfArt reports whether a word is one that no language translates: an
// acronym or a name with a digit in it, as SQL and base64 are.
func termOfArt(w string) bool {
	upper, digits := 0, 0
	for i := range len(w) {
		switch {
		case w[i] >= 'A' && w[i] <= 'Z':
			upper++
		case w[i] >= '0' && w[i] <= '9':
			digits++
		}
	}
	return len(w) > 1 && (upper > 1 && upper+digits == len(w) || digits > 0 && digits < len(w))
}

// identifierParts splits an identifier at underscores, at digits and where its
// case changes: parseHTTPRequest2 -> parse HTTP Request2. A plain word is one.
func identifierParts(word string) []string {
	var out []string
	rs := []rune(word)
	start := 0
	cut := func(end int) {
		if p := strings.Trim(string(rs[start:end]), "_$@"); p != "" {
			out = append(out, p)
		}
		start = end
	}
	for i := 1; i < len(rs); i++ {
		hump := !unicode.IsUpper(rs[i-1]) && unicode.IsUpper(rs[i])
		acronym := i+1 < len(rs) && unicode.IsUpper(rs[i-1]) && unicode.IsUpper(rs[i]) && unicode.IsLower(rs[i+1])
		if hump || acronym || rs[i] == '_' || rs[i] == '$' || rs[i] == '@' {
			cut(i)
		}
	}
	cut(len(rs))
	return out
}
