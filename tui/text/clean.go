package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// TabWidth is the distance of tab stops in cells.
const TabWidth = 4

// Clean makes foreign text fit to be shown. Escape sequences and control
// characters go, a lone carriage return becomes a newline so that it hides
// nothing, tabs are expanded, and clusters are normalised. Lines are cleaned
// apart from each other: an escape sequence left open ends with its line.
func Clean(s string) string {
	if plain(s) {
		return s
	}
	s = newlines(s)
	var b strings.Builder
	b.Grow(len(s))
	for i, line := range strings.Split(s, "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(cleanLine(line, false))
	}
	return b.String()
}

// Line is Clean for a place that has one line: newlines become spaces.
func Line(s string) string {
	return strings.ReplaceAll(Clean(s), "\n", " ")
}

// Visible is Clean for a diff, where hiding a character would hide an attack:
// what Clean removes is written out, ESC as ^[, U+202E as <U+202E>, a byte
// that is not UTF-8 as <FF>. Only the newline parts lines.
func Visible(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i, line := range strings.Split(s, "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(cleanLine(line, true))
	}
	return b.String()
}

// Hidden reports whether Visible would have to write something out: the text
// has characters that a reader does not see. Carriage returns do not count.
func Hidden(s string) bool {
	if plain(s) {
		return false
	}
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
		if r != '\n' && r != '\r' && r != '\t' && r != zwj && r != '\ufe0f' && dangerous(r) {
			return true
		}
		s = s[n:]
	}
	return false
}

// newlines makes every line break one '\n'.
func newlines(s string) string {
	if strings.Contains(s, "\r") {
		s = strings.ReplaceAll(s, "\r\n", "\n")
		s = strings.ReplaceAll(s, "\r", "\n")
	}
	if strings.Contains(s, "\u2028") || strings.Contains(s, "\u2029") {
		s = strings.NewReplacer("\u2028", "\n", "\u2029", "\n").Replace(s)
	}
	return s
}

// plain reports whether every rune stands for itself, in any company of other
// plain ones: the fast path for nearly all text.
func plain(s string) bool {
	for _, r := range s {
		switch {
		case r >= 0x20 && r < 0x7f, r == '\n':
		case r >= 0x4e00 && r <= 0x9fff, r >= 0x3001 && r <= 0x3029:
		case r >= 0xff01 && r <= 0xff60, r >= 0x3041 && r <= 0x3096, r >= 0x30a1 && r <= 0x30fa:
		case r >= 0x2010 && r <= 0x2026, r >= 0x2500 && r <= 0x257f:
		case r >= 0xc0 && r <= 0x24f:
		default:
			return false
		}
	}
	return true
}

// cleanLine cleans one line, without a newline in it. What was cleaned can
// stand beside a new neighbour and join it, so it is gone over until it is
// settled; a line that does not settle keeps only its plain characters.
func cleanLine(s string, visible bool) string {
	if plain(s) {
		return s
	}
	for range 4 {
		clean := clusters(s, visible)
		if clean == s {
			return s
		}
		s = clean
	}
	return strings.Map(func(r rune) rune {
		if plain(string(r)) {
			return r
		}
		return '\ufffd'
	}, s)
}

// clusters goes over a line once, cluster by cluster.
func clusters(s string, visible bool) string {
	var b strings.Builder
	b.Grow(len(s))
	col := 0
	put := func(x string) {
		b.WriteString(x)
		col += Width(x)
	}
	for s != "" {
		c := s[0]
		switch {
		case c == '\t':
			put(strings.Repeat(" ", TabWidth-col%TabWidth))
			s = s[1:]
		case c == 0x1b && !visible:
			s = s[escape(s):]
		case c < 0x20 || c == 0x7f:
			if visible {
				put("^" + string(rune(c^0x40)))
			}
			s = s[1:]
		case c < utf8.RuneSelf && (len(s) == 1 || s[1] < utf8.RuneSelf):
			b.WriteByte(c)
			col++
			s = s[1:]
		default:
			r, n := utf8.DecodeRuneInString(s)
			switch {
			case r == utf8.RuneError && n == 1:
				put(badByte(c, visible))
			case dangerous(r):
				put(mark(r, visible))
			case unknown(r):
				put("\ufffd")
			default:
				cluster, _ := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
				n = len(cluster)
				put(normal(cluster, visible))
			}
			s = s[n:]
		}
	}
	return b.String()
}

