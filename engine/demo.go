package engine

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/mrv-dev/mrv/engine/agent/replay"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/journal"
)

// demoPlan is the plan of the embedded recording as a new run: same change,
// same team, same marker, answered by the recording.
func demoPlan(_ context.Context, o Options) (*Planned, error) {
	_, events, err := journal.Parse("the recorded demo", replay.Demo())
	if err != nil {
		return nil, err
	}
	var raw []byte
	s := event.NewState()
	for _, e := range events { // the plan and the change are wanted, not what became of them
		if e.Kind != event.Planned && e.Kind != event.DiffStored {
			continue
		}
		if err := s.Apply(e); err != nil {
			return nil, fmt.Errorf("reading the recorded demo: %w", err)
		}
		if e.Kind == event.DiffStored {
			var d event.DiffData
			if err := e.Decode(&d); err != nil {
				return nil, err
			}
			if raw, err = d.Raw(); err != nil {
				return nil, err
			}
		}
	}
	if s.Plan == nil {
		return nil, fmt.Errorf("the recorded demo has no plan")
	}
	plan := *s.Plan
	plan.Run, plan.Version, plan.Agent = journal.NewID(time.Now()), o.Version, AgentReplay
	plan.Change.Source, plan.Change.Dir, plan.Change.Store = event.FromDemo, "", ""
	plan.Banner = "a recording: no model is asked, nothing is sent"
	plan.Viewer = person()
	plan.Sends, plan.Rules.Hash = nil, ""
	for i := range plan.Team {
		plan.Team[i].Agent = AgentReplay
	}
	if plan.Coordinator != nil {
		c := *plan.Coordinator
		c.Agent = AgentReplay
		plan.Coordinator = &c
	}
	if plan.Out, err = o.out(plan.Change); err != nil {
		return nil, err
	}
	if plan.Out == "" {
		if plan.Out, err = os.Getwd(); err != nil {
			return nil, fmt.Errorf("finding the current directory: %w", err)
		}
	}
	if o.Lang != "" {
		plan.Lang = o.Lang
	}
	p := &Planned{plan: plan, raw: raw, set: s.Diff, options: o}
	p.consents, err = loadConsents(o.Paths.State)
	return p, err
}
