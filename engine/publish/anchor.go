package publish

import (
	"fmt"
	"unicode/utf8"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/document"
)

// Anchor is where a comment can stand: lines of one side within one hunk, or a
// file as a whole (Line 0). Start is 0 for a single line.
type Anchor struct {
	Path  string
	Side  diff.Side
	Start int
	Line  int
}

// String names the place for people.
func (a Anchor) String() string {
	switch {
	case a.Line == 0:
		return a.Path
	case a.Start > 0:
		return fmt.Sprintf("%s:%d-%d %s", a.Path, a.Start, a.Line, a.Side)
	}
	return fmt.Sprintf("%s:%d %s", a.Path, a.Line, a.Side)
}

// anchor finds where a finding's comment can stand in target, the change as
// the forge has it now. With the head that was reviewed, target is reviewed.
// The lines must have in target the text they had when they were reviewed. ok
// is false if there is no such place; why says why.
func anchor(f document.Finding, reviewed, target *diff.Set) (a Anchor, why string, ok bool) {
	p := f.Place
	if file := target.Find(p.Path); file != nil && !utf8.ValidString(file.Path()) {
		// One such comment and the forge refuses the whole review.
		return Anchor{}, fmt.Sprintf("its name, %+q, is not UTF-8, and the forge takes no other", file.Path()), false
	}
	switch p.How {
	case diff.Exact, diff.Moved:
	case diff.InFile:
		if target.Find(p.Path) == nil {
			return Anchor{}, p.Path + " is not in the change any more", false
		}
		return Anchor{Path: p.Path}, "no line of it is in a hunk", true
	case diff.NotChanged:
		return Anchor{}, p.Path + " is not in this change", false
	case diff.NoPath:
		return Anchor{}, "there is no " + p.Path, false
	default:
		return Anchor{}, "it names no place", false
	}
	lines, ok := textAt(reviewed.Find(p.Path), p)
	if !ok {
		return Anchor{}, "its lines are not within one hunk of the reviewed change", false
	}
	file := target.Find(p.Path)
	if file == nil {
		return Anchor{}, p.Path + " is not in the change any more", false
	}
	start := p.Start
	if target != reviewed {
		if start, ok = whereIs(file, p.Side, lines); !ok {
			return Anchor{}, "its lines have changed since", false
		}
	}
	a = Anchor{Path: file.Path(), Side: p.Side, Line: start + len(lines) - 1}
	if len(lines) > 1 {
		a.Start = start // a start equal to the line is refused
	}
	return a, "", true
}

// textAt is the text of a place's lines, if they all stand within one hunk.
func textAt(f *diff.File, p diff.Place) ([]string, bool) {
	if f == nil || p.Start < 1 {
		return nil, false
	}
	end := max(p.Start, p.End)
	for _, h := range f.Hunks {
		var lines []string
		for l := range h.All() {
			if n := number(l, p.Side); n >= p.Start && n <= end {
				lines = append(lines, l.Text)
			}
		}
		if len(lines) == end-p.Start+1 {
			return lines, true
		}
	}
	return nil, false
}

// number is a line's number on a side, 0 if it can not be commented there:
// context is commented on the right.
func number(l diff.Numbered, side diff.Side) int {
	if side == diff.Left {
		if l.Op == diff.Delete {
			return l.Old
		}
		return 0
	}
	return l.New
}

// whereIs finds lines by their text, only if they stand once in the file.
func whereIs(f *diff.File, side diff.Side, want []string) (start int, ok bool) {
	for _, h := range f.Hunks {
		var texts []string
		var numbers []int
		for l := range h.All() {
			if n := number(l, side); n > 0 {
				texts, numbers = append(texts, l.Text), append(numbers, n)
			}
		}
		for i := range len(texts) - len(want) + 1 {
			if !same(texts[i:i+len(want)], numbers[i:i+len(want)], want) {
				continue
			}
			if ok {
				return 0, false
			}
			start, ok = numbers[i], true
		}
	}
	return start, ok
}

// same also wants the lines to follow each other: on the left there can be
// context between two deleted lines.
func same(texts []string, numbers []int, want []string) bool {
	for i := range want {
		if texts[i] != want[i] || numbers[i] != numbers[0]+i {
			return false
		}
	}
	return true
}
