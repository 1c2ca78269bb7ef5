package text

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Width is the number of cells s takes, code point by code point, as a terminal
// counts them that was not asked to do otherwise. Escape sequences of our own
// styles take none.
func Width(s string) int {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return ansi.StringWidthWc(s)
		}
	}
	return len(s)
}

// Cut shortens s to at most w cells, with … at the end if it was longer.
func Cut(s string, w int) string {
	if w <= 0 {
		return ""
	}
	if Width(s) <= w {
		return s
	}
	return cut(s, w, "…")
}

// CutMiddle shortens s to at most w cells with … in the middle, leaving more
// of the end: for a path the end says more.
func CutMiddle(s string, w int) string {
	n := Width(s)
	switch {
	case w <= 0:
		return ""
	case n <= w:
		return s
	case w == 1:
		return "…"
	}
	head := (w - 1) / 3
	return cut(s, head, "") + "…" + end(s, w-1-head)
}

// cut is the front of s in at most w cells, tail among them. Escape sequences
// behind the cut are kept: they may end a style.
func cut(s string, w int, tail string) string {
	var b strings.Builder
	room, done := w-Width(tail), false
	for s != "" {
		if s[0] == 0x1b {
			seq, _, n, _ := ansi.DecodeSequenceWc(s, ansi.NormalState, nil)
			b.WriteString(seq)
			s = s[n:]
			continue
		}
		r, n := utf8.DecodeRuneInString(s)
		if cells := runeWidth(r); !done && cells <= room {
			room -= cells
			b.WriteString(s[:n])
		} else if !done {
			b.WriteString(tail)
			done = true
		}
		s = s[n:]
	}
	return b.String()
}

// end is the longest end of s, without styles, in at most w cells.
func end(s string, w int) string {
	from := len(s)
	for i := len(s); i > 0; {
		r, n := utf8.DecodeLastRuneInString(s[:i])
		i -= n
		cells := runeWidth(r)
		if w -= cells; w < 0 {
			break
		}
		if cells > 0 {
			from = i
		}
	}
	return s[from:]
}

// Pad makes s exactly w cells wide: filled with spaces or cut.
func Pad(s string, w int) string {
	if w <= 0 {
		return ""
	}
	n := Width(s)
	if n > w {
		s = Cut(s, w)
		n = Width(s)
	}
	if n == w {
		return s
	}
	return s + spaces(w-n)
}

// PadLeft is Pad with the text at the right.
func PadLeft(s string, w int) string {
	s = Cut(s, w)
	return spaces(w-Width(s)) + s
}

const blank = "                                                                                                    "

func spaces(n int) string {
	switch {
	case n <= 0:
		return ""
	case n <= len(blank):
		return blank[:n]
	}
	return strings.Repeat(" ", n)
}

// Wrap breaks cleaned text, without styles in it, into lines of at most w
// cells: behind a space or hyphen, beside a Chinese character where its
// punctuation allows, and within a word that is longer than a line. Spaces at
// a break go; those that begin a paragraph stay. Newlines stay line breaks. A
// w below 2, which a wide character does not fit, counts as 2.
func Wrap(s string, w int) []string {
	w = max(w, 2)
	var lines []string
	for {
		paragraph, rest, more := strings.Cut(s, "\n")
		lines = wrapLine(lines, paragraph, w)
		if !more {
			return lines
		}
		s = rest
	}
}

// wrapLine wraps one paragraph. Cleaned text has clusters as wide as the sum
// of their runes, so that it can be measured rune by rune.
func wrapLine(lines []string, s string, w int) []string {
	if len(s) <= w {
		return append(lines, s)
	}
	begin, col := 0, 0  // of the line being filled
	cut, cutCol := 0, 0 // where it can be broken, and its width there
	before := rune(0)   // the rune before
	for i, r := range s {
		n := runeWidth(r)
		if i > begin && n > 0 && r != ' ' && breakable(before, r) {
			cut, cutCol = i, col
		}
		if col+n > w && r != ' ' && n > 0 {
			if cut <= begin {
				cut, cutCol = i, col
			}
			lines = append(lines, strings.TrimRight(s[begin:cut], " "))
			begin, col = cut, col-cutCol
			if col+n > w { // what was carried over leaves no room
				lines = append(lines, strings.TrimRight(s[begin:i], " "))
				begin, col = i, 0
			}
		}
		if r == ' ' && col >= w { // spaces may stand out; they are cut off
			n = 0
		}
		col += n
		before = r
	}
	last := s[begin:]
	if Width(last) > w {
		last = strings.TrimRight(last, " ")
	}
	return append(lines, last)
}

// breakable reports whether a line may end between two runes.
func breakable(a, b rune) bool {
	switch {
	case a == ' ':
		return true
	case a == '-':
		return b != '-' && b != '>'
	case strings.ContainsRune("，。、；：？！）」』】》〉”’…", b), strings.ContainsRune("（「『【《〈“‘", a):
		return false
	}
	return runeWidth(a) == 2 || runeWidth(b) == 2
}

// runeWidth is the cells of a rune of cleaned text.
func runeWidth(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case r >= 0x4e00 && r <= 0x9fff, r >= 0x3041 && r <= 0x3096, r >= 0xff01 && r <= 0xff60, r >= 0xac00 && r <= 0xd7a3:
		return 2
	}
	return ansi.StringWidthWc(string(r))
}
