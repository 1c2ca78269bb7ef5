package text

import (
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestEven(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain 中文", "plain 中文"},
		{"हि |", "हि  |"},
		{"\x1b[31mराशि\x1b[m |", "\x1b[31mराशि\x1b[m   |"},
		{"की", "की "},
		{"a\nकी b\nc", "a\nकी b \nc"},
		{"हि में की    12 │", "हि में की      12 │"},
		{"│ हि में │", "│ हि में  │"},
	} {
		got := Even(c.in)
		if got != c.want {
			t.Errorf("Even(%q) = %q, want %q", c.in, got, c.want)
		}
		if a, b := ansi.StringWidth(got), ansi.StringWidthWc(c.in); a != b {
			t.Errorf("%q is %d cells wide, want %d", got, a, b)
		}
	}
}
