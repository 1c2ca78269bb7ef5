package diff

import (
	"fmt"
	"slices"
	"strings"
)

// ParsePatch reads the hunks of one file, as a forge's list of files has them:
// they begin with @@, have no header and no last newline. f holds what the
// forge says about the file. Its line counts, unless both are 0, must be those
// of the patch, so that a patch cut off by the forge is an error.
func ParsePatch(f File, patch []byte) (*File, error) {
	claimed := f
	if problem := checkPath(f.Path()); problem != "" {
		return nil, &ParseError{Path: f.Path(), Problem: problem}
	}
	p := &parser{lines: lines{text: string(patch)}}
	f.Hunks = nil
	bad := p.hunks(&f)
	readAgain(p.later)
	if bad == "" {
		bad = f.Unread
	}
	if bad == "" && strings.Trim(p.text[p.pos:], "\r\n") != "" {
		bad = "there is text behind its last hunk"
	}
	if bad == "" && claimed.Additions+claimed.Deletions > 0 &&
		(f.Additions != claimed.Additions || f.Deletions != claimed.Deletions) {
		bad = fmt.Sprintf("the patch has +%d -%d lines, its source says +%d -%d",
			f.Additions, f.Deletions, claimed.Additions, claimed.Deletions)
	}
	if bad != "" {
		return nil, &ParseError{Path: f.Path(), Line: p.line, Problem: bad}
	}
	return &f, nil
}

// Want is what a source says about one file: `git diff --numstat`, or the
// list of files of a forge. Both counts are -1 for a binary file.
type Want struct {
	Path                 string // the new path, or the old one of a deleted file
	Additions, Deletions int
}

// MismatchError says where a change and its source differ.
type MismatchError struct {
	Differences []string // one a file, paths quoted
}

// Error names the first few.
func (e *MismatchError) Error() string {
	const shown = 5
	text := strings.Join(e.Differences[:min(shown, len(e.Differences))], "; ")
	if more := len(e.Differences) - shown; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return "the diff is not what its source says: " + text
}

// Verify compares a change with what its source says about it: the same files,
// and for each that was read the same counts. It returns a *MismatchError.
func Verify(s *Set, wants []Want) error {
	type sum struct {
		add, del     int
		known, exact bool
	}
	have := make(map[string]*sum, len(s.Files))
	for _, f := range s.Files {
		exact := f.Unread == "" && !f.Binary && !(f.Submodule && len(f.Hunks) == 0)
		if have[f.Path()] != nil {
			// A change of type is two files of one path: git's diff has all lines
			// of both, its numbers compare them.
			exact = false
		}
		have[f.Path()] = &sum{add: f.Additions, del: f.Deletions, exact: exact}
	}
	var e MismatchError
	for _, w := range wants {
		h := have[w.Path]
		switch {
		case h == nil:
			e.Differences = append(e.Differences, fmt.Sprintf("%q is missing", w.Path))
		case h.exact && w.Additions >= 0 && (h.add != w.Additions || h.del != w.Deletions):
			e.Differences = append(e.Differences, fmt.Sprintf("%q has +%d -%d, not +%d -%d",
				w.Path, h.add, h.del, w.Additions, w.Deletions))
		case h.exact && w.Additions < 0 && h.add+h.del > 0:
			e.Differences = append(e.Differences, fmt.Sprintf("%q has lines, but is said to be binary", w.Path))
		}
		if h != nil {
			h.known = true
		}
	}
	for path, h := range have {
		if !h.known {
			e.Differences = append(e.Differences, fmt.Sprintf("%q is not in it", path))
		}
	}
	if e.Differences == nil {
		return nil
	}
	slices.Sort(e.Differences)
	return &e
}
