package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os/user"
	"slices"
	"strings"
	"time"

	"github.com/mrv-dev/mrv/engine/config"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

// Do obeys a command. It returns when the command's event is on disk, or with
// an error in words that a person can act on; then nothing has changed.
func (r *Run) Do(ctx context.Context, c event.Command) error {
	if c.Kind == event.CmdExport {
		return r.export(ctx, c.Targets)
	}
	return r.in(ctx, func() error {
		if r.failed != nil {
			return r.failed
		}
		switch c.Kind {
		case event.CmdStop, event.CmdAbort, event.CmdRetry, event.CmdModel, event.CmdTime, event.CmdCoordinate, event.CmdAdd:
			return r.steer(c)
		case event.CmdDecide, event.CmdUndo, event.CmdRedo:
			return r.decide(c)
		case event.CmdSplit, event.CmdJoin, event.CmdRestore, event.CmdEdit, event.CmdNote, event.CmdOwn:
			return r.amend(c)
		case event.CmdChallenge:
			return r.challenge(c)
		}
		return fmt.Errorf("unknown command %q", c.Kind)
	})
}

// steer obeys a command over the running panel. Loop only.
func (r *Run) steer(c event.Command) error {
	var err error
	switch c.Kind {
	case event.CmdStop:
		if len(r.running) == 0 && !r.merging {
			return errors.New("nothing is running")
		}
		r.stopped = true
		for _, ctl := range r.controls {
			if ctl.cancel != nil {
				ctl.cancel(errStopped)
			}
		}
	case event.CmdCoordinate:
		err = r.coordinateNow()
	case event.CmdAdd:
		return r.addReviewer(c)
	default:
		err = r.steerOne(c)
	}
	if err != nil {
		return err
	}
	return r.append(true, event.Commanded, "", 0, c)
}

// coordinateNow ends the reviewers still at work, as missing, and goes on.
func (r *Run) coordinateNow() error {
	switch {
	case r.merging:
		return errors.New("the coordinator is at work already")
	case r.reports() == 0:
		return errors.New("no report has come in yet")
	case r.state.Phase == event.PhaseTriage:
		r.coordinate()
		return nil
	}
	for name := range r.running {
		if c := r.controls[name]; c != nil {
			c.again = false
			c.cancel(errOmitted)
		}
	}
	return nil
}

func (r *Run) steerOne(c event.Command) error {
	rv := r.state.Reviewer(c.Reviewer)
	if rv == nil {
		return fmt.Errorf("there is no reviewer %q", c.Reviewer)
	}
	ctl := r.controls[c.Reviewer]
	running := r.running[c.Reviewer] || (c.Reviewer == event.Coordinator && r.merging)
	switch c.Kind {
	case event.CmdAbort:
		if !running {
			return fmt.Errorf("%s is not running", c.Reviewer)
		}
		ctl.again = false
		ctl.cancel(errAborted)
	case event.CmdTime:
		if !running || c.MS <= 0 {
			return fmt.Errorf("%s is not running", c.Reviewer)
		}
		ctl.more(time.Duration(c.MS) * time.Millisecond)
	case event.CmdRetry, event.CmdModel:
		if r.spentAll.Load() {
			return errBudget
		}
		if c.Kind == event.CmdModel {
			m, err := config.ParseModel(c.Text)
			if err != nil {
				return err
			}
			if ctl == nil {
				ctl = newControl(func(error) {}, 0)
				r.controls[c.Reviewer] = ctl
			}
			ctl.models = []review.Model{m}
		}
		if c.Reviewer == event.Coordinator {
			return r.coordinateNow()
		}
		return r.again(rv, running)
	}
	return nil
}

// again starts a reviewer afresh, now or when it has ended. Loop only.
func (r *Run) again(rv *event.Reviewer, running bool) error {
	if rv.Skip != "" {
		return fmt.Errorf("%s is skipped: %s", rv.Name, rv.Skip)
	}
	if running {
		ctl := r.controls[rv.Name]
		ctl.again = true
		ctl.cancel(errAgain)
		return nil
	}
	if err := r.revive(); err != nil {
		return err
	}
	r.launch(rv.Member)
	return nil
}

