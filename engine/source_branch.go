package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/forge"
	"github.com/mrv-dev/mrv/engine/git"
	"github.com/mrv-dev/mrv/engine/review"
)

// maxTries is how often a change is read again because its head moved.
const maxTries = 3

// maxCommits is how many commit messages are handed on.
const maxCommits = 100

// ErrMoving says that the head moved each time it was read.
var ErrMoving = errors.New("the head moves faster than it can be read; try again")

// loadBranch reads what the current branch, or the working tree, changes.
func loadBranch(ctx context.Context, o SourceOptions) (*Loaded, error) {
	clone, err := git.Discover(ctx, o.Dir)
	if err != nil {
		return nil, err
	}
	for range maxTries {
		l, err := readBranch(ctx, o, clone)
		if err != nil {
			return nil, err
		}
		head, err := clone.Head(ctx)
		if err != nil {
			return nil, err
		}
		if head == l.Change.HeadSHA {
			return l, nil
		}
	}
	return nil, ErrMoving
}

func readBranch(ctx context.Context, o SourceOptions, clone *git.Clone) (*Loaded, error) {
	head, err := clone.Head(ctx)
	if errors.As(err, new(*git.NoSuchRef)) {
		return nil, fmt.Errorf("%w: the repository has no commit yet", ErrNothingToReview)
	}
	if err != nil {
		return nil, err
	}
	l := &Loaded{Change: event.Change{Source: event.FromBase, HeadRef: clone.Branch, HeadSHA: head, Identity: head, Visibility: forge.Unknown}}
	if err := l.borrow(ctx, o, clone); err != nil {
		return nil, err
	}
	_, remote, _ := baseRepo(o, clone)
	base, ref, err := findBase(ctx, clone, o.Base, remote)
	if err != nil {
		return nil, err
	}
	l.Change.BaseRef, l.Change.BaseSHA = git.ShortRef(ref), base
	if err := l.branchRules(ctx, clone, ref, remote); err != nil {
		return nil, err
	}
	if l.Change.MergeBase, err = l.mergeBase(ctx, clone, base, head); err != nil {
		return nil, err
	}
	after := head
	if o.Worktree {
		if after, err = l.worktree(ctx); err != nil {
			return nil, err
		}
	}
	if err := l.compare(ctx, l.Change.MergeBase, after); err != nil {
		if clone.Partial {
			err = fmt.Errorf("%w: %w", ErrPartial, err)
		}
		return nil, err
	}
	return l, l.addLog(ctx, l.Change.MergeBase, head)
}

// findBase resolves what a branch is compared with: as named, else as the
// remote's branch of that name; unnamed it is the default branch.
func findBase(ctx context.Context, clone *git.Clone, name, remote string) (sha, ref string, err error) {
	if name == "" {
		if ref, err = clone.DefaultBranch(ctx, remote); err != nil {
			return "", "", err
		}
		if ref == "" {
			return "", "", errors.New("no default branch is known here: give --base REF")
		}
		sha, err = clone.Resolve(ctx, ref)
		return sha, ref, err
	}
	sha, err = clone.Resolve(ctx, name)
	if err == nil || remote == "" || !errors.As(err, new(*git.NoSuchRef)) {
		return sha, name, err
	}
	ref = "refs/remotes/" + remote + "/" + name
	if sha, rerr := clone.Resolve(ctx, ref); rerr == nil {
		return sha, ref, nil
	}
	return "", "", err
}

// branchRules says where the rules of the review are read: at the tip of the
// base branch, if what the branch is compared with is one. A commit such as
// HEAD~3 or the branch's own upstream may be the change's own work, which must
// not judge itself: then it is the default branch.
func (l *Loaded) branchRules(ctx context.Context, clone *git.Clone, base, remote string) error {
	ref, err := clone.DefaultBranch(ctx, remote)
	if err != nil {
		return err
	}
	if ref != "" {
		sha, err := clone.Resolve(ctx, ref)
		if err != nil {
			return err
		}
		l.setRules(git.ShortRef(ref), tree{sha: sha, store: l.Store})
		l.defaults = l.rules
	}
	isBase, err := isBaseBranch(ctx, clone, base)
	if err != nil {
		return err
	}
	switch {
	case isBase:
		l.setRules(l.Change.BaseRef, tree{sha: l.Change.BaseSHA, store: l.Store})
		if ref == "" {
			l.defaults = l.rules
		}
	case ref == "":
		l.note("%s is no base branch and no default branch is known: the repository's own rules are not read", l.Change.BaseRef)
	case l.RulesSHA != l.Change.BaseSHA:
		l.note("%s is no base branch: the rules are those of %s", l.Change.BaseRef, l.RulesRef)
	}
	return nil
}

