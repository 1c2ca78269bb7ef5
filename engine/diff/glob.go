package diff

import (
	"fmt"
	"regexp"
	"strings"
)

// Globs is an ordered list of patterns for paths, as in a .gitignore: one
// without a slash matches a name at any depth, one with a slash counts from
// the root, ** is any number of directories, a pattern of a directory takes
// all below it, and "!" takes out again what an earlier one took in. The last
// pattern that matches decides. The zero Globs matches nothing.
type Globs struct{ rules []globRule }

type globRule struct {
	pattern string
	not     bool
	path    *regexp.Regexp
}

// CompileGlobs checks and compiles patterns.
func CompileGlobs(patterns []string) (Globs, error) {
	var g Globs
	for _, p := range patterns {
		bare, not := strings.CutPrefix(p, "!")
		expr, err := globExpr(bare)
		if err != nil {
			return Globs{}, fmt.Errorf("glob %q: %w", p, err)
		}
		re, err := regexp.Compile(expr)
		if err != nil {
			return Globs{}, fmt.Errorf("glob %q: a set in it is malformed", p)
		}
		g.rules = append(g.rules, globRule{p, not, re})
	}
	return g, nil
}

// Match says whether a path is taken.
func (g Globs) Match(path string) bool {
	_, ok := g.Which(path)
	return ok
}

// Which is the pattern that takes a path.
func (g Globs) Which(path string) (pattern string, ok bool) {
	for i := len(g.rules) - 1; i >= 0; i-- {
		if r := &g.rules[i]; r.path.MatchString(path) {
			return r.pattern, !r.not
		}
	}
	return "", false
}

// globExpr is a pattern as a regular expression of the whole path.
func globExpr(p string) (string, error) {
	dir := strings.HasSuffix(p, "/")
	p = strings.TrimSuffix(p, "/")
	anchored := strings.Contains(p, "/")
	p = strings.TrimPrefix(p, "/")
	if p == "" {
		return "", fmt.Errorf("it is empty")
	}
	var b strings.Builder
	b.WriteString(`(?s)^`)
	if !anchored {
		b.WriteString(`(?:.*/)?`)
	}
	for i, part := range strings.Split(p, "/") {
		last := i == strings.Count(p, "/")
		if part == "**" {
			switch {
			case last:
				b.WriteString(`.+`)
			default:
				b.WriteString(`(?:.*/)?`)
			}
			continue
		}
		if err := globPart(&b, part); err != nil {
			return "", err
		}
		if !last {
			b.WriteByte('/')
		}
	}
	if dir {
		b.WriteString(`/.*$`)
	} else {
		b.WriteString(`(?:/.*)?$`)
	}
	return b.String(), nil
}

// globPart writes what stands between two slashes.
func globPart(b *strings.Builder, part string) error {
	for i := 0; i < len(part); i++ {
		switch c := part[i]; c {
		case '*':
			b.WriteString(`[^/]*`)
		case '?':
			b.WriteString(`[^/]`)
		case '[':
			size := globSet(part[i:])
			if size == 0 {
				return fmt.Errorf("a [ in it is not closed")
			}
			set := part[i+1 : i+size-1]
			if set[0] == '!' || set[0] == '^' {
				set = "^/" + set[1:]
			}
			b.WriteString("[" + strings.ReplaceAll(set, "[", `\[`) + "]")
			i += size - 1
		case '\\':
			if i++; i == len(part) {
				return fmt.Errorf("it ends with a backslash")
			}
			b.WriteString(regexp.QuoteMeta(part[i : i+1]))
		default:
			if c < 0x80 {
				b.WriteString(regexp.QuoteMeta(part[i : i+1]))
			} else {
				b.WriteByte(c)
			}
		}
	}
	return nil
}

// globSet is the length of the set that begins a text, 0 if it has no end. A
// bracket in the first place of a set is itself.
func globSet(s string) int {
	from := 1
	if from < len(s) && (s[from] == '!' || s[from] == '^') {
		from++
	}
	if from >= len(s) {
		return 0
	}
	if end := strings.IndexByte(s[from+1:], ']'); end >= 0 {
		return from + end + 2
	}
	return 0
}
