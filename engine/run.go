package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mrv-dev/mrv/engine/agent"
	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/git"
	"github.com/mrv-dev/mrv/engine/journal"
	"github.com/mrv-dev/mrv/engine/review"
)

// Run is one panel over one change. Its methods may be called from any
// goroutine.
type Run struct {
	id    string
	path  string
	plan  event.Plan
	rooms rooms

	ctx     context.Context // ends with the run
	cancel  context.CancelCauseFunc
	work    sync.WaitGroup // reviewers, coordinator, commands under way
	closing sync.Once
	closed  error
	calls   chan func()
	ended   chan struct{} // the loop has returned

	// Owned by the loop.
	journal  *journal.Writer
	state    *event.State
	feeds    []*feed
	earlier  memory                  // of earlier rounds of the change
	texts    map[string]*pendingText // by reviewer
	controls map[string]*control
	running  map[string]bool // reviewers that have not ended
	sessions map[string]agent.Session
	merging  bool
	stopped  bool             // the person stopped the panel
	failed   error            // of the journal: nothing more is accepted
	lines    map[string]*line // by provider
	servers  map[string]int   // process of each kind of agent, as far as it has one

	nearBudget, unpriced bool
	spentAll             atomic.Bool // the budget is used up: nothing more is asked

	deadline horizon // of the reviewers
	circuits *circuits

	start    time.Time // when this process took the run up, at startMS of its clock
	startMS  int64
	up       *agentsUp
	agentsMu sync.Mutex
}

// rooms are what a run needs beside its journal.
type rooms struct {
	agents map[string]agent.Agent // by kind
	start  func(context.Context, func(event.ServerData)) (map[string]agent.Agent, error)
	store  *git.Store // nil when there are no objects
	head   func(context.Context) (string, error)
	shut   func() error // frees what the agents read
	close  func() error // shut, and what else the run holds
	// reviewed is the part of the change that is reviewed; sight knows what
	// its reviewers can have looked at; prompt makes a reviewer's prompts, one
	// a part of the change.
	reviewed    *diff.Set
	sight       sight
	prompt      func(event.Member) []part
	relative    func(path string) string // to the tree that reviewers read
	locate      func(review.Finding) diff.Place
	perProvider func(provider string) int // sessions at a time, 0 = any
	cooldown    time.Duration             // of a model's circuit
}

// ID is the run's id.
func (r *Run) ID() string { return r.id }

// Journal is the path of the run's journal.
func (r *Run) Journal() string { return r.path }

// Plan is what was fixed before the run began.
func (r *Run) Plan() event.Plan { return r.plan }

// newRun makes the run around an open journal and starts its loop.
func newRun(plan event.Plan, w *journal.Writer, state *event.State, rooms rooms) *Run {
	ctx, cancel := context.WithCancelCause(context.Background())
	r := &Run{
		id: plan.Run, path: w.Path(), plan: plan, rooms: rooms, ctx: ctx, cancel: cancel,
		calls: make(chan func(), 64), ended: make(chan struct{}),
		journal: w, state: state, texts: map[string]*pendingText{}, controls: map[string]*control{},
		lines: map[string]*line{}, running: map[string]bool{}, sessions: map[string]agent.Session{},
		circuits: newCircuits(rooms.cooldown), servers: map[string]int{},
		start: time.Now(), startMS: w.Elapsed(), up: &agentsUp{done: make(chan struct{})},
	}
	var lost []string
	r.earlier, lost = recall(w.Path(), state, r.tracked(ctx))
	go r.loop()
	for _, text := range lost {
		r.post(event.Noticed, "", 0, event.NoticeData{Level: "warn", Text: text})
	}
	return r
}

// loop owns the journal and the state. It ends when calls is closed.
func (r *Run) loop() {
	defer close(r.ended)
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	last := time.Now()
	for {
		select {
		case f, ok := <-r.calls:
			if !ok {
				r.flushAll()
				return
			}
			f()
		case <-tick.C:
			r.flushAll()
			if gap := time.Since(last); gap > suspended {
				r.giveBack(gap)
			}
			last = time.Now()
		}
	}
}

// giveBack returns the time in which the process was stopped to every clock.
func (r *Run) giveBack(gap time.Duration) {
	for _, c := range r.controls {
		c.clock.giveBack(gap)
		c.bound.giveBack(gap)
	}
	r.deadline.giveBack(gap)
}

