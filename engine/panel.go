package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/mrv-dev/mrv/engine/agent"
	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/merge"
	"github.com/mrv-dev/mrv/engine/review"
)

// begin starts the agents and every reviewer at once.
func (r *Run) begin(ctx context.Context) error {
	return r.in(ctx, func() error {
		if ms := r.plan.Limits.RunMS; ms > 0 {
			reserve := min(r.plan.Limits.CoordinatorMS, ms/2)
			r.deadline.set(time.Duration(ms-reserve) * time.Millisecond)
		}
		if err := r.append(true, event.PhaseChanged, "", 0, event.PhaseData{Phase: event.PhaseReviewing}); err != nil {
			return err
		}
		r.startAgents()
		for _, m := range r.plan.Team {
			if m.Skip == "" {
				r.launch(m)
			}
		}
		r.advance()
		return nil
	})
}

// agentsUp is the agents' start, which reviewers wait for.
type agentsUp struct {
	done chan struct{}
	err  error
}

// startAgents starts them in the background. Loop only.
func (r *Run) startAgents() {
	up := &agentsUp{done: make(chan struct{})}
	r.up = up
	r.work.Add(1)
	go func() {
		defer r.work.Done()
		defer close(up.done)
		agents, err := r.rooms.start(r.ctx, func(d event.ServerData) { r.post(event.ServerChanged, "", 0, d) })
		up.err = err
		r.agentsMu.Lock()
		r.rooms.agents = agents
		r.agentsMu.Unlock()
		if err != nil {
			r.post(event.Noticed, "", 0, event.NoticeData{Level: "error", Text: err.Error()})
		}
	}()
}

// ready waits until the agents have started.
func (r *Run) ready(ctx context.Context) error {
	select {
	case <-r.up.done:
		return r.up.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (r *Run) agent(kind string) agent.Agent {
	r.agentsMu.Lock()
	defer r.agentsMu.Unlock()
	return r.rooms.agents[kind]
}

// seen notes which process answers for a kind of agent, and says so when it is
// another one than before: a server that died was started again.
func (r *Run) seen(kind string, a agent.Agent) {
	p, ok := a.(interface{ PID() int })
	if !ok {
		return
	}
	pid := p.PID()
	r.send(context.Background(), func() {
		if old := r.servers[kind]; old != 0 && old != pid {
			_ = r.append(false, event.ServerChanged, "", 0, event.ServerData{Agent: kind, State: "restarted", Version: r.state.Server.Version})
		}
		r.servers[kind] = pid
	})
}

// closeSession ends a session even when the run's context has ended.
func (r *Run) closeSession(s agent.Session) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.ctx), 5*time.Second)
	defer cancel()
	if err := s.Close(ctx); err != nil {
		r.post(event.Noticed, "", 0, event.NoticeData{Level: "warn", Text: "closing a session: " + err.Error()})
	}
}

// elapsed is the run's clock in milliseconds.
func (r *Run) elapsed() int64 { return time.Since(r.start).Milliseconds() + r.startMS }

// reviewedSet is the part of the change that is reviewed.
func (r *Run) reviewedSet() *diff.Set { return r.rooms.reviewed }

// spent counts a step's tokens and money, and reports whether the budget is
// used up. Then nothing more is asked: who waits ends at once, who works ends
// after its step.
func (r *Run) spent(name string, turn int, u review.Usage) (over bool) {
	_ = r.in(context.Background(), func() error {
		if err := r.append(false, event.UsageAdded, name, turn, u); err != nil {
			return err
		}
		r.budget(u)
		return nil
	})
	return r.spentAll.Load()
}

// budget compares what was spent with the ceiling. Loop only.
func (r *Run) budget(u review.Usage) {
	limit := r.plan.Limits.BudgetUSD
	if limit <= 0 {
		return
	}
	if u.Price == review.PriceUnknown && !r.unpriced {
		r.unpriced = true
		_ = r.append(false, event.Noticed, "", 0, event.NoticeData{Level: "warn", Text: "the price of a model is unknown: the budget counts only what is known"})
	}
	cost := r.state.Usage().CostUSD
	switch {
	case cost >= limit && !r.spentAll.Load():
		r.spentAll.Store(true)
		_ = r.append(false, event.HoldSet, "", 0, review.Hold{Code: "budget", Text: fmt.Sprintf("the budget of $%.2f is used up", limit)})
		for who, c := range r.controls {
			if rv := r.state.Reviewer(who); rv != nil && rv.Status != event.StatusRunning {
				c.cancel(errBudget)
			}
		}
	case cost >= limit*0.8 && !r.nearBudget:
		r.nearBudget = true
		_ = r.append(false, event.Noticed, "", 0, event.NoticeData{Level: "warn", Text: fmt.Sprintf("$%.2f of the budget of $%.2f are used", cost, limit)})
	}
}

// report journals a report and merges what is there now. Loop only.
func (r *Run) report(m event.Member, turn int, d event.ReportData) {
	d.Looked = r.rooms.sight.hunks(m, &d.Report, callsOf(r.state.Reviewer(m.Name)))
	if r.append(false, event.ReportIn, m.Name, turn, d) == nil && !d.Superseded {
		r.remerge()
	}
}

