package tui

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/internal/scene"
	"github.com/mrv-dev/mrv/tui/keys"
	"github.com/mrv-dev/mrv/tui/live"
	"github.com/mrv-dev/mrv/tui/words"
)

func TestThePlanWaitsOnlyWhenAModelIsAsked(t *testing.T) {
	asked := plan(2)
	free := plan(2)
	free.Sends = nil
	for _, c := range []struct {
		name  string
		o     Options
		waits bool
	}{
		{"a model is asked", Options{Starter: starter{plan: asked, run: newDesk()}}, true},
		{"no model is asked", Options{Starter: starter{plan: free, run: newDesk()}}, false},
		{"the person said yes", Options{Starter: starter{plan: asked, run: newDesk()}, SkipPlan: true}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := shown(t, c.o, 80, 24)
			if m.plan.starting == c.waits {
				t.Errorf("starting is %v", m.plan.starting)
			}
			if c.waits {
				press(m, "enter")
				if m.plan != nil || m.run == nil {
					t.Error("enter did not start the run")
				}
			}
		})
	}
}

func TestEscLeavesThePlanAndNothingElse(t *testing.T) {
	m := shown(t, Options{Starter: starter{plan: plan(2), run: newDesk()}}, 80, 24)
	if !press(m, "esc") {
		t.Error("esc does not leave the plan")
	}
	m = shown(t, Options{Run: newDesk()}, 80, 24)
	m.Update(batchMsg(atWork().Events()))
	if press(m, "esc", "enter", "esc", "esc", "?", "esc", ":", "esc", "tab", "esc") {
		t.Error("esc quits")
	}
}

func TestARunThatDoesNotStartSaysWhy(t *testing.T) {
	m := shown(t, Options{Starter: starter{plan: plan(2), err: errors.New("starting opencode: not found; install it with mrv setup")}}, 80, 24)
	press(m, "enter")
	if !strings.Contains(frame(m), "install it with mrv setup") {
		t.Errorf("the reason is not on the screen:\n%s", frame(m))
	}
	if m.plan == nil || m.plan.starting {
		t.Error("the plan does not wait for another try")
	}
}

// withFinding is a panel that is done, with one finding on the board.
func withFinding() *scene.Scene {
	s := atWork()
	f := review.Finding{ID: "quality-1.1", Reviewer: "quality-1", Ordinal: 1, Severity: review.Critical, Title: "Double charge", Observation: "o", Inference: "i", Judgment: "j"}
	s.Add(event.ReportIn, "quality-1", event.ReportData{Model: glm, Report: review.Report{Label: review.Block, Findings: []review.Finding{f}}})
	s.Status(event.StatusDone, scene.Names(4)...)
	s.Add(event.Merged, "", event.MergedData{By: "deterministic", Entries: []event.Entry{{
		ID: "m1", Sources: []string{f.ID}, Lead: f.ID, Severity: f.Severity, Worst: f.Severity, Reviewers: []string{"quality-1"}, Models: 1,
	}}})
	return s.Phase(event.PhaseTriage)
}

func TestQuitting(t *testing.T) {
	decided := withFinding().Add(event.Decided, "", event.StepData{Op: "do", Patch: event.Patch{Decisions: map[string]review.Decision{"quality-1.1": {Choice: review.Accepted}}}})
	for _, c := range []struct {
		name string
		s    *scene.Scene
		keys []string
		quit bool
		says string
	}{
		{"nothing is left undone", decided, []string{"q"}, true, ""},
		{"a finding is undecided", withFinding(), []string{"q"}, false, "Undecided findings: 1"},
		{"yes", withFinding(), []string{"q", "y"}, true, ""},
		{"anything else is no", withFinding(), []string{"q", "enter"}, false, ""},
		{"reviewers are at work", atWork(), []string{"q"}, false, "Reviewers still at work: 3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := shown(t, Options{Run: newDesk()}, 120, 30)
			m.Update(batchMsg(c.s.Events()))
			if quit := press(m, c.keys...); quit != c.quit {
				t.Errorf("quit is %v", quit)
			}
			if c.says != "" && !strings.Contains(frame(m), c.says) {
				t.Errorf("does not say %q:\n%s", c.says, frame(m))
			}
			if m.outcome(nil) != nil {
				t.Error("a normal quit is an error")
			}
		})
	}
}

