package style

import (
	"testing"

	"github.com/mrv-dev/mrv/tui/text"
)

// TestFold: where a terminal may lack what is not ASCII, marks and arrows are
// written with what it has, and no cell is won or lost.
func TestFold(t *testing.T) {
	for _, row := range []struct{ frame, unicode, ascii string }{
		{"quote found · 2 of 4", "quote found · 2 of 4", "quote found - 2 of 4"},
		{"a title that is …", "a title that is …", "a title that is ~"},
		{"← → move, ↑ ↓ scroll", "← → move, ↑ ↓ scroll", "< > move, ^ v scroll"},
		{"没有发现问题", "没有发现问题", "没有发现问题"},
	} {
		if got := Unicode().Fold(row.frame); got != row.unicode {
			t.Errorf("%q: %q", row.frame, got)
		}
		got := ASCII().Fold(row.frame)
		if got != row.ascii || text.Width(got) != text.Width(row.frame) {
			t.Errorf("%q: %q, want %q", row.frame, got, row.ascii)
		}
	}
}