// isBaseBranch reports whether a revision is a branch other than the one under
// review, on this machine or where it is pushed to.
func isBaseBranch(ctx context.Context, clone *git.Clone, rev string) (bool, error) {
	full, err := clone.FullName(ctx, rev)
	if err != nil || full == "" || full == "refs/heads/"+clone.Branch {
		return false, err
	}
	remote, name, err := clone.Tracking(ctx, clone.Branch)
	if err != nil || name != "" && full == "refs/remotes/"+remote+"/"+name {
		return false, err
	}
	return strings.HasPrefix(full, "refs/heads/") || isTracking(full), nil
}

// mergeBase finds where the branch began; in a shallow clone with the forge's
// help.
func (l *Loaded) mergeBase(ctx context.Context, clone *git.Clone, base, head string) (string, error) {
	sha, err := l.Store.MergeBase(ctx, base, head)
	if err == nil || !clone.Shallow || !errors.Is(err, git.ErrNoMergeBase) {
		return sha, err
	}
	repo := forge.Repo{Host: l.Change.Host, Owner: l.Change.Owner, Name: l.Change.Repo}
	if repo.Host == "" {
		return "", ErrShallow
	}
	reader, err := forge.Open(ctx, repo.Host)
	if err != nil {
		return "", fmt.Errorf("%w (asking %s: %w)", ErrShallow, repo.Host, err)
	}
	c, err := reader.Compare(ctx, repo, base, head)
	if err != nil {
		return "", fmt.Errorf("%w (%w)", ErrShallow, err)
	}
	if err := fetchObjects(ctx, l.Store, reader, repo, nil, c.MergeBase); err != nil {
		return "", fmt.Errorf("%w (%w)", ErrShallow, err)
	}
	return c.MergeBase, nil
}

// worktree makes the change one of the working tree.
func (l *Loaded) worktree(ctx context.Context) (string, error) {
	w, err := l.Store.WorktreeTree(ctx)
	if err != nil {
		return "", err
	}
	l.Change.Source, l.Change.Identity = event.FromWorktree, w.Tree
	for _, line := range w.Unread {
		l.Unread = append(l.Unread, review.Hold{Code: "unread", Text: "the working tree: " + line})
	}
	return w.Tree, nil
}

// compare reads the difference of two trees out of the store, and checks it
// against what git counts.
func (l *Loaded) compare(ctx context.Context, base, head string) error {
	var changes []git.FileChange
	both, bctx := errgroup.WithContext(ctx)
	both.Go(func() (err error) {
		if l.Raw, err = l.Store.Diff(bctx, base, head); err != nil {
			return err
		}
		l.Set, err = diff.Parse(l.Raw)
		return err
	})
	both.Go(func() (err error) {
		changes, err = l.Store.Changes(bctx, base, head)
		return err
	})
	if err := both.Wait(); err != nil {
		return fmt.Errorf("%s: %w", l.Change.Name(), err)
	}
	if err := diff.Verify(l.Set, counts(changes)); err != nil {
		return fmt.Errorf("%s: %w", l.Change.Name(), err)
	}
	return l.markBinary(ctx, head)
}

// counts is what git says about each file.
func counts(changes []git.FileChange) []diff.Want {
	wants := make([]diff.Want, len(changes))
	for i, c := range changes {
		wants[i] = diff.Want{Path: c.NewPath, Additions: c.Additions, Deletions: c.Deletions}
		if c.NewPath == "" {
			wants[i].Path = c.OldPath
		}
		if c.Binary {
			wants[i].Additions, wants[i].Deletions = -1, -1
		}
	}
	return wants
}

// markBinary finds the files that the change's attributes call binary although
// they were read as text. Where the base called them so already, it is none of
// the change's doing.
func (l *Loaded) markBinary(ctx context.Context, head string) error {
	var paths []string
	for _, f := range l.Set.Files {
		if !f.Binary && !f.Submodule && f.NewPath != "" {
			paths = append(paths, f.NewPath)
		}
	}
	now, err := l.Store.Attributes(ctx, head, paths, "diff")
	if err != nil {
		return err
	}
	unset := func(attributes map[string]map[string]string, path string) bool {
		return attributes[path]["diff"] == "unset"
	}
	paths = slices.DeleteFunc(paths, func(path string) bool { return !unset(now, path) })
	before, err := l.Store.Attributes(ctx, l.Change.MergeBase, paths, "diff")
	if err != nil {
		return err
	}
	for _, f := range l.Set.Files {
		f.MarkedBinary = !f.Binary && unset(now, f.NewPath) && !unset(before, f.NewPath)
	}
	return nil
}

// addLog hands on the commit messages.
func (l *Loaded) addLog(ctx context.Context, base, head string) error {
	commits, err := l.Store.Log(ctx, base, head, maxCommits)
	if err != nil {
		return err
	}
	for _, c := range commits {
		name, _, _ := strings.Cut(c.Author, " <")
		l.Change.Context = append(l.Change.Context, event.Untrusted{Kind: "commit", Author: name, Text: c.Text})
	}
	return nil
}
