package engine

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
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

	"github.com/google/renameio/v2"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/forge"
	"github.com/mrv-dev/mrv/engine/journal"
	"github.com/mrv-dev/mrv/engine/publish"
)

// journalLimit is more than any journal of a workflow.
const journalLimit = 256 << 20

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

// keptRun is a journal that somebody else wrote. What it says of the change
// is not in it: that is the forge's.
type keptRun struct {
	header journal.Header
	events []event.Event
	state  *event.State
	loaded *Loaded
}

// readKept reads a journal that somebody else wrote, as output of models: it
// must be of this pull request at this head, nobody may have decided anything
// in it, and the change that it shows must be the one that the forge has.
func readKept(ctx context.Context, p pull, pr *forge.PullRequest, raw []byte) (keptRun, error) {
	var k keptRun
	var err error
	if k.header, k.events, err = journal.Parse("the kept review", raw); err != nil {
		return k, err
	}
	if k.state, err = event.Fold(k.events); err != nil {
		return k, fmt.Errorf("reading the kept review: %w", err)
	}
	if why := k.refused(pr); why != "" {
		return k, fmt.Errorf("the kept review is refused: %s", why)
	}
	if k.loaded, err = p.read(ctx, pr); err != nil {
		return k, fmt.Errorf("comparing the kept review with the pull request: %w", err)
	}
	now, err := p.reader.PullRequest(ctx, pr.Repo, pr.Number)
	if err != nil {
		return k, err
	}
	if now.HeadSHA != pr.HeadSHA {
		return k, fmt.Errorf("%w: from %s to %s", publish.ErrMoved, event.Short(pr.HeadSHA), event.Short(now.HeadSHA))
	}
	own, err := diff.Parse(k.loaded.Raw)
	if err != nil {
		return k, fmt.Errorf("comparing the kept review with the pull request: %w", err)
	}
	if path, ok := differs(k.state.Diff, own); ok {
		return k, fmt.Errorf("the kept review is refused: what it shows of %s is not what the pull request changes; review it here, with mrv tui %d", path, pr.Number)
	}
	return k, nil
}

// refused says why a kept review is not about the pull request as it is, ""
// if it is.
func (k keptRun) refused(pr *forge.PullRequest) string {
	s := k.state
	switch {
	case s.Plan == nil || s.Plan.Run != k.header.Run || !runID.MatchString(k.header.Run):
		return "it has no plan of its own run"
	case s.Plan.Change.Source != event.FromPR || s.Plan.Change.Number != pr.Number ||
		!strings.EqualFold(s.Plan.Change.Owner+"/"+s.Plan.Change.Repo, pr.Repo.Owner+"/"+pr.Repo.Name):
		return "it is of " + s.Plan.Change.Name()
	case s.Plan.Change.HeadSHA != pr.HeadSHA || s.Plan.Change.Identity != pr.HeadSHA:
		return "it is of another head: " + event.Short(s.Plan.Change.HeadSHA)
	case len(s.Decisions)+len(s.History)+len(s.Exports)+len(s.Answers) > 0:
		return "somebody has decided in it"
	case s.Phase != event.PhaseTriage && s.Phase != event.PhaseClosed:
		return "it did not end"
	case s.Diff == nil:
		return "the change is not in it"
	}
	return ""
}

// differs finds a file that two readings of a change show differently. What a
// hunk's heading says is git's guess at a function's name, and compared not.
func differs(a, b *diff.Set) (path string, ok bool) {
	for _, pair := range [][2]*diff.Set{{a, b}, {b, a}} {
		for _, f := range pair[0].Files {
			other := pair[1].Find(f.Path())
			if other == nil || f.OldPath != other.OldPath || f.NewPath != other.NewPath || f.Binary != other.Binary ||
				!slices.EqualFunc(f.Hunks, other.Hunks, sameHunk) {
				return f.Path(), true
			}
		}
	}
	return "", false
}

func sameHunk(a, b *diff.Hunk) bool {
	return a.OldStart == b.OldStart && a.NewStart == b.NewStart && slices.Equal(a.Lines, b.Lines)
}

// importRun puts a foreign run among the person's own. The change is the
// forge's, paths are this machine's, and what decides about the verdict is the
// default branch's: none of it is the run's.
func importRun(ctx context.Context, p pull, f publish.Forge, pr *forge.PullRequest, raw []byte, runs string) (string, error) {
	p.reader = f.Reader
	k, err := readKept(ctx, p, pr, raw)
	if err != nil {
		return "", err
	}
	project, err := gateRules(ctx, f, pr.Repo)
	if err != nil {
		return "", err
	}
	if err := p.finish(ctx, k.loaded, pr); err != nil {
		return "", err
	}
	plan := *k.state.Plan
	plan.Change, plan.Out = k.loaded.Change, ""
	if p.clone != nil {
		plan.Out = p.clone.Root
	}
	plan.Blocking, plan.Viewer = project.Blocking, person()
	if me, err := f.Viewer(ctx); err == nil { // without a token it is the system's user
		plan.Viewer = me.Login
	}
	path := journal.PathOf(runs, plan.Change, k.header.Run)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	own, err := k.own(plan)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", fmt.Errorf("making room for the run: %w", err)
	}
	if err := renameio.WriteFile(path, own, 0o600); err != nil {
		return "", fmt.Errorf("writing the run: %w", err)
	}
	return path, nil
}

// own is the journal with a plan and a change of one's own.
func (k keptRun) own(plan event.Plan) ([]byte, error) {
	packed, err := packDiff(k.loaded.Raw)
	if err != nil {
		return nil, err
	}
	instead := map[event.Kind]any{event.Planned: plan, event.DiffStored: packed}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	if err := enc.Encode(k.header); err != nil {
		return nil, fmt.Errorf("writing the run: %w", err)
	}
	for _, e := range k.events {
		if data, ok := instead[e.Kind]; ok {
			own, err := event.New(e.Kind, "", 0, data)
			if err != nil {
				return nil, err
			}
			e.Data = own.Data
		}
		if err := enc.Encode(e); err != nil {
			return nil, fmt.Errorf("writing the run: %w", err)
		}
	}
	return out.Bytes(), nil
}

// packDiff is a change as a journal keeps it.
func packDiff(raw []byte) (event.DiffData, error) {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	_, err := w.Write(raw)
	if err := errors.Join(err, w.Close()); err != nil {
		return event.DiffData{}, fmt.Errorf("packing the diff: %w", err)
	}
	return event.DiffData{SHA256: hashOf(string(raw)), Gzip: z.Bytes()}, nil
}
