package engine

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/renameio/v2"

	"github.com/mrv-dev/mrv/engine/document"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/forge"
	"github.com/mrv-dev/mrv/engine/journal"
	"github.com/mrv-dev/mrv/engine/publish"
	"github.com/mrv-dev/mrv/engine/review"
)

// KeptRun is the name of the artefact in which a workflow keeps a run.
const KeptRun = "mrv-run"

// journalLimit is more than any journal of a workflow.
const journalLimit = 256 << 20

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
		dir := ""
		if p.clone != nil {
			dir = p.clone.Root
		}
		return importRun(ctx, f, pr, raw, runs, dir)
	}
	return "", fmt.Errorf("no workflow keeps a review of %s#%d at %s: it may still run, or the head has moved", pr.Repo, pr.Number, event.Short(pr.HeadSHA))
}

// errNothingKept says that a workflow run kept no review.
var errNothingKept = errors.New("it kept no review")

// keptBy brings the journal that a workflow run kept. The workflow must be the
// repository's own, and the pull request must not touch it: else the change
// itself could say what its review is.
func keptBy(ctx context.Context, f publish.Forge, w forge.Workflows, pr *forge.PullRequest, run forge.WorkflowRun) ([]byte, error) {
	list, err := w.Artifacts(ctx, pr.Repo, run.ID)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(list, func(a forge.Artifact) bool { return a.Name == KeptRun && !a.Expired })
	if at < 0 {
		return nil, errNothingKept
	}
	if !strings.EqualFold(run.HeadRepo, pr.Repo.Owner+"/"+pr.Repo.Name) {
		return nil, fmt.Errorf("workflow run %d is of the fork %s: a fork's run proves nothing", run.ID, run.HeadRepo)
	}
	// A run that a comment started is of the default branch's own workflow; the
	// head that it reviewed stands in the kept run alone.
	if commented := run.Event == "issue_comment"; !commented && run.HeadSHA != pr.HeadSHA {
		return nil, fmt.Errorf("%w: the workflow reviewed %s, the head is %s", publish.ErrMoved, event.Short(run.HeadSHA), event.Short(pr.HeadSHA))
	}
	path, _, _ := strings.Cut(run.Path, "@")
	if _, ok, err := f.FileAt(ctx, pr.Repo, pr.DefaultBranch, path); err != nil || !ok {
		return nil, errors.Join(err, fmt.Errorf("the workflow %s is not on the default branch", path))
	}
	files, err := f.Files(ctx, pr)
	if err != nil {
		return nil, err
	}
	if run.Event != "issue_comment" && slices.ContainsFunc(files, func(x forge.File) bool { return x.OldPath == path || x.NewPath == path }) {
		return nil, fmt.Errorf("the pull request changes %s itself: review it here, with mrv tui %d", path, pr.Number)
	}
	raw, err := w.Download(ctx, pr.Repo, list[at].ID)
	if err != nil {
		return nil, err
	}
	return unzip(raw)
}

// unzip reads the one journal of an artefact.
func unzip(raw []byte) ([]byte, error) {
	z, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		return nil, fmt.Errorf("opening the kept review: %w", err)
	}
	for _, file := range z.File {
		if !strings.HasSuffix(file.Name, ".jsonl") {
			continue
		}
		r, err := file.Open()
		if err != nil {
			return nil, fmt.Errorf("opening the kept review: %w", err)
		}
		defer r.Close()
		out, err := io.ReadAll(io.LimitReader(r, journalLimit+1))
		if err != nil || len(out) > journalLimit {
			return nil, errors.Join(fmt.Errorf("reading the kept review: %d MB at most", journalLimit>>20), err)
		}
		return out, nil
	}
	return nil, errNothingKept
}

var runID = regexp.MustCompile(`^[0-9]{8}-[0-9]{6}-[0-9a-f]{4}$`)

