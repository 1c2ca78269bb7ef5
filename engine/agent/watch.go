package agent

import (
	"fmt"
	"sync"
	"time"

	"github.com/mrv-dev/mrv/engine/review"
)

// beat is how often a Watch looks at its clock. A stopped or sleeping process
// hears nothing: what is more than a few beats is not silence of the provider.
const beat = 100 * time.Millisecond

// Watch keeps the clocks of a turn whose agent has nobody else to keep them.
type Watch struct {
	clocks Clocks
	who    string
	end    func(*review.Failure)
	stop   chan struct{}
	ended  sync.WaitGroup

	mu     sync.Mutex
	heard  bool
	silent time.Duration
}

// NewWatch starts the clock for the first byte. It calls end once, when
// nothing came from who for longer than the clocks allow.
func NewWatch(c Clocks, who string, end func(*review.Failure)) *Watch {
	w := &Watch{clocks: c, who: who, end: end, stop: make(chan struct{})}
	w.ended.Go(w.run)
	return w
}

func (w *Watch) run() {
	tick := time.NewTicker(beat)
	defer tick.Stop()
	last := time.Now()
	for {
		select {
		case <-w.stop:
			return
		case now := <-tick.C:
			if f := w.look(min(now.Sub(last), 5*beat)); f != nil {
				w.end(f)
				return
			}
			last = now
		}
	}
}

func (w *Watch) look(passed time.Duration) *review.Failure {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.silent += passed
	limit, what := w.clocks.FirstByte, "first byte"
	if w.heard {
		limit, what = w.clocks.Silence, "next byte"
	}
	if limit == 0 || w.silent < limit {
		return nil
	}
	return &review.Failure{Kind: review.FailSilent, Message: fmt.Sprintf("nothing came from %s for %v (waiting for the %s)", w.who, limit, what)}
}

// Heard notes a sign of life.
func (w *Watch) Heard() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.heard, w.silent = true, 0
}

// Stop ends the watch and returns when it has ended.
func (w *Watch) Stop() {
	close(w.stop)
	w.ended.Wait()
}
