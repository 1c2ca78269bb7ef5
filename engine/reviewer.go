package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mrv-dev/mrv/engine/agent"
	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

// control is the person's hand on one reviewer or on the coordinator. Loop
// only, except the clocks.
type control struct {
	cancel context.CancelCauseFunc
	clock  *stopwatch     // from the first byte
	bound  *stopwatch     // the run's end, for this one
	models []review.Model // to use instead of the member's
	again  bool           // start again when this one has ended
	turns  int
}

// newControl makes the clocks of a reviewer whose context ends by cancel.
func newControl(cancel context.CancelCauseFunc, limit time.Duration) *control {
	return &control{cancel: cancel, clock: newStopwatch(limit, cancel, errTimeUp), bound: newStopwatch(0, cancel, errRunTime)}
}

// more gives time, also at the end of the run.
func (c *control) more(d time.Duration) {
	c.clock.more(d)
	c.bound.more(d)
}

func (c *control) stop() {
	c.clock.stop()
	c.bound.stop()
}

// launch starts a reviewer's goroutine. Loop only.
func (r *Run) launch(m event.Member) {
	ctx, cancel := context.WithCancelCause(r.ctx)
	c := newControl(cancel, r.limitOf(m))
	if rv := r.state.Reviewer(m.Name); rv != nil {
		c.turns = rv.Turn
	}
	if old := r.controls[m.Name]; old != nil {
		c.models, c.turns = old.models, max(old.turns, c.turns)
	}
	if len(c.models) > 0 {
		m.Models = c.models
	}
	r.controls[m.Name], r.running[m.Name] = c, true
	b := &bench{run: r, member: m, clock: c.clock, bound: c.bound, turn: c.turns, late: r.state.Phase == event.PhaseTriage}
	b.seat = r.line(m.Model().Provider)
	r.work.Add(1)
	go func() {
		defer r.work.Done()
		end := b.review(ctx)
		cancel(nil)
		c.stop()
		r.send(context.Background(), func() { r.reviewed(m, b.turn, end) })
	}()
}

// limitOf is how long a reviewer may work on one part of the change.
func (r *Run) limitOf(m event.Member) time.Duration {
	if m.Persona.Timeout > 0 {
		return m.Persona.Timeout
	}
	return time.Duration(r.plan.Limits.ReviewerMS) * time.Millisecond
}

// bench is one reviewer at work: everything its goroutine owns.
type bench struct {
	run     *Run
	member  event.Member
	clock   *stopwatch
	bound   *stopwatch
	turn    int
	attempt int
	model   review.Model // who is asked
	another bool         // a further model could be asked
	late    bool         // the person's own try after the panel's end: the run's clock is over
	limited bool         // the run's clock counts
	waits   bool         // the server waits to try the model again
	trouble string       // why it was tried again last, "" = it was not
	strike  context.CancelCauseFunc
	expect  int64            // tokens the prompt is reckoned to have, 0 = unknown
	read    []review.Report  // of the parts of the change that are done
	said    event.StatusData // the last status, so that none is said twice
	seat    *seat            // in the line of the first model's provider, taken in the team's order
}

// ending is how a reviewer's work ended.
type ending struct {
	status  event.Status
	text    string
	failure *review.Failure
}

// review runs the reviewer to its end: a place, a session, a report; a fresh
// session after a failure that can pass, then the next model of its chain.
func (b *bench) review(ctx context.Context) ending {
	models := b.member.Models
	if len(models) == 0 {
		models = []review.Model{{}}
	}
	var end ending
	for i, model := range models {
		b.model, b.another = model, i+1 < len(models)
		end = b.seated(ctx, model)
		if end.failure == nil || ctx.Err() != nil || !failsOver(end.failure) || !b.another {
			break
		}
		b.say("warn", fmt.Sprintf("%s: %s; trying %s", model, end.failure.Message, models[i+1]))
	}
	return end
}

// seated asks one model, in one of its provider's places. Until there is one,
// no clock of the reviewer runs.
func (b *bench) seated(ctx context.Context, model review.Model) ending {
	seat := b.seat
	if b.seat = nil; seat == nil {
		var err error
		if seat, err = b.run.seat(ctx, model); err != nil {
			return b.stopped(ctx, err)
		}
	}
	defer b.run.stand(seat)
	if err := b.run.sit(ctx, b.member.Name, seat); err != nil {
		return b.stopped(ctx, err)
	}
	if b.attempt == 0 {
		b.status(event.StatusData{Status: event.StatusStarting})
		if err := b.run.ready(ctx); err != nil {
			return b.stopped(ctx, err)
		}
		b.limit()
	}
	return b.tryModel(ctx, model)
}

