package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/git"
	"github.com/mrv-dev/mrv/engine/journal"
)

// Open takes up a run again: what had arrived is there, decisions can go on.
// Reviewers that had not finished start again when finish is set and their
// agents can be made. Agents are made only when something needs them.
func Open(ctx context.Context, path string, o Options, finish bool) (*Run, error) {
	w, events, err := journal.Open(path)
	if err != nil {
		return nil, err
	}
	state, err := event.Fold(events)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("reading the run: %w", err), w.Close())
	}
	if state.Plan == nil {
		return nil, errors.Join(fmt.Errorf("the run in %s ended before it was planned; `mrv runs rm` removes it", path), w.Close())
	}
	rooms, err := o.roomsFor(ctx, *state.Plan, state.Diff)
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	r := newRun(*state.Plan, w, state, rooms)
	err = r.in(ctx, func() error { return r.takeUp(finish) })
	if err != nil {
		return nil, errors.Join(err, r.Close(ctx))
	}
	return r, nil
}

// takeUp puts a reopened run into order: reviewers that were at work when mrv
// ended are aborted, or start again. Loop only.
func (r *Run) takeUp(finish bool) error {
	var unfinished []event.Member
	for _, rv := range r.state.Reviewers {
		if rv.Status.Final() && !(finish && rv.Status == event.StatusAborted) {
			continue
		}
		unfinished = append(unfinished, rv.Member)
		if !rv.Status.Final() {
			d := event.StatusData{Status: event.StatusAborted, Text: "mrv ended while it was at work"}
			if err := r.append(false, event.StatusChanged, rv.Name, rv.Turn, d); err != nil {
				return err
			}
		}
	}
	judging := r.state.Phase == event.PhaseMerging && r.plan.Coordinator != nil
	if !finish || (len(unfinished) == 0 && !judging) || r.rooms.start == nil {
		if len(r.state.Order) > 0 && len(r.state.Entries) == 0 {
			r.remerge()
		}
		return r.append(true, event.PhaseChanged, "", 0, event.PhaseData{Phase: event.PhaseTriage, Interrupted: len(unfinished) > 0})
	}
	if ms := r.plan.Limits.RunMS; ms > 0 {
		r.deadline.set(time.Duration(ms-min(r.plan.Limits.CoordinatorMS, ms/2)) * time.Millisecond)
	}
	if err := r.append(true, event.PhaseChanged, "", 0, event.PhaseData{Phase: event.PhaseReviewing}); err != nil {
		return err
	}
	r.startAgents()
	for _, m := range unfinished {
		r.launch(m)
	}
	r.advance()
	return nil
}

// Replay plays a finished run's journal again, at its pace times speed (0:
// at once). Nothing is written; gaps longer than maxGap are shortened.
func Replay(ctx context.Context, path string, speed float64) (<-chan []event.Event, event.Plan, error) {
	_, events, err := journal.Read(path)
	if err != nil {
		return nil, event.Plan{}, err
	}
	state, err := event.Fold(events)
	if err != nil {
		return nil, event.Plan{}, fmt.Errorf("reading the run: %w", err)
	}
	if state.Plan == nil {
		return nil, event.Plan{}, fmt.Errorf("the run in %s was never planned", path)
	}
	out := make(chan []event.Event)
	go func() {
		defer close(out)
		play(ctx, events, speed, out)
	}()
	return out, *state.Plan, nil
}

// maxGap is the longest pause of a replay: nobody wants to watch a lunch break.
const maxGap = 3 * time.Second

func play(ctx context.Context, events []event.Event, speed float64, out chan<- []event.Event) {
	for i := 0; i < len(events); {
		j := i + 1
		for j < len(events) && events[j].TMS == events[i].TMS {
			j++
		}
		if i > 0 && speed > 0 {
			gap := time.Duration(float64(events[i].TMS-events[i-1].TMS)/speed) * time.Millisecond
			t := time.NewTimer(min(gap, maxGap))
			select {
			case <-t.C:
			case <-ctx.Done():
				t.Stop()
				return
			}
		}
		select {
		case out <- events[i:j]:
		case <-ctx.Done():
			return
		}
		i = j
	}
}

// openStore opens the private object store a run was made with, if it is still
// there; without it there are no context lines, and nothing else is missing.
func openStore(ctx context.Context, dir string) *git.Store {
	if dir == "" {
		return nil
	}
	s, err := git.OpenExisting(ctx, dir)
	if err != nil {
		return nil
	}
	return s
}

// Transcript is everything a reviewer wrote, read back from the journal.
func (r *Run) Transcript(ctx context.Context, reviewer string) (string, error) {
	var events []event.Event
	err := r.in(ctx, func() (err error) {
		r.flush(reviewer)
		_, events, err = journal.Read(r.path)
		return err
	})
	if err != nil {
		return "", err
	}
	return event.Transcript(events, reviewer)
}
