package engine

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

// floor is the least time a reviewer's first turn gets, however late the run
// is (opencode-actions gives each call 30 s; here it is given once).
const floor = 30 * time.Second

// lastRetry is how much time must be left for a retry to be worth it
// (Cloudflare: no retry under two minutes).
const lastRetry = 2 * time.Minute

// tryModel asks one model, again in a fresh session while a failure can pass.
func (b *bench) tryModel(ctx context.Context, model review.Model) ending {
	var end ending
	for try := 0; ; try++ {
		leave, err := b.run.circuits.enter(model)
		if err != nil && !b.another {
			leave, err = b.cool(ctx, model, end.text)
		}
		if err != nil {
			return b.failed(ctx, &review.Failure{Kind: review.FailProvider, Message: err.Error()})
		}
		b.attempt++
		end = b.attend(ctx, model)
		leave(end.failure)
		f := end.failure
		if f == nil || ctx.Err() != nil || !b.worth(f) || try >= b.run.plan.Limits.Retries {
			return end
		}
		if err := b.pause(ctx, f, try); err != nil {
			return b.stopped(ctx, err)
		}
	}
}

// cool waits until the model's circuit lets a probe through, or time is up.
// last is what this reviewer heard of the model before.
func (b *bench) cool(ctx context.Context, model review.Model, last string) (func(*review.Failure), error) {
	text := errCircuit.Error()
	if last != "" {
		text += "; the last: " + last
	}
	b.status(event.StatusData{Status: event.StatusRetrying, Text: text, Attempt: b.attempt + 1,
		NextMS: b.run.elapsed() + b.run.circuits.cooldown.Milliseconds()})
	tick := time.NewTicker(max(b.run.circuits.cooldown/20, 10*time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if leave, err := b.run.circuits.enter(model); err == nil {
				return leave, nil
			}
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// failsOver reports whether another model could do what this one could not.
func failsOver(f *review.Failure) bool {
	return f.Passing() || f.Kind == review.FailAuth || f.Kind == review.FailModel || f.Kind == review.FailOverflow
}

// worth reports whether a failure can pass and enough time is left to try.
func (b *bench) worth(f *review.Failure) bool {
	if !f.Passing() {
		return false
	}
	if b.run.spentAll.Load() {
		return false
	}
	need := min(lastRetry, time.Duration(b.run.plan.Limits.ReviewerMS)*time.Millisecond/2)
	left := b.left()
	return left >= need && f.RetryAfter < left
}

// left is how long this reviewer may still work.
func (b *bench) left() time.Duration {
	if !b.limited {
		return b.clock.left()
	}
	return min(b.clock.left(), b.bound.left())
}

// pause waits before the next attempt: what the provider asked for, else 1 s
// doubling with up to half of it as jitter.
func (b *bench) pause(ctx context.Context, f *review.Failure, try int) error {
	d := f.RetryAfter
	if d == 0 {
		base := time.Second << try
		d = base + rand.N(base/2)
	}
	if limit := time.Duration(b.run.plan.Limits.ReviewerMS) * time.Millisecond / 20; f.RetryAfter == 0 && d > limit {
		d = limit
	}
	b.trouble = f.Message
	b.status(event.StatusData{Status: event.StatusRetrying, Text: f.Message, Failure: f, Attempt: b.attempt + 1,
		NextMS: b.run.elapsed() + d.Milliseconds()})
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// limit ends the reviewer at the run's deadline, but not before the floor has
// passed; the run's hard stop is the deadline and the floor, for everybody.
func (b *bench) limit() {
	left, ok := b.run.deadline.left()
	if !ok || b.late {
		return
	}
	grace := min(floor, time.Duration(b.run.plan.Limits.RunMS)*time.Millisecond)
	b.limited = true
	b.bound.startAt(min(max(left, grace), left+grace))
}
