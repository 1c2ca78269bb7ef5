package tui

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/internal/scene"
)

// TestAStormOfSizes: eight reviewers stream while the window takes on any size
// between every two batches. Nothing panics, no line is wider than the window,
// and at the end every token is there, whichever pane is looked at.
func TestAStormOfSizes(t *testing.T) {
	const reviewers, rounds = 8, 200
	words := []string{"retry ", "退款 ", "👩‍👩‍👧 ", "capture() ", "한국어 ", "e\u0301tat ", "`ledger`\n"}
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 7))
		names := scene.Names(reviewers)
		m := shown(t, Options{Run: newDesk(), Lang: []review.Lang{review.English, review.Chinese}[seed%2]}, 80, 24)
		story := scene.New(plan(reviewers)).Phase(event.PhaseReviewing).Begin(names...)
		said := map[string]*strings.Builder{}
		for _, n := range names {
			said[n] = &strings.Builder{}
		}
		for round := range rounds {
			for _, n := range names {
				token := fmt.Sprintf("%s%d ", words[r.IntN(len(words))], round)
				said[n].WriteString(token)
				story.Say(n, "p", token)
			}
			m.Update(batchMsg(story.Wait(33).Next()))
			w, h := 1+r.IntN(300), 1+r.IntN(100)
			if round%10 == 0 {
				w, h = 1, 1
			}
			m.Update(tea.WindowSizeMsg{Width: w, Height: h})
			fits(t, m, w, h)
			press(m, []string{"tab", "shift+tab", "enter", "esc", "right", "?", "esc", "1", "8", "t"}[r.IntN(10)])
			fits(t, m, w, h)
		}
		m.help, m.palette, m.tab = nil, nil, tabLive
		m.Update(tea.WindowSizeMsg{Width: 200, Height: 60})
		for i, n := range names {
			var text strings.Builder
			for _, b := range m.state.Reviewer(n).Blocks {
				text.WriteString(b.Text)
			}
			if got := text.String(); got != said[n].String() {
				t.Errorf("%s has %d bytes, was sent %d", n, len(got), said[n].Len())
			}
			press(m, "esc", fmt.Sprint(i+1), "enter")
			fits(t, m, 200, 60)
			last := fmt.Sprint(rounds - 1)
			if !strings.Contains(frame(m), last) {
				t.Errorf("the last token of %s is not on the screen:\n%s", n, frame(m))
			}
		}
	}
}
