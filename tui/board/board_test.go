package board

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/keys"
	"github.com/mrv-dev/mrv/tui/text"
)

func keymap(tb testing.TB) *keys.Map {
	m, err := keys.New(nil)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func TestView(t *testing.T) {
	for _, lang := range []review.Lang{review.English, review.Chinese} {
		for _, size := range [][2]int{{40, 7}, {80, 21}, {120, 33}, {160, 45}, {250, 67}} {
			t.Run(fmt.Sprintf("%s %dx%d", lang, size[0], size[1]), func(t *testing.T) {
				claims := english()
				if lang == review.Chinese {
					claims = chinese()
				}
				s := open(t, lang, claims, size[0], size[1])
				s.run.write(t, event.Summarised, "", event.SummaryData{Text: "Two ways to lose money: the refund amount comes from the client, and the balance is read outside its transaction. The rest can wait."})
				s.settle(nil)
				s.press("a", "r", "o", "space")
				golden.RequireEqual(t, ansi.Strip(s.b.View()))
			})
		}
	}
}

func TestViewInColour(t *testing.T) {
	for _, theme := range []string{"dark", "light", "mono"} {
		t.Run(theme, func(t *testing.T) {
			s := open(t, review.English, english(), 120, 24)
			profile := colorprofile.TrueColor
			if theme == "mono" {
				profile = colorprofile.ASCII
			}
			s.b.SetStyles(styles(t, theme, profile))
			s.press("a")
			golden.RequireEqual(t, s.b.View())
		})
	}
}

func TestDecideAndUndo(t *testing.T) {
	s := open(t, review.English, english(), 120, 30)
	first := s.title()
	s.press("a")
	if got := s.run.state.Tally(); got.Accepted != 1 || got.Undecided != 6 {
		t.Fatalf("after a: %+v", got)
	}
	second := s.title()
	if second == first {
		t.Fatal("the cursor stays on what was decided")
	}
	s.press("r", "d")
	if d := s.run.state.Decisions[s.run.asked[1].IDs[0]]; d.Choice != review.Rejected || d.Reason != review.Duplicate {
		t.Fatalf("r d decides %+v", d)
	}
	s.press("u")
	if s.title() != second {
		t.Errorf("undo leaves the cursor on %q, want %q", s.title(), second)
	}
	s.press("u")
	if s.title() != first || s.run.state.Tally().Undecided != 7 {
		t.Errorf("undo leaves the cursor on %q with %+v", s.title(), s.run.state.Tally())
	}
	s.press("U", "U")
	if got := s.run.state.Tally(); got.Accepted != 1 || got.Rejected != 1 {
		t.Errorf("after two redos: %+v", got)
	}
	if it, _ := s.b.current(); it.decided() {
		t.Errorf("redo leaves the cursor on %q, which is decided", s.title())
	}
}

func TestReasonIsMandatory(t *testing.T) {
	s := open(t, review.English, english(), 120, 30)
	s.press("r")
	if view := ansi.Strip(s.b.View()); !strings.Contains(view, "f false positive") || !strings.Contains(view, "x other") {
		t.Fatalf("the reasons are not shown:\n%s", view)
	}
	s.press("q") // no reason: the question stays
	s.press("esc")
	if len(s.run.asked) != 0 || s.b.Typing() {
		t.Fatalf("esc asked for %v", s.run.asked)
	}
	s.press("r", "x", "enter")
	if view := ansi.Strip(s.b.View()); !strings.Contains(view, "a few words are needed") {
		t.Fatalf("an empty note is not refused:\n%s", view)
	}
	s.write("q: 不需要")
	s.press("enter")
	if d := s.run.asked[0].Decision; d.Reason != review.ReasonOther || d.Note != "q: 不需要" {
		t.Errorf("decided %+v", d)
	}
}

func TestEscalateAsksToWhomAndWhyAndOffersTheLast(t *testing.T) {
	s := open(t, review.English, english(), 120, 30)
	s.press("e")
	s.write("bob")
	s.press("enter")
	s.write("is it money?")
	s.press("enter")
	s.press("e", "enter")
	s.write("again")
	s.press("enter")
	s.press(".")
	for i, want := range []string{"is it money?", "again", "again"} {
		d := s.run.asked[i].Decision
		if d.Choice != review.Escalated || d.To != "bob" || d.Note != want {
			t.Errorf("escalation %d is %+v", i, d)
		}
	}
}

// TestChangedAfterItWentOutIsSaid: in the list and in the detail, at every width
// the list is drawn for, with what sending it again does.
func TestChangedAfterItWentOutIsSaid(t *testing.T) {
	for _, lang := range []review.Lang{review.English, review.Chinese} {
		for _, w := range []int{40, 80, 100, 120, 160} {
			s := open(t, lang, english(), w, 40)
			words := s.b.words.Board
			lead := s.b.lead()
			sees := func(when string, wanted bool, all ...string) {
				t.Helper()
				view := ansi.Strip(s.b.View())
				for _, x := range all {
					if strings.Contains(view, x) != wanted {
						t.Errorf("%s at %d cells, %s: %q is there: %v\n%s", lang, w, when, x, !wanted, view)
					}
				}
			}
			edited, taken := words.EditedAfter, words.WasSent
			if w < stackFrom {
				edited, taken = words.ShortAccepted+"*", "-*"
			}
			s.press("a")
			for _, target := range []string{"inbox", "pr"} {
				s.run.write(t, event.Exported, "", event.ExportData{Target: target, Accepted: []string{"m3"}})
			}
			s.settle(nil)
			s.press("g")
			if s.b.lead() != lead {
				t.Fatalf("the cursor is on %s", s.b.lead())
			}
			sees("sent", false, words.EditedAfter, words.WasSent, edited, taken)
			s.run.write(t, event.Decided, "", event.StepData{Op: "do", Patch: event.Patch{Edits: map[string]*event.Wording{lead: {Title: "other words", By: "ann"}}}})
			s.settle(nil)
			sees("edited", true, edited)
			s.press("u", "u")
			sees("taken back", true, taken)
			if w < 100 {
				continue // the lines of the detail are wrapped
			}
			s.press("U", "g")
			sees("accepted again", false, words.WasSent)
			s.run.write(t, event.Decided, "", event.StepData{Op: "do", Patch: event.Patch{Edits: map[string]*event.Wording{lead: {Title: "other words", By: "ann"}}}})
			s.settle(nil)
			s.press("g")
			if lang == review.English {
				sees("edited", true, words.EditedSince["inbox"], words.EditedSince["pr"])
				s.press("u", "u", "g")
				sees("taken back", true, words.TakenBackSince["inbox"], words.TakenBackSince["pr"])
			}
		}
	}
}

func TestSelectionIsOneStep(t *testing.T) {
	s := open(t, review.English, english(), 120, 30)
	s.press("space", "space", "j", "space", "r", "w")
	if got := s.run.state.Tally(); got.Rejected != 3 || len(s.run.state.UndoStack) != 1 {
		t.Fatalf("%+v in %d steps", got, len(s.run.state.UndoStack))
	}
	if view := ansi.Strip(s.b.View()); !strings.Contains(view, "3 rejected") {
		t.Errorf("the count is not said:\n%s", view)
	}
	s.press("u")
	if got := s.run.state.Tally(); got.Undecided != 7 {
		t.Errorf("one undo leaves %+v", got)
	}
}

func TestConfirmedAreAcceptedTogether(t *testing.T) {
	s := open(t, review.English, english(), 120, 30)
	s.press("A")
	if view := ansi.Strip(s.b.View()); !strings.Contains(view, "accept 1 confirmed findings?") {
		t.Fatalf("no count before it:\n%s", view)
	}
	s.press("enter")
	if len(s.run.asked) != 0 {
		t.Fatal("enter is not a yes")
	}
	s.press("A", "y")
	if it, _ := s.run.state.Entry("performance-1.1"); s.run.state.Tally().Accepted != 1 || s.run.state.Decisions[it.Lead].Choice != review.Accepted {
		t.Fatalf("accepted %+v", s.run.asked)
	}
	s.press("A")
	if view := ansi.Strip(s.b.View()); s.b.Typing() || !strings.Contains(view, "can be accepted unread") {
		t.Errorf("it does not say why none qualifies:\n%s", view)
	}
}

func TestConfirmed(t *testing.T) {
	good := func() item {
		it := item{Entry: event.Entry{Worst: review.Warning, Models: 2}, shown: review.Finding{Severity: review.Warning}}
		it.Place.QuoteFound = true
		return it
	}
	for _, tt := range []struct {
		name  string
		spoil func(*item)
		text  string
		want  Bar
	}{
		{"two models and a quote", func(*item) {}, "", BarNone},
		{"a model and an analyser", func(it *item) { it.Models, it.Analyser = 1, true }, "", BarNone},
		{"two reviewers of one model", func(it *item) { it.Models = 1 }, "", BarModels},
		{"an analyser alone", func(it *item) { it.Models, it.Analyser = 0, true }, "", BarModels},
		{"no quote", func(it *item) { it.Place.QuoteFound = false }, "", BarQuote},
		{"a critical source", func(it *item) { it.Worst = review.Critical }, "", BarCritical},
		{"critical to the person", func(it *item) { it.shown.Severity = review.Critical }, "", BarCritical},
		{"security", func(it *item) { it.Security = true }, "", BarSecurity},
		{"disputed", func(it *item) { it.Dissent = []string{"x"} }, "", BarDisputed},
		{"decided differently", func(it *item) { it.urgent = true }, "", BarDisputed},
		{"flagged", func(*item) {}, "see https://x.example", BarFlagged},
	} {
		it := good()
		tt.spoil(&it)
		if got := confirmed(it, Flags(tt.text)); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestTypingIsNeverACommand(t *testing.T) {
	s := open(t, review.English, english(), 120, 30)
	s.press("/")
	s.write("aqreu.}query")
	s.press("backspace", "backspace", "backspace", "backspace", "backspace")
	if len(s.run.asked) != 0 {
		t.Fatalf("typing asked for %v", s.run.asked)
	}
	s.press("esc", "/")
	s.write("event")
	s.press("enter")
	if s.title() != "One query for each event" {
		t.Errorf("search finds %q", s.title())
	}
}

func TestFailedDecisionIsNotShown(t *testing.T) {
	s := open(t, review.English, english(), 120, 30)
	first := s.title()
	s.run.fail = errors.New("writing the journal: \x1b[31mno space left")
	s.press("a")
	view := ansi.Strip(s.b.View())
	if s.title() != first || !strings.Contains(view, "writing the journal: no space left") || strings.Contains(view, "saving") {
		t.Errorf("cursor on %q\n%s", s.title(), view)
	}
}

func TestCommandsKeepTheOrderOfTheKeys(t *testing.T) {
	s := open(t, review.English, english(), 120, 30)
	a, u := s.b.Do("accept"), s.b.Do("undo") // both pressed before the first was answered
	s.settle(u)
	s.settle(a)
	if len(s.run.asked) != 2 || s.run.asked[0].Kind != event.CmdDecide || s.run.asked[1].Kind != event.CmdUndo {
		t.Errorf("asked %v", s.run.asked)
	}
	if got := s.run.state.Tally(); got.Undecided != 7 {
		t.Errorf("left %+v", got)
	}
}

func TestCursorFollowsTheFinding(t *testing.T) {
	s := open(t, review.English, english(), 120, 30)
	s.press("j", "j", "j")
	title := s.title()
	claims := english()
	claims[0], claims[3] = claims[3], claims[0]
	s.run.merge(t, append([]claim{put(claim{by: "quality-1", sev: review.Critical, title: "new", models: 1}, "a.go", 1, diff.NoPath, false)}, claims...))
	s.settle(nil)
	if s.title() != title {
		t.Errorf("the cursor went to %q from %q", s.title(), title)
	}
}

func TestReopeningPutsTheCursorBack(t *testing.T) {
	s := open(t, review.English, english(), 120, 30)
	s.press("j", "j", "a")
	next := s.title()
	again := New(t.Context(), s.run, s.b.words, s.b.styles)
	again.SetState(s.run.state)
	if it, _ := again.current(); it.shown.Title != next {
		t.Errorf("reopened on %q, left on %q", it.shown.Title, next)
	}
}

func TestFilter(t *testing.T) {
	s := open(t, review.English, english(), 120, 30)
	for _, tt := range []struct {
		keys []string
		want int
	}{
		{[]string{"f", "c"}, 2}, {[]string{"f", "w"}, 2}, {[]string{"f", "w"}, 7},
		{[]string{"f", "r", "enter"}, 4}, {[]string{"f", "x"}, 7}, {[]string{"a", "f", "u"}, 6}, {[]string{"a"}, 6}, {[]string{"f", "u", "f", "u"}, 5},
	} {
		s.press(tt.keys...)
		if len(s.b.rows) != tt.want {
			t.Errorf("%v shows %d rows, want %d", tt.keys, len(s.b.rows), tt.want)
		}
	}
}

// TestEverySizeIsDrawn is the property that no size panics and that no row is
// wider than the screen.
func TestEverySizeIsDrawn(t *testing.T) {
	for _, lang := range []review.Lang{review.English, review.Chinese} {
		s := open(t, lang, chinese(), 0, 0)
		for _, w := range []int{0, 1, 2, 3, 5, 8, 12, 20, 30, 40, 59, 60, 61, 80, 83, 84, 100, 119, 120, 160, 199, 200, 250} {
			for _, h := range []int{0, 1, 2, 5, 7, 14, 21, 45} {
				s.b.SetSize(w, h)
				for _, keys := range [][]string{nil, {"r"}, {"esc", "enter"}, {"e"}, {"esc", "esc", "j"}, {"d"}, {"d", "D"}, {"D", "v"}, {"v"}} {
					s.press(keys...)
					lines := strings.Split(s.b.View(), "\n")
					if w > 0 && h > 0 && len(lines) != h {
						t.Fatalf("%dx%d after %v has %d lines", w, h, keys, len(lines))
					}
					for _, l := range lines {
						if n := text.Width(l); n > w {
							t.Fatalf("%dx%d after %v: %d cells: %q", w, h, keys, n, l)
						}
					}
				}
			}
		}
	}
}

// What was searched for is marked in the rows and in the detail, also where no
// colours are, until esc.
func TestMatchesAreMarked(t *testing.T) {
	s := open(t, review.English, english(), 120, 30)
	s.b.SetStyles(styles(t, "mono", colorprofile.ASCII))
	marked := func() int {
		return strings.Count(s.b.View(), s.b.styles.Match.Inherit(s.b.styles.Text).Render("refund"))
	}
	if n := marked(); n != 0 {
		t.Fatalf("%d marks before a search", n)
	}
	s.press("/")
	s.write("refund")
	s.press("enter")
	if marked() == 0 {
		t.Errorf("no mark:\n%s", s.b.View())
	}
	if want := ansi.Strip(s.b.View()); !strings.Contains(want, "Refund amount is taken") {
		t.Errorf("marking changed the text:\n%s", want)
	}
	s.press("esc")
	if n := marked(); n != 0 || s.b.Back() {
		t.Errorf("%d marks after esc", n)
	}
}

// The journal's labels are English; the history is not.
func TestHistoryInTheScreensLanguage(t *testing.T) {
	s := open(t, review.Chinese, chinese(), 160, 60)
	lead := s.b.lead()
	s.press("a", "u", "r", "o")
	s.b.show(lead)
	s.b.detail.lines = nil
	view := ansi.Strip(s.b.View())
	for _, want := range []string{"已接受", "决定已撤回", "已拒绝: 超出范围"} {
		if !strings.Contains(view, want) {
			t.Errorf("the history lacks %q:\n%s", want, view)
		}
	}
}
