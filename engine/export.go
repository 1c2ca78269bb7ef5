package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/document"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/inbox"
	"github.com/mrv-dev/mrv/engine/review"
)

// TargetInbox and TargetPR are where accepted findings can go.
const (
	TargetInbox = "inbox"
	TargetPR    = "pr"
)

// Document is the run as it stands, ready to be written out.
func (r *Run) Document(ctx context.Context) (document.Document, error) {
	var d document.Document
	err := r.in(ctx, func() error {
		d = document.Build(r.state, document.Options{At: time.Now()})
		return nil
	})
	return d, err
}

// Context returns the lines from..to (1-based, inclusive) of a file on one
// side of the change, from git objects at the reviewed SHA.
func (r *Run) Context(ctx context.Context, path string, side diff.Side, from, to int) ([]string, error) {
	if r.rooms.store == nil {
		return nil, errors.New("this run has no repository to read more lines from")
	}
	sha := r.plan.Change.Identity
	if side == diff.Left {
		sha = r.plan.Change.MergeBase
	}
	raw, ok, err := r.rooms.store.Show(ctx, sha, path)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("%s is not in %s", path, event.Short(sha))
	}
	lines := strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n")
	from, to = max(from, 1), min(to, len(lines))
	if from > to {
		return nil, nil
	}
	return lines[from-1 : to], nil
}

// Landing says what would be written where, before anything is.
func (r *Run) Landing(ctx context.Context) (event.Landing, error) {
	doc, err := r.Document(ctx)
	if err != nil {
		return event.Landing{}, err
	}
	c := r.plan.Change
	land := event.Landing{As: r.plan.Viewer, Head: c.Identity, Current: c.Identity}
	if r.rooms.head != nil {
		if land.Current, err = r.rooms.head(ctx); err != nil {
			land.Current = ""
		}
		land.Moved = land.Current != "" && land.Current != c.Identity
	}
	land.Destinations = append(land.Destinations, r.inboxLanding(ctx, doc, land.Moved))
	if c.Source == event.FromPR {
		land.Destinations = append(land.Destinations, r.postLanding(ctx, &land))
	}
	return land, nil
}

func (r *Run) inboxLanding(ctx context.Context, doc document.Document, moved bool) event.Destination {
	d := event.Destination{Target: TargetInbox, Ready: true}
	switch {
	case r.plan.Out == "":
		d.Ready, d.Why = false, "no clone of the reviewed repository is here: name a directory with --out"
	case moved:
		d.Ready, d.Why = false, "the head has moved since the review: run it again"
	case doc.Leaks(r.known(ctx)...):
		d.Ready, d.Why = false, errLeak.Error()
	default:
		for _, p := range inbox.Paths(doc) {
			d.Where = append(d.Where, filepath.Join(r.plan.Out, filepath.FromSlash(p)))
		}
	}
	for _, f := range doc.Findings {
		if f.Status == document.Undecided {
			continue
		}
		d.Items = append(d.Items, event.Item{Entry: f.ID, As: string(f.Status), Where: f.Where})
	}
	return d
}

// export writes to the targets and journals what went where.
func (r *Run) export(ctx context.Context, targets []string) error {
	land, err := r.Landing(ctx)
	if err != nil {
		return err
	}
	if len(targets) == 0 {
		return errors.New("nothing is ticked")
	}
	for _, t := range targets {
		if err := ready(land, t); err != nil {
			return err
		}
	}
	// The inbox first: it is there also when the forge refuses.
	if slices.Contains(targets, TargetInbox) {
		if err := r.exportInbox(ctx); err != nil {
			return err
		}
	}
	if slices.Contains(targets, TargetPR) {
		return r.exportPost(ctx)
	}
	return nil
}

// tracked lists the inbox files that the reviewed head itself tracks: they are
// part of the change, not an inbox.
func (r *Run) tracked(ctx context.Context) []string {
	if r.rooms.store == nil {
		return nil
	}
	list, err := r.rooms.store.List(ctx, r.plan.Change.Identity, inbox.Dir)
	if err != nil {
		return nil // a head without the folder has no such tree
	}
	var paths []string
	for _, e := range list {
		paths = append(paths, e.Path)
	}
	return paths
}

// ready refuses a target that can not be written to.
func ready(land event.Landing, target string) error {
	for _, d := range land.Destinations {
		if d.Target == target {
			if !d.Ready {
				return fmt.Errorf("%s: %s", target, d.Why)
			}
			return nil
		}
	}
	return fmt.Errorf("there is no target %q", target)
}

// Exit is the exit code of the run as it stands.
func (r *Run) Exit(ctx context.Context, failOn review.Severity) (review.Exit, error) {
	code := review.ExitOK
	err := r.in(ctx, func() error {
		code = review.ExitOf(r.state.Case(), failOn)
		if r.state.Interrupted {
			code = review.WorseExit(code, review.ExitInterrupted)
		}
		return nil
	})
	return code, err
}
