package opencode

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mrv-dev/mrv/engine/agent"
	"github.com/mrv-dev/mrv/engine/review"
)

// session is one reviewer's conversation on the server.
type session struct {
	agent   *Agent
	server  *server
	id      string
	spec    agent.Spec
	box     *mailbox
	variant string
	price   review.Price
	gap     string          // told once
	earlier map[string]bool // user messages of earlier turns
	active  atomic.Bool     // a turn may be running on the server
	closed  atomic.Bool
}

// Ask implements agent.Session.
func (s *session) Ask(ctx context.Context, t agent.Turn, emit func(agent.Update)) (agent.Answer, error) {
	if !s.server.alive() {
		return agent.Answer{Model: s.spec.Model}, s.server.death()
	}
	if s.gap != "" {
		emit(agent.Update{Kind: agent.UpGap, Text: s.gap})
		s.gap = ""
	}
	s.box.take() // what is left of an earlier turn
	f := &follow{
		session: s, emit: emit,
		turn: newTurn(turnOptions{
			Variant: s.shown(), Price: s.price, MaxSteps: s.spec.MaxSteps, Deadline: deadlineOf(ctx),
			Dir: s.agent.config.Snapshot, Schema: t.Schema != nil,
			Earlier: func(id string) bool { return s.earlier[id] },
		}),
	}
	s.active.Store(true)
	if err := s.server.client.send(ctx, s.id, s.prompt(t)); err != nil {
		if ctx.Err() != nil {
			f.stop(aborted(ctx))
			return f.answer()
		}
		if !s.server.alive() {
			return agent.Answer{Model: s.spec.Model}, s.server.death()
		}
		s.active.Store(false)
		return agent.Answer{Model: s.spec.Model}, failed(err)
	}
	f.accepted = time.Now()
	f.run(ctx)
	return f.answer()
}

// prompt is the body of a turn: what all reviewers share comes first, so that
// the provider's cache holds it once.
func (s *session) prompt(t agent.Turn) prompt {
	text := t.Text
	if t.Prefix != "" {
		text = strings.TrimRight(t.Prefix, "\n") + "\n\n" + t.Text
	}
	p := prompt{
		Agent: coordinatorAgent,
		Model: promptModel{ProviderID: s.spec.Model.Provider, ModelID: s.spec.Model.ID},
		Parts: []promptPart{{Type: "text", Text: text}},
	}
	if s.spec.ReadOnlyTools {
		p.Agent = reviewerAgent
	}
	if s.variant != NoVariant {
		p.Variant = s.variant
	}
	if t.Schema != nil {
		p.Format = &format{Type: "json_schema", Schema: json.RawMessage(t.Schema)}
	}
	return p
}

// shown is the variant as a person reads it.
func (s *session) shown() string {
	if s.variant == "" {
		return "default"
	}
	return s.variant
}

// Close implements agent.Session: abort, wait until idle, delete. A session
// that is deleted while it runs would run on.
func (s *session) Close(ctx context.Context) error {
	if s.closed.Swap(true) {
		return nil
	}
	defer s.agent.forget(s)
	defer s.server.exchange.close(s.id)
	if !s.server.alive() {
		return nil
	}
	if s.active.Load() {
		s.abort(ctx)
	}
	if err := s.server.client.remove(ctx, s.id); err != nil && s.server.alive() {
		return failed(err)
	}
	return nil
}

// abort stops what the session does and waits until the server says that it
// is idle, as long as Timing.Idle.
func (s *session) abort(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.server.timing.Idle)
	defer cancel()
	if err := s.server.client.abort(ctx, s.id); err != nil {
		return
	}
	for !s.server.idle(ctx, s.id) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(idleLook):
		}
	}
	s.active.Store(false)
}

// aborted is the failure of a turn whose context ended.
func aborted(ctx context.Context) *review.Failure {
	return &review.Failure{Kind: review.FailAborted, Message: context.Cause(ctx).Error()}
}
