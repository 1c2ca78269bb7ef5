package tui

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
	"pgregory.net/rapid"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/internal/scene"
	"github.com/mrv-dev/mrv/tui/text"
)

var glm = review.Model{Provider: "zhipuai", ID: "glm-5.1"}

// desk is a run whose events a test writes.
type desk struct {
	updates chan []event.Event
	do      func(event.Command) error
}

func newDesk() *desk { return &desk{updates: make(chan []event.Event, 100)} }

func (d *desk) Updates() <-chan []event.Event { return d.updates }

func (d *desk) Do(_ context.Context, c event.Command) error {
	if d.do == nil {
		return nil
	}
	return d.do(c)
}

func (d *desk) Landing(context.Context) (event.Landing, error) { return event.Landing{}, nil }

func (d *desk) Context(context.Context, string, diff.Side, int, int) ([]string, error) {
	return nil, nil
}

func (d *desk) Transcript(context.Context, string) (string, error) { return "", nil }

// starter begins a desk.
type starter struct {
	plan event.Plan
	run  Run
	err  error
}

func (s starter) Plan() event.Plan                               { return s.plan }
func (s starter) Start(context.Context) (Run, error)             { return s.run, s.err }
func (s starter) Replan(context.Context, string, []string) error { return s.err }

func plan(n int) event.Plan {
	return scene.Plan(scene.Team(glm, review.EffortMax, scene.Names(n)...))
}

// shown is a model with a window's size that runs no goroutine.
func shown(t testing.TB, o Options, w, h int) *model {
	t.Helper()
	o.Env = []string{"TERM=xterm-256color", "LANG=en_US.UTF-8"}
	m, err := newModel(t.Context(), o, colorprofile.TrueColor)
	if err != nil {
		t.Fatal(err)
	}
	m.feed = func(Run, int) {}
	clock := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	m.now = func() time.Time { return clock }
	m.Init()
	m.Update(tea.WindowSizeMsg{Width: w, Height: h})
	return m
}

// atWork is a panel of four under way.
func atWork() *scene.Scene {
	s := scene.New(plan(4)).Phase(event.PhaseReviewing).Begin(scene.Names(4)...).Wait(12_000)
	s.Say("quality-1", "p", "The retry path calls capture() again with a new key, so a timeout after the first call charges twice.")
	s.Say("security-1", "p", "退款金额直接取自请求体，调用方可以退回多于已付的金额。")
	s.Tool("performance-1", "t", "read", "store/postgres/ledger.go:120-180", "running")
	s.Spend("quality-1", 1900, 600, 0.05).Spend("security-1", 2400, 1100, 0.11)
	return s.Status(event.StatusDone, "architecture-1").Wait(3_000)
}

func frame(m *model) string { return ansi.Strip(m.View().Content) }

func eachSize(t *testing.T, f func(t *testing.T, w, h int, lang review.Lang)) {
	for _, size := range [][2]int{{40, 10}, {80, 24}, {120, 36}, {160, 48}, {250, 70}} {
		for _, lang := range []review.Lang{review.English, review.Chinese} {
			t.Run(fmt.Sprintf("%dx%d-%s", size[0], size[1], lang), func(t *testing.T) { f(t, size[0], size[1], lang) })
		}
	}
}

func TestPlanPage(t *testing.T) {
	eachSize(t, func(t *testing.T, w, h int, lang review.Lang) {
		m := shown(t, Options{Starter: starter{plan: plan(4)}, Lang: lang}, w, h)
		fits(t, m, w, h)
		golden.RequireEqual(t, frame(m))
	})
}

func TestPanelAtWork(t *testing.T) {
	eachSize(t, func(t *testing.T, w, h int, lang review.Lang) {
		m := shown(t, Options{Run: newDesk(), Lang: lang}, w, h)
		m.Update(batchMsg(atWork().Events()))
		fits(t, m, w, h)
		golden.RequireEqual(t, frame(m))
	})
}

