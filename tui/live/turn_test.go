package live

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/internal/scene"
)

// However many reviewers write, what is written to the terminal in a row lies
// within one pane; and each has its turn.
func TestTextMovesInOneColumnAtATime(t *testing.T) {
	const width, height = 210, 24
	names := scene.Names(6)
	s := scene.New(scene.Plan(scene.Team(glm, review.EffortMax, names...))).Phase(event.PhaseReviewing).Begin(names...)
	l := screen(t, &desk{}, review.English, "dark")
	before := strings.Split(ansi.Strip(show(l, s, width, height)), "\n")
	_, columns := l.columns()
	for _, n := range names {
		s.Say(n, "p", "the handler copies the amount\nof the request\n")
	}
	l.SetState(s.State())
	moved := map[int]bool{}
	for range columns {
		after := strings.Split(ansi.Strip(l.View()), "\n")
		now := map[int]bool{}
		for y := range after {
			for x := range []rune(after[y]) {
				if []rune(after[y])[x] != []rune(before[y])[x] {
					now[x*columns/width] = true
				}
			}
		}
		if len(now) != 1 {
			t.Fatalf("text moved in the columns %v in one frame", now)
		}
		for c := range now {
			moved[c] = true
		}
		before = after
		l.Update(turnMsg{})
	}
	if len(moved) != columns || columns < 3 {
		t.Errorf("of %d columns %v had a turn", columns, moved)
	}
	if l.turning {
		t.Error("turns go on with nothing to show")
	}
}

// How it stands with a reviewer does not wait for a turn.
func TestAChangeOfStateDoesNotWait(t *testing.T) {
	names := scene.Names(4)
	s := scene.New(scene.Plan(scene.Team(glm, review.EffortMax, names...))).Phase(event.PhaseReviewing).Begin(names...)
	l := screen(t, &desk{}, review.English, "dark")
	show(l, s, 160, 20)
	for _, n := range names {
		s.Say(n, "p", "last words of "+n).Status(event.StatusDone, n)
	}
	l.SetState(s.State())
	for _, n := range names {
		if view := ansi.Strip(l.View()); !strings.Contains(view, "last words of "+n) {
			t.Errorf("%s is done and its last words are not in sight:\n%s", n, view)
		}
	}
}
