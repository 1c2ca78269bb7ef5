package forge

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

// Gitea reads from Gitea and Forgejo. What they have in common with GitHub is
// GitHub's; the rest was measured on a real server:
//
//   - a diff is a path of its own, the Accept header being ignored;
//   - a pull request says its merge base, a comparison does not;
//   - a list takes limit, at most 50, and not per_page;
//   - the list of files has no patches;
//   - lines of comments are called position, and are lines of the file.
type Gitea struct{ GitHub }

var _ Reader = (*Gitea)(nil)

const (
	giteaPage = 50               // items of a list that Gitea gives at once
	probeWait = 10 * time.Second // for a host to say what it is
)

// giteaToken finds a token for a Gitea host in the environment; gh knows none.
func giteaToken() (token, source string) {
	for _, name := range []string{"GITEA_TOKEN", "FORGEJO_TOKEN"} {
		if token := os.Getenv(name); token != "" {
			return token, name
		}
	}
	return "", ""
}

// NewGitea makes a reader for a Gitea host.
func NewGitea(host, agent string) (*Gitea, error) {
	token, source := giteaToken()
	c := &Client{Host: host, Source: source, token: token, sizeName: "limit", size: giteaPage, remedy: "set GITEA_TOKEN"}
	if err := c.connect("https://"+host+"/api/v1/", agent); err != nil {
		return nil, err
	}
	return &Gitea{GitHub{Client: c}}, nil
}

// isGitea asks a host whether it is one.
func isGitea(ctx context.Context, host, agent string) bool {
	ctx, cancel := context.WithTimeout(ctx, probeWait)
	defer cancel()
	c := &Client{Host: host}
	if c.connect("https://"+host+"/api/v1/", agent) != nil {
		return false
	}
	var a struct {
		Version string `json:"version"`
	}
	resp, err := c.once(ctx, Request{Doing: "asking " + host + " what it is", Path: "version"})
	return err == nil && json.Unmarshal(resp.Body, &a) == nil && a.Version != ""
}

// Diff asks for the change as text.
func (g *Gitea) Diff(ctx context.Context, pr *PullRequest) ([]byte, error) {
	resp, err := g.Client.Do(ctx, Request{
		Doing: fmt.Sprintf("reading the diff of %s#%d", pr.Repo, pr.Number), Path: pull(pr.Repo, pr.Number) + ".diff", Accept: "text/plain"})
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}

// OpenFrom lists the open pull requests of a branch.
func (g *Gitea) OpenFrom(ctx context.Context, r Repo, owner, branch string) ([]int, error) {
	list, err := pages[githubPull](ctx, g.Client, Request{
		Doing: fmt.Sprintf("looking for the pull request of %s:%s in %s", owner, branch, r),
		Path:  in(r, "pulls"), Query: url.Values{"state": {"open"}}})
	if err != nil {
		return nil, err
	}
	var numbers []int
	for _, p := range list {
		if p.Head.Ref == branch && p.Head.Repo != nil && strings.EqualFold(p.Head.Repo.Owner.Login, owner) {
			numbers = append(numbers, p.Number)
		}
	}
	return numbers, nil
}

// Compare finds the tip of a branch; the merge base is not told.
func (g *Gitea) Compare(ctx context.Context, r Repo, base, _ string) (Comparison, error) {
	if short(base) != base {
		return Comparison{BaseSHA: base}, nil // a hash already
	}
	var a struct {
		Commit struct {
			ID string `json:"id"`
		} `json:"commit"`
	}
	err := g.Client.JSON(ctx, Request{Doing: fmt.Sprintf("reading branch %s of %s", base, r),
		Path: in(r, "branches", url.PathEscape(base))}, &a)
	return Comparison{BaseSHA: a.Commit.ID}, err
}

// Comments lists comments, reviews with a text, and comments on lines, which
// are found per review.
func (g *Gitea) Comments(ctx context.Context, pr *PullRequest) ([]Comment, error) {
	doing := fmt.Sprintf("reading what was said about %s#%d", pr.Repo, pr.Number)
	said, err := pages[githubComment](ctx, g.Client, Request{Doing: doing, Path: in(pr.Repo, "issues", strconv.Itoa(pr.Number), "comments")})
	if err != nil {
		return nil, err
	}
	reviews, err := pages[githubComment](ctx, g.Client, Request{Doing: doing, Path: pull(pr.Repo, pr.Number, "reviews")})
	if err != nil {
		return nil, err
	}
	all := append(comments("comment", said), comments("review", reviews)...)
	for _, review := range reviews {
		path := pull(pr.Repo, pr.Number, "reviews", strconv.FormatInt(review.ID, 10), "comments")
		lines, err := pages[githubComment](ctx, g.Client, Request{Doing: doing, Path: path})
		if err != nil {
			return nil, err
		}
		for i := range lines {
			lines[i].Line = lines[i].Position
		}
		all = append(all, comments("line", lines)...)
	}
	return all, nil
}
