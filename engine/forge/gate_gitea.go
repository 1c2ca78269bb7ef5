package forge

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
)

var _ Standing = (*Gitea)(nil)

// Permission asks for the role; to Gitea an owner is more than an
// administrator, which is what others call it.
func (g *Gitea) Permission(ctx context.Context, r Repo, login string) (string, error) {
	role, err := g.GitHub.Permission(ctx, r, login)
	if role == "owner" {
		role = "admin"
	}
	return role, err
}

// Required names the checks that the branch's protection requires. They may be
// patterns, such as "ci/*".
func (g *Gitea) Required(ctx context.Context, r Repo, branch string) ([]string, error) {
	var b struct {
		Enabled  bool     `json:"enable_status_check"`
		Contexts []string `json:"status_check_contexts"`
	}
	err := g.Client.JSON(ctx, Request{Doing: fmt.Sprintf("reading what %s of %s requires", branch, r), Path: in(r, "branches", url.PathEscape(branch))}, &b)
	if err != nil || !b.Enabled {
		return nil, err
	}
	return b.Contexts, nil
}

// Checks reads the statuses of a commit: Gitea has no check runs, its own
// workflows report statuses.
func (g *Gitea) Checks(ctx context.Context, r Repo, sha string) ([]Check, error) {
	var a struct {
		Statuses []struct{ Context, Status string } `json:"statuses"`
	}
	request := Request{Doing: fmt.Sprintf("reading the checks of %s in %s", short(sha), r), Path: in(r, "commits", sha, "status")}
	if err := g.Client.JSON(ctx, request, &a); err != nil {
		return nil, err
	}
	var out []Check
	for _, x := range a.Statuses {
		out = append(out, Check{x.Context, x.Status})
	}
	return out, nil
}

// Committed reads the committer's date.
func (g *Gitea) Committed(ctx context.Context, r Repo, sha string) (string, error) {
	return g.committed(ctx, r, sha, in(r, "git", "commits", sha))
}

// Label puts a label on a pull request. Gitea takes one by name, and passes
// over a name that the repository does not have.
func (g *Gitea) Label(ctx context.Context, pr *PullRequest, label string) error {
	var on []struct{ Name string }
	err := g.Client.JSON(ctx, Request{
		Doing: about("labelling", pr), Method: http.MethodPost,
		Path: in(pr.Repo, "issues", strconv.Itoa(pr.Number), "labels"), Body: map[string]any{"labels": []string{label}},
	}, &on)
	if err == nil && !slices.ContainsFunc(on, func(x struct{ Name string }) bool { return x.Name == label }) {
		return &Error{Kind: Invalid, Doing: about("labelling", pr), Host: g.Client.Host, Status: http.StatusOK, Message: "the repository has no label " + label + ": make it first"}
	}
	return err
}

// WorkflowRun refuses: what a Gitea workflow keeps does not say which pull
// request it is of.
func (g *Gitea) WorkflowRun(_ context.Context, r Repo, id int64) (WorkflowRun, error) {
	return WorkflowRun{}, g.noWorkflows(fmt.Sprintf("reading workflow run %d of %s", id, r))
}

// WorkflowRuns refuses as well.
func (g *Gitea) WorkflowRuns(_ context.Context, r Repo, head string) ([]WorkflowRun, error) {
	return nil, g.noWorkflows(fmt.Sprintf("listing the workflow runs over %s in %s", short(head), r))
}

func (g *Gitea) noWorkflows(doing string) error {
	return &Error{Kind: Invalid, Doing: doing, Host: g.Client.Host, Status: http.StatusOK, Message: "mrv takes up what workflows keep on GitHub only"}
}
