package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

// line is the line before a provider that takes only so many sessions at a
// time. Who came first is served first: at the start that is the team's order.
type line struct {
	free    int
	waiting []*seat
}

// seat is a place in the line; got is closed when it is one's turn.
type seat struct {
	provider string // "" where there is no line
	most     int
	got      chan struct{}
}

// line takes the next place in the line of a provider. Loop only.
func (r *Run) line(provider string) *seat {
	s := &seat{got: make(chan struct{})}
	if s.most = r.rooms.perProvider(provider); s.most <= 0 {
		close(s.got)
		return s
	}
	s.provider = provider
	l := r.lines[provider]
	if l == nil {
		l = &line{free: s.most}
		r.lines[provider] = l
	}
	l.waiting = append(l.waiting, s)
	l.serve()
	return s
}

// serve lets the first in as long as there is room.
func (l *line) serve() {
	for l.free > 0 && len(l.waiting) > 0 {
		l.free--
		close(l.waiting[0].got)
		l.waiting = l.waiting[1:]
	}
}

// seat takes a place in the line of a model's provider.
func (r *Run) seat(ctx context.Context, m review.Model) (*seat, error) {
	var s *seat
	err := r.in(ctx, func() error { s = r.line(m.Provider); return nil })
	return s, err
}

// sit waits for one's turn; the reviewer shows queued until then.
func (r *Run) sit(ctx context.Context, name string, s *seat) error {
	select {
	case <-s.got:
		return nil
	default:
	}
	r.post(event.StatusChanged, name, 0, event.StatusData{Status: event.StatusQueued, Text: fmt.Sprintf("%s takes %d at a time", s.provider, s.most)})
	select {
	case <-s.got:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// stand gives the place back, or leaves the line.
func (r *Run) stand(s *seat) {
	if s.provider == "" {
		return
	}
	r.send(context.Background(), func() {
		l := r.lines[s.provider]
		if i := slices.Index(l.waiting, s); i >= 0 {
			l.waiting = slices.Delete(l.waiting, i, i+1)
			return
		}
		l.free++
		l.serve()
	})
}

// place is a seat and the wait for it in one; the returned function gives it
// back.
func (r *Run) place(ctx context.Context, name string, m review.Model) (func(), error) {
	s, err := r.seat(ctx, m)
	if err != nil {
		return nil, err
	}
	if err := r.sit(ctx, name, s); err != nil {
		r.stand(s)
		return nil, err
	}
	return func() { r.stand(s) }, nil
}
