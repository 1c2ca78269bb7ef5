package forge

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
)

var _ Writer = (*Gitea)(nil)

// giteaEvents are Gitea's words. An unknown word makes a pending review that
// the person's next review swallows, so none may slip through.
var giteaEvents = map[ReviewEvent]string{EventComment: "COMMENT", EventApprove: "APPROVED", EventRequestChanges: "REQUEST_CHANGES"}

// giteaLine is a comment of a review. Positions are lines of the file; with
// both the old one wins. Gitea takes any line, also one that is not there, so
// the caller must have checked it.
type giteaLine struct {
	Path string `json:"path"`
	Body string `json:"body"`
	New  int    `json:"new_position,omitempty"`
	Old  int    `json:"old_position,omitempty"`
}

// Review posts a review. Gitea has no ranges: the comment stands at the last
// line and names the others.
func (g *Gitea) Review(ctx context.Context, pr *PullRequest, r NewReview) error {
	doing := about("posting a review on", pr)
	event, ok := giteaEvents[r.Event]
	if !ok {
		return fmt.Errorf("%s: Gitea has no event %q", doing, r.Event)
	}
	lines := make([]giteaLine, len(r.Comments))
	for i, c := range r.Comments {
		lines[i] = giteaLine{Path: c.Path, Body: c.Body}
		if c.Start > 0 && c.Start < c.Line {
			lines[i].Body = fmt.Sprintf("(%d-%d)\n\n%s", c.Start, c.Line, c.Body)
		}
		if c.Side == "LEFT" {
			lines[i].Old = c.Line
		} else {
			lines[i].New = c.Line
		}
	}
	_, err := g.Client.Do(ctx, Request{
		Doing: doing, Method: http.MethodPost, Path: pull(pr.Repo, pr.Number, "reviews"),
		Body: map[string]any{"commit_id": r.Commit, "body": r.Body, "event": event, "comments": lines},
	})
	return err
}

// LineComments lists the comments on lines, which are found per review. Gitea
// does not say which comment answers which: a later one at the same line
// answers the first.
func (g *Gitea) LineComments(ctx context.Context, pr *PullRequest) ([]Posted, error) {
	reviews, err := pages[githubPosted](ctx, g.Client, Request{Doing: about("listing the reviews of", pr), Path: pull(pr.Repo, pr.Number, "reviews")})
	if err != nil {
		return nil, err
	}
	type line struct {
		githubPosted
		New int `json:"position"`
		Old int `json:"original_position"`
	}
	var all []line
	for _, r := range reviews {
		some, err := pages[line](ctx, g.Client, Request{
			Doing: about("listing the line comments of", pr), Path: pull(pr.Repo, pr.Number, "reviews", strconv.FormatInt(r.ID, 10), "comments")})
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	slices.SortFunc(all, func(a, b line) int { return cmp.Compare(a.ID, b.ID) })
	type place struct {
		path     string
		new, old int
	}
	first, out := map[place]int64{}, make([]Posted, len(all))
	for i, c := range all {
		out[i] = c.posted()
		at := place{c.Path, c.New, c.Old}
		if id, ok := first[at]; ok {
			out[i].ReplyTo = id
		} else {
			first[at] = c.ID
		}
	}
	return out, nil
}

// Editors knows nothing: Gitea does not say who edited a comment. Only those
// who may write to the repository can edit the comments of others.
func (g *Gitea) Editors(context.Context, []string) (map[string]string, error) {
	return map[string]string{}, nil
}

// CommentFile refuses: Gitea has no comments on files.
func (g *Gitea) CommentFile(_ context.Context, pr *PullRequest, _, path, _ string) error {
	return &Error{Kind: Invalid, Doing: about("commenting on "+path+" in", pr), Host: g.Client.Host, Message: "Gitea has no comments on files as a whole"}
}

// EditLine replaces a comment on a line; to Gitea it is a comment like others.
func (g *Gitea) EditLine(ctx context.Context, pr *PullRequest, id int64, body string) error {
	_, err := g.EditComment(ctx, pr, id, body)
	return err
}

// DeleteLine takes a comment on a line away. Some versions of Gitea answer
// that they did and did not, so it is looked for; Invalid says that it stands.
func (g *Gitea) DeleteLine(ctx context.Context, pr *PullRequest, id int64) error {
	doing := about("deleting a line comment on", pr)
	_, err := g.Client.Do(ctx, Request{Doing: doing, Method: http.MethodDelete, Path: in(pr.Repo, "issues", "comments", strconv.FormatInt(id, 10))})
	if err != nil {
		return err
	}
	_, err = g.Client.Do(ctx, Request{Doing: doing, Path: in(pr.Repo, "issues", "comments", strconv.FormatInt(id, 10))})
	switch {
	case IsKind(err, NotFound):
		return nil
	case err != nil:
		return err
	}
	return &Error{Kind: Invalid, Doing: doing, Host: g.Client.Host, Status: http.StatusOK, Message: "this Gitea deletes no comments on lines"}
}
