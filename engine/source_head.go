package engine

import (
	"context"
	"fmt"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/forge"
	"github.com/mrv-dev/mrv/engine/git"
)

// CurrentHead finds the identity that a change has now; a run over another one
// is stale. A patch never changes.
func CurrentHead(ctx context.Context, c event.Change) (string, error) {
	switch c.Source {
	case event.FromPR:
		reader, err := forge.Open(ctx, c.Host)
		if err != nil {
			return "", err
		}
		pr, err := reader.PullRequest(ctx, forge.Repo{Host: c.Host, Owner: c.Owner, Name: c.Repo}, c.Number)
		if err != nil {
			return "", err
		}
		return pr.HeadSHA, nil
	case event.FromBase, event.FromWorktree:
		clone, err := git.Discover(ctx, c.Dir)
		if err != nil {
			return "", err
		}
		if c.Source == event.FromWorktree {
			return worktreeNow(ctx, c, clone)
		}
		// By its name: another branch may be checked out by now.
		ref := "HEAD"
		if c.HeadRef != "" {
			ref = "refs/heads/" + c.HeadRef
		}
		return clone.Resolve(ctx, ref)
	}
	return c.Identity, nil
}

func worktreeNow(ctx context.Context, c event.Change, clone *git.Clone) (string, error) {
	if c.Store == "" {
		return "", fmt.Errorf("%s has no object store any more", c.Name())
	}
	store, err := git.OpenStore(ctx, c.Store, clone)
	if err != nil {
		return "", err
	}
	w, err := store.WorktreeTree(ctx)
	return w.Tree, err
}
