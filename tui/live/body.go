package live

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"charm.land/lipgloss/v2"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/style"
	"github.com/mrv-dev/mrv/tui/text"
	"github.com/mrv-dev/mrv/tui/words"
)

// palette is the styles as inks, for the hot path.
type palette struct {
	text, dim, accent, header, thinking, tool, notice, bad style.Ink
	focus, unfocused                                       style.Ink
	labels                                                 map[review.Label]style.Ink
	severities                                             map[review.Severity]style.Ink
	glyphs                                                 style.Glyphs
}

func newPalette(s style.Styles) palette {
	ink := func(st lipgloss.Style) style.Ink { return style.InkOf(st) }
	return palette{
		text: ink(s.Text), dim: ink(s.Dim), accent: ink(s.Accent), header: ink(s.Header),
		thinking: ink(s.Thinking), tool: ink(s.Tool), notice: ink(s.Notice), bad: ink(s.Error),
		focus: ink(s.Focus), unfocused: ink(s.Unfocused),
		labels: map[review.Label]style.Ink{
			review.Pass: ink(s.Pass), review.Concerns: ink(s.Concerns), review.Block: ink(s.Block),
		},
		severities: map[review.Severity]style.Ink{
			review.Critical: ink(s.Critical), review.Warning: ink(s.Warning), review.Suggestion: ink(s.Suggestion),
		},
		glyphs: s.Glyphs,
	}
}

// body keeps a reviewer's blocks as painted lines of one width. Each block is
// done again only when its version changes, and a text only where it grows.
type body struct {
	width  int
	blocks map[string]*block
}

// block is one kept block.
type block struct {
	version int
	folded  bool
	last    bool // drawn as the block that is still growing
	tail    text.Tail
	gen     int      // of the tail's closed lines when
	closed  int      // so many of lines were
	lines   []string // painted, each exactly width cells
	trimmed int      // how many of lines to show: blank ones at the end are not
	seen    bool
}

func (b *body) forget() { b.blocks = nil }

// drawing is what lines are drawn with.
type drawing struct {
	*palette
	words    *words.Words
	unfolded bool // thinking is shown in full
	hints    func(*event.Reviewer) string
}

// lines is a block's lines at the body's width.
func (b *body) lines(d drawing, x *event.Block, last bool) []string {
	k := b.blocks[x.ID]
	if k == nil {
		k = &block{version: -1}
		if b.blocks == nil {
			b.blocks = map[string]*block{}
		}
		b.blocks[x.ID] = k
	}
	k.seen = true
	folded := x.Kind == "thinking" && !d.unfolded
	if k.version == x.Version && k.folded == folded && k.last == last {
		return k.lines[:k.trimmed]
	}
	if k.folded != folded {
		*k = block{seen: true}
	}
	k.version, k.folded, k.last = x.Version, folded, last
	switch {
	case folded:
		k.set(d.thinking, b.width, foldedThinking(d, x, last))
	case x.Kind == "tool":
		k.set(toolInk(d, x.Tool), b.width, toolLines(d, x.Tool)...)
	case x.Kind == "notice":
		k.set(d.notice, b.width, text.Wrap(text.Clean(d.words.Say(x.Text)), b.width)...)
	default:
		k.grow(d, x, b.width)
	}
	return k.lines[:k.trimmed]
}

// set replaces a block's lines.
func (k *block) set(ink style.Ink, width int, lines ...string) {
	k.lines = k.lines[:0]
	for _, line := range lines {
		k.lines = append(k.lines, cell(ink, line, width))
	}
	k.trimmed = len(k.lines)
}

// grow takes a streamed text: lines that can change no more stay painted.
func (k *block) grow(d drawing, x *event.Block, width int) {
	k.tail.Set(strings.TrimLeft(x.Text, "\r\n"))
	wrapped := k.tail.Lines(width)
	closed, gen := k.tail.Closed()
	keep := 0
	if gen == k.gen {
		keep = min(k.closed, len(k.lines))
	}
	k.lines = k.lines[:keep]
	for _, line := range wrapped[keep:] {
		ink := d.text
		switch {
		case x.Kind == "thinking":
			ink = d.thinking
		case strings.HasPrefix(line, "#"):
			ink = d.header
		}
		k.lines = append(k.lines, cell(ink, line, width))
	}
	k.gen, k.closed, k.trimmed = gen, closed, len(k.lines)
	for k.trimmed > 0 && strings.TrimSpace(wrapped[k.trimmed-1]) == "" {
		k.trimmed--
	}
}

func foldedThinking(d drawing, x *event.Block, last bool) string {
	format := d.words.Live.Thinking
	if last {
		format = d.words.Live.ThinkingNow
	}
	return fmt.Sprintf(format, compact(int64(utf8.RuneCountInString(x.Text))))
}

func toolInk(d drawing, t review.Tool) style.Ink {
	switch t.Status {
	case "pending", "running":
		return d.tool
	case "error":
		return d.bad
	}
	return d.dim
}

// toolLines is a call in one line: read engine/x.go:40.
func toolLines(d drawing, t review.Tool) []string {
	title := text.Line(t.Title)
	if title == "" {
		title = text.Line(t.Input)
	}
	line := text.Line(t.Name) + " " + title
	switch t.Status {
	case "pending", "running":
		line = d.glyphs.Running + " " + line
	case "error":
		line = d.glyphs.Failed + " " + line + "  " + text.Line(t.Error)
	default:
		line = d.glyphs.Done + " " + line
	}
	return []string{line}
}

// cell is a line in ink, cut or filled to exactly width cells.
func cell(ink style.Ink, line string, width int) string {
	n := text.Width(line)
	if n > width {
		line = text.Cut(line, width)
		n = text.Width(line)
	}
	return ink.Paint(line) + text.Pad("", width-n)
}

// compact writes a count in few characters: 940, 1.9k, 24k, 1.2M.
func compact(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 9950:
		return fmt.Sprintf("%.1fk", float64(n)/1000)
	case n < 999_500:
		return fmt.Sprintf("%.0fk", float64(n)/1000)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}
