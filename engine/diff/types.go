package diff

import (
	"iter"
	"strings"
	"unicode/utf8"
)

// Status says what happened to a file.
type Status string

// Statuses of a file in a change.
const (
	Added       Status = "added"
	Modified    Status = "modified"
	Deleted     Status = "deleted"
	Renamed     Status = "renamed"
	Copied      Status = "copied"
	TypeChanged Status = "typechanged"
	Unmerged    Status = "unmerged"
)

// Set is a whole change: its files in the order of the source. It is not
// changed after it was made, so it may be shared between goroutines.
type Set struct {
	Files []*File
	// named has the files of each path, on either side. It is nil in a Set that
	// NewSet did not make; then Files is searched.
	named map[string][]*File
}

// NewSet makes a change of its files, with an index of their paths.
func NewSet(files []*File) *Set {
	s := &Set{Files: files, named: make(map[string][]*File, len(files))}
	name := func(path string, f *File) {
		s.named[path] = append(s.named[path], f)
		if text := asText(path); text != path {
			s.named[text] = append(s.named[text], f)
		}
	}
	for _, f := range files {
		name(f.NewPath, f)
		if f.OldPath != f.NewPath {
			name(f.OldPath, f)
		}
	}
	delete(s.named, "")
	return s
}

// asText is a path as JSON has it, and whoever read it in a prompt: with U+FFFD
// for each byte that is not UTF-8.
func asText(path string) string {
	if utf8.ValidString(path) {
		return path
	}
	return string([]rune(path))
}

// spelled is the path of the change that a path means: itself, or the only one
// that is the same as text.
func (s *Set) spelled(path string) string {
	if !strings.ContainsRune(path, utf8.RuneError) {
		return path
	}
	found := path
	for _, f := range s.with(path) {
		for _, p := range f.paths() {
			if p == path || asText(p) == path && found != path && found != p {
				return path
			}
			if asText(p) == path {
				found = p
			}
		}
	}
	return found
}

// with lists the files to search for a path: all that have it on either side,
// and maybe others.
func (s *Set) with(path string) []*File {
	switch {
	case s == nil || path == "":
		return nil
	case s.named == nil:
		return s.Files
	}
	return s.named[path]
}

// File is one file of a change. Paths are raw bytes in a string, relative to
// the repository's root, never normalised; "" on the side where it is absent.
type File struct {
	OldPath, NewPath     string
	Status               Status
	OldMode, NewMode     string // git's octal, "" where unknown or absent
	OldID, NewID         string // git's (abbreviated) object ids, "" where unknown
	Additions, Deletions int
	// Binary is set when the source gives no text for the file. MarkedBinary:
	// the change's attributes call it binary, but its blob is text.
	Binary, MarkedBinary bool
	Submodule            bool
	Hunks                []*Hunk
	// Unread says why (a part of) the file's change is not here, e.g. "the
	// forge sent no patch"; "" when all of it is.
	Unread string
}

// Path is the file's name in the change: the new one, or the old one of a
// deleted file.
func (f *File) Path() string {
	if f.NewPath != "" {
		return f.NewPath
	}
	return f.OldPath
}

// Op says what a line of a hunk is.
type Op byte

// The three kinds of line.
const (
	Context Op = ' '
	Add     Op = '+'
	Delete  Op = '-'
)

// Hunk is one changed region. Numbers are 1-based as in the @@ line; Section
// is the text behind it.
type Hunk struct {
	OldStart, OldLines int
	NewStart, NewLines int
	Section            string
	Lines              []Line
}

// Line is one line of a hunk: its text without the leading sign and without
// the newline; a carriage return before the newline stays.
type Line struct {
	Text string
	Op   Op
	// NoEOL is set when the file has no newline behind this line.
	NoEOL bool
}

// Numbered is a line with its numbers; 0 on the side where it is absent.
type Numbered struct {
	Line
	Old, New int
}

// All walks the hunk's lines with their numbers on both sides.
func (h *Hunk) All() iter.Seq[Numbered] {
	return func(yield func(Numbered) bool) {
		o, n := h.OldStart, h.NewStart
		for _, l := range h.Lines {
			x := Numbered{Line: l}
			if l.Op != Add {
				x.Old = o
				o++
			}
			if l.Op != Delete {
				x.New = n
				n++
			}
			if !yield(x) {
				return
			}
		}
	}
}

// Find returns the file that has the path on either side, new sides first;
// nil if there is none. A path that came through JSON has lost the bytes that
// are not UTF-8; it names the file if it can be no other one.
func (s *Set) Find(path string) *File {
	path = s.spelled(path)
	for _, f := range s.with(path) {
		if f.NewPath == path {
			return f
		}
	}
	for _, f := range s.with(path) {
		if f.OldPath == path {
			return f
		}
	}
	return nil
}

// Stat sums the added and removed lines.
func (s *Set) Stat() (additions, deletions int) {
	for _, f := range s.Files {
		additions += f.Additions
		deletions += f.Deletions
	}
	return additions, deletions
}

// Side is a side of a change in the forge's words.
type Side string

// Right is the side after the change, Left the one before.
const (
	Right Side = "RIGHT"
	Left  Side = "LEFT"
)

// How says how a finding's place was found in the change.
type How string

// The ways, best first.
const (
	Exact      How = "exact"             // the lines are in a hunk, and the quote (if any) is there
	Moved      How = "moved"             // the quote was found, uniquely, on other lines of the file
	InFile     How = "file"              // the file is in the change, the lines are in no hunk
	NotChanged How = "not in the change" // the path is in the tree, not in the change
	NoPath     How = "no such path"      // nothing of that name is known
	Nowhere    How = "none"              // the finding names no place
)

// Place is a finding's place checked against the change. Start and End are
// 1-based, inclusive, on Side, and within one hunk for Exact and Moved (there
// Hunk is the hunk's index in the file, else -1).
type Place struct {
	How   How    `json:"how"`
	Path  string `json:"path,omitempty"`
	Side  Side   `json:"side,omitempty"`
	Start int    `json:"start,omitempty"`
	End   int    `json:"end,omitempty"`
	Hunk  int    `json:"hunk"`
	// Shift is by how many lines the quote was away from where it was claimed.
	Shift int `json:"shift,omitempty"`
	// QuoteFound says that the finding had a quote and that it stands there.
	QuoteFound bool `json:"quote_found,omitempty"`
	// Guessed says the lines were never given and are a guess.
	Guessed bool `json:"guessed,omitempty"`
	// Text is the text of the first line at the place, for display.
	Text string `json:"text,omitempty"`
	// Fingerprint is a memory key: a hash of path and normalised line text.
	Fingerprint string `json:"fingerprint,omitempty"`
}
