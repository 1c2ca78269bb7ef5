package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mrv-dev/mrv/engine/config"
	"github.com/mrv-dev/mrv/engine/document"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/forge"
	"github.com/mrv-dev/mrv/engine/publish"
	"github.com/mrv-dev/mrv/engine/review"
)

// KeptRun is the name of the artefact in which a workflow keeps a run.
const KeptRun = "mrv-run"

// FetchRun brings the run that a workflow kept for the present head of a pull
// request among the person's own runs, and returns the path of its journal. A
// run that is there already, and may be triaged, is left as it is.
func FetchRun(ctx context.Context, o SourceOptions, runs string) (string, error) {
	p, err := findPull(ctx, o)
	if err != nil {
		return "", err
	}
	pr, f, err := p.open(ctx)
	if err != nil {
		return "", err
	}
	w, ok := f.Reader.(forge.Workflows)
	if !ok {
		return "", fmt.Errorf("mrv can not read workflows on %s", pr.Repo.Host)
	}
	list, err := w.WorkflowRuns(ctx, pr.Repo, pr.HeadSHA)
	if err != nil {
		return "", err
	}
	announced, err := publish.Announced(ctx, f, pr)
	if err != nil {
		return "", err
	}
	for _, id := range announced { // by a comment's run, which is over no head
		if run, err := w.WorkflowRun(ctx, pr.Repo, id); err == nil && run.Event == "issue_comment" { // one that is gone keeps nothing
			list = append(list, run)
		}
	}
	for _, run := range list {
		raw, err := keptBy(ctx, f, w, pr, run)
		if errors.Is(err, errNothingKept) {
			continue
		}
		if err != nil {
			return "", err
		}
		return importRun(ctx, p, f, pr, raw, runs)
	}
	return "", fmt.Errorf("no workflow keeps a review of %s#%d at %s: it may still run, or the head has moved", pr.Repo, pr.Number, event.Short(pr.HeadSHA))
}

// WorkflowOptions say what a workflow's run is announced with.
type WorkflowOptions struct {
	Repo string
	Run  int64 // of the workflow that reviewed
	// Pull is the pull request of a run that a comment started, which the
	// forge's record does not name.
	Pull int
	Raw  bool // the findings that nobody triaged, as such
}

// PublishWorkflow says on the pull request that a workflow has reviewed it: in
// one line, or with Raw in the summary, headed "not triaged". Pull request and
// head come from the forge's own record of the run. It returns the comment.
func PublishWorkflow(ctx context.Context, o WorkflowOptions) (string, error) {
	repo, err := forge.ParseRepo(o.Repo)
	if err != nil {
		return "", err
	}
	f, err := publish.Connect(ctx, repo.Host)
	if err != nil {
		return "", err
	}
	w, ok := f.Reader.(forge.Workflows)
	if !ok {
		return "", fmt.Errorf("mrv can not read workflows on %s", repo.Host)
	}
	run, err := w.WorkflowRun(ctx, repo, o.Run)
	if err != nil {
		return "", err
	}
	if run.Event == "issue_comment" && o.Pull > 0 {
		run.Pulls = []int{o.Pull}
	}
	if len(run.Pulls) != 1 {
		return "", fmt.Errorf("workflow run %d belongs to %d pull requests of this repository: a fork's is reviewed by a maintainer's comment, or with mrv tui", run.ID, len(run.Pulls))
	}
	pr, err := f.PullRequest(ctx, repo, run.Pulls[0])
	if err != nil {
		return "", err
	}
	raw, err := keptBy(ctx, f, w, pr, run)
	if err != nil {
		return "", fmt.Errorf("workflow run %d: %w", run.ID, err)
	}
	at := pull{o: SourceOptions{CacheDir: config.Directories().Cache}, reader: f.Reader, repo: pr.Repo, number: pr.Number}
	k, err := readKept(ctx, at, pr, raw)
	if err != nil {
		return "", err
	}
	s := k.state
	doc := document.Build(s, document.Options{At: time.Now()})
	if !o.Raw {
		return announce(ctx, f, pr, doc, run.ID)
	}
	p, err := planPost(ctx, doc, s.Diff, knownValues(ctx, repo.Host), publish.Options{Untriaged: true})
	if err != nil {
		return "", err
	}
	sent, err := publish.Sender{Forge: f}.Send(ctx, p)
	return sent.URL, err
}

// announce posts the one line.
func announce(ctx context.Context, f publish.Forge, pr *forge.PullRequest, doc document.Document, run int64) (string, error) {
	viewer, err := f.Viewer(ctx)
	if err != nil {
		if viewer = workflowUser(); viewer.Login == "" {
			return "", err
		}
	}
	n := 0
	for _, x := range doc.Findings {
		if x.Hidden == "" {
			n++
		}
	}
	line := fmt.Sprintf("review of `%s` ready: %s, `mrv tui %d --from-pr`", event.Short(pr.HeadSHA), review.Count(n, "finding"), pr.Number)
	if !doc.Complete {
		line += " (" + string(review.HumanCheckNeeded) + ": the run is not complete)"
	}
	posted, err := publish.Sender{Forge: f}.Ready(ctx, pr, viewer, run, line)
	return posted.URL, err
}
