package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Even makes lines that were laid out by Width as wide on a terminal that
// draws a grapheme cluster in its own width (mode 2027), where a syllable of
// letters and vowel signs takes fewer cells than its code points: what it lacks
// is added at the next space that no word follows, so that nothing behind it
// moves.
func Even(s string) string {
	if !signs(s) {
		return s
	}
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		if signs(line) {
			lines[i] = evenLine(line)
		}
	}
	return strings.Join(lines, "\n")
}

func evenLine(line string) string {
	var b strings.Builder
	var state byte
	lack := 0
	for line != "" {
		seq, width, n, next := ansi.DecodeSequence(line, state, nil)
		if lack > 0 && seq == " " && !word(line[n:]) {
			b.WriteString(spaces(lack))
			lack = 0
		}
		if width > 0 {
			lack += ansi.StringWidthWc(seq) - width
		}
		b.WriteString(seq)
		line, state = line[n:], next
	}
	return b.String() + spaces(lack)
}

// word reports whether a text goes on with a word.
func word(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P)
}

// signs reports whether a text has marks that take cells of their own.
func signs(s string) bool {
	for _, r := range s {
		if r >= 0x300 && r < 0x2000 && unicode.Is(unicode.Mc, r) || r > 0xa000 && unicode.Is(unicode.Mc, r) {
			return true
		}
	}
	return false
}
