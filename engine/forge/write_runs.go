package forge

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Workflows reads runs of the forge's own automation, and what they kept.
type Workflows interface {
	WorkflowRun(ctx context.Context, r Repo, id int64) (WorkflowRun, error)
	// WorkflowRuns lists the runs over a commit, newest first.
	WorkflowRuns(ctx context.Context, r Repo, head string) ([]WorkflowRun, error)
	Artifacts(ctx context.Context, r Repo, run int64) ([]Artifact, error)
	// Download brings an artefact: a zip file of at most 32 MB.
	Download(ctx context.Context, r Repo, id int64) ([]byte, error)
}

// WorkflowRun is one run of a workflow.
type WorkflowRun struct {
	ID       int64
	Path     string // of the workflow's file
	Event    string // what started it
	HeadSHA  string
	HeadRepo string // OWNER/NAME
	Pulls    []int  // open pull requests of the same repository with this head
	Done     bool
}

// Artifact is what a run kept.
type Artifact struct {
	ID      int64
	Name    string
	Expired bool
}

var _ Workflows = (*GitHub)(nil)

type githubRun struct {
	ID       int64  `json:"id"`
	Path     string `json:"path"`
	Event    string `json:"event"`
	Status   string `json:"status"`
	HeadSHA  string `json:"head_sha"`
	HeadRepo struct {
		Name string `json:"full_name"`
	} `json:"head_repository"`
	Pulls []struct {
		Number int `json:"number"`
	} `json:"pull_requests"`
}

func (r githubRun) run() WorkflowRun {
	out := WorkflowRun{ID: r.ID, Path: r.Path, Event: r.Event, HeadSHA: r.HeadSHA, HeadRepo: r.HeadRepo.Name, Done: r.Status == "completed"}
	for _, p := range r.Pulls {
		out.Pulls = append(out.Pulls, p.Number)
	}
	return out
}

func actions(r Repo, rest ...string) string { return in(r, append([]string{"actions"}, rest...)...) }

// WorkflowRun reads one run.
func (g *GitHub) WorkflowRun(ctx context.Context, r Repo, id int64) (WorkflowRun, error) {
	var a githubRun
	err := g.Client.JSON(ctx, Request{Doing: fmt.Sprintf("reading workflow run %d of %s", id, r), Path: actions(r, "runs", strconv.FormatInt(id, 10))}, &a)
	return a.run(), err
}

// WorkflowRuns lists the first page of the runs over a commit.
func (g *GitHub) WorkflowRuns(ctx context.Context, r Repo, head string) ([]WorkflowRun, error) {
	var a struct {
		Runs []githubRun `json:"workflow_runs"`
	}
	err := g.Client.JSON(ctx, Request{
		Doing: fmt.Sprintf("listing the workflow runs over %s in %s", short(head), r), Path: actions(r, "runs"),
		Query: url.Values{"head_sha": {head}, "per_page": {strconv.Itoa(perPage)}},
	}, &a)
	out := make([]WorkflowRun, len(a.Runs))
	for i, x := range a.Runs {
		out[i] = x.run()
	}
	return out, err
}

// Artifacts lists what a run kept.
func (g *GitHub) Artifacts(ctx context.Context, r Repo, run int64) ([]Artifact, error) {
	type sheet struct {
		Artifacts []struct {
			ID      int64  `json:"id"`
			Name    string `json:"name"`
			Expired bool   `json:"expired"`
		} `json:"artifacts"`
	}
	var out []Artifact
	request := Request{Doing: fmt.Sprintf("listing what workflow run %d of %s kept", run, r), Path: actions(r, "runs", strconv.FormatInt(run, 10), "artifacts")}
	err := sheets(ctx, g.Client, request, func(a sheet) {
		for _, x := range a.Artifacts {
			out = append(out, Artifact{ID: x.ID, Name: x.Name, Expired: x.Expired})
		}
	})
	return out, err
}

// Download follows GitHub's redirect to its store, which must not see the
// token.
func (g *GitHub) Download(ctx context.Context, r Repo, id int64) ([]byte, error) {
	ask := Request{Doing: fmt.Sprintf("downloading artefact %d of %s", id, r), Path: actions(r, "artifacts", strconv.FormatInt(id, 10), "zip")}
	req, err := g.Client.request(ctx, ask)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ask.Doing, err)
	}
	resp, err := g.Client.http.Do(req)
	if err != nil {
		return nil, g.Client.unreachable(ctx, ask, err)
	}
	if resp.StatusCode == http.StatusFound {
		_ = resp.Body.Close() // nothing in it is needed
		if resp, err = g.fromStore(ctx, ask, resp); err != nil {
			return nil, err
		}
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, artifactLimit+1))
	switch {
	case err != nil:
		return nil, g.Client.unreachable(ctx, ask, err)
	case resp.StatusCode != http.StatusOK:
		return nil, g.Client.readError(ask.Doing, &Response{Status: resp.StatusCode, Header: resp.Header, Body: body}, time.Now())
	case len(body) > artifactLimit:
		return nil, fmt.Errorf("%s: it is larger than %d MB", ask.Doing, artifactLimit>>20)
	}
	return body, nil
}

// fromStore asks where the forge says that the artefact is: over https only,
// and with nothing of the person's.
func (g *GitHub) fromStore(ctx context.Context, ask Request, moved *http.Response) (*http.Response, error) {
	where, err := moved.Location()
	if err != nil || where.Scheme != "https" {
		return nil, fmt.Errorf("%s: %s keeps it nowhere that can be trusted", ask.Doing, g.Client.Host)
	}
	plain, err := http.NewRequestWithContext(ctx, http.MethodGet, where.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ask.Doing, err)
	}
	store := http.Client{Timeout: timeout, CheckRedirect: func(req *http.Request, via []*http.Request) error {
		if req.URL.Scheme != "https" || len(via) > 5 {
			return http.ErrUseLastResponse
		}
		return nil
	}}
	resp, err := store.Do(plain)
	if err != nil {
		return nil, g.Client.unreachable(ctx, ask, err)
	}
	return resp, nil
}

const artifactLimit = 32 << 20
