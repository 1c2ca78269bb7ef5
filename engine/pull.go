package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/mrv-dev/mrv/engine/forge"
	"github.com/mrv-dev/mrv/engine/git"
	"github.com/mrv-dev/mrv/engine/inbox"
	"github.com/mrv-dev/mrv/engine/publish"
)

// PullOptions say which review is pulled, and to where.
type PullOptions struct {
	Source SourceOptions // Ref, Repo, Dir
	Out    string        // directory of the inbox; "" = the clone of the repository
	// Run vouches for a review that a workflow posted.
	Run string
	// Tracked are inbox files that the clone's head tracks: no inbox.
	Tracked []string
}

// PulledReview is a review that came from a pull request into the inbox.
type PulledReview struct {
	publish.Pulled
	Written inbox.Written
}

// Pull reads the review that stands on a pull request and writes it into the
// inbox. A stale one is written too, which Exit says.
func Pull(ctx context.Context, o PullOptions) (PulledReview, error) {
	p, err := findPull(ctx, o.Source)
	if err != nil {
		return PulledReview{}, err
	}
	if o.Out == "" {
		if p.clone == nil {
			return PulledReview{}, errors.New("no clone of the reviewed repository is here: name a directory with --out")
		}
		o.Out = p.clone.Root
	} else if o.Out, err = filepath.Abs(o.Out); err != nil {
		return PulledReview{}, fmt.Errorf("--out: %w", err)
	}
	pr, f, err := p.open(ctx)
	if err != nil {
		return PulledReview{}, err
	}
	var out PulledReview
	if out.Pulled, err = pullFrom(ctx, f, pr, o.Run); err != nil {
		return out, err
	}
	if out.Document.Leaks(append(knownValues(ctx, pr.Repo.Host), f.FetchToken())...) {
		return out, errLeak
	}
	out.Written, err = inbox.Write(ctx, o.Out, out.Document, o.Tracked...)
	return out, err
}

// pullFrom reads the review, by whoever may publish one here.
func pullFrom(ctx context.Context, f publish.Forge, pr *forge.PullRequest, run string) (publish.Pulled, error) {
	project, err := gateRules(ctx, f, pr.Repo)
	if err != nil {
		return publish.Pulled{}, err
	}
	trust := publish.Trust{Logins: project.Publishers, Run: run}
	viewer, err := f.Viewer(ctx)
	switch {
	case err == nil:
		trust.Logins = append(trust.Logins, viewer.Login)
	case ctx.Err() != nil:
		return publish.Pulled{}, err
	}
	// Without a viewer only the publishers count.
	return publish.Pull(ctx, f, pr, trust)
}

// findPull finds the pull request that is meant: by number, by URL, or the
// open one of the branch that is checked out.
func findPull(ctx context.Context, o SourceOptions) (pull, error) {
	if o.Ref == "" {
		clone, err := git.Discover(ctx, o.Dir)
		if err != nil {
			return pull{}, err
		}
		p, err := currentPull(ctx, o, clone)
		if err == nil && p.number == 0 {
			err = fmt.Errorf("the branch %s has no open pull request: give its number or URL", clone.Branch)
		}
		return p, err
	}
	repo, number, ok := forge.ParseRef(o.Ref)
	if !ok {
		return pull{}, fmt.Errorf("%q names no pull request: give its number or its URL", o.Ref)
	}
	clone, err := cloneAround(ctx, o.Dir)
	if err != nil {
		return pull{}, err
	}
	if o.Repo != "" || repo == (forge.Repo{}) {
		if repo, err = namedRepo(o, clone); err != nil {
			return pull{}, err
		}
	}
	if _, ours := remoteOf(clone, repo); !ours {
		clone = nil // of another repository
	}
	return pull{o: o, repo: repo, number: number, clone: clone}, nil
}

// open reads the pull request as it is now, with a forge that can also write.
func (p pull) open(ctx context.Context) (*forge.PullRequest, publish.Forge, error) {
	f, err := publish.Connect(ctx, p.repo.Host)
	if err != nil {
		return nil, f, err
	}
	pr, err := f.PullRequest(ctx, p.repo, p.number)
	return pr, f, err
}
