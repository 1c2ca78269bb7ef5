package git

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Attributes reads what the .gitattributes of a commit say about paths: by
// path, then by name, "set", "unset" or a value; unspecified ones are left
// out. It is for telling people about them: no reading of content obeys them.
func (s *Store) Attributes(ctx context.Context, treeish string, paths []string, names ...string) (map[string]map[string]string, error) {
	found := map[string]map[string]string{}
	files, err := s.attributeFiles(ctx, treeish, paths)
	if err != nil || len(files) == 0 {
		return found, err
	}
	tmp, err := os.MkdirTemp(s.Dir, "attributes-")
	if err != nil {
		return nil, fmt.Errorf("reading attributes: %w", err)
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	// In an index of their own, without GIT_ATTR_SOURCE, they are obeyed.
	at := func(stdin string, args ...string) command {
		c := s.cmd("reading the attributes of "+short(treeish), args...)
		c.env = []string{"GIT_INDEX_FILE=" + filepath.Join(tmp, "index")}
		c.stdin = strings.NewReader(stdin)
		return c
	}
	if _, err := at(files, "update-index", "-z", "--index-info").run(ctx); err != nil {
		return nil, err
	}
	out, err := at(strings.Join(paths, "\x00")+"\x00",
		append([]string{"check-attr", "--cached", "-z", "--stdin"}, names...)...).run(ctx)
	if err != nil {
		return nil, err
	}
	f := fields{rest: out}
	for len(f.rest) > 0 {
		path, name, value := f.next(), f.next(), f.next()
		if value == "unspecified" {
			continue
		}
		if found[path] == nil {
			found[path] = map[string]string{}
		}
		found[path][name] = value
	}
	return found, nil
}

// attributeFiles lists the .gitattributes on the way to paths, as update-index
// reads them.
func (s *Store) attributeFiles(ctx context.Context, treeish string, paths []string) (string, error) {
	seen := map[string]bool{}
	var names []string
	for _, p := range paths {
		for dir := path.Dir(p); !seen[dir]; dir = path.Dir(dir) {
			seen[dir] = true
			names = append(names, path.Join(dir, ".gitattributes"))
		}
	}
	var b strings.Builder
	for some := range slices.Chunk(names, 500) { // as many as arguments may be
		entries, err := s.list(ctx, treeish, false, some...)
		if err != nil {
			return "", err
		}
		for _, e := range entries {
			if e.Type == "blob" && !e.Link() {
				fmt.Fprintf(&b, "%s %s\t%s\x00", e.Mode, e.Hash, e.Path)
			}
		}
	}
	return b.String(), nil
}