// attend is one attempt, each part of the change in a fresh session. What an
// earlier attempt has read is not read again.
func (b *bench) attend(ctx context.Context, model review.Model) ending {
	a := b.run.agent(b.member.Agent)
	if a == nil {
		return b.failed(ctx, &review.Failure{Kind: review.FailServer, Message: fmt.Sprintf("the %s agent did not start", b.member.Agent)})
	}
	parts := b.run.rooms.prompt(b.member)
	if len(parts) == 0 {
		return b.failed(ctx, &review.Failure{Kind: review.FailOverflow, Message: "no file of the change fits the window of " + model.String()})
	}
	for len(b.read) < len(parts) {
		p := parts[len(b.read)]
		if err := b.attendPart(ctx, a, model, p.Turn); err != nil {
			return b.failed(ctx, err)
		}
		if len(b.read) < len(parts) {
			b.clock.more(b.run.limitOf(b.member))
		}
	}
	switch report := joinReports(b.read); {
	case report.Broken:
		return ending{status: event.StatusViolated, text: violationWords(report)}
	case hasCode(report, "truncated"):
		return ending{status: event.StatusViolated, text: "the answer was cut by the provider"}
	}
	return ending{status: event.StatusDone}
}

// attendPart reads one part of the change. The last one's session is kept, for
// a challenge.
func (b *bench) attendPart(ctx context.Context, a agent.Agent, model review.Model, t agent.Turn) error {
	s, err := a.Open(ctx, b.spec(model))
	if err != nil {
		return err
	}
	b.run.seen(b.member.Agent, a)
	kind := event.TurnReview
	if len(b.read) > 0 {
		kind = event.TurnPart
	}
	b.expect = reckoned(b.member, t)
	answer, err := b.ask(ctx, s, kind, model, t)
	if err != nil {
		b.run.closeSession(s)
		b.salvage(answer, model)
		return err
	}
	b.read = append(b.read, b.ladder(ctx, s, model, answer))
	b.run.keep(b.member.Name, s)
	return nil
}

// ladder reads the report; what is missing or malformed is named once, in one
// more turn of the same session. The attempt with fewer violations stands.
func (b *bench) ladder(ctx context.Context, s agent.Session, model review.Model, first agent.Answer) review.Report {
	report := b.parse(first)
	b.hand(report, first, model, false)
	if len(report.Violations) > 0 && b.repairable() {
		kind, text := event.TurnRepair, review.RepairPrompt(b.run.plan.Lang, report.Violations)
		if first.Finish == "length" {
			kind = event.TurnShorter
		}
		second, err := b.ask(ctx, s, kind, model, agent.Turn{Text: text})
		if err != nil {
			b.say("warn", "the report was asked for once more, without success: "+asFailure(err).Message)
			b.salvageAs(second, model, true)
		} else if again := b.parse(second); len(again.Violations) < len(report.Violations) {
			b.hand(again, second, model, false)
			report = again
		} else {
			b.hand(again, second, model, true)
		}
	}
	b.checkMarker(report, model)
	return report
}

// repairable: a recording and the checks answer only what they answered.
func (b *bench) repairable() bool { return b.member.Agent != "checks" && b.member.Agent != "sarif" }

func hasCode(r review.Report, code string) bool {
	for _, v := range r.Violations {
		if v.Code == code {
			return true
		}
	}
	return false
}

func violationWords(r review.Report) string {
	words := make([]string, 0, len(r.Violations))
	for _, v := range r.Violations {
		words = append(words, v.Text)
	}
	return strings.Join(words, "; ")
}

// ask sends one turn and turns what comes back into events.
func (b *bench) ask(ctx context.Context, s agent.Session, kind event.TurnKind, model review.Model, t agent.Turn) (agent.Answer, error) {
	if b.run.spentAll.Load() {
		return agent.Answer{}, &review.Failure{Kind: review.FailAborted, Message: errBudget.Error()}
	}
	b.turn++
	b.run.post(event.TurnStarted, b.member.Name, b.turn, event.TurnData{
		Kind: kind, Attempt: b.attempt, Model: model, Variant: b.member.Variant, Bytes: len(t.Prefix) + len(t.Text),
	})
	b.status(event.StatusData{Status: event.StatusRunning, Attempt: b.attempt})
	turn, cancel := context.WithCancelCause(ctx)
	b.model, b.strike, b.waits = model, cancel, false
	answer, err := s.Ask(turn, t, b.update)
	b.run.circuits.calm(model, b)
	if why := (*review.Failure)(nil); err != nil && ctx.Err() == nil && errors.As(context.Cause(turn), &why) {
		err = why // it was this reviewer's own hand that ended the turn
	}
	cancel(nil)
	if err == nil && strings.TrimSpace(answer.Text) == "" && len(answer.Structured) == 0 {
		err = &review.Failure{Kind: review.FailEmpty, Message: "the model answered with nothing"}
	}
	return answer, err
}

