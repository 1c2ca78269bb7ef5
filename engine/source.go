package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/forge"
	"github.com/mrv-dev/mrv/engine/git"
	"github.com/mrv-dev/mrv/engine/review"
)

// SourceOptions name a change. Without any it is the pull request of the
// current branch, else the branch against the default branch.
type SourceOptions struct {
	Ref      string    // number or URL of a pull request
	Repo     string    // [HOST/]OWNER/NAME; wins over everything that could tell
	Base     string    // revision to compare the current branch with
	Worktree bool      // with the working tree as it is
	Diff     string    // path of a patch, or "-" for Stdin
	Stdin    io.Reader //
	Dir      string    // where to look for a clone
	CacheDir string    // mrv's own cache directory
}

// Loaded is a change that was read and checked.
type Loaded struct {
	Change event.Change
	// Raw is the diff as text; Set is what was read of it. Files of which
	// a part is missing have File.Unread set.
	Raw []byte
	Set *diff.Set
	// Store holds the objects of head, base and merge base; nil if there are
	// none, as for a patch with no repository around.
	Store *git.Store
	// RulesRef and RulesSHA are the tip of the base branch, where the rules
	// of the review come from; empty without any.
	RulesRef, RulesSHA string
	// Unread are parts of the change that are in no file of Set.
	Unread []review.Hold
	// Notes are things a person should know about how the change was read.
	Notes []string
	// Viewer is whose token it is on the forge; "" if unknown.
	Viewer string

	rules, defaults tree
	defaultTip      func(context.Context) (tree, error)
}

// ErrNothingToReview says that the change is empty.
var ErrNothingToReview = errors.New("nothing to review")

// ErrNoRepository says that a number alone does not say whose.
var ErrNoRepository = errors.New("no repository to look for pull requests in: give --repo OWNER/NAME, or a URL")

// ErrShallow says that the clone's history does not reach the merge base.
var ErrShallow = errors.New("this clone is shallow and does not reach where the branch began: set fetch-depth: 0, or git fetch --unshallow")

// ErrPartial says that the clone does not hold all of its objects.
var ErrPartial = errors.New("this clone is partial, and what it lacks is not fetched into it behind your back: name the pull request, or git fetch --refetch --no-filter")

// LoadSource reads a change from where it is. Nothing of the person's
// repository is written.
func LoadSource(ctx context.Context, o SourceOptions) (*Loaded, error) {
	if o.Dir == "" {
		dir, err := os.Getwd()
		if err != nil {
			return nil, fmt.Errorf("finding the current directory: %w", err)
		}
		o.Dir = dir
	}
	if err := o.checkRepo(); err != nil {
		return nil, err
	}
	l, err := load(ctx, o)
	if err != nil {
		return nil, err
	}
	if len(l.Set.Files) == 0 && len(l.Unread) == 0 {
		return nil, fmt.Errorf("%w: %s changes nothing", ErrNothingToReview, l.Change.Name())
	}
	return l, nil
}

// checkRepo refuses a repository that is named and is none, also where nothing
// would come to ask for it.
func (o SourceOptions) checkRepo() error {
	if o.Repo == "" {
		return nil
	}
	if _, err := forge.ParseRepo(o.Repo); err != nil {
		return usage("--repo: %w", err)
	}
	return nil
}

func load(ctx context.Context, o SourceOptions) (*Loaded, error) {
	switch {
	case o.Diff != "":
		return loadPatch(ctx, o)
	case o.Ref != "":
		return loadNamed(ctx, o)
	case o.Base != "", o.Worktree:
		return loadBranch(ctx, o)
	}
	return loadCurrent(ctx, o)
}

// Close gives back what the change holds. The store stays: it is shared.
func (l *Loaded) Close() error { return nil }

// RulesAt reads a file from the tip of the base branch. ok is false if there
// is no regular file of that name.
func (l *Loaded) RulesAt(ctx context.Context, path string) ([]byte, bool, error) {
	return l.rules.file(ctx, path)
}

// ListRules lists the files below a directory at the tip of the base branch;
// "" lists all.
func (l *Loaded) ListRules(ctx context.Context, dir string) ([]string, error) {
	return l.rules.list(ctx, dir)
}

// DefaultAt reads a file from the tip of the default branch.
func (l *Loaded) DefaultAt(ctx context.Context, path string) ([]byte, bool, error) {
	if l.defaultTip != nil {
		t, err := l.defaultTip(ctx)
		if err != nil {
			return nil, false, err
		}
		l.defaults, l.defaultTip = t, nil
	}
	return l.defaults.file(ctx, path)
}

func (l *Loaded) note(format string, args ...any) {
	l.Notes = append(l.Notes, fmt.Sprintf(format, args...))
}
