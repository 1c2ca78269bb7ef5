package main

import (
	"context"
	"time"

	"github.com/mrv-dev/mrv/engine"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/tui"
)

// starter begins the planned run when the screen asks for it.
type starter struct {
	planned *engine.Planned
	run     *screenRun // nil until it has begun
	fatal   chan error
}

func (s *starter) Plan() event.Plan { return s.planned.Plan() }

func (s *starter) Start(ctx context.Context) (tui.Run, error) {
	run, err := s.planned.Start(ctx)
	if err != nil {
		return nil, err
	}
	s.run = onScreen(run, s.fatal)
	return s.run, nil
}

// Questions are what the person must allow before the run may begin.
func (s *starter) Questions() []tui.Question {
	var out []tui.Question
	for _, q := range s.planned.Questions() {
		out = append(out, tui.Question{Text: q.Text, Allow: func() error { return s.planned.Allow(q) }})
	}
	return out
}

// Replan plans anew with another team or without some files.
func (s *starter) Replan(ctx context.Context, team string, drop []string) error {
	again, err := s.planned.Again(ctx, team, drop)
	if err == nil {
		s.planned = again
	}
	return err
}

// id names the run, "" when none has begun.
func (s *starter) id() string {
	if s.run == nil {
		return ""
	}
	return s.run.id()
}

// close ends the run, or frees the plan that was never started.
func (s *starter) close() error {
	if s.run == nil {
		return s.planned.Close()
	}
	return s.run.close()
}

// screenRun is the run as the screen sees it. What ends the run before its
// time, such as a full disk, goes to fatal, so that the screen ends too.
type screenRun struct {
	*engine.Run
	fatal chan<- error
	stop  context.CancelFunc
	over  chan struct{} // the watch has ended
}

func onScreen(run *engine.Run, fatal chan<- error) *screenRun {
	ctx, stop := context.WithCancel(context.Background())
	r := &screenRun{run, fatal, stop, make(chan struct{})}
	go func() {
		defer close(r.over)
		if err := run.Settled(ctx); err != nil && ctx.Err() == nil {
			r.end(err)
		}
	}()
	return r
}

func (r *screenRun) id() string { return r.ID() }

// end tells the screen to end; the first reason stands.
func (r *screenRun) end(err error) {
	select {
	case r.fatal <- err:
	default:
	}
}

// close ends the run; what came in is kept.
func (r *screenRun) close() error {
	r.stop()
	<-r.over
	return closeRun(r.Run)
}

// closeRun ends a run and waits for its servers to go.
func closeRun(run *engine.Run) error {
	const patience = 15 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return run.Close(ctx)
}

// Updates follows the run until it is closed.
func (r *screenRun) Updates() <-chan []event.Event {
	updates, err := r.Run.Updates(context.Background())
	if err != nil {
		r.end(err)
		closed := make(chan []event.Event)
		close(closed)
		return closed
	}
	return updates
}
