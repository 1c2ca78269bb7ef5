package tui

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/exp/golden"

	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/picker"
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
	closed  int
	close   error
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

func (s *shelf) Close(context.Context) error {
	s.closed++
	return s.close
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