func (b *bench) parse(a agent.Answer) review.Report {
	opt := review.ParseOptions{
		Reviewer: b.member.Name, Marker: b.run.plan.Marker, Cap: b.member.Persona.Cap,
		Blocking: b.run.plan.Blocking, Truncated: a.Finish == "length", Rules: !b.repairable(),
	}
	for _, l := range b.member.Persona.Labels {
		opt.Labels = append(opt.Labels, l)
	}
	return review.ParseReport(a.Text, opt)
}

// hand journals a report, with those of the parts before and the places of
// their findings, and merges.
func (b *bench) hand(report review.Report, a agent.Answer, model review.Model, superseded bool) {
	if a.Model.ID != "" {
		model = a.Model
	}
	report = joinReports(append(slices.Clone(b.read), report))
	d := event.ReportData{Report: report, Raw: cut(a.Text, 1<<20), Places: map[string]diff.Place{}, Model: model, Superseded: superseded}
	for _, f := range report.Findings {
		d.Places[f.ID] = b.run.rooms.locate(f)
	}
	member, turn := b.member, b.turn
	b.run.send(context.Background(), func() { b.run.report(member, turn, d) })
}

// salvage keeps the findings of an answer that failed on the way.
func (b *bench) salvage(a agent.Answer, model review.Model) { b.salvageAs(a, model, false) }

func (b *bench) salvageAs(a agent.Answer, model review.Model, superseded bool) {
	if strings.TrimSpace(a.Text) == "" {
		return
	}
	a.Finish = "length"
	if report := b.parse(a); len(report.Findings) > 0 || superseded {
		report.Broken = true
		b.hand(report, a, model, superseded)
	}
}

func (b *bench) spec(model review.Model) agent.Spec {
	l := b.run.plan.Limits
	steps := l.Steps
	if b.member.Persona.Steps > 0 {
		steps = b.member.Persona.Steps
	}
	return agent.Spec{
		Reviewer: b.member.Name, Persona: b.member.Persona, Lang: b.run.plan.Lang, Model: model,
		Effort: b.member.Effort, Thinking: b.member.Thinking, MaxSteps: steps, ReadOnlyTools: true,
		Clocks: agent.Clocks{FirstByte: time.Duration(l.FirstByteMS) * time.Millisecond, Silence: time.Duration(l.SilenceMS) * time.Millisecond},
		Change: b.run.reviewedSet(), Marker: b.run.plan.Marker,
	}
}

// failed words the end of an attempt that returned an error.
func (b *bench) failed(ctx context.Context, err error) ending {
	if ctx.Err() != nil {
		return b.stopped(ctx, err)
	}
	f := asFailure(err)
	if f.Kind == review.FailNoChecks {
		return ending{status: event.StatusSkipped, text: f.Message}
	}
	text := f.Message
	if f.Kind == review.FailFilter {
		text = "refused by provider: " + text
	}
	return ending{status: event.StatusFailed, text: text, failure: f}
}

// stopped words the end of a reviewer whose context ended.
func (b *bench) stopped(ctx context.Context, err error) ending {
	cause := context.Cause(ctx)
	if cause == nil {
		return b.failed(context.Background(), err)
	}
	f := &review.Failure{Kind: review.FailAborted, Message: cause.Error()}
	switch {
	case isHuman(cause), errors.Is(cause, errAgain):
		return ending{status: event.StatusAborted, text: cause.Error(), failure: f}
	case errors.Is(cause, errTimeUp):
		f.Message = fmt.Sprintf("out of time, %s after its first output", b.clock.limit.Round(time.Second))
	}
	switch {
	case b.said.Status == event.StatusRetrying && b.said.Text != "":
		f.Message += ", waiting to try again after: " + b.said.Text
	case b.trouble != "":
		f.Message += ", tried again after: " + b.trouble
	}
	return ending{status: event.StatusFailed, text: f.Message, failure: f}
}
