package engine_test

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mrv-dev/mrv/engine"
	"github.com/mrv-dev/mrv/engine/agent/opencode/scripted"
	"github.com/mrv-dev/mrv/engine/config"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

// steered is a run on the real server whose reviewers are the faults' personas.
func steered(t *testing.T, g faultGroup) (*engine.Run, engine.Options) {
	t.Helper()
	needOpenCode(t)
	o := g.options(t, demoRepository(t))
	return begin(t, o), o
}

// TestCircuitOpens: three retries that the server announces within a minute,
// across all reviewers, open a model's circuit: those who wait walk to their
// next model, and nobody asks it until the cooldown is over (TestOneProbe).
func TestCircuitOpens(t *testing.T) {
	var asked atomic.Int64 // of the model that is down
	g := faultGroup{faults: []fault{{name: "walks", model: "scripted/busy, scripted/fine"}},
		handle: func(_ *testing.T, p *scripted.Provider) {
			p.Handle("busy", func(scripted.Request) scripted.Script {
				asked.Add(1)
				return scripted.Script{scripted.Refuse(503, "overloaded", "Overloaded")}
			})
		}, tune: func(_ *testing.T, o *engine.Options) { o.Team, o.Cooldown = "walks:3", time.Hour }}
	run, _ := steered(t, g)
	settle(t, run)
	for _, r := range stateOf(t, run).Reviewers {
		if r.Status != done || r.ReportFrom.ID != "fine" {
			t.Errorf("%s: %s %s, from %s", r.Name, r.Status, r.Text, r.ReportFrom)
		}
	}
	before := asked.Load()
	if before < 3 || before > 6 {
		t.Errorf("the model that is down was asked %d times by three reviewers", before)
	}
	do(t, run, event.Command{Kind: event.CmdModel, Reviewer: "walks-1", Text: "scripted/busy"})
	waitFor(t, run, func(s *event.State) bool {
		r := s.Reviewer("walks-1")
		return r.Status == event.StatusRetrying && strings.Contains(r.Text, "too many retries") && r.NextMS > s.TMS
	})
	do(t, run, event.Command{Kind: event.CmdAbort, Reviewer: "walks-1"})
	settle(t, run)
	if n := asked.Load(); n != before {
		t.Errorf("asked %d times while its circuit was open", n-before)
	}
	finish(t, run)
}

// TestBudgetStopsAfterTheStep: at 80 % a warning; at 100 % who works ends
// after its step, whose last step is under way hands in its report, who waits
// is never asked, and the run says so.
func TestBudgetStopsAfterTheStep(t *testing.T) {
	release := make(chan struct{})
	read := scripted.Call("read", map[string]any{"filePath": "retry/retry.go"})
	g := faultGroup{faults: []fault{{name: "writes"}, {name: "spends"}, {name: "waits", model: "writes"}},
		handle: func(_ *testing.T, p *scripted.Provider) {
			p.Handle("spends", func(r scripted.Request) scripted.Script {
				if len(r.Results) == 0 { // $0.85 of $1.00
					return scripted.Script{scripted.Usage(850_000, 10, 0), scripted.Say(said + " "), read}
				}
				return scripted.Script{scripted.Usage(200_000, 10, 0), scripted.Say("More. "), read}
			})
			p.Handle("writes", func(r scripted.Request) scripted.Script {
				return scripted.Script{scripted.Say(" "), scripted.Until(release), scripted.Say(critical(r))}
			})
		}, tune: func(_ *testing.T, o *engine.Options) {
			o.Budget, o.Person.Concurrency = 1, map[string]int{"scripted": 2}
		}}
	run, _ := steered(t, g)
	waitFor(t, run, func(s *event.State) bool {
		return slices.ContainsFunc(s.Holds, func(h review.Hold) bool { return h.Code == "budget" })
	})
	close(release)
	settle(t, run)
	s := stateOf(t, run)
	for name, want := range map[string]event.Status{"spends-1": failed, "writes-1": done, "waits-1": failed} {
		if r := s.Reviewer(name); r.Status != want || want == failed && !strings.Contains(r.Text, "budget") {
			t.Errorf("%s: %s %s, want %s", name, r.Status, r.Text, want)
		}
	}
	if r := s.Reviewer("waits-1"); r.Turn != 0 {
		t.Error("who waited was asked")
	}
	if !slices.ContainsFunc(s.Notices, func(n event.NoticeData) bool { return strings.Contains(n.Text, "of the budget of $1.00") }) {
		t.Errorf("no warning: %+v", s.Notices)
	}
	if err := run.Do(t.Context(), event.Command{Kind: event.CmdRetry, Reviewer: "waits-1"}); err == nil || !strings.Contains(err.Error(), "budget") {
		t.Errorf("a retry beyond the budget: %v", err)
	}
	finish(t, run)
}

