package diff

import "strings"

// Claim is where a finding says it stands. Start and End are 1-based and
// inclusive, Start 0 for the whole file; Old says that they count on the side
// before the change; Quote is the code the finding quotes.
type Claim struct {
	Path       string
	Start, End int
	Old        bool
	Quote      string
}

// Locate checks a finding's place against the change alone, so that a path
// outside of it is NoPath; see LocateIn.
func (s *Set) Locate(path string, start, end int, old bool, quote string) Place {
	return s.LocateIn(nil, Claim{Path: path, Start: start, End: end, Old: old, Quote: quote})
}

// LocateIn checks a finding's place. tree says whether a path is in the
// reviewed tree; it may be nil.
//
// A quote beats line numbers, which models get wrong often: of several places
// with the quoted text the one at the claimed lines counts, else the only one,
// else one that is clearly nearest, else none. A quote of a word like "else"
// moves nothing: it confirms the lines, or they count alone. Lines alone count where a hunk
// has them: on the new side, or on the old one for what the change deleted. A
// range is cut to one hunk, and never crosses sides.
func (s *Set) LocateIn(tree func(path string) bool, c Claim) Place {
	c = c.tidy()
	if c.Path == "" {
		return Place{How: Nowhere, Hunk: -1}
	}
	place := Place{How: NoPath, Path: c.Path, Side: c.side(), Start: c.Start, End: c.End, Hunk: -1}
	files, path, inTree := s.resolve(tree, c.Path)
	if inTree {
		place.How = NotChanged
	}
	if path != "" {
		place.Path = path
	}
	if len(files) == 0 {
		place.Fingerprint = fingerprint(place.Path, firstWords(c.Quote))
		return place
	}
	place.How, place.Path = InFile, files[0].Path()
	if at, ok := c.place(files); ok {
		return at.place(place, c)
	}
	place.Fingerprint = fingerprint(place.Path, firstWords(c.Quote))
	return place
}

// tidy makes the numbers a range and drops a quote that says nothing.
func (c Claim) tidy() Claim {
	if strings.TrimSpace(c.Path) == "" {
		c.Path = ""
	}
	if c.Start < 1 {
		c.Start, c.End = 0, 0
	}
	if c.End < c.Start {
		c.End = c.Start
	}
	if !hasWord(c.Quote) {
		c.Quote = ""
	}
	return c
}

func (c Claim) side() Side {
	if c.Old {
		return Left
	}
	return Right
}

// place finds the lines by the quote if there is one, else by the numbers.
func (c Claim) place(files []*File) (spot, bool) {
	if c.Quote != "" {
		at, ok := c.byQuote(files)
		if telling(c.Quote) || ok && (c.Start == 0 || at.distance(c) == 0) {
			return at, ok
		}
	}
	if c.Start == 0 {
		return spot{}, false
	}
	for _, f := range files {
		old := c.Old
		if len(files) == 1 { // with one side, whatever the finding says
			old = old && f.Status != Added || f.Status == Deleted
		}
		if at, ok := byLines(f, c.Start, c.End, old); ok {
			return at, true
		}
	}
	if c.Old {
		return spot{}, false
	}
	for _, f := range files {
		at, ok := byLines(f, c.Start, c.End, true)
		if ok && at.side == Left && at.start == c.Start {
			return at, true
		}
	}
	return spot{}, false
}

// resolve finds the files of the change that a claimed path names: as it is,
// then without what models and tools put before it, then as the only path that
// ends in it. Two files of one path are a change of type. path is what was
// matched or found in the tree.
func (s *Set) resolve(tree func(string) bool, claimed string) (files []*File, path string, inTree bool) {
	for _, v := range spellings(claimed) {
		if files = s.at(v); len(files) > 0 {
			return files, v, true
		}
		if tree != nil && tree(v) {
			return nil, v, true
		}
	}
	for _, v := range spellings(claimed) {
		if path = s.onlyEnding("/" + strings.TrimLeft(v, "/")); path != "" {
			return s.at(path), path, true
		}
	}
	if absolute := strings.TrimSpace(claimed); strings.HasPrefix(absolute, "/") {
		if path = s.longestEndOf(absolute); path != "" {
			return s.at(path), path, true
		}
	}
	return nil, "", false
}

// spellings are the ways to read a claimed path, surest first: as it is (a
// name may end with a space), then step by step without space around it,
// quotes, backslashes, what leads to the root, and a diff's prefix.
func spellings(path string) []string {
	list := []string{path}
	add := func(s string) string {
		if s != "" && s != list[len(list)-1] {
			list = append(list, s)
		}
		return s
	}
	path = add(strings.TrimSpace(path))
	if name, bad := unquoteName(path); bad == "" {
		path = add(name)
	}
	path = add(strings.ReplaceAll(path, `\`, "/"))
	path = strings.TrimLeft(path, "/")
	for strings.HasPrefix(path, "./") {
		path = strings.TrimLeft(path[2:], "/")
	}
	path = add(path)
	for _, prefix := range []string{"a/", "b/"} {
		add(strings.TrimPrefix(path, prefix))
	}
	return list
}

// at lists the files of a path: those that have it now, else the one that had
// it before it was renamed or deleted. What was copied is itself unchanged.
func (s *Set) at(path string) []*File {
	path = s.spelled(path)
	var now, before []*File
	for _, f := range s.with(path) {
		switch {
		case f.Path() == path:
			now = append(now, f)
		case f.OldPath == path && f.Status != Copied:
			before = append(before, f)
		}
	}
	if now != nil {
		return now
	}
	return before
}

// onlyEnding is the one path of the change with this end, or "".
func (s *Set) onlyEnding(end string) string {
	found := ""
	if s == nil {
		return ""
	}
	for _, f := range s.Files {
		path := f.Path()
		if !strings.HasSuffix(path, end) || path == found {
			continue
		}
		if found != "" {
			return ""
		}
		found = path
	}
	return found
}

// longestEndOf is the longest path of the change that an absolute path ends
// in, or "".
func (s *Set) longestEndOf(absolute string) string {
	found := ""
	if s == nil {
		return ""
	}
	for _, f := range s.Files {
		if path := f.Path(); len(path) > len(found) && strings.HasSuffix(absolute, "/"+path) {
			found = path
		}
	}
	return found
}
