package engine

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mrv-dev/mrv/engine/review"
)

var (
	overloaded = &review.Failure{Kind: review.FailProvider, Message: "overloaded"}
	refused    = &review.Failure{Kind: review.FailAuth, Message: "the key is wrong"}
	glm, kimi  = review.Model{Provider: "p", ID: "glm"}, review.Model{Provider: "q", ID: "kimi"}
)

// TestOneProbe: an open circuit lets nobody through for its cooldown, then
// exactly one; how that one fares decides for all.
func TestOneProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCircuits(cooldown)
		fail := func(f *review.Failure) {
			t.Helper()
			leave, err := c.enter(glm)
			if err != nil {
				t.Fatalf("not let in: %v", err)
			}
			leave(f)
		}
		closed := func(want bool) {
			t.Helper()
			leave, err := c.enter(glm)
			if (err == nil) != want {
				t.Fatalf("let in: %v, want %v", err == nil, want)
			}
			if err == nil {
				leave(nil)
			}
		}
		for range tripAfter {
			fail(overloaded)
		}
		closed(false)
		if _, err := c.enter(kimi); err != nil {
			t.Errorf("another model's circuit: %v", err)
		}
		time.Sleep(cooldown - time.Second)
		closed(false)
		time.Sleep(2 * time.Second)
		probe, err := c.enter(glm)
		if err != nil {
			t.Fatalf("no probe: %v", err)
		}
		closed(false) // while it is under way
		probe(overloaded)
		closed(false)
		time.Sleep(cooldown + time.Second)
		closed(true) // the probe went well
		closed(true)
	})
}

// TestWhatOpensACircuit: three retries within a minute; a refused key never,
// and not what is spread out.
func TestWhatOpensACircuit(t *testing.T) {
	for name, tt := range map[string]struct {
		failure *review.Failure
		every   time.Duration
		open    bool
	}{
		"overloaded": {overloaded, time.Second, true}, "a wrong key": {refused, time.Second, false}, "now and then": {overloaded, 50 * time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCircuits(cooldown)
				for range tripAfter {
					if leave, err := c.enter(glm); err == nil {
						leave(tt.failure)
					}
					time.Sleep(tt.every)
				}
				if _, err := c.enter(glm); (err != nil) != tt.open {
					t.Errorf("open %v, want %v", err != nil, tt.open)
				}
			})
		})
	}
}

// TestStrikes: each retry that a server announces counts, across reviewers;
// the third ends the waiting turns of those that have another model.
func TestStrikes(t *testing.T) {
	c := newCircuits(cooldown)
	waiting := func(another bool) context.Context {
		ctx, cancel := context.WithCancelCause(t.Context())
		c.strike(glm, &bench{another: another}, cancel)
		return ctx
	}
	walks, stays, third := waiting(true), waiting(false), waiting(true)
	for i, ctx := range []context.Context{walks, third} {
		var f *review.Failure
		if !errors.As(context.Cause(ctx), &f) || f.Kind != review.FailProvider {
			t.Errorf("%d goes on waiting: %v", i, context.Cause(ctx))
		}
	}
	if stays.Err() != nil {
		t.Error("who has no other model gains nothing by ending")
	}
}
