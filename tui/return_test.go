package tui

import (
	"context"
	"errors"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/internal/scene"
	"github.com/mrv-dev/mrv/tui/picker"
)

// A run that was picked leads back to the list it was picked from, closed, and
// its pull request can be opened again as what it is now.
func TestARunThatWasPickedLeadsBack(t *testing.T) {
	for _, lang := range []review.Lang{review.English, review.Chinese} {
		s := fullShelf()
		m := picked(t, s, lang, 100, 30)
		list := frame(m)
		press(m, "j", "j", "enter", "enter")
		if m.run == nil {
			t.Fatalf("no run:\n%s", frame(m))
		}
		m.Update(fromRun{m.attached, batchMsg(scene.New(plan(2)).Phase(event.PhaseReviewing).Begin("quality-1", "security-1").Events())})
		if foot := m.footer()[0]; !strings.Contains(foot, m.words.Pick.Quit.Short) || !strings.Contains(strings.Join(m.handles(), " "), "quit.all") {
			t.Errorf("the way back is not said: %s", foot)
		}
		press(m, "q")
		if !strings.Contains(frame(m), m.words.Pick.Back) {
			t.Fatalf("reviewers are at work, and it is not asked:\n%s", frame(m))
		}
		press(m, "n")
		if m.run == nil || s.closed != 0 {
			t.Fatal("no means no")
		}
		s.reviews[119] = picker.Review{Found: picker.InRun, Head: reviewed, Now: reviewed, Findings: 3}
		if press(m, "q", "y") || m.run != nil || s.closed != 1 {
			t.Fatalf("closed %d times:\n%s", s.closed, frame(m))
		}
		if m.Update(fromRun{m.attached - 1, batchMsg(scene.New(plan(2)).Events())}); m.state.Plan != nil {
			t.Error("what the run that was left still brings is taken for something")
		}
		if got := frame(m); !strings.Contains(got, "▸ #119") || strings.Count(got, "\n") != strings.Count(list, "\n") || !strings.Contains(got, m.words.Pick.Title) {
			t.Errorf("the list is not as it was:\n%s", got)
		}
		press(m, "enter")
		if len(s.chosen) != 1 || !strings.Contains(frame(m), m.words.Pick.Resume) {
			t.Errorf("it is not asked what to do with the run that there is now:\n%s", frame(m))
		}
		press(m, "esc")
		if !press(m, "q") {
			t.Error("q in the list does not leave")
		}
	}
}

// Q leaves altogether, from a run and from its plan; q leaves a plan for the
// list.
func TestLeavingARunAltogether(t *testing.T) {
	s := fullShelf()
	m := picked(t, s, review.English, 100, 30)
	press(m, "j", "j", "enter")
	if press(m, "q") || m.plan != nil || s.closed != 1 || !strings.Contains(frame(m), "▸ #119") {
		t.Fatalf("q leaves the plan for something else than the list:\n%s", frame(m))
	}
	press(m, "enter")
	if !press(m, "Q") {
		t.Error("Q does not leave from a plan")
	}
	press(m, "enter")
	m.Update(fromRun{m.attached, batchMsg(scene.New(plan(2)).Phase(event.PhaseReviewing).Begin("quality-1").Events())})
	press(m, "Q")
	if !strings.Contains(frame(m), "Quit?") || strings.Contains(frame(m), "Back to the list") {
		t.Fatalf("Q asks something else:\n%s", frame(m))
	}
	if !press(m, "y") || s.closed != 1 {
		t.Error("Q does not leave altogether")
	}
	m = shown(t, Options{Run: newDesk()}, 100, 30)
	if press(m, "Q") {
		t.Error("Q leaves where there is no list")
	}
}

// A run that does not close in order says so on the list.
func TestARunThatDoesNotCloseSaysWhy(t *testing.T) {
	s := fullShelf()
	s.opens = func(context.Context, picker.Choice) (Opened, error) { return Opened{Run: newDesk(), Board: true}, nil }
	m := picked(t, s, review.English, 100, 30)
	press(m, "j", "j", "enter")
	s.close = errors.New("ending the server: it does not answer")
	_, cmd := m.Update(tea.KeyPressMsg{Code: 'q', Text: "q"})
	if !strings.Contains(frame(m), "Closing the review") {
		t.Errorf("it is not said what goes on:\n%s", frame(m))
	}
	if press(m, "a", "q", "enter") || len(s.chosen) != 1 {
		t.Error("a key acts on a run that is being closed")
	}
	m.Update(cmd())
	if !m.inPicker() || !strings.Contains(frame(m), "it does not answer") {
		t.Errorf("the reason is not on the screen:\n%s", frame(m))
	}
}
