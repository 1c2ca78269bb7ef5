package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mrv-dev/mrv/engine/config"
	"github.com/mrv-dev/mrv/engine/document"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/forge"
	"github.com/mrv-dev/mrv/engine/inbox"
	"github.com/mrv-dev/mrv/engine/journal"
	"github.com/mrv-dev/mrv/engine/publish"
	"github.com/mrv-dev/mrv/engine/review"
)

// Where a review was found.
const (
	FoundRun     = "run"     // a journal of this machine: it can be resumed
	FoundInbox   = "inbox"   // .ai/reviews of the clone
	FoundComment = "comment" // on the pull request
)

// PullReview is how the review of a pull request stands. The zero value is
// that there is none.
type PullReview struct {
	Found string // FoundRun, FoundInbox, FoundComment, "" for none
	Head  string // the reviewed one
	Now   string // the present one, "" if it is not known
	By    string // of a comment
	// Journal is the run's, Unfinished that reviewers had not handed in when it
	// ended, so that they can be finished.
	Journal    string
	Unfinished bool
	// Findings on the board, of which undecided; and those escalated to the
	// person.
	Findings, Undecided, ToMe int
	Verdict                   review.Verdict
}

// Fresh reports whether the review is of the present head.
func (r PullReview) Fresh() bool { return r.Found != "" && r.Head == r.Now }

// Stale reports whether the head has moved since the review.
func (r PullReview) Stale() bool { return r.Found != "" && r.Now != "" && r.Head != r.Now }

// errNoReview says that a pull request has no review on it.
var errNoReview = errors.New("no review")

// Review finds how the review of a pull request stands: by the newest run, else
// by the inbox; where neither is of the present head, by the comment on the
// pull request, if there can be one. With an error what is known is returned
// all the same.
func (p *Pulls) Review(ctx context.Context, x forge.Listed) (PullReview, error) {
	me := p.names(ctx)
	own, err := p.ownReview(x, me)
	if err != nil {
		return own, err
	}
	own.Now = x.HeadSHA
	if own.Found != "" && own.Now == "" {
		if own.Now, err = p.head(ctx, x); err != nil {
			return own, err
		}
	}
	if own.Fresh() || x.Comments == 0 {
		return own, nil
	}
	said, err := p.posted(ctx, x)
	switch {
	case errors.Is(err, errNoReview):
		return own, nil
	case err != nil:
		return own, err
	}
	posted := PullReview{
		Found: FoundComment, By: said.Author, Head: said.Meta.Head, Now: own.Now, Verdict: said.Document.Verdict,
		Undecided: said.Meta.Undecided, Findings: said.Meta.Accepted + said.Meta.Escalated + said.Meta.Undecided, ToMe: toMe(said.Document, me),
	}
	for _, n := range said.Meta.Rejected {
		posted.Findings += n
	}
	if posted.Now == "" {
		if posted.Now, err = p.head(ctx, x); err != nil {
			return posted, err
		}
	}
	if own.Found != "" && !posted.Fresh() {
		return own, nil
	}
	return posted, nil
}

func (p *Pulls) head(ctx context.Context, x forge.Listed) (string, error) {
	f, err := p.connect(ctx)
	if err != nil {
		return "", err
	}
	pr, err := f.PullRequest(ctx, x.Repo, x.Number)
	if err != nil {
		return "", err
	}
	return pr.HeadSHA, nil
}

