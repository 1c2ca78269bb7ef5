package engine

import (
	"context"
	"sync"
	"time"

	"github.com/mrv-dev/mrv/engine/event"
)

// suspended is how late a tick or a timer must be for the process to have
// been stopped (ctrl-z) rather than slow.
const suspended = 2 * time.Second

// stopwatch ends a context when its time is up. It starts when told (at the
// first byte), can be given more time, and gets back the time in which the
// process was stopped.
type stopwatch struct {
	mu     sync.Mutex
	timer  *time.Timer
	limit  time.Duration
	due    time.Time
	cancel context.CancelCauseFunc
	cause  error
}

func newStopwatch(limit time.Duration, cancel context.CancelCauseFunc, cause error) *stopwatch {
	return &stopwatch{limit: limit, cancel: cancel, cause: cause}
}

// start begins to count, once.
func (s *stopwatch) start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.timer == nil && s.limit > 0 && s.cancel != nil {
		s.due = time.Now().Add(s.limit)
		s.timer = time.AfterFunc(s.limit, s.fire)
	}
}

// startAt begins to count, once, with a limit that is known only now; what was
// given before stays on top of it.
func (s *stopwatch) startAt(limit time.Duration) {
	s.mu.Lock()
	started := s.timer != nil
	if !started {
		s.limit += limit
	}
	over := !started && s.limit <= 0
	s.mu.Unlock()
	if over {
		s.cancel(s.cause)
		return
	}
	s.start()
}

// fire ends the context, unless the timer is late: then the process was
// stopped, and the loop is about to give the time back.
func (s *stopwatch) fire() {
	s.mu.Lock()
	late := time.Since(s.due)
	if late > suspended {
		s.due = time.Now().Add(suspended)
		s.timer.Reset(suspended)
		s.mu.Unlock()
		return
	}
	s.mu.Unlock()
	if late >= 0 {
		s.cancel(s.cause)
	}
}

// more adds time, also before it began to count.
func (s *stopwatch) more(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limit += d
	if s.timer != nil {
		s.due = s.due.Add(d)
		s.timer.Reset(time.Until(s.due))
	}
}

// giveBack adds time that did not count, if the watch is running.
func (s *stopwatch) giveBack(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.timer != nil {
		s.due = s.due.Add(d)
		s.timer.Reset(time.Until(s.due))
	}
}

func (s *stopwatch) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.timer != nil {
		s.timer.Stop()
	}
}

// left is the time until the watch ends; the whole limit before it began, and
// a year without a limit.
func (s *stopwatch) left() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.limit <= 0:
		return 365 * 24 * time.Hour
	case s.timer == nil:
		return s.limit
	}
	return time.Until(s.due)
}

// horizon is when a run's reviewers must be done. Time in which the process
// was stopped is given back to it.
type horizon struct {
	mu sync.Mutex
	at time.Time // zero = never
}

func (h *horizon) set(in time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at = time.Now().Add(in)
}

func (h *horizon) giveBack(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.at.IsZero() {
		h.at = h.at.Add(d)
	}
}

// left is the time until then; ok is false when there is no such time.
func (h *horizon) left() (d time.Duration, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return time.Until(h.at), !h.at.IsZero()
}

// queueMS is how long the fullest provider's places are taken when every
// reviewer needs all of its clock, and then the coordinator's: a run that
// queues gets that much.
func (o Options) queueMS(p event.Plan, l event.Limits) int64 {
	busy := map[string]int64{} // by provider, in sum over its places
	for _, m := range p.Team {
		if m.Skip != "" {
			continue
		}
		ms := l.ReviewerMS
		if t := m.Persona.Timeout.Milliseconds(); t > 0 {
			ms = t
		}
		busy[m.Model().Provider] += ms
	}
	longest := int64(0)
	for provider, ms := range busy {
		if n := int64(o.perProvider(p, provider)); n > 0 {
			longest = max(longest, (ms+n-1)/n)
		}
	}
	return longest + l.CoordinatorMS
}
