package diff

import (
	"cmp"
	"fmt"
	"unicode/utf8"
)

// Subject says what a comment is put on, in the forge's words.
type Subject string

// OnLine and OnFile are the two subjects of a comment in a change.
const (
	OnLine Subject = "line"
	OnFile Subject = "file"
)

// Anchor is a place where a forge takes a comment. Line is the last line of
// it, StartLine the first of a range and 0 for one line; both are of the same
// side and hunk. OnFile has neither lines nor side.
type Anchor struct {
	Path      string
	Subject   Subject
	Side      Side
	Line      int
	StartLine int
}

// Anchor turns a place into one where a comment can stand. ok is false for
// what no forge takes: paths outside the change, and files without lines
// (pure renames, binary files, submodules).
func (s *Set) Anchor(p Place) (a Anchor, ok bool) {
	switch p.How {
	case Exact, Moved:
		a = Anchor{Path: p.Path, Subject: OnLine, Side: p.Side, Line: p.End}
		if p.Start < p.End {
			a.StartLine = p.Start
		}
	case InFile:
		a = Anchor{Path: p.Path, Subject: OnFile}
	default:
		return Anchor{}, false
	}
	if s.Commentable(a) != nil {
		return Anchor{}, false
	}
	return a, true
}

// Commentable says why a forge would refuse a comment, nil if it takes it. One
// bad line makes GitHub refuse a whole review without naming it, so each is
// checked before it is sent. The new side has added lines and context; the old
// side the deleted ones.
func (s *Set) Commentable(a Anchor) error {
	path, lines := s.spelled(a.Path), false
	if !utf8.ValidString(path) {
		return fmt.Errorf("comment on %q: a forge takes no path that is not UTF-8", path)
	}
	for _, f := range s.at(path) {
		if f.Path() != path || f.Submodule || len(f.Hunks) == 0 {
			continue
		}
		lines = true
		for _, h := range f.Hunks {
			if a.Subject == OnLine && h.holds(a) {
				return nil
			}
		}
	}
	switch {
	case !lines:
		return fmt.Errorf("comment on %q: the change has no lines of it", a.Path)
	case a.Subject == OnFile:
		return nil
	case a.StartLine != 0 && a.StartLine >= a.Line:
		return fmt.Errorf("comment on %q: a range must begin before line %d, not at %d", a.Path, a.Line, a.StartLine)
	}
	return fmt.Errorf("comment on %q: lines %d to %d are not in one hunk on the side %s",
		a.Path, cmp.Or(a.StartLine, a.Line), a.Line, a.Side)
}

// holds says whether both ends of the anchor are lines of the hunk.
func (h *Hunk) holds(a Anchor) bool {
	if a.StartLine != 0 && a.StartLine >= a.Line {
		return false
	}
	begins, ends := a.StartLine == 0, false
	for l := range h.All() {
		number := l.New
		if a.Side == Left {
			number = l.Old
			if l.Op != Delete {
				continue
			}
		}
		if number == 0 {
			continue
		}
		begins = begins || number == a.StartLine
		ends = ends || number == a.Line
	}
	return begins && ends && (a.Side == Left || a.Side == Right)
}

// HunkOf is the file and hunk of a place, nil where it has none. A change of
// type is two files of one path; the side tells which.
func (s *Set) HunkOf(p Place) (*File, *Hunk) {
	for _, f := range s.at(p.Path) {
		if p.Side == Left && f.Status == Added || p.Side == Right && f.Status == Deleted && p.Hunk >= 0 {
			continue
		}
		if p.Hunk >= 0 && p.Hunk < len(f.Hunks) {
			return f, f.Hunks[p.Hunk]
		}
		return f, nil
	}
	return nil, nil
}
