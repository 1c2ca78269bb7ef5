package opencode

import (
	"context"
	"fmt"
	"time"

	"github.com/mrv-dev/mrv/engine/agent"
	"github.com/mrv-dev/mrv/engine/review"
)

// follow drives one turn to its end: it feeds the turn with events, polls and
// repairs, keeps the clocks, and aborts when it must.
type follow struct {
	session  *session
	turn     *turn
	emit     func(agent.Update)
	accepted time.Time // when the server had taken it
	idle     time.Time // since when every poll has said that nothing runs; zero = it runs

	heard  int           // the turn's count of signs of life, last time
	silent time.Duration // since then; time asleep does not count
	stuck  bool          // the server never said that the turn is over
	failed *review.Failure
}

// run follows the turn until it is over or failed.
func (f *follow) run(ctx context.Context) {
	const beat = 100 * time.Millisecond
	tick := time.NewTicker(beat)
	defer tick.Stop()
	last := time.Now()
	for f.failed == nil && f.turn.state != over {
		select {
		case <-f.session.box.ready:
			f.read(ctx)
		case now := <-tick.C:
			// A stopped or sleeping mrv hears nothing: what is more than a
			// few beats is not silence of the provider.
			f.silent += min(now.Sub(last), 5*beat)
			last = now
			f.watch(ctx)
		case <-ctx.Done():
			f.stop(aborted(ctx))
		case <-f.session.server.process.Done():
			f.read(context.WithoutCancel(ctx)) // what it said before
			if f.turn.state != over {
				f.failed = f.session.server.death()
			}
		}
		if f.turn.stop != nil && f.failed == nil {
			if f.turn.state == retrying {
				f.turn.stop.RetryAfter = time.Until(f.turn.until).Round(time.Second)
			}
			f.stop(f.turn.stop)
		}
	}
	if f.turn.state == over && !f.stuck {
		f.session.active.Store(false)
	}
	f.session.earlier[f.turn.user] = true
}

// read folds what the mailbox holds.
func (f *follow) read(ctx context.Context) {
	for _, n := range f.session.box.take() {
		switch {
		case n.gap:
			f.emit(agent.Update{Kind: agent.UpNotice, Text: "the connection to OpenCode broke and is back; text that came meanwhile follows when its part ends"})
			f.repair(ctx)
		case n.poll != nil:
			f.polled(ctx, *n.poll)
		default:
			f.tell(f.turn.event(n.event))
		}
		if f.turn.state == over || f.turn.stop != nil {
			return
		}
	}
}

func (f *follow) tell(ups []agent.Update) {
	for _, u := range ups {
		f.emit(u)
	}
	if f.turn.heard != f.heard {
		f.heard, f.silent = f.turn.heard, 0
	}
}

// polled folds what a poll said. A poll that was sent before the prompt was
// taken says nothing about it. An idle session whose turn has no end yet has
// lost its events, or is only ahead of them, or has not begun: the messages
// that the server holds tell which.
func (f *follow) polled(ctx context.Context, p polled) {
	if p.asked.Before(f.accepted) {
		return
	}
	if p.status.Type != "idle" {
		f.idle = time.Time{}
		if f.turn.user == "" {
			f.repair(ctx) // it runs, and its beginning was missed
		}
		f.tell(f.turn.status(p.status))
		return
	}
	if f.idle.IsZero() {
		f.idle = p.asked
	}
	f.repair(ctx)
	if f.turn.settled() || p.asked.Sub(f.idle) >= f.session.server.timing.Begin {
		f.turn.state = over
	}
}

// repair folds the messages that the server holds.
func (f *follow) repair(ctx context.Context) {
	ms, err := f.session.server.client.messages(ctx, f.session.id, f.turn.lastMessage())
	if err != nil {
		return // the next poll repairs again
	}
	f.tell(f.turn.repair(ms))
}

// watch keeps the session's clocks. A retry that the server announced, a tool
// that runs, and a call that is being written unseen are no silence.
func (f *follow) watch(ctx context.Context) {
	clocks := f.session.spec.Clocks
	var limit time.Duration
	switch f.turn.wait {
	case forEnd:
		if f.silent >= f.session.server.timing.Begin {
			f.end(ctx)
		}
		return
	case forFirstByte:
		limit = clocks.FirstByte
	case forNextByte:
		limit = clocks.Silence
	}
	if limit == 0 {
		if f.turn.wait == forRetry {
			f.silent = 0
		}
		return
	}
	if f.silent >= limit {
		f.stop(&review.Failure{
			Kind:    review.FailSilent,
			Message: fmt.Sprintf("nothing came from %s for %v (waiting for the %s)", f.session.spec.Model, limit, f.turn.wait),
		})
	}
}

// end takes a turn for over whose answer is whole, but whose session is said to
// be at work still: nothing more will come.
func (f *follow) end(ctx context.Context) {
	f.repair(ctx)
	if !f.turn.settled() {
		f.turn.wait, f.silent = forFirstByte, 0
		return
	}
	f.turn.state, f.stuck = over, true
	f.emit(agent.Update{Kind: agent.UpNotice, Text: "OpenCode does not say that the turn is over; the answer is whole"})
}

// stop aborts the turn, and takes in what still comes until it is idle.
func (f *follow) stop(why *review.Failure) {
	f.failed = why
	s := f.session
	ctx, cancel := context.WithTimeout(context.Background(), s.server.timing.Idle)
	defer cancel()
	if s.server.client.abort(ctx, s.id) != nil {
		return
	}
	look := time.NewTicker(idleLook)
	defer look.Stop()
	for f.turn.state != over {
		select {
		case <-s.box.ready:
			f.drain()
		case <-look.C: // the event of its end may never come
			if s.server.idle(ctx, s.id) {
				f.drain()
				return
			}
		case <-ctx.Done():
			return
		case <-s.server.process.Done():
			return
		}
	}
	s.active.Store(false)
}

// drain folds the events that are there, and leaves polls alone.
func (f *follow) drain() {
	for _, n := range f.session.box.take() {
		if n.poll == nil && !n.gap {
			f.tell(f.turn.event(n.event))
		}
	}
}

// answer is the turn's answer. Why it was stopped outweighs what the server
// says about that.
func (f *follow) answer() (agent.Answer, error) {
	a, failure := f.turn.answer()
	if f.failed != nil {
		failure = f.failed
		if a.Text == "" {
			a.Text = f.turn.rescue()
		}
	}
	if a.Model == (review.Model{}) {
		a.Model = f.session.spec.Model
	}
	if failure != nil {
		return a, failure
	}
	return a, nil
}
