package opencode

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"sync"
	"time"
)

// Idle is a server that has listed its models and works on nothing yet: it
// waits for the snapshot of a run. Starting a server takes seconds, and a plan
// needs its list, so the run takes over the server that was asked for it.
//
//	Start -> Providers -> New(Config{Idle: i})  the run's agent owns it now
//	                   -> Close                 nobody took it
type Idle struct {
	binary Binary
	hand   Handover
	list   []Provider

	mu     sync.Mutex
	server *server // nil when it was taken or ended
}

// Start starts a server for the models of the providers that are named, or of
// all that the person has something for. No provider is contacted.
func Start(ctx context.Context, c CatalogConfig) (*Idle, error) {
	ids := c.Only
	if len(ids) == 0 {
		ids = c.Person.Providers()
	}
	hand, err := c.Person.For(ids, time.Now())
	if err != nil {
		return nil, err
	}
	t, err := findTools(os.Getenv)
	if err != nil {
		return nil, err
	}
	if err := Sweep(c.RunRoot); err != nil {
		return nil, err
	}
	s, err := start(ctx, Config{Binary: c.Binary, RunRoot: c.RunRoot, Hand: hand, Timing: c.Timing.withDefaults()}, t)
	if err != nil {
		return nil, fmt.Errorf("list models: %w", err)
	}
	return &Idle{binary: c.Binary, hand: hand, list: s.catalog.public(hand), server: s}, nil
}

// Providers lists the providers and their models.
func (i *Idle) Providers() []Provider { return i.list }

// Lists reports whether the server still waits and knows just these providers.
func (i *Idle) Lists(providers []string) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	ids := slices.Compact(slices.Sorted(slices.Values(providers)))
	return i.server != nil && i.server.alive() && slices.Equal(ids, i.hand.providers)
}

// Binary is the program that runs.
func (i *Idle) Binary() Binary { return i.binary }

// Close ends the server, unless a run has taken it over.
func (i *Idle) Close() error {
	if s := i.take(); s != nil {
		return s.stop()
	}
	return nil
}

func (i *Idle) take() *server {
	i.mu.Lock()
	defer i.mu.Unlock()
	s := i.server
	i.server = nil
	return s
}

// takeOver makes the idle server work on the snapshot of c. There is none, and
// the server has ended, when it died or holds anything else than this run's
// hand-over: no server is given a key that its run does not need.
func (i *Idle) takeOver(c Config, t tools) (*server, error) {
	s := i.take()
	if s == nil {
		return nil, nil
	}
	if !s.alive() || !i.hand.equal(c.Hand) || i.binary.Path != c.Binary.Path {
		return nil, s.stop()
	}
	s.timing = c.Timing
	if err := s.configure(c, t); err != nil {
		return nil, errors.Join(err, s.stop())
	}
	s.client.http.CloseIdleConnections()
	s.client = newClient(s.client.base, s.client.password, c.Snapshot, c.dial, c.Timing.Call)
	return s, nil
}

// equal reports whether two servers that are given h and o hold the same.
func (h Handover) equal(o Handover) bool {
	return reflect.DeepEqual(h.Auth, o.Auth) && reflect.DeepEqual(h.Blocks, o.Blocks) && reflect.DeepEqual(h.Env, o.Env) &&
		reflect.DeepEqual(h.providers, o.providers) && reflect.DeepEqual(h.missing, o.missing) && h.Plugins == o.Plugins
}
