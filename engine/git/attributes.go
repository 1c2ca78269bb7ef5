package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Attributes reads what the .gitattributes of a commit say about paths: by
// path, then by name, "set", "unset" or a value; unspecified ones are left
// out. It is for telling people about them: no reading of content obeys them.
func (s *Store) Attributes(ctx context.Context, treeish string, paths []string, names ...string) (map[string]map[string]string, error) {
	found := map[string]map[string]string{}
	if len(paths) == 0 {
		return found, nil
	}
	tmp, err := os.MkdirTemp(s.Dir, "attributes-")
	if err != nil {
		return nil, fmt.Errorf("reading attributes: %w", err)
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	at := func(args ...string) command {
		c := s.cmd("reading the attributes of "+short(treeish), args...)
		c.env = []string{"GIT_INDEX_FILE=" + filepath.Join(tmp, "index")}
		return c
	}
	if _, err := at("read-tree", treeish).run(ctx); err != nil {
		return nil, err
	}
	c := at(append([]string{"check-attr", "--cached", "-z", "--stdin"}, names...)...)
	c.stdin = strings.NewReader(strings.Join(paths, "\x00") + "\x00")
	out, err := c.run(ctx)
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