// escape is the length of the escape sequence that s begins with. A string
// sequence (OSC, DCS, APC, PM, SOS) that does not end within the line loses
// only its introducer, so that it can swallow nothing.
func escape(s string) int {
	if len(s) < 2 {
		return len(s)
	}
	switch s[1] {
	case '[':
		for i := 2; i < len(s); i++ {
			switch c := s[i]; {
			case c >= 0x40 && c <= 0x7e:
				return i + 1
			case c < 0x20 || c > 0x3f:
				return i
			}
		}
		return len(s)
	case ']', 'P', 'X', '^', '_':
		for i := 2; i < len(s); i++ {
			switch {
			case s[i] == 0x07:
				return i + 1
			case s[i] == 0x1b && i+1 < len(s) && s[i+1] == '\\':
				return i + 2
			case s[i] == 0xc2 && i+1 < len(s) && s[i+1] == 0x9c:
				return i + 2
			case s[i] == 0x1b:
				return 2
			}
		}
		return 2
	}
	i := 1
	for i < len(s) && s[i] >= 0x20 && s[i] <= 0x2f {
		i++
	}
	if i < len(s) && s[i] >= 0x30 && s[i] <= 0x7e {
		i++
	}
	return i
}

// badByte stands for a byte that is not UTF-8.
func badByte(c byte, visible bool) string {
	if visible {
		return fmt.Sprintf("<%02X>", c)
	}
	return "\ufffd"
}

// mark writes a removed character out, or nothing.
func mark(r rune, visible bool) string {
	if !visible {
		return ""
	}
	if r < 0x20 || r == 0x7f {
		return "^" + string(r^0x40)
	}
	return fmt.Sprintf("<U+%04X>", r)
}

// dangerous reports whether a rune must never reach the terminal: controls,
// bidi, zero-width, fillers, tags, variation selectors, private use.
func dangerous(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r <= 0x9f:
		return true
	case r == 0xad, r == 0x34f, r == 0x61c, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5:
		return true
	case r >= 0x180b && r <= 0x180f, r >= 0x200b && r <= 0x200f, r >= 0x2028 && r <= 0x202e:
		return true
	case r >= 0x2060 && r <= 0x206f, r == 0x3164, r >= 0xfe00 && r <= 0xfe0f, r == 0xfeff:
		return true
	case r == 0xffa0, r >= 0xfff0 && r <= 0xfffb, r >= 0xe0000 && r <= 0xe0fff:
		return true
	case unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs):
		return true
	}
	return false
}

// unknown reports whether a code point is newer than Unicode 15, the newest
// whose widths common terminals know. Emoji are the ones met.
func unknown(r rune) bool {
	return r >= 0x1f000 && r <= 0x1faff && !unicode.In(r, unicode.So, unicode.Sk, unicode.Nd, unicode.No) || emoji16[r]
}

// emoji16 lists the emoji of Unicode 16 and 17, for a Go whose tables know them.
var emoji16 = map[rune]bool{
	0x1f6d8: true, 0x1fa89: true, 0x1fa8a: true, 0x1fa8e: true, 0x1fa8f: true, 0x1fabe: true, 0x1fac6: true,
	0x1fac8: true, 0x1facd: true, 0x1fadc: true, 0x1fadf: true, 0x1fae9: true, 0x1faea: true, 0x1faef: true,
}
