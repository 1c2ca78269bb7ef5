package engine

import (
	"context"
	"sync"
	"time"
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
