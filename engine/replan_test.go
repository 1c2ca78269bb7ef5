package engine_test

import (
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine"
)

// TestPlanAgain: another team and fewer files of the same change; what the
// person drops counts as unread.
func TestPlanAgain(t *testing.T) {
	o := testOptions(t, t.TempDir())
	o.Source.Dir, o.Source.Base, o.Source.CacheDir = demoRepository(t), "main", o.Paths.Cache
	o.Agent = "checks"
	p, err := engine.NewPlan(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	file := p.Plan().Files[0].Path()
	again, err := p.Again(t.Context(), "security:2", []string{file})
	if err != nil {
		t.Fatal(err)
	}
	plan := again.Plan()
	if len(plan.Team) != 2 || plan.Team[1].Name != "security-2" {
		t.Errorf("the team is %+v", plan.Team)
	}
	if f := plan.Files[0]; f.Reviewed || !f.Unread || f.Reason != "dropped by you" {
		t.Errorf("the dropped file is %+v", f)
	}
	if len(plan.Holds) != 1 || !strings.Contains(plan.Holds[0].Text, file) {
		t.Errorf("the holds are %+v", plan.Holds)
	}
	var all []string
	for _, f := range plan.Files {
		all = append(all, f.Path())
	}
	for name, c := range map[string]struct {
		team string
		drop []string
	}{
		"no such persona": {"nobody:1", nil},
		"nothing is left": {"", all},
	} {
		if _, err := again.Again(t.Context(), c.team, c.drop); err == nil {
			t.Errorf("%s: it was planned", name)
		}
	}
}
