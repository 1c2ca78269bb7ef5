package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

// droppedByYou is why a file is not read that the person took out of the plan.
const droppedByYou = "dropped by you"

// Again plans the same change anew, with another team ("" for the one it would
// have by itself) and without the files of the paths in drop. It replaces p,
// which must not be used afterwards; after an error p stands as it was. A plan
// that would ask something that was not asked before is an error: nothing can
// be asked while the screen is open.
func (p *Planned) Again(ctx context.Context, team string, drop []string) (*Planned, error) {
	if p.loaded == nil {
		return nil, usage("the team and the files of a recording are what they were")
	}
	o := p.options
	o.Team, o.Drop, o.idle = team, drop, p.idle
	again, err := planOf(ctx, o, p.loaded)
	if err != nil {
		return nil, err
	}
	if len(again.asks) > 0 {
		return nil, usage("%s Answer with %s when you start mrv", again.asks[0].Text, again.asks[0].Flag)
	}
	return again, nil
}

// dropped takes the files out that the person does not want read. They count as
// unread: nobody looked at them.
func (o Options) dropped(p *event.Plan, reviewed *diff.Set) *diff.Set {
	if len(o.Drop) == 0 {
		return reviewed
	}
	for i := range p.Files {
		f := &p.Files[i]
		if f.Reviewed && slices.Contains(o.Drop, f.Path()) {
			f.Reviewed, f.Unread, f.Reason = false, true, droppedByYou
			p.Holds = append(p.Holds, review.Hold{Code: "unread", Text: fmt.Sprintf("%s was not read: %s", f.Path(), droppedByYou)})
		}
	}
	return diff.NewSet(slices.DeleteFunc(slices.Clone(reviewed.Files), func(f *diff.File) bool { return slices.Contains(o.Drop, f.Path()) }))
}
