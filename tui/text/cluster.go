package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/text/unicode/norm"
)

const zwj = '\u200d'

// normal makes of a grapheme cluster what every terminal draws in as many
// cells as we count. Found by comparing tmux' screen with the view: flags
// become two letters, and a joined emoji keeps only its first code point. A
// syllable of letters and marks is kept whole; where terminals disagree on its
// width, Even makes up for it.
func normal(cluster string, visible bool) string {
	r, n := utf8.DecodeRuneInString(cluster)
	if n == len(cluster) {
		return single(r, cluster, visible)
	}
	if one := norm.NFC.String(cluster); utf8.RuneCountInString(one) == 1 && ansi.StringWidth(one) == 2 {
		return single([]rune(one)[0], one, visible) // Hangul in pieces, as some systems write file names
	}
	if syllable(r, cluster) {
		return joined(cluster, visible)
	}
	if ansi.StringWidth(cluster) > 1 || ansi.StringWidthWc(cluster) > 1 {
		if s := flag(cluster); s != "" {
			return s
		}
		if s := siamese(cluster); s != "" {
			return s
		}
		return single(r, cluster[:n], visible) + leftover(cluster[n:], visible)
	}
	return joined(cluster, visible)
}

// leftover is what a cut cluster must still show: nothing of a joined emoji,
// but marks for hidden characters that have no business there.
func leftover(s string, visible bool) string {
	if !visible {
		return ""
	}
	var b strings.Builder
	for _, r := range s {
		if r != zwj && r != '\ufe0f' && r != '\ufe0e' && dangerous(r) {
			b.WriteString(mark(r, visible))
		}
	}
	return b.String()
}

// single is one code point; a combining mark without a base gets one, and one
// of no width that is not a mark goes.
func single(r rune, s string, visible bool) string {
	switch w := ansi.StringWidth(s); {
	case w != ansi.StringWidthWc(s):
		return "\ufffd"
	case w > 0:
		return s
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Mc):
		return "\u25cc" + s
	}
	return mark(r, visible)
}

// joined is a cluster of narrow letters, each with at most two marks above or
// below, as many as any language piles up in earnest.
func joined(cluster string, visible bool) string {
	var b strings.Builder
	marks := 0
	for i, r := range cluster {
		switch {
		case i == 0:
			b.WriteRune(r)
		case dangerous(r):
			b.WriteString(mark(r, visible))
		case unicode.In(r, unicode.Mn, unicode.Me):
			if marks++; marks <= 2 {
				b.WriteRune(r)
			}
		case unicode.Is(unicode.Mc, r):
			b.WriteRune(r)
		default:
			marks = 0
			b.WriteString(single(r, string(r), visible))
		}
	}
	return b.String()
}

// syllable reports whether a cluster is of letters of an alphabet one cell
// wide and their marks, as in the scripts of India and Cambodia.
func syllable(first rune, cluster string) bool {
	if !unicode.Is(unicode.Lo, first) {
		return false
	}
	for _, r := range cluster {
		if r == zwj || dangerous(r) {
			continue
		}
		if !unicode.In(r, unicode.Lo, unicode.Mn, unicode.Mc, unicode.Me) || ansi.StringWidthWc(string(r)) > 1 {
			return false
		}
	}
	return siamese(cluster) == ""
}

// flag turns a pair of regional indicators into its two letters.
func flag(cluster string) string {
	var b strings.Builder
	for _, r := range cluster {
		if r < 0x1f1e6 || r > 0x1f1ff {
			return ""
		}
		b.WriteRune('A' + r - 0x1f1e6)
	}
	return b.String()
}

// siamese takes the Thai and Lao vowel AM apart into the two characters that
// every terminal gives one cell each with their base.
func siamese(cluster string) string {
	s := strings.NewReplacer("\u0e33", "\u0e4d\u0e32", "\u0eb3", "\u0ecd\u0eb2").Replace(cluster)
	if s == cluster || ansi.StringWidth(s) != 2 || ansi.StringWidthWc(s) != 2 {
		return ""
	}
	return s
}