// revive makes agents again for a run that was resumed. Loop only.
func (r *Run) revive() error {
	if r.rooms.start == nil {
		return errors.New("this run has no agents: it is a replay")
	}
	select {
	case <-r.up.done:
		if r.up.err != nil { // the start failed before; what was wrong may be put right
			r.startAgents()
		}
	default:
		if len(r.running) == 0 && r.agent(r.plan.Agent) == nil {
			r.startAgents()
		}
	}
	return nil
}

// addReviewer adds one more instance of a persona to the team. Loop only.
func (r *Run) addReviewer(c event.Command) error {
	n, from := 0, -1
	for i, m := range r.state.Reviewers {
		if m.Persona.Name == c.Text {
			n, from = n+1, i
		}
	}
	if from < 0 {
		return fmt.Errorf("the team has no %q to add another of", c.Text)
	}
	m := r.state.Reviewers[from].Member
	m.Name, m.Skip = fmt.Sprintf("%s-%d", c.Text, n+1), ""
	if err := r.append(true, event.MemberAdded, m.Name, 0, m); err != nil {
		return err
	}
	if err := r.revive(); err != nil {
		return err
	}
	r.launch(m)
	return nil
}

// sources resolves ids of entries or findings to source ids. Loop only.
func (r *Run) sources(ids []string) ([]string, error) {
	var out []string
	for _, id := range ids {
		e, ok := r.state.Entry(id)
		if !ok {
			return nil, fmt.Errorf("there is no finding %q", id)
		}
		for _, s := range e.Sources {
			if !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	if len(out) == 0 {
		return nil, errors.New("no finding is named")
	}
	return out, nil
}

// decide journals decisions, undo and redo, on disk before it returns. Loop only.
func (r *Run) decide(c event.Command) error {
	s := r.state
	switch c.Kind {
	case event.CmdUndo:
		n := len(s.UndoStack)
		if n == 0 {
			return errors.New("nothing to undo")
		}
		ref := s.UndoStack[n-1]
		return r.step(event.StepData{Op: "undo", Label: "undo: " + ref.Label, Patch: ref.Before, Cursor: ref.Cursor})
	case event.CmdRedo:
		n := len(s.RedoStack)
		if n == 0 {
			return errors.New("nothing to redo")
		}
		ref := s.RedoStack[n-1]
		return r.step(event.StepData{Op: "redo", Label: "redo: " + ref.Label, Patch: ref.After, Cursor: ref.Cursor})
	}
	if c.Decision == nil {
		return errors.New("no decision is given")
	}
	d := *c.Decision
	if err := d.Check(); err != nil {
		return err
	}
	ids, err := r.sources(c.IDs)
	if err != nil {
		return err
	}
	d.By, d.At, d.Inherited, d.Carried = r.plan.Viewer, event.Stamp(time.Now()), false, ""
	patch := event.Patch{Decisions: map[string]review.Decision{}}
	for _, id := range ids {
		if d.Choice == review.Undecided {
			patch.Decisions[id] = review.Decision{}
		} else {
			patch.Decisions[id] = d
		}
	}
	return r.step(event.StepData{Op: "do", Label: label(d, len(c.IDs)), Patch: patch, Cursor: c.Cursor})
}

// label words a decision for the history and for undo.
func label(d review.Decision, n int) string {
	verb := map[review.Choice]string{
		review.Accepted: "accept", review.Rejected: "reject", review.Escalated: "escalate", review.Undecided: "reopen",
	}[d.Choice]
	what := review.Count(n, "finding")
	if d.Reason != "" {
		return fmt.Sprintf("%s %s: %s", verb, what, d.Reason)
	}
	return verb + " " + what
}

// step journals one step of the person and merges again where it changes what
// belongs together. Loop only.
func (r *Run) step(d event.StepData) error {
	if err := r.append(true, event.Decided, "", 0, d); err != nil {
		return err
	}
	if d.Patch.SetOps || len(d.Patch.Own) > 0 {
		r.remerge()
	}
	return nil
}

// amend obeys the commands that change findings rather than decide them. Loop only.
func (r *Run) amend(c event.Command) error {
	if c.Kind == event.CmdOwn {
		return r.own(c)
	}
	if c.Kind == event.CmdSplit {
		return r.split(c)
	}
	ids, err := r.sources(c.IDs)
	if err != nil {
		return err
	}
	d := event.StepData{Op: "do", Cursor: c.Cursor}
	switch c.Kind {
	case event.CmdJoin:
		if len(c.IDs) < 2 {
			return errors.New("select two findings or more to make them one")
		}
		d.Label = "make one of " + strings.Join(c.IDs, ", ")
		d.Patch = event.Patch{SetOps: true, Ops: append(slices.Clone(r.state.Ops), event.MergeOp{Op: "join", IDs: ids})}
	case event.CmdRestore:
		d.Label = "bring back " + strings.Join(c.IDs, ", ")
		d.Patch.Restored = map[string]bool{}
		for _, id := range ids {
			d.Patch.Restored[id] = true
		}
	case event.CmdEdit:
		d.Label = "edit " + c.IDs[0]
		d.Patch.Edits = map[string]*event.Wording{}
		if c.Wording != nil {
			c.Wording.By = r.plan.Viewer
		}
		for _, id := range ids {
			d.Patch.Edits[id] = c.Wording
		}
	case event.CmdNote:
		d.Label = "note on " + c.IDs[0]
		var n *event.Note
		if strings.TrimSpace(c.Text) != "" {
			n = &event.Note{To: c.To, Text: c.Text, By: r.plan.Viewer}
		}
		d.Patch.Notes = map[string]*event.Note{ids[0]: n}
	}
	return r.step(d)
}

func (r *Run) split(c event.Command) error {
	if len(c.IDs) == 0 {
		return errors.New("no finding is named")
	}
	e, ok := r.state.Entry(c.IDs[0])
	if !ok || !slices.Contains(e.Sources, c.IDs[0]) {
		return fmt.Errorf("there is no finding %q", c.IDs[0])
	}
	if len(e.Sources) < 2 {
		return fmt.Errorf("%s stands alone already", c.IDs[0])
	}
	rest := slices.DeleteFunc(slices.Clone(e.Sources), func(id string) bool { return id == c.IDs[0] })
	op := event.MergeOp{Op: "split", IDs: append([]string{c.IDs[0]}, rest...)}
	return r.step(event.StepData{Op: "do", Label: "split out " + c.IDs[0], Cursor: c.Cursor,
		Patch: event.Patch{SetOps: true, Ops: append(slices.Clone(r.state.Ops), op)}})
}

// own adds a finding of the person. Loop only.
func (r *Run) own(c event.Command) error {
	if c.Finding == nil || strings.TrimSpace(c.Finding.Title+c.Finding.Observation) == "" {
		return errors.New("an own finding needs a title or an observation")
	}
	f := *c.Finding
	n := 1
	for id := range maps.Keys(r.state.Findings) {
		if who, k, ok := review.SplitID(id); ok && who == event.Own && k >= n {
			n = k + 1
		}
	}
	f.Reviewer, f.Ordinal, f.ID = event.Own, n, review.FindingID(event.Own, n)
	if f.Severity.Rank() == 0 {
		f.Severity = review.Warning
	}
	d := review.Decision{Choice: review.Accepted, By: r.plan.Viewer, At: event.Stamp(time.Now())}
	return r.step(event.StepData{Op: "do", Label: "add " + f.ID, Cursor: f.ID, Patch: event.Patch{
		Own: map[string]*review.Finding{f.ID: &f}, Decisions: map[string]review.Decision{f.ID: d}}})
}

// person names who decides when the forge does not say: the system's user.
func person() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return "you"
}
