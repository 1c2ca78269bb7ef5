package board

import (
	"unicode"

	tea "charm.land/bubbletea/v2"

	"github.com/mrv-dev/mrv/tui/text"
)

// field is one line of input. Its width is counted in cells like everything
// else on the screen, which the toolkit's own does not do in every locale.
type field struct {
	label string
	value []rune
	at    int
	// offer is put in by enter or tab while the field is empty.
	offer string
}

// maxField bounds a note: longer ones belong in an editor.
const maxField = 500

func (f *field) set(s string) { f.value = []rune(s); f.at = len(f.value) }

func (f *field) String() string { return string(f.value) }

// key edits the field; it reports whether the key meant something to it.
func (f *field) key(k tea.KeyPressMsg) bool {
	switch k.String() {
	case "left", "ctrl+b":
		f.at = max(f.at-1, 0)
	case "right", "ctrl+f":
		f.at = min(f.at+1, len(f.value))
	case "home", "ctrl+a":
		f.at = 0
	case "end", "ctrl+e":
		f.at = len(f.value)
	case "backspace", "ctrl+h":
		if f.at > 0 {
			f.cut(f.at-1, f.at)
		}
	case "delete", "ctrl+d":
		if f.at < len(f.value) {
			f.cut(f.at, f.at+1)
		}
	case "ctrl+u":
		f.cut(0, f.at)
	case "ctrl+k":
		f.cut(f.at, len(f.value))
	case "ctrl+w":
		f.cut(f.wordStart(), f.at)
	case "tab":
		if len(f.value) == 0 {
			f.set(f.offer)
		}
	default:
		if k.Text == "" {
			return false
		}
		f.insert(k.Text)
	}
	return true
}

// insert puts typed or pasted text in; line breaks become spaces.
func (f *field) insert(s string) {
	add := []rune(text.Line(s))
	add = add[:min(len(add), max(maxField-len(f.value), 0))]
	f.value = append(f.value[:f.at:f.at], append(add, f.value[f.at:]...)...)
	f.at += len(add)
}

func (f *field) cut(from, to int) {
	f.value = append(f.value[:from:from], f.value[to:]...)
	f.at = from
}

func (f *field) wordStart() int {
	i := f.at
	for i > 0 && unicode.IsSpace(f.value[i-1]) {
		i--
	}
	for i > 0 && !unicode.IsSpace(f.value[i-1]) {
		i--
	}
	return i
}

// window is the part of the value to show in w cells and the cell of the
// cursor in it: the end of what stands before the cursor is always in sight.
func (f *field) window(w int) (string, int) {
	w = max(w, 1)
	from, cells := f.at, 0
	for from > 0 {
		n := text.Width(string(f.value[from-1]))
		if cells+n >= w {
			break
		}
		cells += n
		from--
	}
	return text.Cut(string(f.value[from:]), w), cells
}
