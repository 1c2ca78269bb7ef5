package engine

import (
	"context"
	"sync"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/journal"
)

// feed hands a subscriber everything that happened, in order, in batches. Its
// queue has no bound, so that a slow screen never holds the run.
type feed struct {
	out  chan []event.Event
	wake chan struct{}
	stop chan struct{}
	once sync.Once

	mu    sync.Mutex
	queue []event.Event
	over  bool
}

func newFeed() *feed {
	return &feed{out: make(chan []event.Event), wake: make(chan struct{}, 1), stop: make(chan struct{})}
}

func (f *feed) push(events []event.Event) {
	f.mu.Lock()
	f.queue = append(f.queue, events...)
	f.mu.Unlock()
	f.signal()
}

// end lets the feed finish: what is queued is offered once more, then the
// channel is closed.
func (f *feed) end() {
	f.mu.Lock()
	f.over = true
	f.mu.Unlock()
	f.once.Do(func() { close(f.stop) })
	f.signal()
}

func (f *feed) signal() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// pump delivers until the feed has ended or ctx is done.
func (f *feed) pump(ctx context.Context) {
	defer close(f.out)
	for {
		f.mu.Lock()
		batch, over := f.queue, f.over
		f.queue = nil
		f.mu.Unlock()
		if len(batch) > 0 {
			select {
			case f.out <- batch:
				continue
			case <-f.stop: // the subscriber may be gone; offer once, do not wait
				select {
				case f.out <- batch:
				default:
				}
			case <-ctx.Done():
				return
			}
		}
		if over {
			return
		}
		select {
		case <-f.wake:
		case <-ctx.Done():
			return
		}
	}
}

// Updates gives everything that happened so far as the first batch, then what
// happens, in order. The channel is closed when the run is closed or ctx ends;
// the caller must read it until then or end ctx.
func (r *Run) Updates(ctx context.Context) (<-chan []event.Event, error) {
	f := newFeed()
	err := r.in(ctx, func() error {
		r.flushAll()
		_, events, err := journal.Read(r.path)
		if err != nil {
			return err
		}
		f.push(events)
		r.feeds = append(r.feeds, f)
		return nil
	})
	if err != nil {
		return nil, err
	}
	go f.pump(ctx)
	return f.out, nil
}
