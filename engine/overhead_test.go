package engine_test

import (
	"testing"
	"time"

	"github.com/mrv-dev/mrv/engine/agent/opencode/scripted"
	"github.com/mrv-dev/mrv/engine/event"
)

// BenchmarkOverhead is what mrv and its server add to a panel of eight
// reviewers beside the models' own time. All eight prompts have been accepted
// on a warm server and wait; then all models answer at once.
//
//	overhead-ms  from the end of the slowest reviewer's last step to a State
//	             that is complete, without the coordinator's own turn
//	all-ms       from the models' first word to that State, with everything
func BenchmarkOverhead(b *testing.B) {
	needOpenCode(b)
	const reviewers = 8
	var overhead, all time.Duration
	for b.Loop() {
		arrived, gate := make(chan struct{}, 2*reviewers), make(chan struct{})
		o := panel(b, "gated", reviewers, func(p *scripted.Provider) {
			p.Handle("gated", func(r scripted.Request) scripted.Script {
				if r.Schema != nil {
					return oneFinding(r)
				}
				arrived <- struct{}{}
				return scripted.Script{scripted.Until(gate), scripted.Say(critical(r))}
			})
		})
		o.NoServer = true
		run := begin(b, o)
		for range reviewers {
			<-arrived
		}
		start := time.Now()
		close(gate)
		settle(b, run)
		all += time.Since(start)
		overhead += overheadOf(b, eventsOf(b, run))
		finish(b, run)
	}
	b.ReportMetric(float64(overhead.Milliseconds())/float64(b.N), "overhead-ms")
	b.ReportMetric(float64(all.Milliseconds())/float64(b.N), "all-ms")
	b.ReportMetric(0, "ns/op") // the models' time says nothing
}

// overheadOf reads from a run's events how long it took from the last
// reviewer's last step to triage, without the coordinator's turn.
func overheadOf(tb testing.TB, events []event.Event) time.Duration {
	tb.Helper()
	var last, asked, judged, triage int64
	for _, e := range events {
		switch {
		case e.Kind == event.UsageAdded && e.Reviewer == event.Coordinator:
			judged = e.TMS
		case e.Kind == event.UsageAdded:
			last = e.TMS
		case e.Kind == event.TurnStarted && e.Reviewer == event.Coordinator && asked == 0:
			asked = e.TMS
		case e.Kind == event.PhaseChanged:
			triage = e.TMS
		}
	}
	if last == 0 || asked == 0 || judged == 0 {
		tb.Fatalf("the run is not whole: last step at %d, coordinator %d to %d", last, asked, judged)
	}
	return time.Duration(triage-last-(judged-asked)) * time.Millisecond
}
