package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mrv-dev/mrv/engine/agent"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/merge"
	"github.com/mrv-dev/mrv/engine/review"
)

// coordinate is the last step of the panel: the deterministic merge stands, a
// model words the summary and may regroup within the conserved ids. No
// findings, or one reviewer: no judge. Loop only.
func (r *Run) coordinate() {
	r.merging = true
	late := r.state.Phase == event.PhaseTriage
	if r.append(true, event.PhaseChanged, "", 0, event.PhaseData{Phase: event.PhaseMerging}) != nil {
		return
	}
	r.remerge()
	if r.plan.Coordinator == nil || r.ctx.Err() != nil || r.stopped || len(r.state.Order) == 0 || r.reports() < 2 {
		r.triage()
		return
	}
	if r.spentAll.Load() {
		r.coordinated(errBudget)
		return
	}
	q := question{
		member: *r.plan.Coordinator, in: r.mergeInput(), entries: r.state.Entries,
		prompt: merge.JudgePrompt(r.judgeInput()), turn: 1, late: late,
	}
	if c := r.state.Coordinator; c != nil {
		q.turn = c.Turn + 1
	}
	ctx, cancel := context.WithCancelCause(r.ctx)
	c := newControl(cancel, time.Duration(r.plan.Limits.CoordinatorMS)*time.Millisecond)
	if old := r.controls[event.Coordinator]; old != nil && len(old.models) > 0 {
		c.models, q.member.Models = old.models, old.models
	}
	r.controls[event.Coordinator] = c
	c.clock.start()
	r.work.Add(1)
	go func() {
		defer r.work.Done()
		err := r.judge(ctx, c, q)
		cancel(nil)
		c.stop()
		r.send(context.Background(), func() { r.coordinated(err) })
	}()
}

// question is what the judge is asked.
type question struct {
	member  event.Member
	in      merge.Input
	entries []event.Entry
	prompt  string
	turn    int
	late    bool // asked for after the panel's end
}

// reports counts the reviewers that handed something in. Loop only.
func (r *Run) reports() int {
	n := 0
	for _, rv := range r.state.Reviewers {
		if rv.Report != nil {
			n++
		}
	}
	return n
}

func (r *Run) judgeInput() merge.JudgeInput {
	in := merge.JudgeInput{Input: r.mergeInput(), Entries: r.state.Entries, Template: r.plan.Rules.Template, Lang: r.plan.Lang, Boundary: r.plan.Boundary}
	for _, rv := range r.state.Reviewers {
		if rv.Status == event.StatusSkipped {
			continue
		}
		if rv.Status != event.StatusDone {
			in.Failed = append(in.Failed, fmt.Sprintf("%s: %s", rv.Name, strings.TrimSpace(string(rv.Status)+" "+rv.Text)))
		}
	}
	return in
}

// judge asks the coordinator: each model of its chain, again while a failure
// can pass. An answer that breaks the contract is asked for once more.
func (r *Run) judge(ctx context.Context, c *control, q question) error {
	if err := r.ready(ctx); err != nil {
		return err
	}
	a := r.agent(q.member.Agent)
	if a == nil {
		return fmt.Errorf("the %s agent did not start", q.member.Agent)
	}
	models := q.member.Models
	if len(models) == 0 {
		models = []review.Model{{}}
	}
	b := &bench{run: r, member: q.member, turn: q.turn - 1, clock: c.clock, bound: c.bound}
	if left, ok := r.deadline.left(); ok && !q.late { // the run's hard stop
		c.bound.startAt(max(left, 0) + time.Duration(r.plan.Limits.CoordinatorMS)*time.Millisecond + floor)
	}
	var err error
	for i, model := range models {
		b.model, b.another = model, i+1 < len(models)
		err = r.judgeBy(ctx, a, b, q, model)
		if err == nil || ctx.Err() != nil || !failsOver(asFailure(err)) {
			break
		}
	}
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return cause
	}
	return err
}

