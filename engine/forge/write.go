package forge

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Writer writes to pull requests of one forge, and reads what a writer must
// know before it does. It never merges, closes or pushes. A write is sent
// once; whether it may be repeated is for the caller to find out by reading.
type Writer interface {
	// SummaryComments lists the comments on the pull request itself, to the
	// last page, oldest first.
	SummaryComments(ctx context.Context, pr *PullRequest) ([]Posted, error)
	// LineComments lists the comments on lines and files, oldest first.
	LineComments(ctx context.Context, pr *PullRequest) ([]Posted, error)
	// Pending is the id of the viewer's pending review, 0 if there is none.
	Pending(ctx context.Context, pr *PullRequest, viewer User) (int64, error)
	// Editors says who edited comments last, by node id; a comment that was
	// never edited is not in it.
	Editors(ctx context.Context, nodes []string) (map[string]string, error)

	Comment(ctx context.Context, pr *PullRequest, body string) (Posted, error)
	EditComment(ctx context.Context, pr *PullRequest, id int64, body string) (Posted, error)
	ReadComment(ctx context.Context, pr *PullRequest, id int64) (Posted, error)
	// Review posts a review with its comments, all of them or none.
	Review(ctx context.Context, pr *PullRequest, r NewReview) error
	// CommentFile posts a comment on a file as a whole.
	CommentFile(ctx context.Context, pr *PullRequest, commit, path, body string) error
	EditLine(ctx context.Context, pr *PullRequest, id int64, body string) error
	DeleteLine(ctx context.Context, pr *PullRequest, id int64) error
	Label(ctx context.Context, pr *PullRequest, label string) error
}

// Posted is a comment as it stands on the forge.
type Posted struct {
	ID      int64
	Node    string // its id in GraphQL
	Author  User
	Body    string
	URL     string
	Created string // RFC 3339
	Updated string
	Path    string // for a line or a file
	ReplyTo int64  // the comment it answers, 0 if none
}

// ReviewEvent is what a review does beside commenting.
type ReviewEvent string

// Events of a review.
const (
	EventComment        ReviewEvent = "COMMENT"
	EventApprove        ReviewEvent = "APPROVE"
	EventRequestChanges ReviewEvent = "REQUEST_CHANGES"
)

// NewReview is a review to post.
type NewReview struct {
	Commit   string
	Body     string
	Event    ReviewEvent
	Comments []LineComment
}

// LineComment is a comment to post on a line, or on the lines Start to Line of
// one hunk. Start is 0 for a single line.
type LineComment struct {
	Path  string
	Side  string // "RIGHT" or "LEFT"
	Start int
	Line  int
	Body  string
}

var _ Writer = (*GitHub)(nil)

// Pausing replaces how the client waits between the tries of a read; for
// callers with a clock of their own.
func (c *Client) Pausing(wait func(context.Context, time.Duration) error) { c.wait = wait }

// githubPosted is a comment as GitHub answers it.
type githubPosted struct {
	ID      int64      `json:"id"`
	Node    string     `json:"node_id"`
	User    githubUser `json:"user"`
	Body    string     `json:"body"`
	URL     string     `json:"html_url"`
	Created string     `json:"created_at"`
	Updated string     `json:"updated_at"`
	Path    string     `json:"path"`
	ReplyTo int64      `json:"in_reply_to_id"`
}

func (c githubPosted) posted() Posted {
	return Posted{ID: c.ID, Node: c.Node, Author: c.User.user(), Body: c.Body, URL: c.URL, Created: c.Created, Updated: c.Updated, Path: c.Path, ReplyTo: c.ReplyTo}
}

// SummaryComments lists the comments on the pull request.
func (g *GitHub) SummaryComments(ctx context.Context, pr *PullRequest) ([]Posted, error) {
	return g.posted(ctx, "listing the comments of", pr, in(pr.Repo, "issues", strconv.Itoa(pr.Number), "comments"))
}

// LineComments lists the comments on lines and files.
func (g *GitHub) LineComments(ctx context.Context, pr *PullRequest) ([]Posted, error) {
	return g.posted(ctx, "listing the line comments of", pr, pull(pr.Repo, pr.Number, "comments"))
}

func (g *GitHub) posted(ctx context.Context, doing string, pr *PullRequest, path string) ([]Posted, error) {
	list, err := pages[githubPosted](ctx, g.Client, Request{Doing: about(doing, pr), Path: path})
	if err != nil {
		return nil, err
	}
	out := make([]Posted, len(list))
	for i, c := range list {
		out[i] = c.posted()
	}
	return out, nil
}

func about(doing string, pr *PullRequest) string {
	return fmt.Sprintf("%s %s#%d", doing, pr.Repo, pr.Number)
}

// Pending looks for the viewer's pending review: GitHub allows one a person,
// and shows it to nobody else.
func (g *GitHub) Pending(ctx context.Context, pr *PullRequest, viewer User) (int64, error) {
	type review struct {
		ID    int64      `json:"id"`
		User  githubUser `json:"user"`
		State string     `json:"state"`
	}
	list, err := pages[review](ctx, g.Client, Request{Doing: about("listing the reviews of", pr), Path: pull(pr.Repo, pr.Number, "reviews")})
	if err != nil {
		return 0, err
	}
	for _, r := range list {
		if r.State == "PENDING" && r.User.ID == viewer.ID {
			return r.ID, nil
		}
	}
	return 0, nil
}

// editorsQuery asks what REST does not tell: who edited a comment last.
const editorsQuery = `query($ids:[ID!]!){nodes(ids:$ids){... on IssueComment{id lastEditedAt editor{__typename login}}}}`

