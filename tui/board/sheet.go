package board

import (
	"iter"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/mrv-dev/mrv/tui/text"
)

// sheet collects the lines of the detail.
type sheet struct {
	board *Board
	w     int
	code  int // cells that code may have
	airy  bool
	lines []string
}

// labelFrom is the width from which labels stand beside their texts.
const labelFrom = 60

// airyFrom is the height from which empty lines part the detail, and below
// which the title comes first.
const airyFrom = 12

// space parts what belongs together from the rest, where there is room.
func (s *sheet) space() {
	if n := len(s.lines); s.airy && n > 0 && s.lines[n-1] != "" {
		s.lines = append(s.lines, "")
	}
}

// para adds lines in a style, wrapped.
func (s *sheet) para(st lipgloss.Style, t string) {
	for _, l := range text.Wrap(t, s.w) {
		s.lines = append(s.lines, s.board.found(st, text.Cut(l, s.w)))
	}
}

func (s *sheet) label(l string) {
	s.lines = append(s.lines, s.board.styles.Accent.Render(text.Cut(l, s.w)))
}

// field adds a labelled text: beside its label where there is room, a long
// label above it.
func (s *sheet) field(label, t string, st lipgloss.Style) {
	wide := s.labelWidth()
	if s.w < labelFrom || text.Width(label) >= wide {
		if label != "" {
			s.label(label)
		}
		label = ""
	}
	if s.w < labelFrom {
		s.para(st, t)
		return
	}
	for i, l := range text.Wrap(t, s.w-wide) {
		head := ""
		if i == 0 {
			head = label
		}
		s.lines = append(s.lines, s.board.styles.Accent.Render(text.Pad(head, wide))+s.board.found(st, l))
	}
}

func (s *sheet) labelWidth() int {
	w, n := s.board.words.Board, 0
	for _, l := range []string{w.Observation, w.Inference, w.Judgment, w.Fix, w.Verification, w.Surface, w.History} {
		n = max(n, text.Width(l))
	}
	return n + 2
}

// list adds a labelled list of foreign lines, or nothing.
func (s *sheet) list(label string, lines []string) {
	for i, l := range lines {
		if i > 0 && s.w >= labelFrom {
			label = ""
		}
		s.field(label, text.Line(l), s.board.styles.Text)
	}
}

func join(parts iter.Seq[string], sep string) string {
	return strings.Join(slices.Collect(parts), sep)
}
