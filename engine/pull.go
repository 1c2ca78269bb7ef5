package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/document"
	"github.com/mrv-dev/mrv/engine/event"
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
	p.reader = f.Reader
	if err := checkPlaces(ctx, p, pr, &out.Pulled); err != nil {
		return out, err
	}
	if out.Document.Leaks(append(knownValues(ctx, pr.Repo.Host), f.FetchToken())...) {
		return out, errLeak
	}
	out.Written, err = inbox.Write(ctx, o.Out, out.Document, o.Tracked...)
	return out, err
}

// checkPlaces compares a review that was read from a comment with what the
// forge itself says of the pull request and its change: the places of findings
// and the lines quoted there must be in it. What is not is taken out, and said.
func checkPlaces(ctx context.Context, p pull, pr *forge.PullRequest, out *publish.Pulled) error {
	c := &out.Document.Change
	c.Source, c.Host, c.Repository, c.Number, c.URL = event.FromPR, pr.Repo.Host, pr.Repo.Owner+"/"+pr.Repo.Name, pr.Number, pr.URL
	c.Name, c.Title, c.Author, c.Visibility, c.BaseRef, c.HeadRef = fmt.Sprintf("%s#%d", pr.Repo, pr.Number), pr.Title, pr.Author.Login, pr.Visibility, pr.BaseRef, pr.HeadRef
	if out.Stale {
		out.Notes = append(out.Notes, "the change that was reviewed is not the present one: places are as the comment has them")
		return nil
	}
	l, err := p.read(ctx, pr)
	if err != nil {
		return fmt.Errorf("comparing the review with the pull request: %w", err)
	}
	for i := range out.Document.Findings {
		f := &out.Document.Findings[i]
		if f.Status == document.Rejected || (f.Place.How != diff.Exact && f.Place.How != diff.Moved) { // of a rejected one there is no quote
			continue
		}
		own := l.Set.Locate(f.Place.Path, f.Place.Start, f.Place.End, f.Place.Side == diff.Left, f.Quote)
		there := own.Path == f.Place.Path && own.Side == f.Place.Side && own.Start == f.Place.Start && own.End == f.Place.End && own.QuoteFound == f.Place.QuoteFound
		if there && own.How != diff.InFile {
			f.Place.Text, f.Place.Fingerprint = own.Text, own.Fingerprint
			continue
		}
		out.Notes = append(out.Notes, fmt.Sprintf("%s: the change has not at %s what the comment shows there; look for it yourself", f.ID, f.Where))
		f.Place, f.Quote, f.Replacement = diff.Place{How: diff.NoPath, Path: f.Place.Path, Hunk: -1}, "", ""
		f.Where = f.Place.Path
	}
	return nil
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
	if err := o.checkRepo(); err != nil {
		return pull{}, err
	}
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