// The same with its colours: dark, light, and where none are shown.
func TestPanelInColour(t *testing.T) {
	for _, look := range []struct {
		name, theme string
		profile     colorprofile.Profile
	}{{"dark", "dark", colorprofile.TrueColor}, {"light", "light", colorprofile.TrueColor}, {"none", "dark", colorprofile.ASCII}} {
		t.Run(look.name, func(t *testing.T) {
			eachSize(t, func(t *testing.T, w, h int, lang review.Lang) {
				m := shown(t, Options{Run: newDesk(), Lang: lang, Theme: look.theme}, w, h)
				m.profile = look.profile
				m.restyle(look.theme)
				m.Update(batchMsg(atWork().Events()))
				fits(t, m, w, h)
				golden.RequireEqual(t, m.View().Content)
			})
		})
	}
}

func TestHelpPage(t *testing.T) {
	eachSize(t, func(t *testing.T, w, h int, lang review.Lang) {
		m := shown(t, Options{Run: newDesk(), Lang: lang}, w, h)
		m.Update(batchMsg(atWork().Events()))
		press(m, "?")
		fits(t, m, w, h)
		golden.RequireEqual(t, frame(m))
	})
}

// fits fails if the frame is not as high as the window or a line is wider.
func fits(t testing.TB, m *model, w, h int) {
	t.Helper()
	lines := strings.Split(m.View().Content, "\n")
	if len(lines) != h {
		t.Fatalf("%d lines in a window of %d:\n%s", len(lines), h, frame(m))
	}
	for i, l := range lines {
		if n := text.Width(l); n > w {
			t.Fatalf("line %d is %d cells wide in a window of %d: %q", i, n, w, ansi.Strip(l))
		}
	}
}

// press gives keys to a model and carries out what they cause, but for quits,
// of which it reports the last.
func press(m *model, keys ...string) (quit bool) {
	for _, k := range keys {
		msg := tea.KeyPressMsg{Code: []rune(k)[0], Text: k}
		switch k {
		case "enter":
			msg = tea.KeyPressMsg{Code: tea.KeyEnter}
		case "esc":
			msg = tea.KeyPressMsg{Code: tea.KeyEscape}
		case "tab":
			msg = tea.KeyPressMsg{Code: tea.KeyTab}
		case "shift+tab":
			msg = tea.KeyPressMsg{Code: tea.KeyTab, Mod: tea.ModShift}
		case "ctrl+c":
			msg = tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}
		}
		_, cmd := m.Update(msg)
		quit = carry(m, cmd)
	}
	return quit
}

func carry(m *model, cmd tea.Cmd) (quit bool) {
	if cmd == nil {
		return false
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.QuitMsg:
		return true
	case tea.BatchMsg:
		for _, c := range msg {
			quit = carry(m, c) || quit
		}
	default:
		_, next := m.Update(msg)
		return carry(m, next)
	}
	return quit
}

// No window is too small, no key out of place.
func TestAnyWindow(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		o := Options{Run: newDesk(), Lang: review.Chinese}
		if rapid.Bool().Draw(rt, "plan") {
			o = Options{Starter: starter{plan: plan(rapid.IntRange(0, 12).Draw(rt, "team")), run: newDesk()}}
		}
		m := shown(t, o, 80, 24)
		m.Update(batchMsg(atWork().Events()))
		for range rapid.IntRange(1, 20).Draw(rt, "steps") {
			w, h := rapid.IntRange(0, 130).Draw(rt, "w"), rapid.IntRange(0, 40).Draw(rt, "h")
			m.Update(tea.WindowSizeMsg{Width: w, Height: h})
			if w > 0 && h > 0 {
				fits(t, m, w, h)
			}
			press(m, rapid.SampledFrom([]string{"tab", "shift+tab", "?", "esc", ":", "a", "j", "k", "enter", "q", "X", "M", "1", "3", "n", "f", "t", "+"}).Draw(rt, "key"))
			if w > 0 && h > 0 {
				fits(t, m, w, h)
			}
		}
	})
}
