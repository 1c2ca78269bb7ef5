package engine

import (
	"context"
	"strings"

	"github.com/mrv-dev/mrv/engine/forge"
	"github.com/mrv-dev/mrv/engine/git"
)

// tree reads files of one commit: out of a store, or else from the forge. The
// zero tree has no files.
type tree struct {
	sha    string
	store  *git.Store
	reader forge.Reader
	repo   forge.Repo
}

func (t tree) file(ctx context.Context, path string) ([]byte, bool, error) {
	switch {
	case t.sha == "":
		return nil, false, nil
	case t.store != nil:
		return t.store.Show(ctx, t.sha, path)
	}
	return t.reader.FileAt(ctx, t.repo, t.sha, path)
}

// list lists the regular files below a directory. From the forge it is those
// right in it, one directory at a time being all that it lists.
func (t tree) list(ctx context.Context, dir string) ([]string, error) {
	dir = strings.Trim(dir, "/")
	switch {
	case t.sha == "":
		return nil, nil
	case t.store == nil:
		return t.reader.ListAt(ctx, t.repo, t.sha, dir)
	}
	var entries []git.Entry
	var err error
	if dir == "" {
		entries, err = t.store.Tree(ctx, t.sha)
	} else {
		entries, err = t.store.List(ctx, t.sha, dir)
	}
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, e := range entries {
		if e.Type == "blob" && !e.Link() {
			paths = append(paths, e.Path)
		}
	}
	return paths, nil
}
