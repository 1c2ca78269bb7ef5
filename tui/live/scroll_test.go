package live

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/internal/scene"
)

// A person who scrolled up keeps the lines in sight while text comes in, is
// told of it, and can follow again.
func TestScrollingStandsStill(t *testing.T) {
	s := scene.New(scene.Plan(scene.Team(glm, review.EffortMax, "quality-1"))).Phase(event.PhaseReviewing).Begin("quality-1")
	for i := range 60 {
		s.Say("quality-1", "p", fmt.Sprintf("line %d\n", i))
	}
	l := screen(t, &desk{}, review.English, "dark")
	show(l, s, 60, 12)
	l.Do("zoom")
	if !strings.Contains(l.View(), "line 59") {
		t.Fatal("does not follow")
	}
	for range 20 {
		l.Do("move.up")
	}
	before := strings.Split(ansi.Strip(l.View()), "\n")[1:11]
	for i := range 7 {
		s.Say("quality-1", "p", fmt.Sprintf("more %d\n", i))
	}
	show(l, s, 60, 12)
	after := strings.Split(ansi.Strip(l.View()), "\n")
	if strings.Join(before, "\n") != strings.Join(after[1:11], "\n") {
		t.Errorf("the text moved:\n%s\n\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
	}
	if !strings.Contains(after[11], "new output below") {
		t.Errorf("new output is not told: %q", after[11])
	}
	l.Do("top")
	if !strings.Contains(ansi.Strip(l.View()), "line 0 ") {
		t.Errorf("not at the top:\n%s", ansi.Strip(l.View()))
	}
	l.Do("follow")
	if view := l.View(); !strings.Contains(view, "more 6") || strings.Contains(view, "new output below") {
		t.Errorf("does not follow:\n%s", ansi.Strip(view))
	}
}

func TestTheTopReadsTheJournal(t *testing.T) {
	s := scene.New(scene.Plan(scene.Team(glm, review.EffortMax, "quality-1"))).Phase(event.PhaseReviewing).Begin("quality-1")
	for i := range 40 {
		s.Say("quality-1", fmt.Sprint("p", i), strings.Repeat(fmt.Sprintf("part %d\n", i), 2000))
	}
	l := screen(t, &desk{text: "the very first words\n" + strings.Repeat("then more\n", 100)}, review.English, "dark")
	show(l, s, 60, 12)
	l.Do("zoom")
	cmd := l.Do("top")
	if cmd == nil {
		t.Fatal("the journal is not asked")
	}
	l.Update(cmd())
	l.Do("top")
	if !strings.Contains(l.View(), "the very first words") {
		t.Errorf("got\n%s", ansi.Strip(l.View()))
	}
}

// While a reviewer writes, the newest line is always in sight, and the others
// move only every few lines.
func TestTextStandsStillBetweenSteps(t *testing.T) {
	s := scene.New(scene.Plan(scene.Team(glm, review.EffortMax, "quality-1"))).Phase(event.PhaseReviewing).Begin("quality-1")
	l := screen(t, &desk{}, review.English, "dark")
	moved, first := 0, ""
	for i := range 100 {
		s.Say("quality-1", "p", fmt.Sprintf("line %d\n", i))
		view := ansi.Strip(show(l, s, 60, 20))
		if !strings.Contains(view, fmt.Sprintf("line %d ", i)) {
			t.Fatalf("line %d is not in sight:\n%s", i, view)
		}
		if top := strings.Split(view, "\n")[1]; top != first {
			moved, first = moved+1, top
		}
	}
	if want := 100/4 + 2; moved > want {
		t.Errorf("the text moved %d times in 100 lines, want at most %d", moved, want)
	}
	view := ansi.Strip(show(l, s.Status(event.StatusDone, "quality-1"), 60, 20))
	if last := strings.Split(view, "\n")[18]; !strings.Contains(last, "line 99") {
		t.Errorf("a pane that is done is not full: %q", last)
	}
}