// Editors asks GraphQL, at most 100 comments at a time.
func (g *GitHub) Editors(ctx context.Context, nodes []string) (map[string]string, error) {
	out := map[string]string{}
	for len(nodes) > 0 {
		some := nodes[:min(perPage, len(nodes))]
		nodes = nodes[len(some):]
		var a struct {
			Data struct {
				Nodes []struct {
					ID     string `json:"id"`
					Edited string `json:"lastEditedAt"`
					Editor *struct {
						Type  string `json:"__typename"`
						Login string `json:"login"`
					} `json:"editor"`
				} `json:"nodes"`
			} `json:"data"`
			Errors []Detail `json:"errors"`
		}
		request := Request{
			Doing: "asking " + g.Client.Host + " who edited comments", Method: http.MethodPost, Path: g.graphql(),
			Body: map[string]any{"query": editorsQuery, "variables": map[string]any{"ids": some}},
		}
		if err := g.Client.JSON(ctx, request, &a); err != nil {
			return nil, err
		}
		if len(a.Errors) > 0 {
			return nil, &Error{Kind: Broken, Doing: request.Doing, Host: g.Client.Host, Status: http.StatusOK, Message: "GraphQL refuses", Details: a.Errors}
		}
		for _, n := range a.Data.Nodes {
			switch {
			case n.Edited == "":
			case n.Editor == nil:
				out[n.ID] = "ghost" // GitHub's name for an account that is gone
			case n.Editor.Type == "Bot":
				out[n.ID] = n.Editor.Login + "[bot]" // as REST names it
			default:
				out[n.ID] = n.Editor.Login
			}
		}
	}
	return out, nil
}

// graphql is beside the REST interface: /graphql, or /api/graphql on a server
// of one's own.
func (g *GitHub) graphql() string {
	u, err := url.Parse(restBase(g.Client.Host))
	if err == nil && u.Path == "/" {
		return "/graphql"
	}
	return "/api/graphql"
}

type githubBody struct {
	Body string `json:"body"`
}

// Comment posts a comment on the pull request.
func (g *GitHub) Comment(ctx context.Context, pr *PullRequest, body string) (Posted, error) {
	var a githubPosted
	err := g.Client.JSON(ctx, Request{
		Doing: about("commenting on", pr), Method: http.MethodPost,
		Path: in(pr.Repo, "issues", strconv.Itoa(pr.Number), "comments"), Body: githubBody{body},
	}, &a)
	return a.posted(), err
}

// EditComment replaces a comment on the pull request.
func (g *GitHub) EditComment(ctx context.Context, pr *PullRequest, id int64, body string) (Posted, error) {
	var a githubPosted
	err := g.Client.JSON(ctx, Request{
		Doing: about("updating the comment on", pr), Method: http.MethodPatch,
		Path: in(pr.Repo, "issues", "comments", strconv.FormatInt(id, 10)), Body: githubBody{body},
	}, &a)
	return a.posted(), err
}

// ReadComment reads a comment on the pull request.
func (g *GitHub) ReadComment(ctx context.Context, pr *PullRequest, id int64) (Posted, error) {
	var a githubPosted
	err := g.Client.JSON(ctx, Request{
		Doing: about("reading back the comment on", pr), Path: in(pr.Repo, "issues", "comments", strconv.FormatInt(id, 10)),
	}, &a)
	return a.posted(), err
}

// githubLine is a comment of a review. GitHub refuses start_line = line.
type githubLine struct {
	Path      string `json:"path"`
	Body      string `json:"body"`
	Line      int    `json:"line"`
	Side      string `json:"side"`
	StartLine int    `json:"start_line,omitempty"`
	StartSide string `json:"start_side,omitempty"`
}

// Review posts a review.
func (g *GitHub) Review(ctx context.Context, pr *PullRequest, r NewReview) error {
	lines := make([]githubLine, len(r.Comments))
	for i, c := range r.Comments {
		lines[i] = githubLine{Path: c.Path, Body: c.Body, Line: c.Line, Side: c.Side}
		if c.Start > 0 && c.Start < c.Line {
			lines[i].StartLine, lines[i].StartSide = c.Start, c.Side
		}
	}
	_, err := g.Client.Do(ctx, Request{
		Doing: about("posting a review on", pr), Method: http.MethodPost, Path: pull(pr.Repo, pr.Number, "reviews"),
		Body: map[string]any{"commit_id": r.Commit, "body": r.Body, "event": r.Event, "comments": lines},
	})
	return err
}

// CommentFile posts a comment on a file.
func (g *GitHub) CommentFile(ctx context.Context, pr *PullRequest, commit, path, body string) error {
	_, err := g.Client.Do(ctx, Request{
		Doing: about("commenting on "+path+" in", pr), Method: http.MethodPost, Path: pull(pr.Repo, pr.Number, "comments"),
		Body: map[string]any{"body": body, "commit_id": commit, "path": path, "subject_type": "file"},
	})
	return err
}

// EditLine replaces a comment on a line.
func (g *GitHub) EditLine(ctx context.Context, pr *PullRequest, id int64, body string) error {
	_, err := g.Client.Do(ctx, Request{
		Doing: about("updating a line comment on", pr), Method: http.MethodPatch,
		Path: in(pr.Repo, "pulls", "comments", strconv.FormatInt(id, 10)), Body: githubBody{body},
	})
	return err
}

// DeleteLine takes a comment on a line away.
func (g *GitHub) DeleteLine(ctx context.Context, pr *PullRequest, id int64) error {
	_, err := g.Client.Do(ctx, Request{
		Doing: about("deleting a line comment on", pr), Method: http.MethodDelete,
		Path: in(pr.Repo, "pulls", "comments", strconv.FormatInt(id, 10)),
	})
	return err
}
