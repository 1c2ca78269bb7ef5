package engine_test

import (
	"bytes"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/mrv-dev/mrv/engine/agent/opencode/scripted"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/journal"
)

// stoppedClock: a process that stands still for longer than a reviewer's whole
// clock gets the time back.
func stoppedClock(t *testing.T, dir string, table *matrix) {
	goOn := make(chan struct{})
	g := faultGroup{faults: []fault{{name: "clock-jump"}}, handle: func(_ *testing.T, p *scripted.Provider) {
		p.Handle("clock-jump", func(r scripted.Request) scripted.Script {
			return scripted.Script{scripted.Say("\n"), scripted.Until(goOn), scripted.Say(critical(r))}
		})
	}}
	o := g.options(t, dir)
	helper := startHelper(t, "review", o, "MRV_TEST_REVIEWER_CLOCK=30s")
	path := helper.journal(t)
	eventually(t, path, func(s *event.State) bool { return s.Reviewer("clock-jump-1").TextBytes > 0 })
	helper.signal(t, syscall.SIGSTOP)
	const standing = 40 * time.Second // longer than the clock
	timer := time.NewTimer(standing)
	defer timer.Stop()
	<-timer.C
	helper.signal(t, syscall.SIGCONT)
	close(goOn)
	s := eventually(t, path, func(s *event.State) bool { return s.Phase == event.PhaseTriage })
	r := s.Reviewer("clock-jump-1")
	table.add(outcome{fault: "clock-jump", status: r.Status, verdict: s.Verdict(), words: r.Text, took: time.Duration(r.EndMS-r.StartMS) * time.Millisecond})
	if r.Status != done || s.Verdict() != blocked {
		t.Errorf("%s %s, verdict %s", r.Status, r.Text, s.Verdict())
	}
	helper.end(t)
}

// eventually reads a journal that another process writes until it holds.
func eventually(t *testing.T, path string, holds func(*event.State) bool) *event.State {
	t.Helper()
	limit := time.After(patience)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		var size int
		if raw, err := os.ReadFile(path); err == nil {
			size = len(raw)
			if _, events, err := journal.Parse(path, raw); err == nil && bytes.Count(raw, []byte("\n")) > 2 {
				s, err := event.Fold(events)
				if err != nil {
					t.Fatal(err)
				}
				if holds(s) {
					return s
				}
			}
		}
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("the run never got there (%d bytes of journal)", size)
		}
	}
}
