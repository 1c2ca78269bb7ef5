package engine

import (
	"context"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/event"
)

func choose(_ context.Context, p *event.Plan, l *Loaded, r rules) (*diff.Set, error) {
	part := &diff.Set{}
	for _, f := range l.Set.Files {
		p.Files = append(p.Files, event.PlanFile{OldPath: f.OldPath, NewPath: f.NewPath, Status: string(f.Status), Additions: f.Additions, Deletions: f.Deletions, Binary: f.Binary, Hunks: len(f.Hunks), Reviewed: !f.Binary})
		if !f.Binary {
			part.Files = append(part.Files, f)
		}
	}
	return part, nil
}

func (r rules) tierOf(set *diff.Set, asked string) (string, string) { return "lite", "" }
