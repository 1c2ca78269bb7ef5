package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/journal"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/window"
)

// The panel of the benchmark.
const (
	reviewers = 8
	rate      = 500 // tokens a second for each
	columns   = 160
	rows      = 48
	streaming = 10 * time.Second
	pressing  = 10 * time.Second // keys, while the reviewers go on
	quiet     = 5 * time.Second
	slowLine  = 150_000 // bytes a second
	findings  = 1000
)

// BenchmarkScreen measures the real program in a window, as a person meets it:
//
//	go test ./cmd/mrv -run xxx -bench Screen -benchtime 1x -report
//
// Eight reviewers stream 500 tokens a second each, of English and Chinese,
// through a real endpoint, run and journal, so that the processor time is that
// of the whole program. -report prints all figures as one table with the aims.
func BenchmarkScreen(b *testing.B) {
	var r sheetOf
	b.Run("panel", func(b *testing.B) { r.run(b, benchPanel) })
	b.Run("slow line", func(b *testing.B) { r.run(b, benchSlowLine) })
	b.Run("long text", func(b *testing.B) { r.run(b, benchLongText) })
	b.Run("1000 findings", func(b *testing.B) { r.run(b, benchFindings) })
	b.Run("first paint", func(b *testing.B) { r.run(b, benchFirstPaint) })
	if *report {
		r.print(os.Stdout)
	}
}

// panel is the program with all reviewers listening to the generator.
func panel(b *testing.B) (*window.Window, *generator, *place) {
	b.Helper()
	g, p := newGenerator(b), newPlace(b)
	p.file(".config/mrv/config.yaml", fmt.Sprintf("endpoints:\n  box: {base_url: %q, model: endless}\nconcurrency: {\"direct:box\": %d}\n", g.URL, reviewers))
	p.write("change.diff", "diff --git a/pay.go b/pay.go\n--- a/pay.go\n+++ b/pay.go\n@@ -1,2 +1,3 @@\n package pay\n \n+func Pay() error { return nil }\n")
	w := window.Start(b, p.command("tui", "--diff", "change.diff", "--agent", "direct:box", "--yes", "--allow-provider", "direct:box",
		"--team", "quality:2,security:2,performance:2,architecture:2", "--theme", "dark"), columns, rows)
	w.Until("has all reviewers at work", func(string) bool {
		n, _ := g.heard()
		return n >= reviewers
	})
	return w, g, p
}

// questions presses two keys for a while, a question opened and closed, and says
// how long each took to the screen.
func questions(w *window.Window, during time.Duration) (took []time.Duration) {
	for end := time.Now().Add(during); time.Now().Before(end); {
		took = append(took, w.After("M", "\x1b[?25h"), w.After("\x15\r", "\x1b[?25l"))
		<-time.After(60 * time.Millisecond) // a person's pace
	}
	return took
}

// silent waits until every reviewer has said nothing for a while: the last text
// is on the screen, and only clocks move.
func silent(w *window.Window) {
	w.Until("has silent reviewers only", func(screen string) bool { return strings.Count(screen, "silent") == reviewers })
}

func benchPanel(b *testing.B) []figure {
	w, g, p := panel(b)
	g.set(rate)
	<-time.After(time.Second)
	cpu, start := used(b, w), time.Now()
	size, frames := w.Written()
	<-time.After(streaming)
	wall := time.Since(start)
	endSize, endFrames := w.Written()
	busy := used(b, w) - cpu
	took := questions(w, pressing)
	g.set(0)
	silent(w)

	idle, idleStart := used(b, w), time.Now()
	quietSize, quietFrames := w.Written()
	<-time.After(quiet)
	quietEnd, quietEndFrames := w.Written()
	idled, idleWall := used(b, w)-idle, time.Since(idleStart)
	lost := g.lost(p)
	leave(w)
	return []figure{
		{"tokens lost", float64(lost), "", 0},
		{"key to paint, p50", ms(percentile(took, 50)), "ms", 16},
		{"key to paint, p95", ms(percentile(took, 95)), "ms", 16},
		{"processor, all of the program", busy.Seconds() / wall.Seconds(), "cores", 0.15},
		{"bytes a frame", float64(endSize-size) / float64(endFrames-frames), "B", 3000},
		{"frames a second", float64(endFrames-frames) / wall.Seconds(), "", none},
		{"bytes of a frame in which only clocks move", float64(quietEnd-quietSize) / float64(max(quietEndFrames-quietFrames, 1)), "B", 1000},
		{"processor, nobody writes", idled.Seconds() / idleWall.Seconds(), "cores", 0.02},
	}
}

