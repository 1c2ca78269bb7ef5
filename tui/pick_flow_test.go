package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/picker"
	"github.com/mrv-dev/mrv/tui/text"
)

func TestPickOpensAPlanAndGoesBack(t *testing.T) {
	s := fullShelf()
	m := picked(t, s, review.English, 100, 30)
	press(m, "j", "j", "enter")
	if m.plan == nil || len(s.chosen) != 1 || s.chosen[0].Item.Number != 119 || s.chosen[0].Resume {
		t.Fatalf("no plan of the one under the cursor: %+v\n%s", s.chosen, frame(m))
	}
	if !strings.Contains(frame(m), "Before a model is asked") {
		t.Errorf("the plan is not shown:\n%s", frame(m))
	}
	if press(m, "esc") || m.plan != nil || !strings.Contains(frame(m), "▸ #119") {
		t.Errorf("esc does not go back to where it was:\n%s", frame(m))
	}
	press(m, "enter", "enter")
	if m.run == nil || m.inPicker() {
		t.Error("the review does not begin")
	}
}

func TestPickResumes(t *testing.T) {
	for _, c := range []struct {
		name   string
		number int
		keys   []string
		want   picker.Choice
	}{
		{"a fresh run goes on", 123, []string{"enter"}, picker.Choice{Resume: true}},
		{"or anew", 123, []string{"n"}, picker.Choice{}},
		{"a moved head is reviewed", 131, []string{"enter"}, picker.Choice{}},
		{"or the old run opened", 131, []string{"r"}, picker.Choice{Resume: true}},
		{"an interrupted run is read", 127, []string{"r"}, picker.Choice{Resume: true}},
		{"or finished", 127, []string{"f"}, picker.Choice{Resume: true, Finish: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := fullShelf()
			s.opens = func(context.Context, picker.Choice) (Opened, error) { return Opened{Run: newDesk(), Board: true}, nil }
			m := picked(t, s, review.English, 100, 30)
			press(m, "/")
			press(m, strings.Split(fmt.Sprint(c.number), "")...)
			press(m, "enter", "enter")
			if len(s.chosen) != 0 {
				t.Fatal("opened without a question")
			}
			press(m, "esc", "enter", "x", "f") // f means something only where reviewers were not done
			if len(s.chosen) == 0 {
				press(m, c.keys...)
			} else if !c.want.Finish {
				t.Skip("f is an answer here")
			}
			if len(s.chosen) != 1 {
				t.Fatalf("chosen %+v", s.chosen)
			}
			got := s.chosen[0]
			if got.Item.Number != c.number || got.Resume != c.want.Resume || got.Finish != c.want.Finish {
				t.Errorf("chosen %+v, want %+v", got, c.want)
			}
			if m.run == nil || m.tab != tabBoard {
				t.Error("the run is not shown by its findings")
			}
		})
	}
}

// Whether there is a run is known before anything is opened anew.
func TestPickWaitsForTheReview(t *testing.T) {
	s := fullShelf()
	m := shown(t, Options{Picker: s}, 100, 30)
	var later []tea.Cmd
	hold(m, m.pick.Init(), &later)
	press(m, "enter")
	if len(s.chosen) != 0 || !strings.Contains(frame(m), "Looking for a review") {
		t.Fatalf("opened before the review was known:\n%s", frame(m))
	}
	for _, c := range later {
		carry(m, c)
	}
	if len(s.chosen) != 0 || !strings.Contains(frame(m), "There is a review of acme/shop#123") {
		t.Errorf("it is not asked what to do with the run:\n%s", frame(m))
	}
}

// hold carries commands out up to the lists and keeps those that look for
// reviews.
func hold(m *model, cmd tea.Cmd, later *[]tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			hold(m, c, later)
		}
	case nil:
	default:
		if _, next := m.Update(msg); next != nil {
			*later = append(*later, next)
		}
	}
}

func TestPickThatDoesNotOpenSaysWhy(t *testing.T) {
	s := fullShelf()
	s.opens = func(context.Context, picker.Choice) (Opened, error) {
		return Opened{}, errors.New("the run 20261130-090000-aaaa is open in another mrv (pid 7)")
	}
	m := picked(t, s, review.English, 100, 30)
	press(m, "enter", "enter")
	if !strings.Contains(frame(m), "open in another mrv (pid 7)") || m.run != nil {
		t.Errorf("the reason is not on the screen:\n%s", frame(m))
	}
	press(m, "enter", "n")
	if len(s.chosen) != 2 {
		t.Error("it can not be tried again")
	}
}

