package engine

import (
	"context"
	"slices"
	"strings"

	"github.com/mrv-dev/mrv/engine/agent/opencode"
	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/event"
)

// The kinds of agent a run can be asked for.
const (
	AgentOpenCode = "opencode"
	AgentChecks   = "checks"
	AgentReplay   = "replay"
)

func findOpenCode(ctx context.Context, o Options) (opencode.Binary, error) {
	return opencode.Find(ctx, opencode.FindOptions{Path: o.OpenCode, Getenv: o.getenv, DataDir: o.Paths.Data, CacheDir: o.Paths.Cache, Patience: o.Timing.Listen})
}

// staff fills in who reviews: the team, its agents and models, and how much
// goes to whom.
//
// The server that was asked for its models, nil for none, is returned also
// beside an error.
func (o Options) staff(ctx context.Context, p *event.Plan, reviewed *diff.Set, rules rules) (*opencode.Idle, error) {
	team, err := o.team(p.Tier, rules, reviewed)
	if err != nil {
		return nil, err
	}
	lineup, err := o.lineup(ctx, team)
	if err != nil {
		return nil, err
	}
	return lineup.idle, o.fill(ctx, p, reviewed, team, lineup)
}

// fill writes the team down, with what each of it is asked.
func (o Options) fill(ctx context.Context, p *event.Plan, reviewed *diff.Set, team []event.Member, lineup *lineup) (err error) {
	p.Agent, p.Banner = lineup.agent, lineup.banner
	for _, m := range team {
		if m.Agent == "" {
			m.Agent = lineup.agent
		}
		if m.Skip == "" {
			if err := lineup.assign(&m, o); err != nil {
				return err
			}
		}
		p.Team = append(p.Team, m)
	}
	switch {
	case lineup.agent == AgentOpenCode && !lineup.unknown:
		if p.Coordinator, err = lineup.coordinator(o); err != nil {
			return err
		}
	case isOwn(lineup.agent):
		p.Coordinator = &event.Member{Name: event.Coordinator, Agent: lineup.agent}
		if err := o.enlist(p.Coordinator); err != nil {
			return err
		}
	}
	files, err := o.sarifTeam(p.Change.Dir)
	if err != nil {
		return err
	}
	p.Team = append(p.Team, files...)
	if s := o.openHome(p.Team); s != "" {
		p.Notes = append(p.Notes, s)
	}
	once(p.Team)
	if !o.PlanOnly && !slices.ContainsFunc(p.Team, func(m event.Member) bool { return m.Skip == "" }) {
		return usage("nobody of the team %s has anything to do here: every reviewer is skipped", teamNames(p.Team))
	}
	lineup.read(p, reviewed)
	o.markLoopback(p.Sends)
	lineup.served(ctx, p, o)
	return nil
}

// once leaves one of several checks of the same persona: a deterministic
// reviewer says the same every time.
func once(team []event.Member) {
	seen := map[string]bool{}
	for i, m := range team {
		if m.Agent != AgentChecks {
			continue
		}
		switch {
		case len(m.Persona.Checks) == 0:
			team[i].Skip = "no checks"
		case seen[m.Persona.Name]:
			team[i].Skip = "the same checks run once"
		}
		seen[m.Persona.Name] = true
	}
}

func teamNames(team []event.Member) string {
	names := make([]string, 0, len(team))
	for _, m := range team {
		names = append(names, m.Name)
	}
	return strings.Join(names, ", ")
}