func benchSlowLine(b *testing.B) []figure {
	w, g, _ := panel(b)
	w.Slow(slowLine)
	g.set(rate)
	<-time.After(time.Second)
	took := questions(w, pressing)
	w.Slow(0)
	g.set(0)
	leave(w)
	return []figure{{"key to screen at 150 KB/s, p50", ms(percentile(took, 50)), "ms", 30}, {"key to screen at 150 KB/s, p95", ms(percentile(took, 95)), "ms", 30}}
}

func benchLongText(b *testing.B) []figure {
	w, g, _ := panel(b)
	w.Press("t") // thinking unfolded
	at := func(size int64) float64 {
		g.upTo(size)
		w.Until("has heard it all", func(string) bool {
			_, n := g.heard()
			return n >= size
		})
		silent(w)
		return resident(b, w)
	}
	before := at(10 << 20)
	after := at(100 << 20)
	leave(w)
	return []figure{{"memory at 10 MB of text", before, "MB", none}, {"growth from 10 to 100 MB of text", after - before, "MB", 10}}
}

func benchFindings(b *testing.B) []figure {
	p := newPlace(b)
	const run = "20261130-090000-acme-shop-123"
	keep(b, filepath.Join(p.home, ".local/state/mrv/runs/github.com/acme/shop", run+".jsonl"), run, many(b, run, findings))
	w := window.Start(b, p.command("replay", run, "--speed", "0", "--theme", "dark"), columns, rows)
	w.See("4/4 done")
	w.Press("tab")
	w.See("▸")
	var took []time.Duration
	for range 100 {
		took = append(took, w.After("j", window.FrameEnd))
	}
	for range 100 {
		took = append(took, w.After("k", window.FrameEnd))
	}
	leave(w)
	return []figure{{"1,000 findings: key to paint, p50", ms(percentile(took, 50)), "ms", 16}, {"1,000 findings: key to paint, p95", ms(percentile(took, 95)), "ms", 16}}
}

// many is a run whose reviewers report n findings.
func many(b *testing.B, run string, n int) (events []event.Event) {
	add := func(kind event.Kind, reviewer string, data any) {
		e, err := event.New(kind, reviewer, 1, data)
		if err != nil {
			b.Fatal(err)
		}
		events = append(events, e)
	}
	model := review.Model{Provider: "zhipuai", ID: "glm-5.1"}
	p := event.Plan{Run: run, Lang: review.English, Change: event.Change{Source: event.FromPR, Host: "github.com", Owner: "acme", Repo: "shop", Number: 123, Identity: "8b1e07d2f4a6c8e0b2d4f6a8c0e2d4f6a8c0e2d4"}}
	names := []string{"quality-1", "security-1", "performance-1", "architecture-1"}
	for _, name := range names {
		p.Team = append(p.Team, event.Member{Name: name, Models: []review.Model{model}, Persona: review.Persona{Name: name}})
	}
	add(event.Planned, "", p)
	add(event.PhaseChanged, "", event.PhaseData{Phase: event.PhaseReviewing})
	merged := event.MergedData{By: "deterministic"}
	for i, name := range names {
		add(event.TurnStarted, name, event.TurnData{Kind: event.TurnReview, Attempt: 1})
		rep := review.Report{Label: review.Concerns, MarkerOK: true}
		for k := 1; k <= n/len(names); k++ {
			f := review.Finding{ID: fmt.Sprintf("%s.%d", name, k), Reviewer: name, Ordinal: k, Severity: review.Severities()[k%3],
				Title: fmt.Sprintf("The amount 金额 is taken from the request, case %d", k), Location: review.Location{Path: "api/refund.go", Start: 80 + k},
				Observation: "The handler copies the amount from the request body.", Inference: "调用方可以退回多于已付的金额。", Judgment: "must fix; contract docs/payments.md"}
			rep.Findings = append(rep.Findings, f)
			merged.Entries = append(merged.Entries, event.Entry{ID: fmt.Sprintf("m%d-%d", i, k), Sources: []string{f.ID}, Lead: f.ID,
				Severity: f.Severity, Worst: f.Severity, Reviewers: []string{name}, Models: 1})
		}
		add(event.ReportIn, name, event.ReportData{Model: model, Report: rep})
		add(event.StatusChanged, name, event.StatusData{Status: event.StatusDone})
	}
	add(event.Merged, "", merged)
	add(event.PhaseChanged, "", event.PhaseData{Phase: event.PhaseTriage})
	return events
}