// errEnded is the answer to anything asked of a run that is closed.
var errEnded = errors.New("the run is closed")

// in runs f in the loop and waits for it.
func (r *Run) in(ctx context.Context, f func() error) error {
	done := make(chan error, 1)
	if !r.send(ctx, func() { done <- f() }) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return errEnded
	}
	select {
	case err := <-done:
		return err
	case <-r.ended:
		select {
		case err := <-done:
			return err
		default:
			return errEnded
		}
	}
}

// send hands f to the loop; false if the loop has ended.
func (r *Run) send(ctx context.Context, f func()) (sent bool) {
	select {
	case <-r.ended:
		return false
	default:
	}
	select {
	case r.calls <- f:
		return true
	case <-r.ended:
		return false
	case <-ctx.Done():
		return false
	}
}

// Settled waits until no reviewer and no coordinator is at work, and returns
// why the run stopped if it did.
func (r *Run) Settled(ctx context.Context) error {
	for {
		settled := false
		var failed error
		err := r.in(ctx, func() error {
			settled = r.state.Phase == event.PhaseTriage || r.state.Phase == event.PhaseClosed
			failed = r.failed
			return nil
		})
		switch {
		case err != nil:
			return err
		case failed != nil:
			return failed
		case settled:
			return nil
		}
		select {
		case <-time.After(flushEvery):
		case <-ctx.Done():
			return ctx.Err()
		case <-r.ended:
			return errEnded
		}
	}
}

// View runs f over the state as it is now; f must not keep it.
func (r *Run) View(ctx context.Context, f func(*event.State)) error {
	return r.in(ctx, func() error { f(r.state); return nil })
}

// Close stops what still runs, ends every server and snapshot, and closes the
// journal. Everything that came in is kept. A second call returns what the
// first did.
func (r *Run) Close(ctx context.Context) error {
	r.closing.Do(func() { r.closed = r.close(ctx) })
	return r.closed
}

func (r *Run) close(ctx context.Context) error {
	r.cancel(errLeft)
	r.work.Wait()
	var errs []error
	for kind, a := range r.rooms.agents {
		if err := a.Close(ctx); err != nil {
			errs = append(errs, fmt.Errorf("ending the %s agent: %w", kind, err))
		}
	}
	err := r.in(ctx, func() error {
		if r.failed != nil || r.state.Phase == event.PhaseClosed {
			return nil
		}
		return r.append(true, event.PhaseChanged, "", 0, event.PhaseData{Phase: event.PhaseClosed, Interrupted: r.state.Interrupted})
	})
	errs = append(errs, err)
	close(r.calls)
	<-r.ended
	for _, f := range r.feeds {
		f.end()
	}
	errs = append(errs, r.journal.Close())
	if r.rooms.close != nil {
		errs = append(errs, r.rooms.close())
	}
	return errors.Join(errs...)
}

// Why a reviewer's context ended, in words for the screen.
var (
	errLeft    = errors.New("mrv was left")
	errStopped = errors.New("stopped by you")
	errAborted = errors.New("aborted by you")
	errOmitted = errors.New("not waited for: you started the coordinator")
	errTimeUp  = errors.New("out of time")
	errRunTime = errors.New("the run is out of time")
	errAgain   = errors.New("started again by you")
	errBudget  = errors.New("the budget is used up")
)

// isHuman reports whether the person ended it.
func isHuman(cause error) bool {
	return errors.Is(cause, errLeft) || errors.Is(cause, errStopped) || errors.Is(cause, errAborted) || errors.Is(cause, errOmitted)
}

// asFailure finds the failure in an error, or makes one of it.
func asFailure(err error) *review.Failure {
	var f *review.Failure
	if errors.As(err, &f) {
		return f
	}
	return &review.Failure{Kind: review.FailOther, Message: err.Error()}
}

// Interrupt stops the panel as a signal does: sessions end, what came in is
// kept and merged, and the run says that it was interrupted.
func (r *Run) Interrupt(ctx context.Context) error {
	err := r.in(ctx, func() error {
		r.stopped = true
		for _, c := range r.controls {
			if c.cancel != nil {
				c.cancel(errStopped)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return r.Settled(ctx)
}
