package text

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// holdLimit is how many bytes an unfinished escape sequence may keep back.
const holdLimit = 512

// Tail cleans and wraps text that grows at its end, and does again only what
// the new text can change: the paragraph still open. Its lines are at every
// moment those of
//
//	Wrap(Clean(text that has come, less its unfinished end), width)
//
// The unfinished end is a rune, cluster or escape sequence of which more may
// come; Close releases it. The zero Tail is empty.
type Tail struct {
	raw    string // all that came
	done   int    // raw[:done] is wrapped into closed lines
	lines  []string
	closed int // lines[:closed] are final for this width
	width  int
	shown  int // raw[:shown] is in lines
	ended  bool
	gen    int // of the closed lines
}

// Append adds text to the end.
func (t *Tail) Append(s string) { t.raw += s }

// Set replaces the whole text; a text that only grew costs what was added.
func (t *Tail) Set(s string) {
	if !strings.HasPrefix(s, t.raw) {
		*t = Tail{width: t.width, gen: t.gen + 1}
	}
	t.raw = s
}

// Close says that no more text will come, so that nothing is kept back.
func (t *Tail) Close() {
	if !t.ended {
		t.ended = true
		t.shown = -1
	}
}

// Len is the length of the text in bytes.
func (t *Tail) Len() int { return len(t.raw) }

// Closed says how many of the lines last returned can change no more, while
// the generation stays what it is.
func (t *Tail) Closed() (lines, generation int) { return t.closed, t.gen }

// Lines is the text in lines of at most width cells. The slice is the Tail's
// own, good until the next call of a method.
func (t *Tail) Lines(width int) []string {
	if width != t.width {
		t.width, t.done, t.closed, t.shown = width, 0, 0, -1
		t.gen++
	}
	end := len(t.raw)
	if !t.ended {
		end = t.done + finished(t.raw[t.done:])
	}
	if end == t.shown {
		return t.lines
	}
	t.lines = t.lines[:t.closed]
	if i := strings.LastIndexByte(t.raw[t.done:end], '\n'); i >= 0 {
		paragraphs := strings.TrimSuffix(t.raw[t.done:t.done+i], "\r")
		t.lines = append(t.lines, Wrap(Clean(paragraphs), width)...)
		t.closed = len(t.lines)
		t.done += i + 1
	}
	t.lines = append(t.lines, Wrap(Clean(t.raw[t.done:end]), width)...)
	t.shown = end
	return t.lines
}

// finished is how much of s can be shown although more may follow: all but an
// unfinished rune, grapheme cluster, escape sequence or line break at its end.
func finished(s string) int {
	start := strings.LastIndexByte(s, '\n') + 1
	line := s[start:]
	if i := strings.LastIndexByte(line, 0x1b); i >= 0 && len(line)-i < holdLimit {
		if j := introducer(line, i); !complete(line[j:]) {
			return start + j
		}
	}
	n := len(line)
	for k := 1; k <= utf8.UTFMax && k <= n; k++ {
		if c := line[n-k]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRuneInString(line[n-k:]) {
				n -= k
			}
			break
		}
	}
	if n > 0 && line[n-1] == '\r' {
		return start + n - 1
	}
	return start + n - lastCluster(line[:n])
}

// introducer finds where the sequence at or before i begins: the ESC at i may
// be half of the terminator of an earlier string sequence.
func introducer(line string, i int) int {
	if j := strings.LastIndexByte(line[:i], 0x1b); j >= 0 && i-j < holdLimit && stringSequence(line[j:]) && i == len(line)-1 {
		return j
	}
	return i
}

func stringSequence(s string) bool {
	return len(s) > 1 && strings.IndexByte("]PX^_", s[1]) >= 0
}

// complete reports whether the escape sequence at the front of s has ended.
func complete(s string) bool {
	if len(s) < 2 {
		return false
	}
	if stringSequence(s) {
		return escape(s) > 2
	}
	n := escape(s)
	if n < len(s) {
		return true
	}
	last := s[n-1]
	if s[1] == '[' {
		return n > 2 && last >= 0x40 && last <= 0x7e
	}
	return last >= 0x30 && last <= 0x7e
}

// lastCluster is the length of a last grapheme cluster that more text could
// join: anything but a plain ASCII character, which at worst gains a mark.
func lastCluster(s string) int {
	if s == "" || s[len(s)-1] < utf8.RuneSelf {
		return 0
	}
	if plain(s[lastRune(s):]) {
		return 0
	}
	from := max(0, len(s)-256)
	for from < len(s) && !utf8.RuneStart(s[from]) {
		from++
	}
	n := 0
	for rest := s[from:]; rest != ""; rest = rest[n:] {
		cluster, _ := ansi.FirstGraphemeCluster(rest, ansi.GraphemeWidth)
		n = len(cluster)
		if n == len(rest) {
			return n
		}
	}
	return 0
}

func lastRune(s string) int {
	_, n := utf8.DecodeLastRuneInString(s)
	return len(s) - n
}
