package publish

import (
	"context"
	"fmt"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/document"
	"github.com/mrv-dev/mrv/engine/forge"
)

// Forge is one forge, to read and to write. The same value may be both.
type Forge struct {
	forge.Reader
	forge.Writer
}

// Look reads what a plan depends on. viewer is used where the token may not be
// asked whose it is (a workflow's); trust gets the viewer added.
func Look(ctx context.Context, f Forge, repo forge.Repo, number int, doc document.Document, viewer forge.User, trust Trust) (Facts, error) {
	var facts Facts
	var err error
	if facts.PR, err = f.PullRequest(ctx, repo, number); err != nil {
		return facts, err
	}
	if facts.Viewer, err = f.Viewer(ctx); err != nil {
		if viewer.Login == "" || !forge.IsKind(err, forge.Forbidden) {
			return facts, err
		}
		facts.Viewer = viewer
	}
	if facts.PR.HeadSHA != doc.Change.Head {
		if facts.Now, err = present(ctx, f, facts.PR); err != nil {
			return facts, err
		}
	}
	if facts.Pending, err = f.Pending(ctx, facts.PR, facts.Viewer); err != nil {
		return facts, err
	}
	if facts.Ours, err = ours(ctx, f, facts.PR, facts.Viewer); err != nil {
		return facts, err
	}
	trust.Logins = append([]string{facts.Viewer.Login}, trust.Logins...)
	facts.Summaries, facts.Reported, err = readSummaries(ctx, f, facts.PR, trust)
	return facts, err
}

// present is the change at the head of now. Without it nothing can be anchored
// anew, which the plan says.
func present(ctx context.Context, f Forge, pr *forge.PullRequest) (*diff.Set, error) {
	raw, err := f.Diff(ctx, pr)
	if forge.IsKind(err, forge.TooLarge) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	set, err := diff.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("reading the change at the new head: %w", err)
	}
	return set, nil
}

// ours lists the viewer's own comments that carry a key. Anybody can write
// one, so others' do not count.
func ours(ctx context.Context, w forge.Writer, pr *forge.PullRequest, viewer forge.User) ([]Ours, error) {
	comments, err := w.LineComments(ctx, pr)
	if err != nil {
		return nil, err
	}
	answered := map[int64]bool{}
	for _, c := range comments {
		answered[c.ReplyTo] = true
	}
	var out []Ours
	for _, c := range comments {
		if key, ok := document.ParseKey(c.Body); ok && c.Author.ID == viewer.ID {
			out = append(out, Ours{ID: c.ID, Key: key, Body: c.Body, URL: c.URL, Answered: answered[c.ID]})
		}
	}
	return out, nil
}

// Connect reaches a forge with the person's own credentials.
func Connect(ctx context.Context, host string) (Forge, error) {
	reader, err := forge.Open(ctx, host)
	if err != nil {
		return Forge{}, err
	}
	writer, ok := reader.(forge.Writer)
	if !ok {
		return Forge{}, fmt.Errorf("mrv can not write to %s", host)
	}
	return Forge{Reader: reader, Writer: writer}, nil
}