func TestPickIsGivenUp(t *testing.T) {
	s := fullShelf()
	var ended error
	s.opens = func(ctx context.Context, _ picker.Choice) (Opened, error) {
		ended = ctx.Err()
		return Opened{Starter: starter{plan: plan(2), run: newDesk()}}, ended
	}
	m := picked(t, s, review.English, 100, 30)
	press(m, "G")
	_, cmd := m.Update(tea.KeyPressMsg{Code: tea.KeyEnter})
	_, open := m.Update(cmd())
	if !strings.Contains(frame(m), "Planning the review of acme/shop#116") {
		t.Errorf("it is not said what goes on:\n%s", frame(m))
	}
	if press(m, "enter", "esc") {
		t.Error("esc leaves")
	}
	carry(m, open)
	if ended == nil || m.plan != nil || strings.Contains(frame(m), "Planning") {
		t.Errorf("not given up: %v\n%s", ended, frame(m))
	}
}

// asker is a starter with questions.
type asker struct {
	starter
	open *[]Question
}

func (a asker) Questions() []Question { return *a.open }

func TestPickAsksWhatMustBeAllowed(t *testing.T) {
	for _, c := range []struct {
		keys    []string
		allowed int
		begins  bool
	}{
		{[]string{"enter", "n"}, 0, false},
		{[]string{"enter", "enter"}, 0, false},
		{[]string{"enter", "y", "n"}, 1, false},
		{[]string{"enter", "y", "y"}, 2, true},
		{[]string{"enter", "y", "n", "enter", "y"}, 2, true},
	} {
		s := fullShelf()
		allowed := 0
		var open []Question
		for _, name := range []string{"zhipuai", "moonshot"} {
			open = append(open, Question{Text: "Send private code to " + name + "?", Allow: func() error {
				allowed++
				open = slices.DeleteFunc(slices.Clone(open), func(q Question) bool { return strings.Contains(q.Text, name) })
				return nil
			}})
		}
		s.opens = func(context.Context, picker.Choice) (Opened, error) {
			return Opened{Starter: asker{starter{plan: plan(2), run: newDesk()}, &open}}, nil
		}
		m := picked(t, s, review.English, 80, 24)
		press(m, "G", "enter", "enter")
		if !strings.Contains(frame(m), "Send private code to zhipuai?") {
			t.Fatalf("not asked:\n%s", frame(m))
		}
		press(m, "esc")
		press(m, c.keys...)
		if allowed != c.allowed || (m.run != nil) != c.begins {
			t.Errorf("%v: %d allowed, begun %v", c.keys, allowed, m.run != nil)
		}
	}
}

func TestPickRefreshKeepsWhatItHas(t *testing.T) {
	s := fullShelf()
	m := picked(t, s, review.English, 100, 30)
	press(m, "j")
	s.errs = map[picker.Section]error{picker.Requested: errors.New("looking for review requests in acme/shop: github.com asks to wait until 14:03:00 (secondary rate limit)")}
	s.lists[picker.Mine] = picker.List{}
	press(m, "r")
	for _, want := range []string{"#123", "▸ #131", "asks to wait until 14:03:00", "r asks again", "Yours  none"} {
		if !strings.Contains(frame(m), want) {
			t.Errorf("%q is missing:\n%s", want, frame(m))
		}
	}
	s.errs = nil
	press(m, "r")
	if strings.Contains(frame(m), "asks to wait") {
		t.Errorf("the error stays:\n%s", frame(m))
	}
}

func TestPickWithoutAToken(t *testing.T) {
	s := fullShelf()
	none := errors.New("without a token github.com does not know who you are: run gh auth login or set GH_TOKEN")
	s.errs = map[picker.Section]error{picker.Requested: none, picker.Mine: none}
	delete(s.lists, picker.Requested)
	delete(s.lists, picker.Mine)
	m := picked(t, s, review.English, 100, 30)
	if n := strings.Count(frame(m), "run gh auth login or set GH_TOKEN"); n != 1 || !strings.Contains(frame(m), "  the same\n") || !strings.Contains(frame(m), "▸ #127") {
		t.Errorf("said %d times:\n%s", n, frame(m))
	}
}

// Recent ones that a list before has are not repeated, and not denied.
func TestPickRepeatsNothing(t *testing.T) {
	s := fullShelf()
	s.lists[picker.Recent] = picker.List{Items: s.lists[picker.Mine].Items}
	m := picked(t, s, review.English, 100, 30)
	if strings.Count(frame(m), "#127") != 1 || !strings.Contains(frame(m), "Recent in acme/shop  no others") {
		t.Errorf("the recent ones:\n%s", frame(m))
	}
}

func TestPickOfNothing(t *testing.T) {
	m := picked(t, &shelf{}, review.English, 100, 30)
	if !strings.Contains(frame(m), "mrv tui --demo") || !strings.Contains(frame(m), "with you in them") {
		t.Errorf("an empty page says nothing:\n%s", frame(m))
	}
	press(m, "enter", "j", "G", "b", "/", "x", "esc")
	if !press(m, "q") {
		t.Error("q does not leave")
	}
}

