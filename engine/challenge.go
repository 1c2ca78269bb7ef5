package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mrv-dev/mrv/engine/agent"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

// challenge sends a person's rebuttal of one finding to the reviewer that made
// it: to its own session while that lives, else to a fresh one that is given
// the prompt, its report and the rebuttal. Loop only.
func (r *Run) challenge(c event.Command) error {
	if len(c.IDs) == 0 || strings.TrimSpace(c.Text) == "" {
		return errors.New("a challenge needs a finding and a rebuttal")
	}
	f, ok := r.state.Findings[c.IDs[0]]
	if !ok {
		return fmt.Errorf("there is no finding %q", c.IDs[0])
	}
	rv := r.state.Reviewer(f.Reviewer)
	switch {
	case rv == nil || rv.ReportFrom.ID == "":
		return fmt.Errorf("%s is no model: it can not answer a challenge", f.Reviewer)
	case r.running[f.Reviewer]:
		return fmt.Errorf("%s is at work; challenge it when it is done", f.Reviewer)
	}
	if err := r.revive(); err != nil {
		return err
	}
	d := event.ChallengeData{Finding: f.ID, Rebuttal: c.Text}
	if err := r.append(true, event.Challenged, "", 0, d); err != nil {
		return err
	}
	kept := r.sessions[f.Reviewer]
	delete(r.sessions, f.Reviewer)
	report := ""
	if rv.Report != nil {
		report = review.Render(*rv.Report, r.plan.Lang)
	}
	b := &bench{run: r, member: rv.Member, turn: rv.Turn, attempt: rv.Attempt, clock: newStopwatch(0, nil, nil)}
	model := rv.ReportFrom
	r.running[f.Reviewer] = true
	r.work.Add(1)
	go func() {
		defer r.work.Done()
		r.answerChallenge(b, kept, f, report, model, d)
	}()
	return nil
}

func (r *Run) answerChallenge(b *bench, s agent.Session, f review.Finding, report string, model review.Model, d event.ChallengeData) {
	ctx, cancel := context.WithTimeoutCause(r.ctx, time.Duration(r.plan.Limits.ReviewerMS)*time.Millisecond, errTimeUp)
	defer cancel()
	answer, s, err := b.rebut(ctx, s, f, report, model, d.Rebuttal)
	if err != nil {
		d.Error = asFailure(err).Message
	} else {
		d.Outcome, d.Severity, d.Answer = review.ParseChallenge(answer.Text)
		if d.Outcome == "" {
			d.Error, d.Answer = "the answer names neither retract, downgrade nor stand", answer.Text
		}
	}
	r.send(context.Background(), func() {
		delete(r.running, f.Reviewer)
		if s != nil {
			r.sessions[f.Reviewer] = s
		}
		_ = r.append(false, event.StatusChanged, f.Reviewer, b.turn, event.StatusData{Status: event.StatusDone})
		_ = r.append(true, event.Challenged, "", 0, d)
		r.advance()
	})
}

// rebut asks in the session that is kept, or makes a fresh one.
func (b *bench) rebut(ctx context.Context, s agent.Session, f review.Finding, report string, model review.Model, rebuttal string) (agent.Answer, agent.Session, error) {
	t := agent.Turn{Text: review.ChallengePrompt(b.run.plan.Lang, f, rebuttal)}
	if s == nil {
		if err := b.run.ready(ctx); err != nil {
			return agent.Answer{}, nil, err
		}
		a := b.run.agent(b.member.Agent)
		if a == nil {
			return agent.Answer{}, nil, fmt.Errorf("the %s agent is not there", b.member.Agent)
		}
		var err error
		if s, err = a.Open(ctx, b.spec(model)); err != nil {
			return agent.Answer{}, nil, err
		}
		first := b.run.rooms.prompt(b.member)
		t.Prefix = first.Prefix
		t.Text = first.Text + "\n\nYou handed in this report:\n\n" + report + "\n\n" + t.Text
	}
	answer, err := b.ask(ctx, s, event.TurnChallenge, model, t)
	return answer, s, err
}

// keep leaves a reviewer's session open for a challenge, until the run is
// closed; an older one is closed.
func (r *Run) keep(name string, s agent.Session) {
	sent := r.send(context.Background(), func() {
		if old := r.sessions[name]; old != nil {
			r.work.Add(1)
			go func() {
				defer r.work.Done()
				r.closeSession(old)
			}()
		}
		r.sessions[name] = s
	})
	if !sent {
		r.closeSession(s)
	}
}
