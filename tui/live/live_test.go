package live

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
	"pgregory.net/rapid"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/themes"
	"github.com/mrv-dev/mrv/tui/internal/scene"
	"github.com/mrv-dev/mrv/tui/keys"
	"github.com/mrv-dev/mrv/tui/style"
	"github.com/mrv-dev/mrv/tui/text"
	"github.com/mrv-dev/mrv/tui/words"
)

var glm = review.Model{Provider: "zhipuai", ID: "glm-5.1"}

// atWork is a panel of four in the states a person meets.
func atWork() *scene.Scene {
	s := scene.New(scene.Plan(scene.Team(glm, review.EffortMax, scene.Names(4)...)))
	s.Phase(event.PhaseReviewing).Wait(400)
	s.Begin("quality-1", "security-1", "performance-1", "architecture-1").Wait(9_000)
	s.Tool("quality-1", "t1", "read", "engine/refund.go:40-120", "completed")
	s.Tool("quality-1", "t2", "grep", `"CaptureID" 6 hits`, "completed")
	s.Think("quality-1", "p1", strings.Repeat("The retry path makes a new key. ", 40))
	s.Say("security-1", "p1", report).Spend("security-1", 2400, 1100, 0.11)
	s.Add(event.ReportIn, "security-1", event.ReportData{Model: glm, Report: review.Report{
		Label: review.Concerns, LabelText: "AT RISK", MarkerOK: true,
		Findings: []review.Finding{{ID: "security-1.1", Reviewer: "security-1", Ordinal: 1, Severity: review.Critical, Title: "Refund amount is taken from the client"}},
	}})
	s.Status(event.StatusDone, "security-1")
	s.Say("performance-1", "p1", "我先看 ledger.go 里的查询：每次退款都会读取余额两次，没有索引。").Spend("performance-1", 1800, 220, 0.02)
	s.Wait(48_000)
	s.Say("quality-1", "p2", "The retry path calls capture() again with a new key, so a timeout after the first call charges twice. I will check where the key is made")
	s.Tool("quality-1", "t3", "read", "engine/retry.go:1-80", "running").Spend("quality-1", 1900, 600, 0.05)
	s.Add(event.StatusChanged, "architecture-1", event.StatusData{
		Status: event.StatusRetrying, Attempt: 2, NextMS: s.Now() + 6_000,
		Failure: &review.Failure{Kind: review.FailRate, Status: 429, Message: "too many requests, please slow down"},
	})
	return s.Wait(1_000)
}

const report = `AT RISK
Read: mrv-1f2e
## Summary
One way to refund more than was paid.
## Findings
### [critical] Refund amount is taken from the client
- **Location:** api/refund.go:88
- **Observation:** the handler copies ` + "`amount`" + ` from the request body into the ledger call.
- **Inference:** a caller can refund more than was paid.
- **Judgment:** must fix; contract docs/payments.md §2
## Validation gaps
None.
`

// desk is a run that keeps what it was asked.
type desk struct {
	asked []event.Command
	err   error
	text  string
}

func (d *desk) Do(_ context.Context, c event.Command) error {
	d.asked = append(d.asked, c)
	return d.err
}

func (d *desk) Transcript(context.Context, string) (string, error) { return d.text, d.err }

func screen(t testing.TB, run Run, lang review.Lang, theme string) *Live {
	t.Helper()
	th, err := themes.Load(theme, "")
	if err != nil {
		t.Fatal(err)
	}
	st, err := style.New(th, colorprofile.TrueColor, style.Unicode())
	if err != nil {
		t.Fatal(err)
	}
	k, err := keys.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return New(t.Context(), run, words.For(lang), k, st)
}

func show(l *Live, s *scene.Scene, w, h int) string {
	l.SetSize(w, h)
	l.SetState(s.State())
	l.SetNow(s.Now())
	for l.turning { // until every column has had its turn
		l.Update(turnMsg{})
	}
	return l.View()
}

func TestGrid(t *testing.T) {
	for _, size := range [][2]int{{40, 7}, {80, 21}, {120, 33}, {160, 45}, {250, 67}} {
		for _, lang := range []review.Lang{review.English, review.Chinese} {
			t.Run(fmt.Sprintf("%dx%d-%s", size[0], size[1], lang), func(t *testing.T) {
				l := screen(t, &desk{}, lang, "dark")
				view := show(l, atWork(), size[0], size[1])
				exact(t, view, size[0], size[1])
				golden.RequireEqual(t, ansi.Strip(view))
			})
		}
	}
}

func TestZoom(t *testing.T) {
	l := screen(t, &desk{}, review.English, "dark")
	show(l, atWork(), 80, 21)
	l.Do("pane.2")
	l.Do("zoom")
	golden.RequireEqual(t, ansi.Strip(l.View()))
}

// exact fails if a view has not h lines of w cells each.
func exact(t testing.TB, view string, w, h int) {
	t.Helper()
	lines := strings.Split(view, "\n")
	if len(lines) != h {
		t.Fatalf("%d lines, want %d", len(lines), h)
	}
	for i, line := range lines {
		if n := text.Width(line); n != w {
			t.Fatalf("line %d is %d cells wide, want %d: %q", i, n, w, ansi.Strip(line))
		}
	}
}

