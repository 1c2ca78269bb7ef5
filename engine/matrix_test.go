package engine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mrv-dev/mrv/engine"
	"github.com/mrv-dev/mrv/engine/agent/opencode/scripted"
	"github.com/mrv-dev/mrv/engine/config"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/journal"
	"github.com/mrv-dev/mrv/engine/review"
)

// personas writes a persona for each fault into the person's own directory.
func (g faultGroup) personas(t *testing.T, dir string) (team string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range g.faults {
		model := f.model
		if model == "" {
			model = f.name
		}
		if !strings.Contains(model, "/") && !strings.Contains(model, ",") {
			model = "scripted/" + model
		}
		text := fmt.Sprintf("name: %s\ntitle: A fault\nlabels:\n  en: {pass: Pass, concerns: Concerns, block: Block}\nmodel: [%s]\nprompt: You look at %s.\n%s\n", f.name, model, f.name, f.persona)
		if err := os.WriteFile(filepath.Join(dir, f.name+".yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		names = append(names, f.name)
	}
	return strings.Join(names, ",")
}

// options are the run's: a real clone, a person of its own, the real server.
func (g faultGroup) options(t *testing.T, dir string) engine.Options {
	t.Helper()
	p := scripted.Start(t)
	p.Handle("fine", func(r scripted.Request) scripted.Script { return scripted.Script{scripted.Say(r.Report(review.Pass))} })
	if g.handle != nil {
		g.handle(t, p)
	}
	home := p.Home(t.TempDir())
	base := filepath.Join(home, ".mrv")
	o := engine.Options{
		OpenCode: openCodeBinary(), Version: "test", Interactive: true, NoServer: true, Agent: engine.AgentOpenCode, Getenv: homeIs(home), Timing: patient,
		Paths:  config.Paths{Config: filepath.Join(base, "config"), State: filepath.Join(base, "state"), Cache: filepath.Join(base, "cache"), Data: filepath.Join(base, "data")},
		Person: config.Person{Tiers: map[string]config.Models{"strong": {"scripted/fine"}}},
	}
	o.Source = engine.SourceOptions{Base: "main", Dir: dir, CacheDir: o.Paths.Cache}
	o.Team = g.personas(t, filepath.Join(o.Paths.Config, "personas"))
	if g.tune != nil {
		g.tune(t, &o)
	}
	return o
}

// outcome is one line of the matrix.
type outcome struct {
	fault   string
	status  event.Status
	kind    review.FailureKind
	verdict review.Verdict
	took    time.Duration
	words   string
}

// matrix collects the lines of rows that run side by side.
type matrix struct {
	mu    sync.Mutex
	lines []outcome
}

func (m *matrix) add(o outcome) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lines = append(m.lines, o)
}

func (m *matrix) String() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b, "%d rows\n%-22s %-18s %-10s %-21s %7s  %s\n", len(m.lines), "fault", "ends", "kind", "verdict", "time", "words")
	for _, o := range m.lines {
		words := strings.Join(strings.Fields(o.words), " ")
		fmt.Fprintf(&b, "%-22s %-18s %-10s %-21s %6.1fs  %.90s\n", o.fault, o.status, o.kind, o.verdict, o.took.Seconds(), words)
	}
	return b.String()
}

// TestFaultMatrix provokes every known failure of a provider, of the server
// and of what lies between, on the real server: how each reviewer ends, what
// the person reads, and what the verdict would be with that reviewer alone.
// None ends clean, and no text that came in is lost.
func TestFaultMatrix(t *testing.T) {
	needOpenCode(t)
	if runtime.GOOS != "linux" {
		t.Skip("looks at processes in /proc")
	}
	dir := demoRepository(t)
	table := &matrix{}
	t.Cleanup(func() { t.Logf("%s", table) })
	t.Run("journal", func(t *testing.T) {
		words := ownProcess(t, "TestFullDisk")
		table.add(outcome{fault: "disk-full", status: failed, kind: review.FailOther, verdict: human, words: words})
	})
	places := make(chan struct{}, 3) // servers at a time
	t.Run("run", func(t *testing.T) {
		t.Run("stopped clock", func(t *testing.T) {
			t.Parallel()
			stoppedClock(t, dir, table)
		})
		for _, g := range faultGroups() {
			t.Run(g.name, func(t *testing.T) {
				t.Parallel()
				places <- struct{}{}
				defer func() { <-places }()
				g.run(t, dir, table)
			})
		}
	})
}

