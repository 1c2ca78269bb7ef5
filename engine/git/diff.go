package git

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
)

// diffOptions fix everything about a diff that a configuration, an attribute
// or a newer version of git could change.
var diffOptions = []string{
	"-r", "-M", "--no-color", "--no-ext-diff", "--no-textconv", "--no-relative",
	"--diff-algorithm=myers", "--indent-heuristic", "--submodule=short", "--ignore-submodules=none", "-l2000",
}

// Diff is the difference between two commits or trees as text with three lines
// of context, renames found. paths limit it to files of these exact names.
func (s *Store) Diff(ctx context.Context, base, head string, paths ...string) ([]byte, error) {
	args := append([]string{"diff-tree", "-p", "--full-index", "--src-prefix=a/", "--dst-prefix=b/",
		"--unified=3", "--inter-hunk-context=0"}, diffOptions...)
	return s.cmd("comparing "+short(base)+" with "+short(head), operands(args, base, head, paths)...).run(ctx)
}

func operands(args []string, base, head string, paths []string) []string {
	args = append(args, "--end-of-options", base, head, "--")
	return append(args, paths...)
}

// FileChange is one file of a difference, from git itself.
type FileChange struct {
	OldPath, NewPath string // "" where absent
	OldMode, NewMode string // octal, "" where absent
	OldBlob, NewBlob string // hashes, "" where absent
	// Status is git's letter: A, C, D, M, R, T.
	Status               byte
	Additions, Deletions int
	Binary               bool // git counts no lines
}

// Changes lists the files of a difference with their counts: the truth that a
// parsed diff is checked against.
func (s *Store) Changes(ctx context.Context, base, head string) ([]FileChange, error) {
	args := append([]string{"diff-tree", "-z", "--raw", "--numstat", "--no-abbrev"}, diffOptions...)
	out, err := s.cmd("listing what changed between "+short(base)+" and "+short(head), operands(args, base, head, nil)...).run(ctx)
	if err != nil {
		return nil, err
	}
	return parseChanges(out)
}

// parseChanges reads the records of --raw, which come first, and those of
// --numstat, which come in the same order.
func parseChanges(out []byte) ([]FileChange, error) {
	var list []FileChange
	f := fields{rest: out}
	for len(f.rest) > 0 && f.rest[0] == ':' {
		c, err := parseRaw(&f)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	for i := range list {
		if err := parseNumstat(&f, &list[i]); err != nil {
			return nil, err
		}
	}
	if len(f.rest) > 0 || f.short {
		return nil, fmt.Errorf("reading git's list of changes: %d bytes do not belong to any file", len(f.rest))
	}
	return list, nil
}

// fields takes NUL-ended fields off the front.
type fields struct {
	rest  []byte
	short bool
}

func (f *fields) next() string {
	field, rest, ok := bytes.Cut(f.rest, []byte{0})
	f.rest = rest
	if !ok {
		f.short = true
	}
	return string(field)
}

// parseRaw reads ":100644 100644 OLD NEW M\0path\0", with a second path behind
// R and C.
func parseRaw(f *fields) (FileChange, error) {
	head := f.next()
	p := strings.Fields(strings.TrimPrefix(head, ":"))
	if len(p) != 5 || p[4] == "" {
		return FileChange{}, fmt.Errorf("reading git's list of changes: unknown record %q", head)
	}
	c := FileChange{OldMode: absent(p[0]), NewMode: absent(p[1]), OldBlob: absent(p[2]), NewBlob: absent(p[3]), Status: p[4][0]}
	path := f.next()
	switch c.Status {
	case 'R', 'C':
		c.OldPath, c.NewPath = path, f.next()
	case 'A':
		c.NewPath = path
	case 'D':
		c.OldPath = path
	default:
		c.OldPath, c.NewPath = path, path
	}
	return c, nil
}

// absent turns git's all-zero modes and hashes into "".
func absent(s string) string {
	if strings.Trim(s, "0") == "" {
		return ""
	}
	return s
}

// parseNumstat reads "1\t2\tpath\0", or "1\t2\t\0old\0new\0", and checks that
// it is about the same file.
func parseNumstat(f *fields, c *FileChange) error {
	p := strings.SplitN(f.next(), "\t", 3)
	if len(p) != 3 {
		return fmt.Errorf("reading git's line counts: no record for %q", c.NewPath)
	}
	oldPath, newPath := p[2], p[2]
	if p[2] == "" {
		oldPath, newPath = f.next(), f.next()
	}
	if (c.OldPath != "" && c.OldPath != oldPath) || (c.NewPath != "" && c.NewPath != newPath) {
		return fmt.Errorf("reading git's line counts: found %q where %q should be", newPath, c.NewPath)
	}
	if p[0] == "-" {
		c.Binary = true
		return nil
	}
	var err error
	if c.Additions, err = strconv.Atoi(p[0]); err != nil {
		return fmt.Errorf("reading git's line counts: %w", err)
	}
	if c.Deletions, err = strconv.Atoi(p[1]); err != nil {
		return fmt.Errorf("reading git's line counts: %w", err)
	}
	return nil
}

// short is the front of a hash, for messages.
func short(sha string) string {
	if len(sha) > 7 && strings.Trim(sha, "0123456789abcdef") == "" {
		return sha[:7]
	}
	return sha
}
