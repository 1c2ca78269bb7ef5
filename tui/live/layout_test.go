package live

import (
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/internal/scene"
)

func TestLayout(t *testing.T) {
	for _, c := range []struct{ n, w, h, cols, shown int }{
		{1, 160, 45, 1, 1}, {2, 160, 45, 2, 2}, {2, 80, 21, 1, 2}, {3, 120, 33, 1, 3}, {4, 120, 33, 2, 4},
		{4, 80, 21, 2, 4}, {8, 160, 45, 2, 8}, {8, 80, 21, 2, 8}, {12, 160, 45, 4, 12}, {12, 80, 21, 2, 8},
		{4, 40, 7, 1, 1}, {12, 250, 70, 3, 12}, {1, 20, 2, 1, 1},
	} {
		_, places := layout(c.n, 0, c.w, c.h)
		cols := 0
		for _, p := range places {
			if p.y == 0 {
				cols++
			}
		}
		if cols != c.cols || len(places) != c.shown {
			t.Errorf("%d panes in %dx%d: %d in %d columns, want %d in %d", c.n, c.w, c.h, len(places), cols, c.shown, c.cols)
		}
	}
}

func TestArrowsReachEveryPaneAndItsPage(t *testing.T) {
	for n := 1; n <= 12; n++ {
		for _, size := range [][2]int{{40, 7}, {80, 21}, {160, 45}} {
			l := screen(t, &desk{}, review.English, "dark")
			s := scene.New(scene.Plan(scene.Team(glm, review.EffortMax, scene.Names(n)...))).Phase(event.PhaseReviewing)
			show(l, s, size[0], size[1])
			seen := map[string]bool{}
			for range 4 * n {
				for _, id := range []string{"pane.right", "pane.down", "pane.right", "pane.up"} {
					seen[l.focus] = true
					l.Do(id)
					if !strings.Contains(l.View(), l.focus) {
						t.Fatalf("%d panes in %v: the focused one is not in sight", n, size)
					}
				}
			}
			if len(seen) != n {
				t.Errorf("%d panes in %v: %d reached", n, size, len(seen))
			}
		}
	}
}
