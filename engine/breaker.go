package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/sony/gobreaker/v2"

	"github.com/mrv-dev/mrv/engine/review"
)

// The circuit breaker's figures: it opens after three retries within a minute
// across all reviewers, and lets exactly one probe through after two minutes
// (Cloudflare: two minutes, one probe).
const (
	tripAfter  = 3
	tripWithin = time.Minute
	cooldown   = 2 * time.Minute
)

// errCircuit is why a model is not asked while its circuit is open.
var errCircuit = errors.New("too many retries of this model")

// tripped ends a turn that waits for a model whose circuit is open.
func tripped() error { return &review.Failure{Kind: review.FailProvider, Message: errCircuit.Error()} }

// circuits keeps a circuit for each model, shared by all reviewers of a run.
// One provider's refusal of a key opens nothing: only what can pass counts.
type circuits struct {
	cooldown time.Duration

	mu      sync.Mutex
	byModel map[review.Model]*circuit
}

// circuit is one model's breaker and the turns that wait for it.
type circuit struct {
	breaker *gobreaker.TwoStepCircuitBreaker[any]
	waiting map[*bench]context.CancelCauseFunc
}

func newCircuits(cooldown time.Duration) *circuits {
	return &circuits{cooldown: cooldown, byModel: map[review.Model]*circuit{}}
}

func (c *circuits) of(m review.Model) *circuit {
	if x := c.byModel[m]; x != nil {
		return x
	}
	x := &circuit{waiting: map[*bench]context.CancelCauseFunc{}}
	x.breaker = gobreaker.NewTwoStepCircuitBreaker[any](gobreaker.Settings{
		Name: m.String(), MaxRequests: 1, Interval: tripWithin, BucketPeriod: tripWithin / 6, Timeout: c.cooldown,
		ReadyToTrip: func(n gobreaker.Counts) bool { return n.TotalFailures >= tripAfter },
	})
	c.byModel[m] = x
	return x
}

// enter asks whether a model may be asked now. The returned function says how
// it went. While the circuit is open, or its one probe is under way, the error
// says so.
func (c *circuits) enter(m review.Model) (func(*review.Failure), error) {
	if m.ID == "" {
		return func(*review.Failure) {}, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	done, err := c.of(m).breaker.Allow()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m, errCircuit)
	}
	return func(f *review.Failure) {
		if f != nil && f.Passing() {
			done(f)
			c.trip(m)
			return
		}
		done(nil)
	}, nil
}

// strike counts a retry that a server announced for a turn that now waits.
// When it opens the circuit, every waiting turn of the model is ended, so that
// its reviewer walks on to its next model.
func (c *circuits) strike(m review.Model, b *bench, cancel context.CancelCauseFunc) {
	if m.ID == "" {
		return
	}
	c.mu.Lock()
	x := c.of(m)
	x.waiting[b] = cancel
	done, err := x.breaker.Allow()
	if err == nil {
		done(errCircuit)
	}
	c.mu.Unlock()
	if errors.Is(err, gobreaker.ErrTooManyRequests) && b.another {
		cancel(tripped()) // the one probe that was let through, and it has to wait too
		return
	}
	c.trip(m)
}

// calm says that a turn no longer waits.
func (c *circuits) calm(m review.Model, b *bench) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if x := c.byModel[m]; x != nil {
		delete(x.waiting, b)
	}
}

// trip ends the waiting turns if the circuit is open. A reviewer without
// another model goes on waiting: nothing is gained by ending it.
func (c *circuits) trip(m review.Model) {
	c.mu.Lock()
	defer c.mu.Unlock()
	x := c.byModel[m]
	if x == nil || x.breaker.State() != gobreaker.StateOpen {
		return
	}
	for b, cancel := range x.waiting {
		if b.another {
			delete(x.waiting, b)
			cancel(tripped())
		}
	}
}
