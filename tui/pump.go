package tui

import (
	"context"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/mrv-dev/mrv/engine/event"
)

// gather is how long events are gathered into one message. Each message costs
// a View; one for all panes together is what lets the screen keep up.
const gather = 33 * time.Millisecond

// batchMsg is a stretch of the run's events, in order.
type batchMsg []event.Event

// closedMsg says that the run will bring no more events.
type closedMsg struct{}

// fatalMsg ends the program with an error.
type fatalMsg struct{ err error }

// signalMsg ends the program because the system asked for it.
type signalMsg struct{ signal os.Signal }

// pump carries a run's events into the program until the run closes or ctx
// ends. Text waits for the end of its window; what answers a person or ends
// something goes at once, and takes what waited with it, so that the order
// holds.
func pump(ctx context.Context, updates <-chan []event.Event, send func(tea.Msg)) {
	var batch []event.Event
	var due <-chan time.Time
	first := true
	flush := func() {
		if len(batch) > 0 {
			send(batchMsg(batch))
		}
		batch, due = nil, nil
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-due:
			flush()
		case events, ok := <-updates:
			if !ok {
				flush()
				send(closedMsg{})
				return
			}
			batch = append(batch, events...)
			switch {
			case first, urgent(events):
				first = false
				flush()
			case due == nil:
				due = time.After(gather)
			}
		}
	}
}

// urgent reports whether events must not wait for the window's end.
func urgent(events []event.Event) bool {
	for _, e := range events {
		switch e.Kind {
		case event.TextAppended, event.TextSet, event.TextDropped, event.ToolCalled, event.UsageAdded, event.TurnStarted,
			event.StatusChanged, event.ServerChanged, event.Noticed:
		default:
			return true
		}
	}
	return false
}
