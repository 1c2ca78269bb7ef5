package forge

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
)

// Standing reads what decides whether a pull request may go on, beside the
// review itself.
type Standing interface {
	// Permission is what an account may do in a repository: admin, maintain,
	// write, triage, read or none.
	Permission(ctx context.Context, r Repo, login string) (string, error)
	// Required names the checks that a branch requires, by its protection and
	// by rulesets.
	Required(ctx context.Context, r Repo, branch string) ([]string, error)
	// Checks are the check runs and statuses of a commit.
	Checks(ctx context.Context, r Repo, sha string) ([]Check, error)
	// Committed is when a commit was made, by its own word (RFC 3339).
	Committed(ctx context.Context, r Repo, sha string) (string, error)
}

// Check is one check of a commit. State is its conclusion ("success",
// "neutral", "skipped", "failure", ...), or "pending".
type Check struct {
	Name, State string
}

var _ Standing = (*GitHub)(nil)

// Permission asks for the role. The association that comes with a comment
// says nothing of it.
func (g *GitHub) Permission(ctx context.Context, r Repo, login string) (string, error) {
	var a struct {
		Permission string `json:"permission"`
		Role       string `json:"role_name"`
	}
	err := g.Client.JSON(ctx, Request{Doing: "asking what " + login + " may do in " + r.String(), Path: in(r, "collaborators", url.PathEscape(login), "permission")}, &a)
	if IsKind(err, NotFound) {
		return "none", nil // no collaborator
	}
	// A role of the organisation's own goes by what it builds upon.
	if slices.Contains([]string{"admin", "maintain", "write", "triage", "read", "none"}, a.Role) {
		return a.Role, err
	}
	return a.Permission, err
}

// Required joins protection and rulesets.
func (g *GitHub) Required(ctx context.Context, r Repo, branch string) ([]string, error) {
	doing := fmt.Sprintf("reading what %s of %s requires", branch, r)
	var b struct {
		Protection struct {
			Checks *struct {
				Contexts []string `json:"contexts"`
			} `json:"required_status_checks"`
		} `json:"protection"`
	}
	if err := g.Client.JSON(ctx, Request{Doing: doing, Path: in(r, "branches", url.PathEscape(branch))}, &b); err != nil {
		return nil, err
	}
	var names []string
	if b.Protection.Checks != nil {
		names = b.Protection.Checks.Contexts
	}
	type rule struct {
		Type       string `json:"type"`
		Parameters struct {
			Checks []struct {
				Context string `json:"context"`
			} `json:"required_status_checks"`
		} `json:"parameters"`
	}
	rules, err := pages[rule](ctx, g.Client, Request{Doing: doing, Path: in(r, "rules", "branches", url.PathEscape(branch))})
	if err != nil {
		return nil, err
	}
	for _, x := range rules {
		for _, c := range x.Parameters.Checks {
			if x.Type == "required_status_checks" && !slices.Contains(names, c.Context) {
				names = append(names, c.Context)
			}
		}
	}
	return names, nil
}

// Checks reads check runs, the newest of each name, and statuses.
func (g *GitHub) Checks(ctx context.Context, r Repo, sha string) ([]Check, error) {
	doing := fmt.Sprintf("reading the checks of %s in %s", short(sha), r)
	var out []Check
	type runs struct {
		Runs []struct{ Name, Status, Conclusion string } `json:"check_runs"`
	}
	err := sheets(ctx, g.Client, Request{Doing: doing, Path: in(r, "commits", sha, "check-runs")}, func(a runs) {
		for _, x := range a.Runs {
			state := x.Conclusion
			if x.Status != "completed" {
				state = "pending"
			}
			out = append(out, Check{x.Name, state})
		}
	})
	if err != nil {
		return nil, err
	}
	type statuses struct {
		Statuses []struct{ Context, State string } `json:"statuses"`
	}
	err = sheets(ctx, g.Client, Request{Doing: doing, Path: in(r, "commits", sha, "status")}, func(a statuses) {
		for _, x := range a.Statuses {
			out = append(out, Check{x.Context, x.State})
		}
	})
	return out, err
}

// sheets reads a list that stands in an object, page by page.
func sheets[T any](ctx context.Context, c *Client, r Request, each func(T)) error {
	r.Query = url.Values{"per_page": {strconv.Itoa(perPage)}}
	for range maxPages {
		resp, err := c.Do(ctx, r)
		if err != nil {
			return err
		}
		var sheet T
		if err := json.Unmarshal(resp.Body, &sheet); err != nil {
			return &Error{Kind: Broken, Doing: r.Doing, Host: c.Host, Status: resp.Status, Message: "no list that makes sense: " + err.Error()}
		}
		each(sheet)
		next := nextPage(resp.Header)
		if next == "" {
			return nil
		}
		r.Path, r.Query = next, nil
	}
	return nil
}

// Committed reads the committer's date.
func (g *GitHub) Committed(ctx context.Context, r Repo, sha string) (string, error) {
	return g.committed(ctx, r, sha, in(r, "commits", sha))
}

func (g *GitHub) committed(ctx context.Context, r Repo, sha, path string) (string, error) {
	var a struct {
		Commit struct {
			Committer struct {
				Date string `json:"date"`
			} `json:"committer"`
		} `json:"commit"`
	}
	err := g.Client.JSON(ctx, Request{Doing: fmt.Sprintf("reading commit %s of %s", short(sha), r), Path: path}, &a)
	return a.Commit.Committer.Date, err
}

// Label puts a label on a pull request.
func (g *GitHub) Label(ctx context.Context, pr *PullRequest, label string) error {
	_, err := g.Client.Do(ctx, Request{
		Doing: about("labelling", pr), Method: http.MethodPost,
		Path: in(pr.Repo, "issues", strconv.Itoa(pr.Number), "labels"), Body: map[string]any{"labels": []string{label}},
	})
	return err
}
