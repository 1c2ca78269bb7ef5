package publish

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mrv-dev/mrv/engine/document"
	"github.com/mrv-dev/mrv/engine/forge"
	"github.com/mrv-dev/mrv/engine/review"
)

// Summary is a summary comment that can be trusted.
type Summary struct {
	ID       int64
	Author   forge.User
	URL      string
	Created  string
	Meta     document.Meta
	Document document.Document
	// Broken says what is wrong with a comment by somebody trusted; then Meta
	// and Document are empty.
	Broken error
}

// Trust says whose summary comments count.
type Trust struct {
	// Logins are the viewer and the project's publishers, from the default
	// branch.
	Logins []string
	// Run and Digest identify the artefact of a workflow run. A comment by
	// github-actions[bot] counts only if it has one of them, because every
	// workflow of a repository comments under that name.
	Run, Digest string
}

// actionsBot is the name under which all workflows comment.
const actionsBot = "github-actions[bot]"

func (t Trust) has(login string) bool {
	return login != "" && slices.ContainsFunc(t.Logins, func(l string) bool { return strings.EqualFold(l, login) })
}

func (t Trust) vouches(login string, m document.Meta) bool {
	if !strings.EqualFold(login, actionsBot) {
		return true
	}
	return (t.Run != "" && m.Run == t.Run) || (t.Digest != "" && m.Digest == t.Digest)
}

// summaries sorts comments that begin with the marker into those that count,
// newest first, and words about those that do not. editors says who edited
// which comment last, by node.
func summaries(comments []forge.Posted, editors map[string]string, trust Trust) (out []Summary, reported []string) {
	for _, c := range comments {
		if !document.IsSummary(c.Body) {
			continue
		}
		report := func(why string) { reported = append(reported, c.URL+" by "+c.Author.Login+" is not counted: "+why) }
		if !trust.has(c.Author.Login) {
			report("its author is no publisher")
			continue
		}
		if e := editors[c.Node]; e != "" && !trust.has(e) {
			report("it was edited by " + e + ", who is no publisher")
			continue
		}
		s := Summary{ID: c.ID, Author: c.Author, URL: c.URL, Created: c.Created}
		s.Meta, s.Document, s.Broken = document.ParseComment(c.Body)
		if s.Broken == nil && !trust.vouches(c.Author.Login, s.Meta) {
			report("any workflow comments under this name, and neither run nor digest is known")
			continue
		}
		out = append(out, s)
	}
	slices.Reverse(out) // the forge lists oldest first
	return out, reported
}

// Choose picks the summary that stands: for the newest head that has one, a
// triaged one before one that is not, then the newest.
func Choose(list []Summary) (Summary, []Summary, error) {
	if len(list) == 0 {
		return Summary{}, nil, ErrNoSummary
	}
	best := 0
	for i, s := range list {
		b := list[best]
		if b.Broken == nil && s.Broken == nil && s.Meta.Head == b.Meta.Head && s.Meta.Triaged && !b.Meta.Triaged {
			best = i
		}
	}
	rest := slices.Delete(slices.Clone(list), best, best+1)
	return list[best], rest, list[best].Broken
}

// ErrNoSummary says that a pull request has no summary comment that counts.
var ErrNoSummary = errors.New("no review by mrv is on this pull request that counts")

// Pulled is a review that came from a pull request.
type Pulled struct {
	Document document.Document
	Meta     document.Meta
	URL      string
	Author   string // of the comment
	Stale    bool
	Notes    []string
}

// Exit is 3 for a review of another head.
func (p Pulled) Exit() review.Exit {
	if p.Stale {
		return review.ExitStale
	}
	return review.ExitOK
}

// Pull reads the review that stands on a pull request. A comment that breaks
// the contract is an error; a stale one is not.
func Pull(ctx context.Context, w forge.Writer, pr *forge.PullRequest, trust Trust) (Pulled, error) {
	list, reported, err := readSummaries(ctx, w, pr, trust)
	if err != nil {
		return Pulled{}, err
	}
	s, others, err := Choose(list)
	if errors.Is(err, ErrNoSummary) {
		return Pulled{Notes: reported}, fmt.Errorf("%s#%d: %w", pr.Repo, pr.Number, err)
	}
	if err != nil {
		return Pulled{Notes: reported}, fmt.Errorf("%s: %w", s.URL, err)
	}
	if m := s.Meta; m.Number != pr.Number || !strings.EqualFold(m.Repository, pr.Repo.Owner+"/"+pr.Repo.Name) {
		return Pulled{Notes: reported}, fmt.Errorf("%s: it is a review of %s#%d", s.URL, m.Repository, m.Number)
	}
	p := Pulled{Document: s.Document, Meta: s.Meta, URL: s.URL, Author: s.Author.Login, Stale: s.Meta.Head != pr.HeadSHA, Notes: reported}
	for _, o := range others {
		p.Notes = append(p.Notes, "another summary: "+o.URL)
	}
	if n := s.Meta.Partial; n > 0 {
		p.Notes = append(p.Notes, review.Count(n, "finding")+" did not fit into the comment")
	}
	if n := s.Meta.Withheld; n > 0 {
		p.Notes = append(p.Notes, review.Count(n, "finding")+" kept off the page")
	}
	return p, nil
}

// readSummaries reads all comments and, for those that claim to be a summary,
// who edited them.
func readSummaries(ctx context.Context, w forge.Writer, pr *forge.PullRequest, trust Trust) ([]Summary, []string, error) {
	comments, err := w.SummaryComments(ctx, pr)
	if err != nil {
		return nil, nil, err
	}
	var nodes []string
	for _, c := range comments {
		if document.IsSummary(c.Body) && trust.has(c.Author.Login) {
			nodes = append(nodes, c.Node)
		}
	}
	var editors map[string]string
	if len(nodes) > 0 {
		if editors, err = w.Editors(ctx, nodes); err != nil {
			return nil, nil, err
		}
	}
	list, reported := summaries(comments, editors, trust)
	return list, reported, nil
}
