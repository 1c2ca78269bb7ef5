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
	b := &bench{run: r, member: rv.Member, turn: rv.Turn, attempt: rv.Attempt}
	ctx, cancel := context.WithCancelCause(r.ctx)
	ctl := newControl(cancel, time.Duration(r.plan.Limits.ReviewerMS)*time.Millisecond)
	if old := r.controls[f.Reviewer]; old != nil {
		ctl.models, ctl.turns = old.models, old.turns
	}
	r.controls[f.Reviewer], b.clock, b.bound = ctl, ctl.clock, ctl.bound
	model := rv.ReportFrom
	r.running[f.Reviewer] = true
	r.work.Add(1)
	go func() {
		defer r.work.Done()
		r.answerChallenge(ctx, b, kept, f, report, model, d)
		cancel(nil)
		ctl.stop()
	}()
	return nil
}

func (r *Run) answerChallenge(ctx context.Context, b *bench, s agent.Session, f review.Finding, report string, model review.Model, d event.ChallengeData) {
	answer, s, err := b.rebut(ctx, s, f, report, model, d.Rebuttal)
	switch {
	case err != nil && ctx.Err() != nil:
		d.Error = context.Cause(ctx).Error()
	case err != nil:
		d.Error = asFailure(err).Message
	default:
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

// rebut asks in the session that is kept, or in a fresh one if there is none
// or its server is gone.
func (b *bench) rebut(ctx context.Context, s agent.Session, f review.Finding, report string, model review.Model, rebuttal string) (agent.Answer, agent.Session, error) {
	release, err := b.run.place(ctx, b.member.Name, model)
	if err != nil {
		return agent.Answer{}, s, err
	}
	defer release()
	question := review.ChallengePrompt(b.run.plan.Lang, f, rebuttal)
	if s != nil {
		answer, err := b.ask(ctx, s, event.TurnChallenge, model, agent.Turn{Text: question})
		if err == nil || asFailure(err).Kind != review.FailServer {
			return answer, s, err
		}
		b.run.closeSession(s)
	}
	if err := b.run.ready(ctx); err != nil {
		return agent.Answer{}, nil, err
	}
	a := b.run.agent(b.member.Agent)
	if a == nil {
		return agent.Answer{}, nil, fmt.Errorf("the %s agent is not there", b.member.Agent)
	}
	if s, err = a.Open(ctx, b.spec(model)); err != nil {
		return agent.Answer{}, nil, err
	}
	b.run.seen(b.member.Agent, a)
	t := about(b.run.rooms.prompt(b.member), f.Location.Path).Turn
	t.Text += "\n\nYou handed in this report:\n\n" + report + "\n\n" + question
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
