package engine

import (
	"context"
	"os"
	"strings"

	"github.com/mrv-dev/mrv/engine/forge"
	"github.com/mrv-dev/mrv/engine/git"
)

// borrow opens the store that borrows from a clone, and names the clone in the
// change.
func (l *Loaded) borrow(ctx context.Context, o SourceOptions, clone *git.Clone) error {
	store, err := git.OpenStore(ctx, git.Place(o.CacheDir, clone, "", "", ""), clone)
	if err != nil {
		return err
	}
	l.Store, l.Change.Store, l.Change.Dir = store, store.Dir, clone.Root
	if repo, _, ok := baseRepo(o, clone); ok {
		l.Change.Host, l.Change.Owner, l.Change.Repo = repo.Host, repo.Owner, repo.Name
	}
	return nil
}

// baseRepo is the repository that the change belongs to, without asking
// anybody: --repo, else GH_REPO, else the clone's remotes. remote is the name
// of the clone's remote for it, or its first of the usual names.
func baseRepo(o SourceOptions, clone *git.Clone) (repo forge.Repo, remote string, ok bool) {
	var remotes []forge.Remote
	if clone != nil {
		for _, r := range clone.Remotes {
			remotes = append(remotes, forge.Remote{Name: r.Name, URL: forgeURL(r), Resolved: r.Resolved})
		}
	}
	repo, remote, ok = forge.Base(remotes)
	if remote == "" && clone != nil && len(clone.Remotes) > 0 {
		// No forge behind it, but a remote all the same.
		remote = clone.Remotes[0].Name
		if _, has := clone.Remote("origin"); has {
			remote = "origin"
		}
	}
	for _, named := range []string{o.Repo, os.Getenv("GH_REPO")} {
		if named == "" {
			continue
		}
		other, err := forge.ParseRepo(named)
		if err != nil {
			return repo, remote, ok
		}
		if name, has := remoteOf(clone, other); has {
			remote = name
		}
		return other, remote, true
	}
	return repo, remote, ok
}

// remoteOf finds the clone's remote for a repository.
func remoteOf(clone *git.Clone, repo forge.Repo) (string, bool) {
	if clone == nil {
		return "", false
	}
	for _, r := range clone.Remotes {
		if of, ok := forge.ParseRemote(forgeURL(r)); ok && of.Is(repo) {
			return r.Name, true
		}
	}
	return "", false
}

// forgeURL is the URL that tells whose a remote is: as git rewrites it, because
// a shorthand names nobody; else as it is configured, because it may be
// rewritten to a place that is no forge.
func forgeURL(r git.Remote) string {
	if _, ok := forge.ParseRemote(r.URL); ok {
		return r.URL
	}
	return r.Configured
}

// isTracking reports whether a reference is what a remote had.
func isTracking(ref string) bool { return strings.HasPrefix(ref, "refs/remotes/") }
