// Package field is one line of input. Its width is counted in cells like
// everything else on the screen; the toolkit's own counts with the locale.
package field

import (
	"slices"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"github.com/mrv-dev/mrv/tui/text"
)

// Max is how many characters a field holds: what is longer belongs in an
// editor.
const Max = 2000

// Field is a line being typed. The zero Field is empty.
type Field struct {
	value []rune
	at    int
}

// String is what was typed.
func (f *Field) String() string { return string(f.value) }

// Set replaces the value; the cursor goes to its end.
func (f *Field) Set(s string) {
	f.value, f.at = nil, 0
	f.Insert(s)
}

// Insert puts typed or pasted text in at the cursor; line breaks become spaces.
func (f *Field) Insert(s string) {
	add := []rune(text.Line(s))
	add = add[:min(len(add), max(Max-len(f.value), 0))]
	f.value = slices.Insert(f.value, f.at, add...)
	f.at += len(add)
}

// Key edits the field; it reports whether the key meant something to it.
func (f *Field) Key(k tea.KeyPressMsg) bool {
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
		f.cut(max(f.at-1, 0), f.at)
	case "delete", "ctrl+d":
		f.cut(f.at, min(f.at+1, len(f.value)))
	case "ctrl+u":
		f.cut(0, f.at)
	case "ctrl+k":
		f.cut(f.at, len(f.value))
	case "ctrl+w", "alt+backspace":
		f.cut(f.word(), f.at)
	default:
		if k.Text == "" {
			return false
		}
		f.Insert(k.Text)
	}
	return true
}

func (f *Field) cut(from, to int) {
	f.value = slices.Delete(f.value, from, to)
	f.at = from
}

// word is where the word before the cursor begins.
func (f *Field) word() int {
	i := f.at
	for i > 0 && unicode.IsSpace(f.value[i-1]) {
		i--
	}
	for i > 0 && !unicode.IsSpace(f.value[i-1]) {
		i--
	}
	return i
}

// Window is the part of the value to show in w cells and the cell of the
// cursor in it: what stands just before the cursor is always in sight.
func (f *Field) Window(w int) (shown string, cursor int) {
	w = max(w, 1)
	from := f.at
	for from > 0 {
		n := text.Width(string(f.value[from-1]))
		if cursor+n >= w {
			break
		}
		cursor += n
		from--
	}
	return text.Cut(string(f.value[from:]), w), cursor
}
