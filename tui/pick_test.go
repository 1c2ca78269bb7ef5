package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/exp/golden"
	"pgregory.net/rapid"

	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/picker"
	"github.com/mrv-dev/mrv/tui/text"
)

// shelf is a source whose lists and reviews a test writes.
type shelf struct {
	repo    string
	lists   map[picker.Section]picker.List
	errs    map[picker.Section]error
	reviews map[int]picker.Review // by number
	errOf   map[int]error
	asked   []string
	opens   func(context.Context, picker.Choice) (Opened, error)
	chosen  []picker.Choice
}

func (s *shelf) Where() (host, repo string) { return "github.com", s.repo }

func (s *shelf) Viewer(context.Context) string { return "ann" }

func (s *shelf) List(_ context.Context, x picker.Section, everywhere bool) (picker.List, error) {
	s.asked = append(s.asked, fmt.Sprint(x, everywhere))
	return s.lists[x], s.errs[x]
}

func (s *shelf) Review(_ context.Context, i picker.Item) (picker.Review, error) {
	s.asked = append(s.asked, i.Name())
	return s.reviews[i.Number], s.errOf[i.Number]
}

func (s *shelf) Open(ctx context.Context, c picker.Choice) (Opened, error) {
	s.chosen = append(s.chosen, c)
	if s.opens != nil {
		return s.opens(ctx, c)
	}
	return Opened{Starter: starter{plan: plan(2), run: newDesk()}}, nil
}

// at is the moment that every test looks at the page.
var at = time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)

func item(n int, title, author string, ago time.Duration) picker.Item {
	return picker.Item{
		Host: "github.com", Owner: "acme", Repo: "shop", Number: n, Title: title, Author: author,
		URL: fmt.Sprintf("https://github.com/acme/shop/pull/%d", n), Updated: at.Add(-ago),
	}
}

const reviewed, moved = "8b1e07d2f4a6c8e0b2d4f6a8c0e2d4f6a8c0e2d4", "3f9c2a1d0c5be1b7a8e9f001122334455667788f"

// fullShelf has every state that a review can be in.
func fullShelf() *shelf {
	const hour, day = time.Hour, 24 * time.Hour
	fresh := func(r picker.Review) picker.Review {
		r.Head, r.Now = reviewed, reviewed
		return r
	}
	stale := func(r picker.Review) picker.Review {
		r.Head, r.Now = reviewed, moved
		return r
	}
	draft := item(131, "Ledger: read the balance inside of the transaction", "tom", 26*hour)
	draft.Draft = true
	requested := []picker.Item{
		item(123, "Refund flow: idempotent capture", "mara", 2*hour), draft,
		item(119, "Raise the timeout of the settlement job to what the bank really needs at the end of the month", "a-very-long-login-name", 3*day),
	}
	mine := []picker.Item{item(127, "Retry with the same key", "ann", 20*time.Minute)}
	return &shelf{
		repo: "acme/shop",
		lists: map[picker.Section]picker.List{
			picker.Requested: {Items: requested, Total: 41},
			picker.Mine:      {Items: mine, Total: 1},
			picker.Recent: {Items: []picker.Item{
				mine[0], requested[0], item(130, "支付：退款金额按已付金额校验", "李雷", 5*hour), item(118, "Update the generated client", "renovate[bot]", 30*day),
				item(117, "Logo", "kim", 400*day), item(116, "Docs: how to run the sandbox", "mara", 500*day),
			}},
		},
		reviews: map[int]picker.Review{
			123: fresh(picker.Review{Found: picker.InRun, Findings: 12, Undecided: 4}),
			131: stale(picker.Review{Found: picker.InRun, Findings: 6}),
			119: fresh(picker.Review{Found: picker.InComment, By: "tom", Findings: 5, ToMe: 2}),
			127: fresh(picker.Review{Found: picker.InRun, Unfinished: true}),
			130: stale(picker.Review{Found: picker.InInbox, Findings: 3, Undecided: 1, ToMe: 1}),
			117: {Found: picker.InRun, Head: reviewed},
		},
		errOf: map[int]error{
			116: errors.New("reading a run of acme/shop#116: the journal is damaged at line 3"),
			117: errors.New("reading pull request acme/shop#117: github.com asks to wait until 14:03:00"),
		},
	}
}

// picked is a page that has loaded all there is.
func picked(t testing.TB, s *shelf, lang review.Lang, w, h int) *model {
	t.Helper()
	m := shown(t, Options{Picker: s, Lang: lang}, w, h)
	m.pick = m.newPicking(s) // with the test's clock
	m.resize()
	carry(m, m.pick.Init())
	return m
}

func TestPickPage(t *testing.T) {
	eachSize(t, func(t *testing.T, w, h int, lang review.Lang) {
		m := picked(t, fullShelf(), lang, w, h)
		fits(t, m, w, h)
		golden.RequireEqual(t, frame(m))
	})
}

// The colours repeat what the words say, on a dark and on a light background
// and without any.
func TestPickPageInColours(t *testing.T) {
	for theme, profile := range map[string]colorprofile.Profile{"dark": colorprofile.TrueColor, "light": colorprofile.TrueColor, "mono": colorprofile.ASCII} {
		t.Run(theme, func(t *testing.T) {
			m := picked(t, fullShelf(), review.English, 80, 24)
			m.profile, m.o.Theme = profile, theme
			m.background(true)
			golden.RequireEqual(t, m.View().Content)
		})
	}
}

func TestPickDialog(t *testing.T) {
	eachSize(t, func(t *testing.T, w, h int, lang review.Lang) {
		m := picked(t, fullShelf(), lang, w, h)
		press(m, "enter")
		fits(t, m, w, h)
		golden.RequireEqual(t, frame(m))
	})
}

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
	if m.run == nil || m.pick != nil {
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
