package diff

import (
	"slices"
	"strings"
	"time"
)

// plainSection says whether a line begins a file, or is one that diff -u, svn,
// hg or cvs write above it.
func (p *parser) plainSection(line string) bool {
	switch {
	case p.at("--- "):
		return p.followed("+++ ")
	case p.at("diff -"), p.at("Index: "), p.at("Only in "), p.at(hgBinary):
		return true
	case strings.HasPrefix(line, "Binary files "):
		return strings.HasSuffix(line, " differ")
	}
	return false
}

// hgBinary is what Mercurial writes of a binary file without --git.
const hgBinary = "Binary file "

// plainFile reads one file as tools other than git write it: two lines of
// names, with or without times, and hunks.
func (p *parser) plainFile(line string) error {
	h := header{line: p.line + 1, git: line}
	switch {
	case p.at("Only in "):
		return p.onlyIn(line)
	case p.at("Index: "):
		return p.indexed(strings.TrimPrefix(line, "Index: "))
	case p.at("Binary files "):
		h.binary = true
		return p.binaryFile(&h, strings.TrimSuffix(strings.TrimPrefix(line, "Binary files "), " differ"))
	case p.at(hgBinary):
		return p.whole(strings.TrimSuffix(strings.TrimPrefix(line, hgBinary), " has changed"), true)
	case !p.at("--- "):
		p.take()
		return nil
	}
	var times [2]string
	h.hasOld, h.hasNew = true, true
	for i, name := range []*string{&h.old, &h.new} {
		value := strings.TrimSuffix(p.take()[len("--- "):], "\r")
		written, when, _ := strings.Cut(value, "\t")
		var bad string
		if *name, bad = unquoteName(written); bad != "" {
			return &ParseError{Path: written, Line: p.line, Problem: bad}
		}
		times[i] = when
	}
	oldPath, newPath, ok := p.plainNames(h.old, h.new)
	if !ok {
		return &ParseError{Path: h.new, Line: h.line, Problem: "the two names of this file differ", Advice: useGitDiff}
	}
	h.added, h.deleted = absent(times[0]), absent(times[1])
	f := h.file(oldPath, newPath)
	if problem := checkPath(f.Path()); problem != "" {
		return &ParseError{Path: f.Path(), Line: h.line, Problem: problem}
	}
	p.set.Files = append(p.set.Files, f)
	if f.Unread = p.hunks(f); f.Unread == "" {
		f.Unread = h.contradicted(f)
	}
	if f.Unread != "" {
		p.skipPlain()
	}
	return nil
}

// indexed takes the lines that svn, cvs and quilt write above a file's two
// names. Without those the file was binary, or empty.
func (p *parser) indexed(path string) error {
	p.take()
	for p.at("=====") || p.at("RCS file: ") || p.at("retrieving revision ") || p.at("diff -") && !p.at("diff --git ") {
		p.take()
	}
	switch {
	case p.at("--- ") || p.at("diff --git ") || p.at("Binary files "):
		return nil
	case !p.at("Cannot display: file marked as a binary type."):
		p.untake()
		return p.whole(path, false)
	case p.followed("svn:mime-type = "):
		p.take()
	}
	return p.whole(path, true)
}

// whole takes a line about a file of which nothing else is shown.
func (p *parser) whole(path string, binary bool) error {
	if problem := checkPath(path); problem != "" {
		return p.refuse(problem, "")
	}
	p.take()
	f := &File{OldPath: path, NewPath: path, Status: Modified, Binary: binary}
	if !binary {
		f.Unread = "the diff names it without its content"
	}
	p.set.Files = append(p.set.Files, f)
	return nil
}

// skipPlain steps to the next thing that can only be a file's beginning.
func (p *parser) skipPlain() {
	for !p.eof() && !p.at("diff -") && !p.at("Index: ") && !p.at("Only in ") && !p.at(propertyChanges) {
		p.take()
	}
}

// absent says whether the time behind a name stands for no file: the epoch,
// in any zone, or svn's word.
func absent(when string) bool {
	if when == "(nonexistent)" {
		return true
	}
	t, err := time.Parse("2006-01-02 15:04:05 -0700", when)
	return err == nil && t.Unix() == 0
}

// plainNames reads two names that are equal but for their prefixes, or the end
// of a copy that was kept of the old file.
func (p *parser) plainNames(x, y string) (oldPath, newPath string, ok bool) {
	if x == y+".orig" || x == y+"~" {
		x = y
	}
	tries := slices.Clone(p.usual())
	n := naming{header: &header{}, x: x, y: y, quoted: true}
	if pre, found := n.guess(); found && p.prefix == nil {
		tries = append(tries, pre)
	}
	for _, pre := range tries {
		oldPath, okOld := strings.CutPrefix(x, pre.old)
		newPath, okNew := strings.CutPrefix(y, pre.new)
		if x == devNull {
			oldPath, okOld = newPath, okNew
		}
		if y == devNull {
			newPath, okNew = oldPath, okOld
		}
		if okOld && okNew && oldPath == newPath && oldPath != "" {
			p.prefix = &pre
			return oldPath, newPath, true
		}
	}
	return "", "", false
}

// binaryFile reads "X and Y" where the names say where to cut.
func (p *parser) binaryFile(h *header, both string) error {
	for i := 0; i < min(len(both), maxHeader); i++ {
		if !strings.HasPrefix(both[i:], " and ") {
			continue
		}
		oldPath, newPath, ok := p.plainNames(both[:i], both[i+len(" and "):])
		if ok && checkPath(newPath) == "" {
			p.take()
			h.hasOld, h.hasNew, h.old, h.new = true, true, both[:i], both[i+len(" and "):]
			p.set.Files = append(p.set.Files, h.file(oldPath, newPath))
			return nil
		}
	}
	return p.refuse("the names of this binary file can't be told apart", useGitDiff)
}

// onlyIn lists what diff -r names without showing it.
func (p *parser) onlyIn(line string) error {
	dir, name, _ := strings.Cut(strings.TrimPrefix(line, "Only in "), ": ")
	pre := prefixes{"a/", "b/"}
	if p.prefix != nil {
		pre = *p.prefix
	}
	f := &File{Unread: "the diff names it without its content; make it with `diff -urN`"}
	if rest, ok := strings.CutPrefix(dir+"/", pre.new); ok {
		f.Status, f.NewPath = Added, rest+name
	} else if rest, ok := strings.CutPrefix(dir+"/", pre.old); ok {
		f.Status, f.OldPath = Deleted, rest+name
	}
	if checkPath(f.Path()) != "" {
		return p.refuse("the side of this file can't be told", "make the diff with `diff -urN`")
	}
	p.take()
	p.set.Files = append(p.set.Files, f)
	return nil
}