func TestCtrlC(t *testing.T) {
	d := newDesk()
	var asked []event.CommandKind
	d.do = func(c event.Command) error { asked = append(asked, c.Kind); return nil }
	m := shown(t, Options{Run: d}, 80, 24)
	m.Update(batchMsg(atWork().Events()))
	if press(m, "ctrl+c") || len(asked) != 1 || asked[0] != event.CmdStop {
		t.Fatalf("the first did not stop the reviewers: %v", asked)
	}
	if !press(m, "ctrl+c") {
		t.Fatal("the second did not leave")
	}
	var exit *Exit
	if err := m.outcome(nil); !errors.As(err, &exit) || exit.Code != review.ExitInterrupted {
		t.Errorf("ends with %v", err)
	}

	m = shown(t, Options{Run: newDesk()}, 80, 24)
	m.Update(batchMsg(withFinding().Events()))
	if press(m, "ctrl+c") || !strings.Contains(frame(m), "ctrl-c again leaves") {
		t.Errorf("with none at work the first does not say how to leave:\n%s", frame(m))
	}
	if press(m, "j", "ctrl+c") {
		t.Error("another key between did not take the first back")
	}
	if !press(m, "ctrl+c") {
		t.Error("the second did not leave")
	}
}

func TestTabsGoRound(t *testing.T) {
	m := shown(t, Options{Run: newDesk()}, 80, 24)
	m.Update(batchMsg(withFinding().Events()))
	for _, want := range []tab{tabBoard, tabOutbox, tabLive} {
		if press(m, "tab"); m.tab != want {
			t.Errorf("tab is %d, want %d", m.tab, want)
		}
	}
	if press(m, "shift+tab"); m.tab != tabOutbox {
		t.Errorf("back is %d", m.tab)
	}
}

func TestThePaletteDoesWhatItFinds(t *testing.T) {
	m := shown(t, Options{Run: newDesk()}, 80, 24)
	m.Update(batchMsg(atWork().Events()))
	press(m, ":", "w", "h", "o", "l", "e")
	if !strings.Contains(frame(m), "one reviewer on the whole screen") {
		t.Fatalf("not found:\n%s", frame(m))
	}
	press(m, "enter")
	if m.name() != "zoom" {
		t.Errorf("not done: %s", m.name())
	}
}

// What no command is called is said, with the nearest; enter does none of them
// unless it was chosen.
func TestPaletteWithoutAMatch(t *testing.T) {
	for _, lang := range []review.Lang{review.English, review.Chinese} {
		m := shown(t, Options{Run: newDesk(), Board: true, Lang: lang}, 80, 24)
		press(m, ":")
		press(m, strings.Split("qxit", "")...)
		if got := frame(m); !strings.Contains(got, fmt.Sprintf(m.words.Common.NoCommand, "qxit")) {
			t.Fatalf("it is not said:\n%s", got)
		}
		if press(m, "enter") || m.palette == nil {
			t.Fatal("enter does what nobody chose")
		}
		if got := frame(m); !strings.Contains(got, m.words.Common.Nearest) || !strings.Contains(got, m.words.Keys["quit"].Long) {
			t.Fatalf("the nearest is not named:\n%s", got)
		}
		if !press(m, "down", "enter") {
			t.Error("the nearest can not be chosen")
		}
		press(m, ":")
		press(m, strings.Split("zzzzqqqq", "")...)
		if got := frame(m); strings.Contains(got, m.words.Common.Nearest) || press(m, "down", "up", "enter") || m.palette == nil {
			t.Errorf("something comes near:\n%s", got)
		}
		press(m, "esc", ":", "q")
		if !press(m, "enter") {
			t.Errorf(":q does not quit")
		}
	}
}