// TestSteering: what the person asks of one pane is journaled, is obeyed, and
// disturbs no other.
func TestSteering(t *testing.T) {
	hold := make(chan struct{})
	g := faultGroup{faults: []fault{{name: "left"}, {name: "right"}}, handle: func(_ *testing.T, p *scripted.Provider) {
		p.Handle("left", func(scripted.Request) scripted.Script {
			return scripted.Script{scripted.Say(said + " "), scripted.Hang()}
		})
		p.Handle("right", func(scripted.Request) scripted.Script {
			return scripted.Script{scripted.Say(said + " "), scripted.Until(hold), scripted.Hang()}
		})
	}}
	run, _ := steered(t, g)
	defer close(hold)
	text := func(names ...string) func(*event.State) bool {
		return func(s *event.State) bool {
			return !slices.ContainsFunc(names, func(n string) bool { return s.Reviewer(n) == nil || s.Reviewer(n).TextBytes == 0 })
		}
	}
	waitFor(t, run, text("left-1", "right-1"))
	right := func() int { return len(of(eventsOf(t, run), "right-1")) }
	before := right()
	commands := []event.Command{
		{Kind: event.CmdAbort, Reviewer: "left-1"},
		{Kind: event.CmdModel, Reviewer: "left-1", Text: "scripted/fine"},
		{Kind: event.CmdAdd, Text: "left"},
		{Kind: event.CmdTime, Reviewer: "left-2", MS: 60_000},
		{Kind: event.CmdRetry, Reviewer: "left-2"},
		{Kind: event.CmdCoordinate},
	}
	do(t, run, commands[0])
	waitFor(t, run, func(s *event.State) bool { return s.Reviewer("left-1").Status == aborted })
	do(t, run, commands[1])
	waitFor(t, run, func(s *event.State) bool { return s.Reviewer("left-1").Status == done })
	do(t, run, commands[2])
	waitFor(t, run, text("left-2"))
	do(t, run, commands[3])
	do(t, run, commands[4])
	waitFor(t, run, func(s *event.State) bool { return s.Reviewer("left-2").Turn == 2 })
	if after := right(); after != before {
		t.Errorf("the other pane was disturbed: %+v", of(eventsOf(t, run), "right-1")[before:])
	}
	do(t, run, commands[5])
	settle(t, run)
	s := stateOf(t, run)
	if got := s.Missing(); !slices.Equal(got, []string{"right-1", "left-2"}) || s.Verdict() != human {
		t.Errorf("missing %v, verdict %s", got, s.Verdict())
	}
	if f := s.Reviewer("right-1").Failure; f == nil || f.Message != "not waited for: you started the coordinator" {
		t.Errorf("right-1 is missing because of %v", f)
	}
	if r := s.Reviewer("left-1"); r.ReportFrom.ID != "fine" {
		t.Errorf("left-1 is from %s", r.ReportFrom)
	}
	var journaled []event.CommandKind
	for _, e := range eventsOf(t, run) {
		var c event.Command
		if e.Kind == event.Commanded {
			decode(t, e, &c)
			journaled = append(journaled, c.Kind)
		}
		if e.Kind == event.MemberAdded {
			journaled = append(journaled, event.CmdAdd)
		}
	}
	for i, c := range commands {
		if i >= len(journaled) || journaled[i] != c.Kind {
			t.Fatalf("journaled %v", journaled)
		}
	}
	finish(t, run)
}

// TestQueueGetsTime: a run in which reviewers wait for a place is as long as
// the fullest provider needs, and the coordinator.
func TestQueueGetsTime(t *testing.T) {
	for _, tt := range []struct {
		places int
		want   time.Duration
	}{{1, 62 * time.Minute}, {2, 32 * time.Minute}, {12, 25 * time.Minute}} {
		o, _ := endpoint(t, func(*scripted.Provider) {})
		o.Team = "quality:12"
		o.Person.Concurrency = map[string]int{"box": tt.places}
		p, err := engine.NewPlan(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if got := time.Duration(p.Plan().Limits.RunMS) * time.Millisecond; got != tt.want {
			t.Errorf("%d at a time: %v, want %v", tt.places, got, tt.want)
		}
		o.Person.Clocks.Run = config.Duration(10 * time.Minute)
		if p, err = engine.NewPlan(t.Context(), o); err != nil || p.Plan().Limits.RunMS != (10*time.Minute).Milliseconds() {
			t.Errorf("the person's own clock counts: %v", err)
		}
	}
}

// of are a reviewer's events.
func of(events []event.Event, name string) []event.Event {
	return slices.DeleteFunc(events, func(e event.Event) bool { return e.Reviewer != name })
}
