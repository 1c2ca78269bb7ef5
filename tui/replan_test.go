package tui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

// planner plans anew as it is told.
type planner struct {
	plan event.Plan
	team string
	drop []string
	err  error
}

func (p *planner) Plan() event.Plan                   { return p.plan }
func (p *planner) Start(context.Context) (Run, error) { return newDesk(), nil }

func (p *planner) Replan(_ context.Context, team string, drop []string) error {
	if p.err != nil {
		return p.err
	}
	p.team, p.drop = team, drop
	p.plan = plan(strings.Count(team, ":"))
	for i := range p.plan.Files {
		if f := &p.plan.Files[i]; slices.Contains(drop, f.Path()) {
			f.Reviewed, f.Unread, f.Reason = false, true, "dropped by you"
		}
	}
	return nil
}

func TestAnotherTeam(t *testing.T) {
	s := &planner{plan: plan(2)}
	m := shown(t, Options{Starter: s}, 80, 24)
	press(m, "t")
	if got := frame(m); !strings.Contains(got, "quality-1:1,security-1:1") {
		t.Fatalf("the team there is is not offered:\n%s", got)
	}
	press(m, ",", "a", ":", "2", "enter")
	if want := "quality-1:1,security-1:1,a:2"; s.team != want {
		t.Errorf("planned for %q, want %q", s.team, want)
	}
	if got := frame(m); !strings.Contains(got, "performance-1") || !strings.Contains(got, "This is the new plan.") {
		t.Errorf("the new plan is not shown:\n%s", got)
	}
	press(m, "t", "z", "esc")
	if m.plan.Typing() || s.team != "quality-1:1,security-1:1,a:2" {
		t.Error("esc does not leave the team as it was")
	}
}

func TestDroppingFiles(t *testing.T) {
	for _, lang := range []review.Lang{review.English, review.Chinese} {
		s := &planner{plan: plan(2)}
		m := shown(t, Options{Starter: s, Lang: lang}, 80, 24)
		press(m, "x", "x", "j", "k", "x", "x", "x") // the first and the second, and the third back and forth
		fits(t, m, 80, 24)
		press(m, "enter")
		if want := []string{"api/refund.go", "store/postgres/ledger.go"}; !slices.Equal(s.drop, want) {
			t.Errorf("dropped %v, want %v", s.drop, want)
		}
		if dropped := map[review.Lang]string{review.English: "dropped by you", review.Chinese: "被你去掉"}[lang]; !strings.Contains(strings.Join(strings.Fields(frame(m)), " "), dropped) {
			t.Errorf("the plan does not say so:\n%s", frame(m))
		}
		press(m, "x")
		if !strings.Contains(frame(m), "[x]") {
			t.Errorf("what was dropped cannot be taken back:\n%s", frame(m))
		}
		press(m, "x", "j", "enter")
		if want := []string{"store/postgres/ledger.go"}; !slices.Equal(s.drop, want) {
			t.Errorf("dropped %v, want %v", s.drop, want)
		}
	}
}

func TestAPlanThatCannotBeMadeStands(t *testing.T) {
	s := &planner{plan: plan(2), err: errors.New(`--team: there is no persona "z"`)}
	m := shown(t, Options{Starter: s}, 80, 24)
	press(m, "t", "z", "enter")
	if got := frame(m); !strings.Contains(got, "there is no persona") || !strings.Contains(got, "security-1") {
		t.Errorf("what is wrong is not said beside the plan:\n%s", got)
	}
	press(m, "enter")
	if m.plan != nil {
		t.Error("the plan that stands cannot be started")
	}
}