func TestTypingIsNeverACommand(t *testing.T) {
	m := shown(t, Options{Run: newDesk()}, 80, 24)
	m.Update(batchMsg(atWork().Events()))
	press(m, "M", "q", "?", "tab", "3")
	if m.help != nil || m.asking || m.tab != tabLive || !m.current().Typing() {
		t.Error("a key typed into a field was taken for a command")
	}
}

func TestWindowTitleAndBell(t *testing.T) {
	m := shown(t, Options{Run: newDesk(), Bell: true}, 80, 24)
	m.Update(batchMsg(atWork().Events()))
	if got := m.View().WindowTitle; got != "mrv 1/4" {
		t.Errorf("title %q", got)
	}
	_, cmd := m.Update(batchMsg(scene.New(plan(1)).Status(event.StatusDone, "quality-1").Events()[1:]))
	if cmd != nil && rings(cmd) {
		t.Error("rings before the panel is done")
	}
	s := atWork()
	s.Next()
	_, cmd = m.Update(batchMsg(s.Status(event.StatusDone, scene.Names(4)...).Next()))
	if !rings(cmd) {
		t.Error("does not ring when the panel is done")
	}
	_, cmd = m.Update(batchMsg(s.Say("quality-1", "p", "x").Next()))
	if rings(cmd) {
		t.Error("rings again")
	}
	m = shown(t, Options{Run: newDesk(), Bell: true}, 80, 24)
	if _, cmd = m.Update(batchMsg(withFinding().Events())); rings(cmd) {
		t.Error("rings for a panel that was done before")
	}
}

func rings(cmd tea.Cmd) bool {
	if cmd == nil {
		return false
	}
	switch msg := cmd().(type) {
	case tea.RawMsg:
		return msg.Msg == "\a"
	case tea.BatchMsg:
		for _, c := range msg {
			if rings(c) {
				return true
			}
		}
	}
	return false
}

func TestThemeFollowsTheBackground(t *testing.T) {
	m := shown(t, Options{Run: newDesk()}, 80, 24)
	if !m.styles.Dark {
		t.Error("begins light without a hint")
	}
	m.background(false)
	if m.styles.Dark {
		t.Error("stays dark on a light background")
	}
	m = shown(t, Options{Run: newDesk(), Theme: "catppuccin-mocha"}, 80, 24)
	m.background(false)
	if !m.styles.Dark {
		t.Error("a chosen theme is not kept")
	}
	if _, err := newModel(t.Context(), Options{Theme: "nope"}, colorprofile.TrueColor); err == nil {
		t.Error("an unknown theme is taken")
	}
	for env, want := range map[string]bool{"COLORFGBG=15;0": true, "COLORFGBG=0;15": false, "COLORFGBG=0;default;7": false, "X=1": true} {
		if got := darkByEnv([]string{env}); got != want {
			t.Errorf("%s is dark: %v", env, got)
		}
	}
}

// What the printed table lists, some screen carries out.
func TestEveryActionIsCarriedOut(t *testing.T) {
	m := shown(t, Options{Run: newDesk()}, 80, 24)
	page := newPlanPage(t.Context(), nil, &event.Plan{Sends: make([]event.Send, 1)}, m.words, m.styles)
	page.SetSize(80, 1)
	done := map[string][]string{
		keys.Everywhere: append(m.handles(), "back", "quit.all"), // the last in a run that was picked
		keys.Pick:       picked(t, fullShelf(), review.English, 80, 24).pick.Handles(),
		keys.Plan:       page.Handles(),
		keys.Live:       live.Actions(),
		keys.Zoom:       live.Actions(),
		keys.Board:      append(m.screens[tabBoard].Handles(), "restore"), // in the list of the dropped
		keys.Outbox:     m.screens[tabOutbox].Handles(),
	}
	for _, b := range keys.Table() {
		if !slices.Contains(done[b.Screen], b.ID) {
			t.Errorf("nothing on the screen %q does %s", b.Screen, b.ID)
		}
	}
}