func (g faultGroup) run(t *testing.T, dir string, table *matrix) {
	o := g.options(t, dir)
	run := begin(t, o)
	if g.during != nil {
		g.during(t, run, o)
	}
	settle(t, run)
	s := stateOf(t, run)
	finish(t, run)
	_, events, err := journal.Read(run.Journal())
	if err != nil {
		t.Fatal(err)
	}
	if left := below(t, o.Paths.Cache); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
	if g.name == "seven of eight" {
		checkSeven(t, s, table)
		return
	}
	for _, f := range g.faults {
		t.Run(f.name, func(t *testing.T) { f.check(t, events, table) })
	}
}

// check compares a row with what became of it.
func (f fault) check(t *testing.T, events []event.Event, table *matrix) {
	name := f.name + "-1"
	s := alone(t, events, name)
	r := s.Reviewer(name)
	o := outcome{fault: f.name, status: r.Status, verdict: s.Verdict(), words: r.Text}
	if r.StartMS > 0 {
		o.took = time.Duration(r.EndMS-r.StartMS) * time.Millisecond
	}
	if r.Failure != nil {
		o.kind = r.Failure.Kind
	}
	for _, h := range s.Holds {
		if o.words == "" {
			o.words = h.Text
		}
	}
	if f.name != control.name {
		table.add(o)
	}
	says := slices.ContainsFunc(strings.Split(f.words, "|"), func(w string) bool { return strings.Contains(r.Text, w) })
	if r.Status != f.status || (f.kind != "" && o.kind != f.kind) || !says {
		t.Errorf("ended %s (%s) with %q; want %s (%s) with %q", r.Status, o.kind, r.Text, f.status, f.kind, f.words)
	}
	if r.Status == failed && strings.TrimSpace(r.Text) == "" {
		t.Error("a failure without a word for the person")
	}
	if o.verdict != f.verdict {
		t.Errorf("verdict %s, want %s; holds %+v", o.verdict, f.verdict, s.AllHolds())
	}
	if got := received(t, events, name); !strings.Contains(got, f.keeps) {
		t.Errorf("text that came in is lost: %q is not in %q", f.keeps, got)
	}
}

func checkSeven(t *testing.T, s *event.State, table *matrix) {
	missing := s.Missing()
	table.add(outcome{fault: "seven-of-eight-fail", status: failed, kind: review.FailAuth, verdict: s.Verdict(), words: "missing: " + strings.Join(missing, ", ")})
	if len(missing) != 7 || len(s.Entries) != 1 || s.Verdict() != blocked || s.Phase != event.PhaseClosed && s.Phase != event.PhaseTriage {
		t.Errorf("missing %v, %d findings, verdict %s, phase %s", missing, len(s.Entries), s.Verdict(), s.Phase)
	}
}

// alone folds a run as if it had had one reviewer.
func alone(t *testing.T, events []event.Event, name string) *event.State {
	t.Helper()
	var kept []event.Event
	for _, e := range events {
		if e.Reviewer != "" && e.Reviewer != name {
			continue
		}
		var data any
		switch e.Kind {
		case event.Planned:
			var p event.Plan
			decode(t, e, &p)
			p.Team = slices.DeleteFunc(p.Team, func(m event.Member) bool { return m.Name != name })
			p.Coordinator = nil
			data = p
		case event.Merged:
			var m event.MergedData
			decode(t, e, &m)
			for i := range m.Entries {
				m.Entries[i].Sources = slices.DeleteFunc(m.Entries[i].Sources, func(id string) bool { return !strings.HasPrefix(id, name+".") })
			}
			m.Entries = slices.DeleteFunc(m.Entries, func(x event.Entry) bool { return len(x.Sources) == 0 })
			data = m
		case event.HoldSet:
			var h review.Hold
			decode(t, e, &h)
			if !strings.HasPrefix(h.Text, name+":") {
				continue
			}
		}
		if data != nil {
			changed, err := event.New(e.Kind, e.Reviewer, e.Turn, data)
			if err != nil {
				t.Fatal(err)
			}
			e.Data = changed.Data
		}
		kept = append(kept, e)
	}
	s, err := event.Fold(kept)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func decode(t *testing.T, e event.Event, into any) {
	t.Helper()
	if err := e.Decode(into); err != nil {
		t.Fatal(err)
	}
}

// received is all text that a reviewer's journal holds, also what a retry took
// out of the pane.
func received(t *testing.T, events []event.Event, name string) string {
	t.Helper()
	var b strings.Builder
	for _, e := range events {
		if e.Reviewer != name {
			continue
		}
		switch e.Kind {
		case event.TextAppended, event.TextSet:
			var d event.TextData
			decode(t, e, &d)
			b.WriteString(d.Text)
		case event.ReportIn:
			var d event.ReportData
			decode(t, e, &d)
			b.WriteString("\n" + d.Raw + "\n")
		}
	}
	return b.String()
}