// reviewed is a reviewer's end. Loop only.
func (r *Run) reviewed(m event.Member, turn int, end ending) {
	c := r.controls[m.Name]
	c.turns = turn
	if c.again && r.ctx.Err() == nil {
		c.again = false
		r.launch(m)
		return
	}
	delete(r.running, m.Name)
	_ = r.append(true, event.StatusChanged, m.Name, turn, event.StatusData{Status: end.status, Text: end.text, Failure: end.failure})
	r.advance()
}

// advance goes on to the coordinator when every reviewer has ended. Loop only.
func (r *Run) advance() {
	if r.state.Phase != event.PhaseReviewing || r.merging || len(r.running) > 0 {
		return
	}
	r.coordinate()
}

// mergeInput gathers what the merge depends on. Loop only.
func (r *Run) mergeInput() merge.Input {
	s := r.state
	in := merge.Input{Places: s.Places, Ops: s.Ops, Blocking: r.plan.Blocking, Floor: merge.DefaultFloor,
		Reviewers: map[string]merge.Reviewer{}, Decided: map[string]string{}, Looked: r.looked}
	for _, id := range s.Order {
		in.Findings = append(in.Findings, s.Findings[id])
	}
	for _, rv := range s.Reviewers {
		in.Reviewers[rv.Name] = merge.Reviewer{
			Model: rv.ReportFrom.String(), Analyser: rv.ReportFrom.ID == "",
			Security: rv.Persona.Name == "security", Persona: rv.Persona.Name,
		}
	}
	in.Reviewers[event.Own] = merge.Reviewer{Persona: event.Own}
	in.Reviewers[event.Earlier] = merge.Reviewer{Persona: event.Own} // a person accepted it then
	for _, e := range s.Entries {
		for _, id := range e.Sources {
			if s.Decisions[id].Choice != review.Undecided {
				in.Decided[id] = e.ID
			}
		}
	}
	if s.Diff != nil {
		for _, f := range s.Diff.Files {
			in.Files = append(in.Files, f.Path())
		}
	}
	return in
}

// remerge runs the deterministic merge over what is there. What the judge said
// stands where it still fits. Loop only.
func (r *Run) remerge() { r.mergeAgain(r.mergeInput()) }

// mergeAgain is remerge over an input that was gathered before. Loop only.
func (r *Run) mergeAgain(in merge.Input) {
	by := merge.Deterministic
	if r.state.Judged != nil {
		by = merge.ByJudge
	}
	entries := merge.Update(r.state.Judged, in)
	if r.append(false, event.Merged, "", 0, event.MergedData{Entries: entries, By: by}) == nil {
		r.inherit()
		r.carry()
	}
}

// inherit gives a source that joined a decided entry its decision, unless it
// is worse than what was decided or a security finding (merge.Inherit).
func (r *Run) inherit() {
	patch := event.Patch{Decisions: map[string]review.Decision{}}
	in := r.mergeInput()
	for _, e := range r.state.Entries {
		d, ids := r.joined(e, in)
		for _, id := range ids {
			patch.Decisions[id] = d
		}
	}
	if len(patch.Decisions) > 0 {
		_ = r.append(true, event.Decided, "", 0, event.StepData{Op: "inherit", Label: "joined a decided finding", Patch: patch})
	}
}

// joined lists the undecided sources of a decided entry that inherit its
// decision. Loop only.
func (r *Run) joined(e event.Entry, in merge.Input) (d review.Decision, ids []string) {
	var decided []review.Finding
	for _, id := range e.Sources {
		if x := r.state.Decisions[id]; x.Choice != review.Undecided {
			if len(decided) > 0 && (x.Choice != d.Choice || x.Reason != d.Reason) {
				return d, nil // they conflict: nothing to inherit
			}
			decided, d = append(decided, r.state.Findings[id]), x
		}
	}
	if len(decided) == 0 {
		return d, nil
	}
	d.Inherited = true
	for _, id := range e.Sources {
		f := r.state.Findings[id]
		if r.state.Decisions[id].Choice == review.Undecided && merge.Inherit(f, in.Reviewers[f.Reviewer], decided) {
			ids = append(ids, id)
		}
	}
	return d, ids
}

// looked reports whether a reviewer looked at a finding's place. Loop only.
func (r *Run) looked(reviewer, id string) bool {
	rv := r.state.Reviewer(reviewer)
	if rv == nil || rv.Status != event.StatusDone || rv.ReportFrom.ID == "" {
		return false
	}
	return r.rooms.sight.looked(rv.Report, callsOf(rv), r.state.Places[id])
}

// callsOf lists a reviewer's tool calls that are still kept.
func callsOf(rv *event.Reviewer) []review.Tool {
	if rv == nil {
		return nil
	}
	var tools []review.Tool
	for _, b := range rv.Blocks {
		if b.Kind == "tool" {
			tools = append(tools, b.Tool)
		}
	}
	return tools
}