func TestPickFilters(t *testing.T) {
	for typed, want := range map[string][]string{
		"refund":          {"#123"},
		"MARA sandbox":    {"#116"},
		"stale":           {"#131", "#130"},
		"escalated":       {"#119", "#130"},
		"退款":              {"#130"},
		"draft":           {"#131"},
		"shop#127":        {"#127"},
		"nothing of that": nil,
	} {
		m := picked(t, fullShelf(), review.English, 120, 40)
		press(m, "/")
		for _, r := range typed {
			press(m, string(r))
		}
		var got []string
		for _, line := range strings.Split(frame(m), "\n") {
			line = strings.TrimLeft(line, "▸ ")
			if strings.HasPrefix(line, "#") {
				got = append(got, strings.Fields(line)[0])
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q shows %v, want %v:\n%s", typed, got, want, frame(m))
		}
		if want == nil && !strings.Contains(frame(m), "nothing matches") {
			t.Errorf("nothing is said of it:\n%s", frame(m))
		}
		press(m, "enter")
		if press(m, "esc") || !strings.Contains(frame(m), "#118") {
			t.Errorf("esc does not take the filter away:\n%s", frame(m))
		}
	}
}

func TestPickEverywhere(t *testing.T) {
	s := fullShelf()
	m := picked(t, s, review.English, 100, 30)
	s.asked = nil
	press(m, "a")
	if !slices.Contains(s.asked, "0 true") || !strings.Contains(frame(m), "acme/shop#123") || !strings.HasPrefix(frame(m), "github.com") {
		t.Errorf("asked %v:\n%s", s.asked, frame(m))
	}
	s.repo = ""
	m = picked(t, s, review.English, 100, 30)
	if slices.Contains(m.pick.Handles(), "everywhere") {
		t.Error("without a repository there is nothing to go back to")
	}
}

// Titles and names on a forge are written by anybody.
func TestPickShowsNothingForeign(t *testing.T) {
	evil := "\x1b]0;owned\x07\x1b[2J\u202e\u200b\u009b1m\r\b\n"
	s := fullShelf()
	for i := range s.lists[picker.Requested].Items {
		x := &s.lists[picker.Requested].Items[i]
		x.Title, x.Author, x.URL, x.Owner = evil+"title", evil+"author", "https://"+evil, evil+"owner"
	}
	s.errs = map[picker.Section]error{picker.Recent: errors.New(evil + "trouble")}
	s.errOf[131] = errors.New(evil)
	s.reviews[119] = picker.Review{Found: picker.InComment, By: evil + "by", Head: evil, Now: evil}
	s.opens = func(context.Context, picker.Choice) (Opened, error) { return Opened{}, errors.New(evil + "why") }
	m := picked(t, s, review.English, 120, 40)
	var views string
	for _, keys := range [][]string{{"j"}, {"j"}, {"a"}, {"b"}, {"enter"}, {"enter"}, {"g"}, {"enter"}, {"n"}, {"/"}, {"x"}} {
		press(m, keys...)
		v := m.View()
		views += v.Content + v.WindowTitle
		fits(t, m, 120, 40)
	}
	for _, bad := range []string{"\x1b]", "\x1b[2J", "\u202e", "\u200b", "\u009b", "\r", "\b", "\x07"} {
		if strings.Contains(views, bad) {
			t.Errorf("%q reaches the terminal", bad)
		}
	}
	for _, want := range []string{"title", "author", "trouble", "why"} {
		if !strings.Contains(views, want) {
			t.Errorf("%s is lost", want)
		}
	}
}

// No window is too small, no key out of place.
func TestPickInAnyWindow(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := fullShelf()
		if rapid.Bool().Draw(rt, "errors") {
			s.errs = map[picker.Section]error{picker.Mine: errors.New(strings.Repeat("no connection ", 20))}
		}
		m := picked(t, s, rapid.SampledFrom([]review.Lang{review.English, review.Chinese}).Draw(rt, "lang"), 80, 24)
		for range rapid.IntRange(1, 15).Draw(rt, "steps") {
			w, h := rapid.IntRange(0, 130).Draw(rt, "w"), rapid.IntRange(0, 40).Draw(rt, "h")
			m.Update(tea.WindowSizeMsg{Width: w, Height: h})
			press(m, rapid.SampledFrom([]string{"j", "k", "g", "G", "/", "m", "esc", "enter", "n", "a", "r", "b", "?", ":", "tab", "ctrl+c", "f"}).Draw(rt, "key"))
			if w > 0 && h > 0 {
				fits(t, m, w, h)
				if x, y, ok := m.current().Cursor(); ok && (x >= w || y >= h) {
					t.Fatalf("the cursor is at %d, %d in a window of %d x %d", x, y, w, h)
				}
			}
		}
	})
}

// The page is there at once, whatever the forge does.
func TestPickPaintsBeforeItKnowsAnything(t *testing.T) {
	m := shown(t, Options{Picker: fullShelf()}, 80, 24)
	fits(t, m, 80, 24)
	for _, want := range []string{"acme/shop", "Pick a pull request", "Your review is requested", "looking …"} {
		if !strings.Contains(frame(m), want) {
			t.Errorf("%q is missing:\n%s", want, frame(m))
		}
	}
	if n := text.Width(strings.Split(frame(m), "\n")[0]); n > 80 {
		t.Error(n)
	}
}
