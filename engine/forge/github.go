package forge

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// GitHub reads from GitHub, GitHub Enterprise Server and data residency.
type GitHub struct{ Client *Client }

var _ Reader = (*GitHub)(nil)

// diffType is the media type that asks for a diff.
const diffType = "application/vnd.github.diff"

// in is the path of something in a repository.
func in(r Repo, parts ...string) string {
	path := "repos/" + url.PathEscape(r.Owner) + "/" + url.PathEscape(r.Name)
	for _, p := range parts {
		path += "/" + p
	}
	return path
}

// pull is the path of something of a pull request.
func pull(r Repo, number int, parts ...string) string {
	return in(r, append([]string{"pulls", strconv.Itoa(number)}, parts...)...)
}

// Repository reads a repository.
func (g *GitHub) Repository(ctx context.Context, r Repo) (*Repository, error) {
	var a githubRepo
	if err := g.Client.JSON(ctx, Request{Doing: "reading " + r.String(), Path: in(r)}, &a); err != nil {
		return nil, err
	}
	return &Repository{Repo: a.repo(r.Host), DefaultBranch: a.DefaultBranch, Visibility: a.visibility()}, nil
}

// PullRequest reads a pull request.
func (g *GitHub) PullRequest(ctx context.Context, r Repo, number int) (*PullRequest, error) {
	doing := fmt.Sprintf("reading pull request %s#%d", r, number)
	var a githubPull
	err := g.Client.JSON(ctx, Request{Doing: doing, Path: pull(r, number)}, &a)
	if IsKind(err, NotFound) {
		return nil, g.whatIsMissing(ctx, r, number, err)
	}
	if err != nil {
		return nil, err
	}
	if a.Head.SHA == "" || a.Base.SHA == "" {
		return nil, &Error{Kind: Broken, Doing: doing, Host: r.Host, Status: http.StatusOK, Message: "a pull request without commits"}
	}
	return a.pull(r.Host, number), nil
}

// whatIsMissing tells a pull request that is not there from a repository that
// is not there or is hidden.
func (g *GitHub) whatIsMissing(ctx context.Context, r Repo, number int, err error) error {
	if _, repoErr := g.Repository(ctx, r); repoErr != nil {
		return repoErr
	}
	return &NoSuchPullRequest{Repo: r, Number: number, Err: err}
}

// NoSuchPullRequest is a number that a repository has no pull request for.
type NoSuchPullRequest struct {
	Repo   Repo
	Number int
	Err    error
}

// Error names it.
func (e *NoSuchPullRequest) Error() string {
	return fmt.Sprintf("%s has no pull request #%d", e.Repo, e.Number)
}

// Unwrap gives the forge's answer.
func (e *NoSuchPullRequest) Unwrap() error { return e.Err }

// OpenFrom lists the open pull requests of a branch.
func (g *GitHub) OpenFrom(ctx context.Context, r Repo, owner, branch string) ([]int, error) {
	list, err := pages[githubPull](ctx, g.Client, Request{
		Doing: fmt.Sprintf("looking for the pull request of %s:%s in %s", owner, branch, r),
		Path:  in(r, "pulls"),
		Query: url.Values{"head": {owner + ":" + branch}, "state": {"open"}},
	})
	if err != nil {
		return nil, err
	}
	var numbers []int
	for _, p := range list {
		// An empty or unknown head is answered with every pull request.
		if p.Head.Ref == branch && strings.EqualFold(p.Head.User.Login, owner) {
			numbers = append(numbers, p.Number)
		}
	}
	return numbers, nil
}

// Diff asks for the change as text.
func (g *GitHub) Diff(ctx context.Context, pr *PullRequest) ([]byte, error) {
	resp, err := g.Client.Do(ctx, Request{
		Doing: fmt.Sprintf("reading the diff of %s#%d", pr.Repo, pr.Number), Path: pull(pr.Repo, pr.Number), Accept: diffType})
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}

// Files lists the changed files; GitHub stops at 3000.
func (g *GitHub) Files(ctx context.Context, pr *PullRequest) ([]File, error) {
	list, err := pages[githubFile](ctx, g.Client, Request{
		Doing: fmt.Sprintf("listing the files of %s#%d", pr.Repo, pr.Number), Path: pull(pr.Repo, pr.Number, "files")})
	if err != nil {
		return nil, err
	}
	files := make([]File, len(list))
	for i, f := range list {
		files[i] = f.file()
	}
	return files, nil
}

// Compare finds base's tip and the merge base.
func (g *GitHub) Compare(ctx context.Context, r Repo, base, head string) (Comparison, error) {
	var a struct {
		Base      githubCommit `json:"base_commit"`
		MergeBase githubCommit `json:"merge_base_commit"`
	}
	err := g.Client.JSON(ctx, Request{
		Doing: fmt.Sprintf("comparing %s with %s in %s", base, short(head), r),
		Path:  in(r, "compare", url.PathEscape(base)+"..."+url.PathEscape(head)),
		Query: url.Values{"per_page": {"1"}},
	}, &a)
	return Comparison{BaseSHA: a.Base.SHA, MergeBase: a.MergeBase.SHA}, err
}

