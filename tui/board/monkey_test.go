package board

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/text"
)

// TestAnyKeysAtAnyTime presses keys at random while entries come and go and the
// window changes: nothing panics, the picture fits, and only what the board
// says it handles is ever asked of it.
func TestAnyKeysAtAnyTime(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		lang := rapid.SampledFrom([]review.Lang{review.English, review.Chinese}).Draw(rt, "lang")
		s := open(t, lang, chinese()[:rapid.IntRange(0, 7).Draw(rt, "findings")], 80, 21)
		s.edits(swap("## Title\n\n", "## Title\nown\n"))
		s.b.SetDesk(Desk{Editor: []string{"ed"}, Browser: []string{"true"}})
		for range rapid.IntRange(1, 25).Draw(rt, "steps") {
			switch rapid.IntRange(0, 11).Draw(rt, "what") {
			case 0:
				s.b.SetSize(rapid.IntRange(0, 220).Draw(rt, "w"), rapid.IntRange(0, 50).Draw(rt, "h"))
			case 1:
				claims := chinese()
				entries := rapid.Permutation(claims).Draw(rt, "order")[:rapid.IntRange(0, 7).Draw(rt, "n")]
				s.run.merge(t, entries)
				s.settle(nil)
			default:
				if s.b.Typing() {
					s.press(rapid.SampledFrom([]string{"a", "y", "f", "x", "1", "enter", "esc", "backspace", "款"}).Draw(rt, "key"))
				} else {
					s.settle(s.b.Do(rapid.SampledFrom(s.b.Handles()).Draw(rt, "action")))
				}
			}
			fits(rt, s.b)
		}
	})
}

// fits fails when the picture is not as large as it was asked to be, or the
// cursor is on no row.
func fits(rt *rapid.T, b *Board) {
	view := b.View()
	if lines := strings.Split(view, "\n"); b.w > 0 && b.h > 0 {
		if len(lines) != b.h {
			rt.Fatalf("%dx%d has %d lines", b.w, b.h, len(lines))
		}
		for _, l := range lines {
			if n := text.Width(l); n > b.w {
				rt.Fatalf("%dx%d: %d cells: %q", b.w, b.h, n, l)
			}
		}
	}
	if len(b.rows) > 0 && (b.cursor < 0 || b.cursor >= len(b.rows)) {
		rt.Fatalf("cursor %d of %d rows", b.cursor, len(b.rows))
	}
	for _, id := range b.rows {
		if _, ok := b.items[id]; !ok {
			rt.Fatalf("row %s is no finding", id)
		}
	}
}

func TestRejectAllOfTheFilter(t *testing.T) {
	s := open(t, review.English, english(), 120, 30)
	s.press("f", "s", "R")
	if view := ansi.Strip(s.b.View()); !strings.Contains(view, "reject all 3 undecided findings shown?") {
		t.Fatalf("no count before it:\n%s", view)
	}
	s.press("y", "o")
	if got := s.run.state.Tally(); got.Rejected != 3 || len(s.run.state.UndoStack) != 1 {
		t.Errorf("%+v in %d steps", got, len(s.run.state.UndoStack))
	}
}

func TestSortGoesAroundAndKeepsTheCursor(t *testing.T) {
	s := open(t, review.English, english(), 120, 30)
	orders := map[string]bool{}
	s.press("j")
	title := s.title()
	for range sorts {
		orders[strings.Join(s.b.rows, " ")] = true
		s.press("S")
		if s.title() != title {
			t.Errorf("the cursor went to %q", s.title())
		}
	}
	if len(orders) < 3 || s.b.sort != ByUrgency {
		t.Errorf("%d orders, ends with %v", len(orders), s.b.sort)
	}
	if first := s.b.items[s.b.rows[0]]; !first.disputed() {
		t.Errorf("the default begins with %q", first.shown.Title)
	}
}

func TestOrder(t *testing.T) {
	it := func(id string, sev review.Severity, change func(*item)) item {
		x := item{Entry: event.Entry{ID: id, Lead: id + ".1"}, shown: review.Finding{Severity: sev}}
		if change != nil {
			change(&x)
		}
		return x
	}
	list := []item{
		it("suggestion", review.Suggestion, nil), it("critical", review.Critical, nil), it("warning", review.Warning, nil),
		it("disputed", review.Suggestion, func(x *item) { x.Dissent = []string{"no"} }),
		it("escalated", review.Suggestion, func(x *item) { x.urgent = true }),
		it("agreed", review.Warning, func(x *item) { x.Reviewers = []string{"a", "b"} }),
	}
	arrange(list, ByUrgency)
	var got []string
	for _, x := range list {
		got = append(got, x.ID)
	}
	if want := []string{"escalated", "disputed", "critical", "agreed", "warning", "suggestion"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestDetailScrollsAndTurnsHunks(t *testing.T) {
	s := open(t, review.English, english(), 80, 24)
	s.press("j")
	top := ansi.Strip(s.b.View())
	s.press("J")
	down := ansi.Strip(s.b.View())
	s.press("K")
	if up := ansi.Strip(s.b.View()); up != top || down == top {
		t.Error("J and K do not scroll there and back")
	}
	s.press("]")
	if view := ansi.Strip(s.b.View()); !strings.Contains(view, "func (h *Handler) audit") || !strings.Contains(view, "hunk 2 of 2") {
		t.Errorf("] does not show the next hunk:\n%s", view)
	}
}
