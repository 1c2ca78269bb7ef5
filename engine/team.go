package engine

import (
	"strings"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/personas"
)

// team is the reviewers: --team, else the project's, else the tier's.
func (o Options) team(tier string, r rules, reviewed *diff.Set) ([]event.Member, error) {
	spec, from := o.Team, "--team"
	if spec == "" && o.Tier == "" {
		spec, from = r.project.Team, "the project's team"
	}
	if spec == "" {
		spec, from = personas.DefaultTeam(tier), "the team of the tier "+tier
	}
	counts, err := personas.ParseTeam(spec, r.personas)
	if err != nil {
		return nil, usage("%s: %w", from, err)
	}
	var paths []string
	for _, f := range reviewed.Files {
		paths = append(paths, f.Path())
	}
	var team []event.Member
	for _, c := range counts {
		for _, name := range c.Reviewers() {
			m := event.Member{Name: name, Persona: c.Persona}
			if !c.Persona.Applies(paths) {
				m.Skip = "no path matches " + strings.Join(c.Persona.Paths, ", ")
			}
			team = append(team, m)
		}
	}
	return team, nil
}