// Commits lists the commits of a pull request; GitHub stops at 250.
func (g *GitHub) Commits(ctx context.Context, pr *PullRequest) ([]Commit, error) {
	list, err := pages[githubCommit](ctx, g.Client, Request{
		Doing: fmt.Sprintf("listing the commits of %s#%d", pr.Repo, pr.Number), Path: pull(pr.Repo, pr.Number, "commits")})
	if err != nil {
		return nil, err
	}
	commits := make([]Commit, len(list))
	for i, c := range list {
		commits[i] = Commit{SHA: c.SHA, Author: c.Commit.Author.Name, Text: c.Commit.Message}
	}
	return commits, nil
}

// Comments lists comments, reviews with a text, and comments on lines.
func (g *GitHub) Comments(ctx context.Context, pr *PullRequest) ([]Comment, error) {
	var all []Comment
	for _, from := range []struct{ kind, path string }{
		{"comment", in(pr.Repo, "issues", strconv.Itoa(pr.Number), "comments")},
		{"review", pull(pr.Repo, pr.Number, "reviews")},
		{"line", pull(pr.Repo, pr.Number, "comments")},
	} {
		list, err := pages[githubComment](ctx, g.Client, Request{
			Doing: fmt.Sprintf("reading what was said about %s#%d", pr.Repo, pr.Number), Path: from.path})
		if err != nil {
			return nil, err
		}
		all = append(all, comments(from.kind, list)...)
	}
	return all, nil
}

// comments keeps those that have a text.
func comments(kind string, list []githubComment) []Comment {
	var kept []Comment
	for _, c := range list {
		if strings.TrimSpace(c.Body) != "" {
			kept = append(kept, c.comment(kind))
		}
	}
	return kept
}

// Issue reads an issue.
func (g *GitHub) Issue(ctx context.Context, r Repo, number int) (*Issue, error) {
	var a struct {
		Title, Body string
		User        githubUser
	}
	err := g.Client.JSON(ctx, Request{Doing: fmt.Sprintf("reading issue %s#%d", r, number), Path: in(r, "issues", strconv.Itoa(number))}, &a)
	if err != nil {
		return nil, err
	}
	return &Issue{Number: number, Title: a.Title, Body: a.Body, Author: a.User.user()}, nil
}

// FileAt reads a file.
func (g *GitHub) FileAt(ctx context.Context, r Repo, ref, path string) ([]byte, bool, error) {
	entries, err := g.contents(ctx, r, ref, path)
	if err != nil || len(entries) != 1 || entries[0].Type != "file" || entries[0].Path != path {
		return nil, false, err
	}
	e := entries[0]
	if e.Encoding != "base64" {
		return nil, false, fmt.Errorf("reading %s of %s at %s: GitHub does not send its %d bytes", path, r, short(ref), e.Size)
	}
	data, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(e.Content, "\n", ""))
	if err != nil {
		return nil, false, fmt.Errorf("reading %s of %s at %s: %w", path, r, short(ref), err)
	}
	return data, true, nil
}

// ListAt lists a directory.
func (g *GitHub) ListAt(ctx context.Context, r Repo, ref, dir string) ([]string, error) {
	entries, err := g.contents(ctx, r, ref, dir)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, e := range entries {
		if e.Type == "file" && e.Path != dir {
			paths = append(paths, e.Path)
		}
	}
	return paths, nil
}

// contents reads a file or a directory; nothing of that name is no error.
func (g *GitHub) contents(ctx context.Context, r Repo, ref, path string) ([]githubEntry, error) {
	var parts []string
	for p := range strings.SplitSeq(path, "/") {
		parts = append(parts, url.PathEscape(p))
	}
	var list githubEntries
	err := g.Client.JSON(ctx, Request{
		Doing: fmt.Sprintf("reading %s of %s at %s", path, r, short(ref)),
		Path:  in(r, append([]string{"contents"}, parts...)...),
		Query: url.Values{"ref": {ref}},
	}, &list)
	if IsKind(err, NotFound) {
		return nil, nil
	}
	return list, err
}

// Viewer asks whose token it is. A token of a workflow may not ask.
func (g *GitHub) Viewer(ctx context.Context) (User, error) {
	var a githubUser
	err := g.Client.JSON(ctx, Request{Doing: "asking " + g.Client.Host + " whose token it is", Path: "user"}, &a)
	return a.user(), err
}

// FetchURL is where git fetches from.
func (g *GitHub) FetchURL(r Repo) string {
	return "https://" + r.Host + "/" + r.Owner + "/" + r.Name + ".git"
}

// PullRef is the reference of a pull request's head in its base repository.
func (g *GitHub) PullRef(number int) string { return fmt.Sprintf("refs/pull/%d/head", number) }

// FetchToken is the client's token.
func (g *GitHub) FetchToken() string { return g.Client.token }

func short(sha string) string {
	if len(sha) == 40 || len(sha) == 64 {
		return sha[:7]
	}
	return sha
}