// keep writes a journal.
func keep(b *testing.B, path, run string, events []event.Event) {
	b.Helper()
	w, err := journal.Create(path, run, "bench")
	if err != nil {
		b.Fatal(err)
	}
	if _, err := w.Append(false, events...); err != nil {
		b.Fatal(err)
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
}

// benchFirstPaint starts the demo and a Bubble Tea program that shows one line
// in turn, and compares how long each takes to its first line.
func benchFirstPaint(b *testing.B) []figure {
	trivial := filepath.Join(b.TempDir(), "trivial")
	if out, err := exec.Command("go", "build", "-o", trivial, "./testdata/trivial").CombinedOutput(); err != nil {
		b.Fatalf("building the trivial program: %v\n%s", err, out)
	}
	p := newPlace(b)
	first := func(see string, cmd *exec.Cmd) time.Duration {
		began := time.Now()
		w := window.Start(b, cmd, 120, 36)
		w.See(see)
		took := time.Since(began)
		w.Press("q", "y")
		w.Exit()
		return took
	}
	var ours, theirs []time.Duration
	for range 9 {
		bare := p.command()
		bare.Path = trivial
		theirs = append(theirs, first("hello", bare))
		ours = append(ours, first("Live", p.command("tui", "--demo", "--theme", "dark")))
	}
	o, t := percentile(ours, 50), percentile(theirs, 50)
	return []figure{{"first paint of the demo", ms(o), "ms", none}, {"first paint of a trivial program", ms(t), "ms", none}, {"first paint, ratio", o.Seconds() / t.Seconds(), "x", 2}}
}

// leave quits and waits for the program to end.
func leave(w *window.Window) {
	w.Press("q", "y")
	w.Exit()
}

// lost is how many of the tokens that were said are not in the journal, in
// their order.
func (g *generator) lost(p *place) (lost int) {
	p.t.Helper()
	_, events, err := journal.Read(p.journal())
	if err != nil {
		p.t.Fatal(err)
	}
	texts := map[string]*strings.Builder{}
	for _, e := range events {
		if e.Kind != event.TextAppended {
			continue
		}
		var d event.TextData
		if err := e.Decode(&d); err != nil {
			p.t.Fatal(err)
		}
		if texts[e.Reviewer] == nil {
			texts[e.Reviewer] = &strings.Builder{}
		}
		texts[e.Reviewer].WriteString(d.Text)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, said := range g.said {
		best := len(said)
		for _, text := range texts {
			best = min(best, missing(said, text.String()))
		}
		lost += best
	}
	return lost
}

func missing(said []string, text string) (n int) {
	for _, token := range said {
		rest, ok := strings.CutPrefix(text, token)
		if !ok {
			n++
			continue
		}
		text = rest
	}
	return n
}

// used is the processor time of the program so far, where /proc tells it.
func used(b *testing.B, w *window.Window) time.Duration {
	b.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", w.PID()))
	if err != nil {
		b.Skipf("the processor time of another program is read from /proc: %v", err)
	}
	_, rest, _ := strings.Cut(string(raw), ") ")
	const tick = 10 * time.Millisecond
	fields, sum := strings.Fields(rest), 0
	for _, s := range fields[11:13] { // utime, stime
		n, err := strconv.Atoi(s)
		if err != nil {
			b.Fatal(err)
		}
		sum += n
	}
	return time.Duration(sum) * tick
}

// resident is the memory of the program, in MB.
func resident(b *testing.B, w *window.Window) float64 {
	b.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", w.PID()))
	if err != nil {
		b.Skipf("the memory of another program is read from /proc: %v", err)
	}
	_, rest, _ := strings.Cut(string(raw), "VmRSS:")
	kb, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		b.Fatal(err)
	}
	return float64(kb) / 1024
}

func percentile(all []time.Duration, p int) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[min(len(sorted)*p/100, len(sorted)-1)]
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
