package review

import (
	"fmt"
	"regexp"
	"strings"
)

// CompileGlobs reads the globs of a persona's or check's paths. The pattern
// forms are git's: "*" stays within a directory, "**" does not, "{a,b}" is
// either, a trailing "/" means everything below, and a glob without a slash
// matches a file's name in any directory.
func CompileGlobs(globs []string) (Globs, error) {
	var out Globs
	for _, g := range globs {
		re, err := globPattern(g)
		if err != nil {
			return nil, err
		}
		out = append(out, re)
	}
	return out, nil
}

// Globs is a compiled list of globs.
type Globs []*regexp.Regexp

// Match reports whether any of them matches the path.
func (gs Globs) Match(path string) bool {
	for _, g := range gs {
		if g.MatchString(path) {
			return true
		}
	}
	return false
}

// Applies reports whether the persona has something to look at among the
// paths of a change: it names no globs, or one of them matches. Globs that do
// not compile match nothing; loading a persona refuses them.
func (p Persona) Applies(paths []string) bool {
	if len(p.Paths) == 0 {
		return true
	}
	gs, err := CompileGlobs(p.Paths)
	if err != nil {
		return false
	}
	for _, path := range paths {
		if gs.Match(path) {
			return true
		}
	}
	return false
}

func globPattern(glob string) (*regexp.Regexp, error) {
	g := strings.TrimPrefix(glob, "/")
	if g == "" {
		return nil, fmt.Errorf("the glob %q is empty", glob)
	}
	var b strings.Builder
	b.WriteString("^")
	if !strings.Contains(strings.TrimSuffix(glob, "/"), "/") {
		b.WriteString("(?:.*/)?")
	}
	if strings.HasSuffix(g, "/") {
		g += "**"
	}
	depth := 0
	for i := 0; i < len(g); i++ {
		switch c := g[i]; {
		case strings.HasPrefix(g[i:], "**/"):
			b.WriteString("(?:.*/)?")
			i += 2
		case strings.HasPrefix(g[i:], "**"):
			b.WriteString(".*")
			i++
		case c == '*':
			b.WriteString("[^/]*")
		case c == '?':
			b.WriteString("[^/]")
		case c == '{':
			depth++
			b.WriteString("(?:")
		case c == '}' && depth > 0:
			depth--
			b.WriteString(")")
		case c == ',' && depth > 0:
			b.WriteString("|")
		default:
			b.WriteString(regexp.QuoteMeta(g[i : i+1]))
		}
	}
	if depth > 0 {
		return nil, fmt.Errorf("the glob %q has an open brace", glob)
	}
	return regexp.Compile(b.String() + "$")
}