func (r *Run) judgeBy(ctx context.Context, a agent.Agent, b *bench, q question, model review.Model) error {
	release, err := r.place(ctx, event.Coordinator, model)
	if err != nil {
		return err
	}
	defer release()
	for try := 0; ; try++ {
		b.attempt++
		err := r.ask(ctx, a, b, q, model)
		if err == nil || ctx.Err() != nil {
			return err
		}
		f := asFailure(err)
		if try >= r.plan.Limits.Retries || !b.worth(f) {
			return err
		}
		if err := b.pause(ctx, f, try); err != nil {
			return err
		}
	}
}

// ask is one attempt of the coordinator, in a session of its own.
func (r *Run) ask(ctx context.Context, a agent.Agent, b *bench, q question, model review.Model) error {
	spec := b.spec(model)
	spec.ReadOnlyTools = false
	s, err := a.Open(ctx, spec)
	if err != nil {
		return err
	}
	defer r.closeSession(s)
	r.seen(b.member.Agent, a)
	prompt := q.prompt
	for try := 0; ; try++ {
		answer, err := b.ask(ctx, s, event.TurnJudge, model, agent.Turn{Text: prompt, Schema: merge.JudgeSchema()})
		if err != nil && !inWords(answer, err) {
			return err
		}
		raw := answer.Structured
		if len(raw) == 0 {
			raw = []byte(answer.Text)
		}
		merged, summary, violations := merge.ApplyJudge(q.entries, q.in, raw)
		if len(violations) == 0 {
			if answer.Model.ID != "" {
				model = answer.Model
			}
			return r.in(context.WithoutCancel(ctx), func() error { return r.judgedAs(merged, summary, string(raw), model) })
		}
		if try > 0 {
			return fmt.Errorf("its answer was refused twice: %s", strings.Join(violations, "; "))
		}
		prompt = merge.JudgeRepair(violations)
	}
}

// inWords reports whether a model answered, but with text where a JSON answer
// was asked for: what it wrote is checked like any answer, as many write the
// JSON there.
func inWords(a agent.Answer, err error) bool {
	return asFailure(err).Kind == review.FailOther && strings.TrimSpace(a.Text) != ""
}

// judgedAs takes the judge's answer, unless what it judged has changed
// meanwhile. Loop only.
func (r *Run) judgedAs(merged event.MergedData, summary, raw string, model review.Model) error {
	if err := r.append(false, event.Summarised, "", 0, event.SummaryData{Text: summary, Raw: raw, Model: model}); err != nil {
		return err
	}
	merged.Answer = true
	in := r.mergeInput() // what was decided meanwhile was decided in the entries as they are now
	if err := r.append(false, event.Merged, "", 0, merged); err != nil {
		return err
	}
	r.mergeAgain(in)
	return nil
}

// coordinated ends the coordinator's part. Loop only.
func (r *Run) coordinated(err error) {
	status := event.StatusData{Status: event.StatusDone}
	if err != nil {
		status = event.StatusData{Status: event.StatusFailed, Text: err.Error(), Failure: asFailure(err)}
		if isHuman(err) || errors.Is(err, errAborted) {
			status.Status = event.StatusAborted
		}
		_ = r.append(false, event.Summarised, "", 0, event.SummaryData{Error: err.Error()})
	}
	turn := 0
	if r.state.Coordinator != nil {
		turn = r.state.Coordinator.Turn
	}
	_ = r.append(false, event.StatusChanged, event.Coordinator, turn, status)
	r.triage()
}

// triage opens the last phase. Loop only.
func (r *Run) triage() {
	r.merging = false
	r.hear()
	interrupted := r.state.Interrupted || r.stopped
	_ = r.append(true, event.PhaseChanged, "", 0, event.PhaseData{Phase: event.PhaseTriage, Interrupted: interrupted})
}