// ownReview is the one of this machine.
func (p *Pulls) ownReview(x forge.Listed, me []string) (PullReview, error) {
	want := event.Change{Source: event.FromPR, Host: x.Repo.Host, Owner: x.Repo.Owner, Repo: x.Repo.Name, Number: x.Number}
	journals, err := filepath.Glob(journal.PathOf(p.runs, want, "*"))
	if err != nil {
		return PullReview{}, fmt.Errorf("looking for runs of %s: %w", want.Name(), err)
	}
	slices.Sort(journals) // their names begin with when they began
	slices.Reverse(journals)
	for _, path := range journals {
		if !isOf(path, want) {
			continue
		}
		s, err := readState(path)
		if err != nil {
			return PullReview{}, fmt.Errorf("reading a run of %s: %w", want.Name(), err)
		}
		t := s.Tally()
		r := PullReview{Found: FoundRun, Head: s.Plan.Change.HeadSHA, Journal: path, Findings: t.Total, Undecided: t.Undecided, Verdict: s.Verdict()}
		done, of := s.Done()
		r.Unfinished = done < of || s.Interrupted
		for _, e := range s.Board() {
			if d, _ := s.DecisionOf(e); d.Choice == review.Escalated && addressed(d.To, me) {
				r.ToMe++
			}
		}
		return r, nil
	}
	if _, ours := remoteOf(p.clone, x.Repo); !ours {
		return PullReview{}, nil
	}
	doc, _, err := inbox.LastRound(p.clone.Root, document.Document{Change: document.Change{Source: event.FromPR, Number: x.Number}}.Stem())
	if err != nil {
		return PullReview{}, fmt.Errorf("reading the inbox for %s: %w", want.Name(), err)
	}
	if doc.Change.Head == "" || doc.Change.Number != x.Number || !strings.EqualFold(doc.Change.Repository, x.Repo.Owner+"/"+x.Repo.Name) {
		return PullReview{}, nil
	}
	c := doc.Counts
	return PullReview{
		Found: FoundInbox, Head: doc.Change.Head, Verdict: doc.Verdict, Undecided: c.Undecided,
		Findings: c.Accepted + c.Rejected + c.Escalated + c.Undecided, ToMe: toMe(doc, me),
	}, nil
}

// posted is the review that stands on the pull request, by somebody who may
// publish one there. What was read is kept until the pull request is updated.
func (p *Pulls) posted(ctx context.Context, x forge.Listed) (publish.Pulled, error) {
	f, err := p.connect(ctx)
	if err != nil {
		return publish.Pulled{}, err
	}
	if f.FetchToken() == "" {
		return publish.Pulled{}, errNoReview // a limit of 60 requests an hour is not spent on this
	}
	key := fmt.Sprintf("%s#%d %s", x.Repo, x.Number, x.Updated)
	p.mu.Lock()
	rules, kept := p.projects[x.Repo], p.comments[key]
	if rules == nil {
		rules = &answered[config.Project]{}
		p.projects[x.Repo] = rules
	}
	if kept == nil {
		kept = &answered[publish.Pulled]{}
		p.comments[key] = kept
	}
	p.mu.Unlock()
	said, err := kept.get(func() (publish.Pulled, error) {
		project, err := rules.get(func() (config.Project, error) { return gateRules(ctx, f, x.Repo) })
		if err != nil {
			return publish.Pulled{}, err
		}
		trust := publish.Trust{Logins: append(slices.Clone(project.Publishers), p.Viewer(ctx))}
		said, err := publish.Pull(ctx, f, &forge.PullRequest{Repo: x.Repo, Number: x.Number}, trust)
		if errors.Is(err, publish.ErrNoSummary) {
			return publish.Pulled{}, nil
		}
		return said, err
	})
	if err == nil && said.Meta.Head == "" {
		err = errNoReview
	}
	return said, err
}

// names is what the person goes by: on the forge and in git.
func (p *Pulls) names(ctx context.Context) []string {
	names := []string{p.Viewer(ctx)}
	if p.clone != nil {
		if email, err := p.clone.Email(ctx); err == nil { // git need not know
			names = append(names, email)
		}
	}
	if names[0] == "" { // then it is the name that decisions are made under
		names[0] = person()
	}
	return slices.DeleteFunc(names, func(n string) bool { return n == "" })
}

func toMe(d document.Document, me []string) int {
	n := 0
	for _, f := range d.With(document.Escalated) {
		if f.Decision != nil && addressed(f.Decision.To, me) {
			n++
		}
	}
	return n
}

// addressed reports whether an escalation is for somebody: to is as a person
// wrote it, "@ann, security team".
func addressed(to string, names []string) bool {
	fields := strings.FieldsFunc(to, func(r rune) bool { return strings.ContainsRune(" ,;，、；<>()", r) })
	return slices.ContainsFunc(fields, func(f string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(strings.TrimPrefix(f, "@"), n) })
	})
}
