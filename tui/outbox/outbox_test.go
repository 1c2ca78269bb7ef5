package outbox

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

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/themes"
	"github.com/mrv-dev/mrv/tui/style"
	"github.com/mrv-dev/mrv/tui/text"
	"github.com/mrv-dev/mrv/tui/words"
)

// desk is a run with findings, decisions and two destinations.
type desk struct {
	state   *event.State
	moved   bool
	fail    error
	targets []string
	asked   int
}

func (d *desk) write(t testing.TB, kind event.Kind, reviewer string, data any) {
	e, err := event.New(kind, reviewer, 0, data)
	if err == nil {
		e.Seq = d.state.Seq + 1
		err = d.state.Apply(e)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (d *desk) Landing(context.Context) (event.Landing, error) {
	d.asked++
	l := event.Landing{As: "ann", Head: "8b1e07d41c0ffee0", Current: "8b1e07d41c0ffee0", Moved: d.moved}
	if d.moved {
		l.Current = "1234567890"
	}
	in := event.Destination{Target: "inbox", Ready: !d.moved, Where: []string{"/home/ann/shop/.ai/reviews/pr-123.md", "/home/ann/shop/.ai/reviews/latest.md"}}
	if d.moved {
		in.Why = "the head has moved since the review: run it again"
	}
	for _, e := range d.state.Board() {
		dec, _ := d.state.DecisionOf(e)
		if as := map[review.Choice]string{review.Accepted: "open", review.Escalated: "escalated", review.Rejected: "rejected"}[dec.Choice]; as != "" {
			in.Items = append(in.Items, event.Item{Entry: e.ID, As: as, Where: d.state.Shown(e).Location.String()})
		}
	}
	l.Destinations = []event.Destination{in, {Target: "pr", Where: []string{"https://github.com/acme/shop/pull/123"}, Why: "you may not write to acme/shop",
		Items: []event.Item{{Entry: "m1", As: "inline", Where: "api/refund.go:88 RIGHT"}, {Entry: "m4", As: "file", Where: "store/ledger.go", Why: "line 141 is outside every hunk"}}}}
	return l, nil
}

func (d *desk) Do(_ context.Context, c event.Command) error {
	if d.fail != nil {
		return d.fail
	}
	d.targets = c.Targets
	x := event.ExportData{Target: "inbox", Where: []string{"/home/ann/shop/.ai/reviews/pr-123.md", "/home/ann/shop/.ai/reviews/latest.md"}}
	for _, e := range d.state.Board() {
		if dec, _ := d.state.DecisionOf(e); dec.Choice == review.Accepted {
			x.Accepted = append(x.Accepted, e.ID)
		}
	}
	e, err := event.New(event.Exported, "", 0, x)
	if err != nil {
		return err
	}
	e.Seq = d.state.Seq + 1
	return d.state.Apply(e)
}

func newDesk(t testing.TB, choices ...review.Decision) *desk {
	d := &desk{state: event.NewState()}
	d.write(t, event.Planned, "", event.Plan{Team: []event.Member{{Name: "quality-1"}}})
	var r review.Report
	var entries []event.Entry
	for i := range choices {
		f := review.Finding{ID: review.FindingID("quality-1", i+1), Reviewer: "quality-1", Ordinal: i + 1, Severity: review.Warning, Title: fmt.Sprintf("退款 finding %d", i+1), Location: review.Location{Path: "api/refund.go", Start: 80 + i}}
		r.Findings = append(r.Findings, f)
		entries = append(entries, event.Entry{ID: fmt.Sprintf("m%d", i+1), Sources: []string{f.ID}, Lead: f.ID, Severity: f.Severity})
	}
	d.write(t, event.ReportIn, "quality-1", event.ReportData{Report: r})
	d.write(t, event.Merged, "", event.MergedData{Entries: entries})
	p := event.Patch{Decisions: map[string]review.Decision{}}
	for i, c := range choices {
		p.Decisions[review.FindingID("quality-1", i+1)] = c
	}
	d.write(t, event.Decided, "", event.StepData{Op: "do", Patch: p})
	return d
}

func mixed() []review.Decision {
	return []review.Decision{
		{Choice: review.Accepted}, {Choice: review.Accepted}, {Choice: review.Rejected, Reason: review.FalsePositive},
		{Choice: review.Escalated, To: "bob", Note: "is it money?"}, {}, {},
	}
}

func open(t testing.TB, lang review.Lang, d *desk, w, h int) *Outbox {
	th, err := themes.Load("dark", "")
	if err != nil {
		t.Fatal(err)
	}
	st, err := style.New(th, colorprofile.TrueColor, style.Unicode())
	if err != nil {
		t.Fatal(err)
	}
	o := New(context.Background(), d, words.For(lang), st)
	o.SetSize(w, h)
	run(o, d, o.SetState(d.state))
	run(o, d, o.Shown())
	return o
}

// run runs a command and what follows from it.
func run(o *Outbox, d *desk, cmd tea.Cmd) {
	for cmd != nil {
		cmd = o.Update(cmd())
		o.View()
		if c := o.SetState(d.state); c != nil {
			run(o, d, c)
		}
	}
}

func TestView(t *testing.T) {
	for _, lang := range []review.Lang{review.English, review.Chinese} {
		for _, size := range [][2]int{{40, 7}, {80, 21}, {120, 33}, {160, 45}, {250, 67}} {
			t.Run(fmt.Sprintf("%s %dx%d", lang, size[0], size[1]), func(t *testing.T) {
				d := newDesk(t, mixed()...)
				o := open(t, lang, d, size[0], size[1])
				before := ansi.Strip(o.View())
				run(o, d, o.Do("send"))
				golden.RequireEqual(t, before+"\n==== sent\n"+ansi.Strip(o.View()))
			})
		}
	}
}

func TestPreview(t *testing.T) {
	d := newDesk(t, mixed()...)
	o := open(t, review.English, d, 80, 24)
	o.Do("preview")
	golden.RequireEqual(t, ansi.Strip(o.View()))
	if o.Do("back"); o.Back() {
		t.Error("back leaves the preview open")
	}
}

func TestOnlyWhatIsReadyAndTickedIsSent(t *testing.T) {
	d := newDesk(t, mixed()...)
	o := open(t, review.English, d, 80, 24)
	o.Do("move.down")
	o.Do("tick") // the PR is not ready
	if view := ansi.Strip(o.View()); strings.Count(view, "[x]") != 1 {
		t.Fatalf("what is not ready can be ticked:\n%s", view)
	}
	run(o, d, o.Do("send"))
	if len(d.targets) != 1 || d.targets[0] != "inbox" {
		t.Fatalf("sent to %v", d.targets)
	}
	d.targets = nil
	o.Do("move.up")
	o.Do("tick")
	run(o, d, o.Do("send"))
	if d.targets != nil || !strings.Contains(ansi.Strip(o.View()), "nothing is ticked") {
		t.Errorf("sent to %v", d.targets)
	}
}

func TestMovedHeadIsNotSent(t *testing.T) {
	d := newDesk(t, mixed()...)
	d.moved = true
	o := open(t, review.English, d, 80, 24)
	run(o, d, o.Do("send"))
	if view := ansi.Strip(o.View()); d.targets != nil || !strings.Contains(view, "MOVED") {
		t.Errorf("sent to %v\n%s", d.targets, view)
	}
}

func TestFailureIsSaidAndCleaned(t *testing.T) {
	d := newDesk(t, mixed()...)
	d.fail = errors.New("writing \x1b]0;x\a.ai/reviews: no space left")
	o := open(t, review.English, d, 80, 24)
	run(o, d, o.Do("send"))
	if view := ansi.Strip(o.View()); !strings.Contains(view, "writing .ai/reviews: no space left") || strings.Contains(view, "written:") {
		t.Errorf("got\n%s", view)
	}
}

func TestChangeAfterTheExportIsSaid(t *testing.T) {
	d := newDesk(t, mixed()...)
	o := open(t, review.English, d, 80, 24)
	run(o, d, o.Do("send"))
	if strings.Contains(ansi.Strip(o.View()), "changed since") {
		t.Fatal("nothing has changed yet")
	}
	d.write(t, event.Decided, "", event.StepData{Op: "do", Patch: event.Patch{Decisions: map[string]review.Decision{"quality-1.1": {}}}})
	run(o, d, o.SetState(d.state))
	if view := ansi.Strip(o.View()); !strings.Contains(view, "changed since: 1 taken back") || !strings.Contains(view, "Undecided: 3.") {
		t.Errorf("got\n%s", view)
	}
}

func TestLandingIsAskedOnlyWhenLookedAt(t *testing.T) {
	d := newDesk(t, mixed()...)
	o := New(context.Background(), d, words.English(), style.Styles{})
	o.SetSize(80, 24)
	for range 3 {
		run(o, d, o.SetState(d.state))
	}
	if d.asked != 0 {
		t.Errorf("asked %d times unseen", d.asked)
	}
	run(o, d, o.Shown())
	if d.asked != 1 {
		t.Errorf("asked %d times, want 1", d.asked)
	}
}

func TestEverySizeIsDrawn(t *testing.T) {
	d := newDesk(t, mixed()...)
	o := open(t, review.Chinese, d, 0, 0)
	for w := 0; w <= 170; w += 3 {
		for _, h := range []int{0, 1, 2, 5, 10, 24, 45} {
			o.SetSize(w, h)
			for range 2 {
				lines := strings.Split(o.View(), "\n")
				if w > 0 && h > 0 && len(lines) != h {
					t.Fatalf("%dx%d has %d lines", w, h, len(lines))
				}
				for _, l := range lines {
					if n := text.Width(l); n > w {
						t.Fatalf("%dx%d: %d cells: %q", w, h, n, l)
					}
				}
				o.Do("preview")
			}
		}
	}
}