// Titles and names come from strangers.
func TestNothingForeignReachesTheTerminal(t *testing.T) {
	evil := "\x1b]0;owned\x07\x1b[2J\u202e\u200b\u009b1m\r\b"
	p := plan(2)
	p.Change.Title, p.Change.Owner, p.Change.BaseRef = evil+"title", evil, evil
	p.Change.HeadSHA, p.Change.BaseSHA = "8b"+evil, "3f"+evil
	p.Banner, p.Tier, p.TierReason, p.Rules.Ref, p.Rules.Touched = evil+"banner", evil, evil, evil, []string{evil}
	p.Team[0].Name, p.Team[1].Skip = evil+"name", evil
	p.Files[0].NewPath, p.Files[3].NewPath, p.Files[3].Reason, p.Files[0].Note = evil+"path", evil, evil, evil
	p.Sends[0].Provider, p.Sends[0].Models = evil, []string{evil}
	p.Gaps = []review.Gap{{Text: evil}}
	m := shown(t, Options{Starter: starter{plan: p, run: newDesk(), err: errors.New(evil)}}, 100, 40)
	views := m.View().Content
	press(m, "enter")
	v := m.View()
	views += v.Content + v.WindowTitle
	for _, bad := range []string{"\x1b]", "\x1b[2J", "\u202e", "\u200b", "\u009b", "\r", "\b", "\x07"} {
		if strings.Contains(views, bad) {
			t.Errorf("%q reaches the terminal", bad)
		}
	}
	if !strings.Contains(views, "title") || !strings.Contains(views, "banner") || !strings.Contains(views, "path") {
		t.Error("the text itself is lost")
	}
}

// The renderer after this version repaints every row with a Chinese character
// in every frame: forty times the bytes.
func TestRendererIsPinned(t *testing.T) {
	raw, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"charm.land/bubbletea/v2 v2.0.10", "charm.land/lipgloss/v2 v2.0.5", "github.com/charmbracelet/ultraviolet v0.0.0-20260703014108-f5a850f9c2b7"} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("go.mod does not pin %s; raise it only when the byte budget's test passes with the new one", want)
		}
	}
}

// Who answers is said all along, and before where the rules come from.
func TestTheBannerIsInSight(t *testing.T) {
	p := plan(2)
	p.Banner = "a recording: no model is asked, nothing is sent"
	for _, c := range []struct {
		width        int
		shows, lacks string
	}{
		{160, p.Banner + "   rules: main@3f9c2a1", ""},
		{80, p.Banner, "rules:"},
		{40, "a recording:", "rules:"},
	} {
		m := shown(t, Options{Run: newDesk()}, c.width, 24)
		m.Update(batchMsg(scene.New(p).Phase(event.PhaseReviewing).Events()))
		line := strings.Split(frame(m), "\n")[1]
		if !strings.Contains(line, c.shows) || c.lacks != "" && strings.Contains(line, c.lacks) {
			t.Errorf("%d cells: %q", c.width, line)
		}
	}
}

// While a question is open, its keys are the only ones named.
func TestTheKeysOfAQuestion(t *testing.T) {
	m := shown(t, Options{Run: newDesk(), Board: true}, 100, 30)
	m.Update(batchMsg(withFinding().Events()))
	press(m, "r")
	last := func() string {
		lines := strings.Split(frame(m), "\n")
		return strings.TrimSpace(lines[len(lines)-1])
	}
	if got := last(); got != m.words.Common.Choosing {
		t.Errorf("while a reason is asked the last line is %q", got)
	}
	press(m, "x")
	if got := last(); got != m.words.Common.Typing {
		t.Errorf("while words are typed the last line is %q", got)
	}
}

// TestQuittingWaitsForTheLastKey: a decision pressed just before q y is on
// disk before the program ends.
func TestQuittingWaitsForTheLastKey(t *testing.T) {
	m := &model{words: words.For(review.English), screens: [tabs]screen{tabBoard: &slow{busy: true}}}
	if m.exit() != nil || !m.leaving {
		t.Fatal("it must not end while a command is not answered")
	}
	m.screens[tabBoard].(*slow).busy = false
	if m.exit() == nil {
		t.Error("and end when it is")
	}
}

// slow is a screen whose command is under way.
type slow struct {
	screen
	busy bool
}

func (s *slow) Busy() bool { return s.busy }