// foreignRun reads a journal that somebody else wrote, as output of models: it
// must be of this pull request at this head, and nobody may have decided
// anything in it.
func foreignRun(raw []byte, pr *forge.PullRequest) (journal.Header, []event.Event, *event.State, error) {
	h, events, err := journal.Parse("the kept review", raw)
	if err != nil {
		return h, nil, nil, err
	}
	s, err := event.Fold(events)
	if err != nil {
		return h, nil, nil, fmt.Errorf("reading the kept review: %w", err)
	}
	refuse := func(why string) (journal.Header, []event.Event, *event.State, error) {
		return h, nil, nil, fmt.Errorf("the kept review is refused: %s", why)
	}
	switch {
	case s.Plan == nil || s.Plan.Run != h.Run || !runID.MatchString(h.Run):
		return refuse("it has no plan of its own run")
	case s.Plan.Change.Source != event.FromPR || s.Plan.Change.Number != pr.Number ||
		!strings.EqualFold(s.Plan.Change.Owner+"/"+s.Plan.Change.Repo, pr.Repo.Owner+"/"+pr.Repo.Name):
		return refuse("it is of " + s.Plan.Change.Name())
	case s.Plan.Change.HeadSHA != pr.HeadSHA || s.Plan.Change.Identity != pr.HeadSHA:
		return refuse("it is of another head: " + event.Short(s.Plan.Change.HeadSHA))
	case len(s.Decisions)+len(s.History)+len(s.Exports)+len(s.Answers) > 0:
		return refuse("somebody has decided in it")
	case s.Phase != event.PhaseTriage && s.Phase != event.PhaseClosed:
		return refuse("it did not end")
	}
	return h, events, s, nil
}

// importRun puts a foreign run among the person's own. Paths and what decides
// about the verdict are this machine's and the default branch's, not the
// run's.
func importRun(ctx context.Context, f publish.Forge, pr *forge.PullRequest, raw []byte, runs, dir string) (string, error) {
	h, events, s, err := foreignRun(raw, pr)
	if err != nil {
		return "", err
	}
	project, err := gateRules(ctx, f, pr.Repo)
	if err != nil {
		return "", err
	}
	plan := *s.Plan
	plan.Change.Host, plan.Change.Owner, plan.Change.Repo = pr.Repo.Host, pr.Repo.Owner, pr.Repo.Name
	plan.Change.Dir, plan.Change.Store, plan.Out, plan.Blocking = dir, "", dir, project.Blocking
	plan.Change.URL, plan.Change.Author, plan.Change.Visibility = pr.URL, pr.Author.Login, pr.Visibility
	plan.Viewer = person()
	if me, err := f.Viewer(ctx); err == nil { // without a token it is the system's user
		plan.Viewer = me.Login
	}
	path := journal.PathOf(runs, plan.Change, h.Run)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	if err := enc.Encode(h); err != nil {
		return "", fmt.Errorf("writing the run: %w", err)
	}
	for _, e := range events {
		if e.Kind == event.Planned {
			own, err := event.New(event.Planned, "", 0, plan)
			if err != nil {
				return "", err
			}
			e.Data = own.Data
		}
		if err := enc.Encode(e); err != nil {
			return "", fmt.Errorf("writing the run: %w", err)
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", fmt.Errorf("making room for the run: %w", err)
	}
	if err := renameio.WriteFile(path, out.Bytes(), 0o600); err != nil {
		return "", fmt.Errorf("writing the run: %w", err)
	}
	return path, nil
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
	_, _, s, err := foreignRun(raw, pr)
	if err != nil {
		return "", err
	}
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
	line := fmt.Sprintf("review of `%s` ready: %d findings, `mrv tui %d --from-pr`", event.Short(pr.HeadSHA), n, pr.Number)
	if !doc.Complete {
		line += " (" + string(review.HumanCheckNeeded) + ": the run is not complete)"
	}
	posted, err := publish.Sender{Forge: f}.Ready(ctx, pr, viewer, run, line)
	return posted.URL, err
}
