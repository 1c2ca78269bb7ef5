package diff

import "strings"

// prefixes stand before the names of both sides: "a/" and "b/", or what the
// person's configuration made of them.
type prefixes struct{ old, new string }

// maxHeader bounds a header line whose names are searched for.
const maxHeader = 1 << 14

// named finds the names of both sides and checks them.
func (p *parser) named(h *header) (*File, error) {
	fail := func(problem, advice string) error {
		return &ParseError{Path: h.git, Line: h.line, Problem: problem, Advice: advice}
	}
	x, y, quoted, bad := splitQuoted(h.git)
	if bad != "" {
		return nil, fail(bad, "")
	}
	n := naming{header: h, x: x, y: y, quoted: quoted}
	oldPath, newPath, ok := p.names(&n)
	if !ok {
		return nil, fail("the names of this file can't be told from its header",
			"pass the output of `git diff --src-prefix=a/ --dst-prefix=b/`")
	}
	f := h.file(oldPath, newPath)
	if f.OldPath == "" && f.Status != Added || f.NewPath == "" && f.Status != Deleted {
		return nil, fail("the file has no name", "")
	}
	for _, name := range []string{f.OldPath, f.NewPath} {
		if problem := checkPath(name); name != "" && problem != "" {
			return nil, &ParseError{Path: name, Line: h.line, Problem: problem}
		}
	}
	return f, nil
}

// names tries prefixes, surest first. Once one file showed them, all files of
// the input have the same.
func (p *parser) names(n *naming) (oldPath, newPath string, ok bool) {
	for _, pre := range p.usual() {
		if oldPath, newPath, ok = n.under(pre); ok {
			p.prefix = &pre
			return oldPath, newPath, true
		}
	}
	if p.prefix == nil {
		if pre, found := n.guess(); found {
			if oldPath, newPath, ok = n.under(pre); ok {
				p.prefix = &pre
				return oldPath, newPath, true
			}
		}
	}
	return n.unlike()
}

// known are prefixes to try before guessing: git's, none, git's reversed (-R),
// its mnemonic ones for commit, index and working tree, Bitbucket's.
var known = [...]prefixes{{"a/", "b/"}, {"", ""}, {"b/", "a/"}, {"i/", "w/"}, {"c/", "i/"}, {"c/", "w/"}, {"src://", "dst://"}}

// usual are the prefixes of the input, or those to try.
func (p *parser) usual() []prefixes {
	if p.prefix != nil {
		return []prefixes{*p.prefix}
	}
	return known[:]
}

// naming is a header whose names are looked for. x and y are the two names
// with prefix where quoting tells them apart.
type naming struct {
	*header
	x, y   string
	quoted bool
}

// under reads the names with the given prefixes; ok is false if the header
// contradicts them.
func (n *naming) under(pre prefixes) (oldPath, newPath string, ok bool) {
	switch {
	case n.moved || n.copied:
		oldPath, newPath = n.from, n.to
	case n.quoted:
		oldPath, ok = strings.CutPrefix(n.x, pre.old)
		newPath = strings.TrimPrefix(n.y, pre.new)
		if !ok {
			return "", "", false
		}
	default:
		// Both names are equal, so their length follows from the line's.
		size := (len(n.git) - 1 - len(pre.old) - len(pre.new)) / 2
		if size > 0 && len(pre.old)+size < len(n.git) {
			oldPath = strings.TrimPrefix(n.git[:len(pre.old)+size], pre.old)
			newPath = oldPath
		}
	}
	if !n.moved && !n.copied && oldPath != newPath {
		return "", "", false
	}
	return oldPath, newPath, n.stands(pre, oldPath, newPath)
}

// unlike reads two names that differ without a rename: `git diff --no-index`
// compares any two files or directories.
func (n *naming) unlike() (oldPath, newPath string, ok bool) {
	x, y := n.x, n.y
	switch {
	case n.moved || n.copied:
		return "", "", false
	case n.hasOld && n.hasNew:
		x, y = n.old, n.new
	case n.binary && !n.quoted && strings.Count(n.git, " b/") == 1:
		x, y, _ = strings.Cut(n.git, " b/")
		y = "b/" + y
	}
	oldPath, oldOK := strings.CutPrefix(x, "a/")
	newPath, newOK := strings.CutPrefix(y, "b/")
	return oldPath, newPath, oldOK && newOK && n.stands(prefixes{"a/", "b/"}, oldPath, newPath)
}

// stands checks names and prefixes against every line of the header that has
// a name.
func (n *naming) stands(pre prefixes, oldPath, newPath string) bool {
	x, y := pre.old+oldPath, pre.new+newPath
	if n.quoted {
		if x != n.x || y != n.y {
			return false
		}
	} else if n.git != x+" "+y {
		return false
	}
	return (!n.hasOld || n.old == devNull || sameName(n.old, x)) &&
		(!n.hasNew || n.new == devNull || sameName(n.new, y))
}

