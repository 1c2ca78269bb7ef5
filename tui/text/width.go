package text

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Width is the number of cells s takes. Escape sequences of our own styles
// take none.
func Width(s string) int {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return ansi.StringWidth(s)
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
	return ansi.Truncate(s, w, "…")
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
	tail := w - 1 - head
	end := ansi.TruncateLeft(s, n-tail, "")
	if Width(end) > tail { // a wide character stood across the cut
		end = ansi.TruncateLeft(s, n-tail+1, "")
	}
	return ansi.Truncate(s, head, "") + "…" + end
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

func wide(s string, w int) bool { return len(s) > w && Width(s) > w }

// Wrap breaks cleaned text into lines of at most w cells: at spaces and
// hyphens where it can, within a word or between Chinese characters where it
// must. Newlines stay line breaks; a w below 2, which a wide character does
// not fit, counts as 2.
func Wrap(s string, w int) []string {
	w = max(w, 2)
	lines := strings.Split(ansi.Wrap(s, w, ""), "\n")
	if !slices.ContainsFunc(lines, func(l string) bool { return wide(l, w) }) {
		return lines
	}
	var out []string
	for _, l := range lines { // ansi.Wrap lets a hyphen stand out
		if wide(l, w) {
			out = append(out, strings.Split(ansi.Hardwrap(l, w, true), "\n")...)
		} else {
			out = append(out, l)
		}
	}
	return out
}