// No size, number of reviewers or key makes the screen panic or draw a line
// that is not exactly as wide as the window.
func TestAnySize(t *testing.T) {
	actions := Actions()
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(rt, "reviewers")
		s := scene.New(scene.Plan(scene.Team(glm, review.EffortMax, scene.Names(n)...))).Phase(event.PhaseReviewing)
		l := screen(t, &desk{text: report}, review.Chinese, "dark")
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			if n > 0 {
				name := scene.Names(n)[rapid.IntRange(0, n-1).Draw(rt, "who")]
				s.Begin(name).Say(name, "p", rapid.SampledFrom([]string{"one two ", "\n", "退款流程，", "👨‍👩‍👧", "\x1b[2J", report}).Draw(rt, "text"))
				s.Status(rapid.SampledFrom([]event.Status{event.StatusRunning, event.StatusDone, event.StatusFailed, event.StatusViolated}).Draw(rt, "status"), name)
			}
			w, h := rapid.IntRange(0, 170).Draw(rt, "w"), rapid.IntRange(0, 50).Draw(rt, "h")
			view := show(l, s.Wait(7_000), w, h)
			if w > 0 && h > 0 {
				exact(t, view, w, h)
			}
			for range 3 {
				if cmd := l.Do(rapid.SampledFrom(actions).Draw(rt, "action")); cmd != nil {
					l.Update(cmd())
				}
				l.View()
			}
			l.Update(tea.KeyPressMsg{Code: tea.KeyEscape})
		}
	})
}

// Whatever a reviewer, a file or a provider says, only our own styling reaches
// the terminal.
func TestNothingForeignReachesTheTerminal(t *testing.T) {
	evil := "\x1b]52;c;ZXZpbA==\x07\x1b[2J\u202eevil\u200b\u009b31m\r\b"
	team := scene.Team(review.Model{Provider: "p", ID: "m" + evil}, review.EffortLow, "x-1", "y-1")
	team[0].Name = "x-1" + evil
	s := scene.New(scene.Plan(team)).Phase(event.PhaseReviewing).Begin(team[0].Name)
	s.Say(team[0].Name, "p1"+evil, evil).Think(team[0].Name, "p2", evil).Tool(team[0].Name, "t", "read"+evil, evil, "running")
	s.Add(event.Noticed, team[0].Name, event.NoticeData{Text: evil})
	s.Add(event.StatusChanged, "y-1", event.StatusData{Status: event.StatusFailed, Failure: &review.Failure{Kind: "k" + review.FailureKind(evil), Message: evil}})
	s.Add(event.ReportIn, "y-1", event.ReportData{Report: review.Report{Label: review.Block, LabelText: evil}})
	l := screen(t, &desk{err: errors.New(evil)}, review.English, "mono")
	view := show(l, s, 120, 30)
	for _, bad := range []string{"\x1b]", "\x1b[2J", "\u202e", "\u200b", "\u009b", "\r", "\b", "\x07"} {
		if strings.Contains(view, bad) {
			t.Errorf("%q reaches the terminal", bad)
		}
	}
}

// The coordinator has less to say than a reviewer: it gets a strip below them.
func TestTheCoordinatorHasAStrip(t *testing.T) {
	s := atWork()
	s.Add(event.MemberAdded, "", event.Member{Name: event.Coordinator, Agent: "opencode"})
	s.Begin(event.Coordinator).Say(event.Coordinator, "p", "the same refund twice").Status(event.StatusDone, event.Coordinator)
	s.Add(event.Summarised, "", event.SummaryData{Text: "One way to lose money; the rest can wait."})
	l := screen(t, &desk{}, review.English, "dark")
	view := ansi.Strip(show(l, s, 160, 45))
	first, places := l.places(160, 45)
	if first != 0 || len(places) != 5 {
		t.Fatalf("%d places from %d, want 5 from 0", len(places), first)
	}
	strip := places[4]
	if strip.w != 160 || strip.h >= places[0].h {
		t.Errorf("the coordinator has %+v, a reviewer %+v", strip, places[0])
	}
	if !strings.Contains(view, "One way to lose money") {
		t.Errorf("its summary is not in sight:\n%s", view)
	}
	l.Do("pane.5")
	l.Do("pane.up")
	if l.focus == event.Coordinator {
		t.Error("up from the strip stays there")
	}
}

// What the run says of itself is on the screen.
func TestTheLastNoticeIsInSight(t *testing.T) {
	s := atWork()
	s.Add(event.Noticed, "", event.NoticeData{Level: "warn", Text: "the price of a model is unknown"})
	s.Add(event.Noticed, "", event.NoticeData{Level: "warn", Text: "$2.00 of the budget of $2.50 are used\x1b[2J"})
	l := screen(t, &desk{}, review.English, "dark")
	lines := strings.Split(ansi.Strip(show(l, s, 120, 33)), "\n")
	if got := strings.TrimSpace(lines[len(lines)-1]); got != "notice 2: $2.00 of the budget of $2.50 are used" {
		t.Errorf("the last line is %q", got)
	}
}
