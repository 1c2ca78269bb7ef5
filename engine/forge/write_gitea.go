package forge

import (
	"context"
	"fmt"
	"net/http"
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

// LineComments lists the comments on lines, which are found per review.
func (g *Gitea) LineComments(ctx context.Context, pr *PullRequest) ([]Posted, error) {
	reviews, err := pages[githubPosted](ctx, g.Client, Request{Doing: about("listing the reviews of", pr), Path: pull(pr.Repo, pr.Number, "reviews")})
	if err != nil {
		return nil, err
	}
	var out []Posted
	for _, r := range reviews {
		some, err := g.posted(ctx, "listing the line comments of", pr, pull(pr.Repo, pr.Number, "reviews", strconv.FormatInt(r.ID, 10), "comments"))
		if err != nil {
			return nil, err
		}
		out = append(out, some...)
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

// DeleteLine refuses: Gitea answers a deletion of a comment on a line and does
// nothing.
func (g *Gitea) DeleteLine(_ context.Context, pr *PullRequest, _ int64) error {
	return &Error{Kind: Invalid, Doing: about("deleting a line comment on", pr), Host: g.Client.Host, Message: "Gitea deletes no comments on lines"}
}
