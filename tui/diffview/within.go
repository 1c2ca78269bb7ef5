package diffview

import (
	"unicode"
	"unicode/utf8"

	udiff "github.com/aymanbagabas/go-udiff"

	"github.com/mrv-dev/mrv/engine/diff"
)

// Range is a stretch of a line in bytes, End exclusive.
type Range struct{ Start, End int }

// maxWithin bounds the length of lines that are compared character by
// character.
const maxWithin = 1000

// within finds for each line of a hunk what changed in it: the lines of a
// block of deletions are paired in order with those of the additions that
// follow. Lines that have little in common are left alone: marking most of a
// line says nothing.
func within(h *diff.Hunk) [][]Range {
	out := make([][]Range, len(h.Lines))
	for i := 0; i < len(h.Lines); {
		if h.Lines[i].Op != diff.Delete {
			i++
			continue
		}
		del := i
		for i < len(h.Lines) && h.Lines[i].Op == diff.Delete {
			i++
		}
		add := i
		for i < len(h.Lines) && h.Lines[i].Op == diff.Add {
			i++
		}
		for k := 0; del+k < add && add+k < i; k++ {
			out[del+k], out[add+k] = changed(h.Lines[del+k].Text, h.Lines[add+k].Text)
		}
	}
	return out
}

// changed says which words differ between two versions of a line, nil when
// more than half of either does.
func changed(before, after string) (b, a []Range) {
	if len(before) > maxWithin || len(after) > maxWithin || !utf8.ValidString(before) || !utf8.ValidString(after) {
		return nil, nil
	}
	shift := 0
	for _, e := range udiff.Strings(before, after) {
		b = grow(before, b, Range{e.Start, e.End})
		a = grow(after, a, Range{e.Start + shift, e.Start + shift + len(e.New)})
		shift += len(e.New) - (e.End - e.Start)
	}
	if size(b)*2 > len(before) || size(a)*2 > len(after) {
		return nil, nil
	}
	return b, a
}

// grow widens a range to whole words and joins it to the last one if they
// meet.
func grow(s string, list []Range, r Range) []Range {
	if r.Start == r.End {
		return list
	}
	for r.Start > 0 && word(s, r.Start) && word(s, r.Start-1) {
		r.Start--
	}
	for r.End < len(s) && word(s, r.End-1) && word(s, r.End) {
		r.End++
	}
	if n := len(list); n > 0 && r.Start <= list[n-1].End+1 {
		list[n-1].End = max(list[n-1].End, r.End)
		return list
	}
	return append(list, r)
}

// word reports whether the byte at i belongs to an ASCII word; other scripts
// are compared by character.
func word(s string, i int) bool {
	c := rune(s[i])
	return c < utf8.RuneSelf && (c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c))
}

func size(list []Range) int {
	n := 0
	for _, r := range list {
		n += r.End - r.Start
	}
	return n
}
