package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/mrv-dev/mrv/engine/event"
)

// flushEvery is how long streamed text may wait before it is appended. Text
// of a 33 ms window is what a screen can show in one frame or two; the design
// allows at most 100 ms.
const flushEvery = 40 * time.Millisecond

// pendingText is streamed text that waits to be appended.
type pendingText struct {
	turn  int
	parts []event.TextData
}

// append journals one event and folds it. Text of the same reviewer that
// waits goes first. Loop only.
func (r *Run) append(sync bool, kind event.Kind, reviewer string, turn int, data any) error {
	if r.failed != nil {
		return r.failed
	}
	if reviewer != "" {
		r.flush(reviewer)
	}
	e, err := event.New(kind, reviewer, turn, data)
	if err != nil {
		return err
	}
	return r.appendEvents(sync, e)
}

func (r *Run) appendEvents(sync bool, events ...event.Event) error {
	if r.failed != nil {
		return r.failed
	}
	stamped, err := r.journal.Append(sync, events...)
	if err != nil {
		r.fail(err)
		return err
	}
	for _, e := range stamped {
		if err := r.state.Apply(e); err != nil {
			return err
		}
	}
	for _, f := range r.feeds {
		f.push(stamped)
	}
	return nil
}

// fail stops the run because its journal can not be written: nothing that is
// not on disk may be shown as done.
func (r *Run) fail(err error) {
	r.failed = fmt.Errorf("the journal can not be written, the run stops: %w", err)
	r.cancel(r.failed)
}

// post journals an event from outside the loop, without waiting.
func (r *Run) post(kind event.Kind, reviewer string, turn int, data any) {
	r.send(context.Background(), func() {
		_ = r.append(false, kind, reviewer, turn, data) // a failure is kept in r.failed
	})
}

// stream takes one piece of a reviewer's text; it is appended within flushEvery.
func (r *Run) stream(reviewer string, turn int, d event.TextData) {
	r.send(context.Background(), func() {
		p := r.texts[reviewer]
		if p == nil {
			p = &pendingText{}
			r.texts[reviewer] = p
		}
		if p.turn != turn {
			r.flush(reviewer)
			p.turn = turn
		}
		if n := len(p.parts); n > 0 && p.parts[n-1].Part == d.Part && p.parts[n-1].Stream == d.Stream {
			p.parts[n-1].Text += d.Text
			return
		}
		p.parts = append(p.parts, d)
	})
}

func (r *Run) flush(reviewer string) {
	p := r.texts[reviewer]
	if p == nil || len(p.parts) == 0 {
		return
	}
	parts := p.parts
	p.parts = nil
	events := make([]event.Event, 0, len(parts))
	for _, d := range parts {
		e, err := event.New(event.TextAppended, reviewer, p.turn, d)
		if err == nil {
			events = append(events, e)
		}
	}
	_ = r.appendEvents(false, events...) // a failure is kept in r.failed
}

func (r *Run) flushAll() {
	for name := range r.texts {
		r.flush(name)
	}
}