// sameName allows for trailing spaces that an editor cut off.
func sameName(written, name string) bool {
	return written == name || written == strings.TrimRight(name, " ")
}

// guess derives unknown prefixes: from the names of a rename, which have
// none, else from what two equal names have in common. A prefix is taken to
// end with a slash and to be as short as possible.
func (n *naming) guess() (prefixes, bool) {
	if n.quoted {
		return n.between(n.x, n.y)
	}
	if len(n.git) > maxHeader {
		return prefixes{}, false
	}
	if n.hasNew && n.new != devNull && strings.HasSuffix(n.git, " "+n.new) {
		return n.between(strings.TrimSuffix(n.git, " "+n.new), n.new)
	}
	if n.hasOld && n.old != devNull && strings.HasPrefix(n.git, n.old+" ") {
		return n.between(n.old, strings.TrimPrefix(n.git, n.old+" "))
	}
	var found prefixes
	count := 0
	for i := range len(n.git) {
		if n.git[i] != ' ' {
			continue
		}
		if pre, ok := n.between(n.git[:i], n.git[i+1:]); ok {
			found = pre
			count++
		}
	}
	return found, count == 1
}

// between finds the prefixes of two full names.
func (n *naming) between(x, y string) (prefixes, bool) {
	if n.moved || n.copied {
		pre := prefixes{strings.TrimSuffix(x, n.from), strings.TrimSuffix(y, n.to)}
		return pre, x == pre.old+n.from && y == pre.new+n.to
	}
	i, j := len(x), len(y)
	for i > 0 && j > 0 && x[i-1] == y[j-1] {
		i, j = i-1, j-1
	}
	usual := strings.HasPrefix(x, "a/") && strings.HasPrefix(y, "b/")
	if usual || !strings.HasPrefix(x[i:], "/") {
		return prefixes{}, false
	}
	return prefixes{x[:i+1], y[:j+1]}, i+1 < len(x)
}

// splitQuoted separates the two names of a "diff --git" line where at least
// one of them is quoted.
func splitQuoted(s string) (x, y string, quoted bool, bad string) {
	if !strings.HasPrefix(s, `"`) && !strings.HasSuffix(s, `"`) {
		return "", "", false, ""
	}
	if strings.HasPrefix(s, `"`) {
		end := closingQuote(s)
		if end < 0 || end+1 >= len(s) || s[end+1] != ' ' {
			return "", "", false, "a quoted name has no end"
		}
		if x, bad = unquoteName(s[:end+1]); bad != "" {
			return "", "", false, bad
		}
		y, bad = unquoteName(s[end+2:])
		return x, y, bad == "", bad
	}
	start := strings.Index(s, ` "`)
	if start < 0 {
		return "", "", false, "a quoted name has no beginning"
	}
	y, bad = unquoteName(s[start+1:])
	return s[:start], y, bad == "", bad
}

// closingQuote is the index of the quote that ends the name begun at 0.
func closingQuote(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return -1
}

// unquoteName undoes git's C-style quoting; a name without quotes is itself.
func unquoteName(s string) (name, bad string) {
	if !strings.HasPrefix(s, `"`) {
		return s, ""
	}
	if closingQuote(s) != len(s)-1 {
		return "", "a quoted name does not end with its quote"
	}
	s = s[1 : len(s)-1]
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		i++ // closingQuote made sure that a byte follows
		if c := strings.IndexByte(escapeLetters, s[i]); c >= 0 {
			b.WriteByte(escapeBytes[c])
			continue
		}
		if i+2 >= len(s) || s[i] > '3' || !octal(s[i]) || !octal(s[i+1]) || !octal(s[i+2]) {
			return "", "a quoted name has an escape that git does not write"
		}
		b.WriteByte((s[i]-'0')<<6 | (s[i+1]-'0')<<3 | (s[i+2] - '0'))
		i += 2
	}
	return b.String(), ""
}

// The escapes of git's quote.c: each letter stands for the byte below it.
const (
	escapeLetters = `abtnvfr"\`
	escapeBytes   = "\a\b\t\n\v\f\r\"\\"
)

func octal(c byte) bool { return c >= '0' && c <= '7' }

// checkPath says what is wrong with a path that should be a file inside the
// repository; "" if nothing is.
func checkPath(path string) string {
	if strings.IndexByte(path, 0) >= 0 {
		return "the path has a zero byte"
	}
	for part := range strings.SplitSeq(path, "/") {
		switch {
		case part == "":
			return "the path is absolute or has an empty part"
		case part == "." || part == "..":
			return "the path leads out of the tree"
		case strings.EqualFold(part, ".git"):
			return "the path is inside .git"
		}
	}
	return ""
}
