// Package replay answers prompts with recorded turns. A recording is the
// journal of a real run; each turn of a reviewer is played again, update by
// update, at the pace it had (or faster).
//
// The demo's recording is embedded (demo/). It was made by the real server,
// driven by a scripted provider, and is remade by one command; see its test.
package replay

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/mrv-dev/mrv/engine/agent"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

//go:embed demo/recording.jsonl
var demo []byte

// Demo is the embedded recording: a journal.
func Demo() []byte { return demo }

// Agent plays the turns of a recording.
type Agent struct {
	turns map[string][]turn // by reviewer, in order
	speed float64
}

type turn struct {
	begin  int64 // t_ms
	events []event.Event
	answer agent.Answer
	failed *review.Failure
}

// New reads the turns out of a run's events. speed 2 plays twice as fast; 0
// plays without waiting.
func New(events []event.Event, speed float64) (*Agent, error) {
	a := &Agent{turns: map[string][]turn{}, speed: speed}
	for _, e := range events {
		if e.Reviewer == "" {
			if e.Kind == event.Summarised {
				if err := a.summarised(e); err != nil {
					return nil, err
				}
			}
			continue
		}
		list := a.turns[e.Reviewer]
		if e.Kind == event.TurnStarted {
			var d event.TurnData
			if err := e.Decode(&d); err != nil {
				return nil, err
			}
			a.turns[e.Reviewer] = append(list, turn{begin: e.TMS, answer: agent.Answer{Model: d.Model, Finish: "stop"}})
			continue
		}
		if len(list) == 0 {
			continue
		}
		if err := list[len(list)-1].record(e); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// summarised is the end of the coordinator's turn.
func (a *Agent) summarised(e event.Event) error {
	var d event.SummaryData
	if err := e.Decode(&d); err != nil {
		return err
	}
	if list := a.turns[event.Coordinator]; len(list) > 0 {
		t := &list[len(list)-1]
		t.answer.Text, t.answer.Structured = d.Raw, []byte(d.Raw)
	}
	return nil
}

func (t *turn) record(e event.Event) error {
	switch e.Kind {
	case event.TextAppended, event.TextSet, event.TextDropped, event.ToolCalled, event.UsageAdded, event.Noticed:
		t.events = append(t.events, e)
	case event.ReportIn:
		var d event.ReportData
		if err := e.Decode(&d); err != nil {
			return err
		}
		t.answer.Text = d.Raw
		t.events = append(t.events, e) // for its time
	case event.StatusChanged:
		var d event.StatusData
		if err := e.Decode(&d); err != nil {
			return err
		}
		if d.Status == event.StatusRetrying {
			t.events = append(t.events, e)
		}
		if d.Status == event.StatusFailed && d.Failure != nil {
			t.failed = d.Failure
		}
	}
	return nil
}

// Open implements agent.Agent. A reviewer that the recording does not have is
// an error.
func (a *Agent) Open(_ context.Context, s agent.Spec) (agent.Session, error) {
	turns, ok := a.turns[s.Reviewer]
	if !ok {
		return nil, &review.Failure{Kind: review.FailOther, Message: fmt.Sprintf("the recording has no reviewer %s", s.Reviewer)}
	}
	return &session{turns: turns, speed: a.speed}, nil
}

// Close implements agent.Agent; there is nothing to end.
func (a *Agent) Close(context.Context) error { return nil }

type session struct {
	turns []turn
	next  int
	speed float64
}

// Ask plays the next turn.
func (s *session) Ask(ctx context.Context, _ agent.Turn, emit func(agent.Update)) (agent.Answer, error) {
	if s.next >= len(s.turns) {
		return agent.Answer{}, &review.Failure{Kind: review.FailOther, Message: "the recording has no further turn"}
	}
	t := s.turns[s.next]
	s.next++
	emit(agent.Update{Kind: agent.UpBusy})
	start := time.Now()
	answer := t.answer
	for _, e := range t.events {
		if err := s.wait(ctx, start, e.TMS-t.begin); err != nil {
			return agent.Answer{}, err
		}
		u, ok, err := update(e)
		if err != nil {
			return agent.Answer{}, err
		}
		if ok {
			emit(u)
		}
		if u.Kind == agent.UpStep {
			answer.Usage = answer.Usage.Add(u.Usage)
			answer.Steps++
		}
	}
	if t.failed != nil {
		return answer, t.failed
	}
	return answer, nil
}

// wait sleeps until the turn is ms old at the recording's pace.
func (s *session) wait(ctx context.Context, start time.Time, ms int64) error {
	if s.speed > 0 {
		due := start.Add(time.Duration(float64(ms) / s.speed * float64(time.Millisecond)))
		timer := time.NewTimer(time.Until(due))
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	if ctx.Err() != nil {
		return &review.Failure{Kind: review.FailAborted, Message: "stopped"}
	}
	return nil
}

// update turns a journaled event back into what the agent said then.
func update(e event.Event) (u agent.Update, ok bool, err error) {
	switch e.Kind {
	case event.TextAppended, event.TextSet, event.TextDropped:
		var d event.TextData
		err = e.Decode(&d)
		kind := map[event.Kind]agent.UpdateKind{
			event.TextAppended: agent.UpTextAppend, event.TextSet: agent.UpTextSet, event.TextDropped: agent.UpTextDrop,
		}[e.Kind]
		return agent.Update{Kind: kind, Part: d.Part, Stream: d.Stream, Text: d.Text}, err == nil, err
	case event.ToolCalled:
		u.Kind = agent.UpTool
		err = e.Decode(&u.Tool)
		return u, err == nil, err
	case event.UsageAdded:
		u.Kind = agent.UpStep
		err = e.Decode(&u.Usage)
		return u, err == nil, err
	case event.Noticed:
		var d event.NoticeData
		err = e.Decode(&d)
		return agent.Update{Kind: agent.UpNotice, Text: d.Text}, err == nil, err
	case event.StatusChanged:
		var d event.StatusData
		err = e.Decode(&d)
		return agent.Update{Kind: agent.UpRetrying, Text: d.Text, Attempt: d.Attempt}, err == nil, err
	}
	return u, false, nil
}

// Close implements agent.Session.
func (s *session) Close(context.Context) error { return nil }
