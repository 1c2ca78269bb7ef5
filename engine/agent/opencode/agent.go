package opencode

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/mrv-dev/mrv/engine/agent"
	"github.com/mrv-dev/mrv/engine/review"
)

// Agent is a private OpenCode server and the sessions on it.
type Agent struct {
	config Config
	tools  tools

	mu       sync.Mutex
	server   *server
	restarts int
	sessions map[*session]bool
	closed   bool
}

var _ agent.Agent = (*Agent)(nil)

// New starts a server for the reviewers of a run, or takes over the one that
// listed the models for its plan. It sweeps what killed runs left below
// Config.RunRoot. It returns when sessions can be opened: the
// server listens, its events are read, its models are known.
func New(ctx context.Context, c Config) (*Agent, error) {
	c.Timing = c.Timing.withDefaults()
	if err := checkSnapshot(c.Snapshot); err != nil {
		return nil, err
	}
	if err := Sweep(c.RunRoot); err != nil {
		return nil, err
	}
	t, err := findTools(os.Getenv)
	if err != nil {
		return nil, err
	}
	s, err := serve(ctx, c, t)
	if err != nil {
		return nil, err
	}
	c.Idle = nil // a server that is started again is a new one
	a := &Agent{config: c, tools: t, server: s, sessions: map[*session]bool{}, restarts: c.Restarts}
	if a.restarts == 0 {
		a.restarts = 1
	}
	return a, nil
}

// serve brings a server up to the point where sessions can be made: the idle
// one, if that fits, else one of its own.
func serve(ctx context.Context, c Config, t tools) (s *server, err error) {
	if c.Idle != nil {
		if s, err = c.Idle.takeOver(c, t); err != nil {
			return nil, err
		}
	}
	if s == nil {
		if s, err = start(ctx, c, t); err != nil {
			return nil, err
		}
	}
	if err := s.listen(ctx); err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return s, nil
}

// Gap says what the reviewers cannot do on this machine, or "". It is also
// reported as an UpGap by every session.
func (a *Agent) Gap() string {
	if a.tools.rg == "" {
		return "grep and glob were not available to the reviewers: ripgrep (rg) is not installed"
	}
	return ""
}

// Providers lists the providers of this run, as the running server knows them.
func (a *Agent) Providers() []Provider {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.server.catalog.public(a.config.Hand)
}

// PID is the process of the server.
func (a *Agent) PID() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.server.process.PID()
}

// Open makes a session for one reviewer. A server that died is started again
// first, as often as Config.Restarts says. The model is checked against the
// server's catalogue: a wrong name fails here, in words that name the right ones.
func (a *Agent) Open(ctx context.Context, spec agent.Spec) (agent.Session, error) {
	s, err := a.running(ctx)
	if err != nil {
		return nil, failed(err)
	}
	m, failure := s.catalog.find(spec.Model)
	if failure != nil {
		return nil, failure
	}
	rules, gap := coordinatorRules(), ""
	if spec.ReadOnlyTools {
		rules, gap = reviewerRules(a.tools.rg != ""), a.Gap()
	}
	id, err := s.client.create(ctx, "mrv "+spec.Reviewer, rules)
	if err != nil {
		return nil, failed(err)
	}
	n := &session{
		agent: a, server: s, id: id, spec: spec, box: s.exchange.open(id), gap: gap,
		variant: Variant(m.variants(), spec.Effort, spec.Thinking),
		price:   m.price(a.config.Hand.Subscription[spec.Model.Provider]),
		earlier: map[string]bool{},
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		s.exchange.close(id)
		return nil, &review.Failure{Kind: review.FailServer, Message: "OpenCode's server was stopped"}
	}
	a.sessions[n] = true
	return n, nil
}

// running returns the server, started again if it died.
func (a *Agent) running(ctx context.Context) (*server, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return nil, errors.New("OpenCode's server was stopped")
	}
	if a.server.alive() {
		return a.server, nil
	}
	if a.restarts <= 0 {
		return nil, a.server.death()
	}
	a.restarts--
	if err := a.server.stop(); err != nil {
		return nil, err
	}
	s, err := serve(ctx, a.config, a.tools)
	if err != nil {
		return nil, fmt.Errorf("start OpenCode again: %w", err)
	}
	a.server = s
	return s, nil
}

// Close ends all sessions, the server and whatever it started, and removes
// its directory.
func (a *Agent) Close(ctx context.Context) error {
	a.mu.Lock()
	if a.closed {
		a.mu.Unlock()
		return nil
	}
	a.closed = true
	open := make([]*session, 0, len(a.sessions))
	for s := range a.sessions {
		open = append(open, s)
	}
	server := a.server
	a.mu.Unlock()

	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.config.Timing.Cleanup)
	defer cancel()
	var all sync.WaitGroup
	for _, s := range open {
		all.Go(func() {
			// The server goes next and takes its sessions along, whatever a
			// single one answered.
			_ = s.Close(ctx)
		})
	}
	all.Wait()
	return server.stop()
}

func (a *Agent) forget(s *session) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.sessions, s)
}

// deadlineOf is when ctx ends, or zero.
func deadlineOf(ctx context.Context) time.Time {
	t, _ := ctx.Deadline()
	return t
}
