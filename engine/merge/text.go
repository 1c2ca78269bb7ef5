package merge

import (
	"strings"
	"unicode"
)

// term is one word of a finding as it is compared.
type term struct {
	text string
	code bool // an identifier or quoted code rather than prose
}

// terms takes a text apart: identifiers whole and in their parts, words by
// their stem, Chinese, Japanese and Korean by pairs of characters. What stands
// in backticks is code, and so is a word that is written like an identifier.
func terms(text string) []term {
	var out []term
	inCode := false
	for len(text) > 0 {
		i := strings.IndexByte(text, '`')
		piece := text
		if i >= 0 {
			piece = text[:i]
		}
		out = appendTerms(out, piece, inCode)
		if i < 0 {
			break
		}
		n := i
		for n < len(text) && text[n] == '`' {
			n++
		}
		text = text[n:]
		inCode = !inCode
	}
	return out
}

// appendTerms adds the terms of text, which is code throughout when code is set.
func appendTerms(out []term, text string, code bool) []term {
	var word, cjk []rune
	flush := func() {
		out = appendWord(out, string(word), code)
		out = appendPairs(out, cjk)
		word, cjk = word[:0], cjk[:0]
	}
	for _, r := range text {
		switch {
		case isCJK(r):
			if len(word) > 0 {
				flush()
			}
			cjk = append(cjk, r)
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '$' || r == '@':
			if len(cjk) > 0 {
				flush()
			}
			word = append(word, r)
		default:
			flush()
		}
	}
	flush()
	return out
}

func isCJK(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// appendPairs adds each pair of neighbouring characters; a lone one stands by
// itself. Pairs stand in for words where nothing separates words.
func appendPairs(out []term, run []rune) []term {
	if len(run) == 1 {
		return append(out, term{text: string(run)})
	}
	for i := 0; i+1 < len(run); i++ {
		out = append(out, term{text: string(run[i : i+2])})
	}
	return out
}

// appendWord adds a word's stem, or an identifier and its parts.
func appendWord(out []term, word string, code bool) []term {
	word = strings.Trim(word, "_$@")
	if word == "" {
		return out
	}
	parts := parts(word)
	if len(parts) > 1 {
		out = append(out, term{strings.ToLower(strings.ReplaceAll(word, "_", "")), true})
	}
	for _, p := range parts {
		p = strings.ToLower(p)
		if len(p) < 2 || stopWords[p] {
			continue
		}
		out = append(out, term{stem(p), code || len(parts) > 1})
	}
	return out
}

// parts splits an identifier at underscores and where its case changes:
// parseHTTPRequest, parse_http_request -> parse http request.
func parts(word string) []string {
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
		lowerUpper := unicode.IsLower(rs[i-1]) && unicode.IsUpper(rs[i])
		acronym := i+1 < len(rs) && unicode.IsUpper(rs[i-1]) && unicode.IsUpper(rs[i]) && unicode.IsLower(rs[i+1])
		if lowerUpper || acronym || rs[i] == '_' {
			cut(i)
		}
	}
	cut(len(rs))
	return out
}
