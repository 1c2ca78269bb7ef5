package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mrv-dev/mrv/engine/agent/opencode/scripted"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

// TestAChangeTooLargeForItsModel is read in parts, one session each: the
// reports are joined, and the run is complete.
func TestAChangeTooLargeForItsModel(t *testing.T) {
	var mu sync.Mutex
	var parts []string
	o := panel(t, "parts", 1, func(p *scripted.Provider) {
		p.Handle("parts", func(r scripted.Request) scripted.Script {
			if r.Schema != nil {
				return oneFinding(r)
			}
			_, head, _ := strings.Cut(r.Prompt, "this is ")
			head, _, _ = strings.Cut(head, ".")
			mu.Lock()
			defer mu.Unlock()
			parts = append(parts, head)
			path := fmt.Sprintf("big%d.txt", len(parts))
			if !strings.Contains(r.Prompt, path) {
				return scripted.Script{scripted.Say(r.Report(review.Pass))}
			}
			return scripted.Script{scripted.Say(r.Report(review.Concerns, review.Finding{
				Severity: review.Warning, Title: "In " + path, Location: review.Location{Path: path, Start: 1}, Observation: "It is " + path + ".",
				Inference: "None.", Judgment: "Contract: none.", Verification: "Look."}))}
		})
	})
	for i := range 3 {
		addFile(t, o.Source.Dir, fmt.Sprintf("big%d.txt", i+1), strings.Repeat(strings.Repeat("y", 99)+"\n", 1900))
	}
	run := begin(t, o)
	if plan := run.Plan(); !slices.ContainsFunc(plan.Notes, func(n string) bool { return strings.Contains(n, "in 3 parts") }) || len(plan.Holds) != 0 {
		t.Errorf("notes %v, holds %v", plan.Notes, plan.Holds)
	}
	settle(t, run)
	s := stateOf(t, run)
	r := s.Reviewer("quality-1")
	if r.Status != event.StatusDone || r.TurnKind != event.TurnPart || !slices.Equal(parts, []string{"part 1 of 3", "part 2 of 3", "part 3 of 3"}) {
		t.Errorf("%s %s: %s, parts %v", r.Status, r.Text, r.TurnKind, parts)
	}
	if got := strings.Join(s.Order, " "); got != "quality-1.1 quality-1.2 quality-1.3" || s.Places["quality-1.3"].Path != "big3.txt" || len(s.Missing()) != 0 || len(s.Holds) != 0 {
		t.Errorf("findings %s, places %+v, missing %v, holds %v", got, s.Places, s.Missing(), s.Holds)
	}
	finish(t, run)
}
