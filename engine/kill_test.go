package engine_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mrv-dev/mrv/engine"
	"github.com/mrv-dev/mrv/engine/config"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/journal"
	"github.com/mrv-dev/mrv/engine/review"
)

var (
	kills    = flag.Int("kills", 20, "how often TestKillAnywhere kills mrv")
	killSeed = flag.Uint64("kill-seed", 0, "seed of TestKillAnywhere's times; 0 = a new one")
)

// killSpan is the time over which the kills are spread: the recorded panel at
// the pace below, with a decision as soon as a finding is there.
const (
	killSpan  = 2500 * time.Millisecond
	killSpeed = 12
)

// TestKillAnywhere kills a process with a run at random times, SIGKILL, and
// takes the run up again. A decision counts once Do has returned, which is
// when its row changes: none of those may be lost. The journal is readable at
// every moment, nothing is left running, and the run can be finished.
func TestKillAnywhere(t *testing.T) {
	seed := *killSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("seed %d: go test ./engine -run TestKillAnywhere -kills %d -kill-seed %d", seed, *kills, seed)
	random := rand.New(rand.NewPCG(seed, 0))
	counted, torn, finished := 0, 0, 0
	for i := range *kills {
		after := time.Duration(random.Int64N(int64(killSpan)))
		t.Run(fmt.Sprintf("%d after %v", i+1, after.Round(time.Millisecond)), func(t *testing.T) {
			o := killOptions(t)
			said, cut := killed(t, o, after)
			counted += len(said)
			if cut {
				torn++
			}
			if takeUpAgain(t, o, said) {
				finished++
			}
		})
	}
	t.Logf("%d kills: %d decisions counted, 0 may be lost; %d journals had a torn last line; %d runs were taken up and finished", *kills, counted, torn, finished)
}

func killOptions(t *testing.T) engine.Options {
	home := t.TempDir()
	base := filepath.Join(home, "mrv")
	return engine.Options{Demo: true, Speed: killSpeed, Version: "test", Out: home, Getenv: homeIs(home),
		Paths: config.Paths{Config: filepath.Join(base, "config"), State: filepath.Join(base, "state"), Cache: filepath.Join(base, "cache"), Data: filepath.Join(base, "data")}}
}

// killed runs a panel with decisions in another process and kills it; said are
// the decisions it had acknowledged, torn is set when the journal's last line
// is not whole.
func killed(t *testing.T, o engine.Options, after time.Duration) (said []string, torn bool) {
	t.Helper()
	h := startHelper(t, "decide", o)
	timer := time.AfterFunc(after, func() { _ = h.cmd.Process.Signal(syscall.SIGKILL) })
	defer timer.Stop()
	path := ""
	for h.lines.Scan() {
		id, ok := strings.CutPrefix(h.lines.Text(), "decided ")
		switch {
		case ok:
			said = append(said, id)
		case path == "":
			path = h.lines.Text()
		}
	}
	_ = h.cmd.Wait() // it was killed
	if path == "" {
		return said, false
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return said, len(raw) > 0 && raw[len(raw)-1] != '\n'
}

// takeUpAgain opens what was left, looks for every acknowledged decision, and
// finishes the run. It reports whether there was a run at all.
func takeUpAgain(t *testing.T, o engine.Options, said []string) bool {
	t.Helper()
	var path string
	err := filepath.WalkDir(o.Paths.Runs(), func(p string, _ os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(p, ".jsonl") {
			path = p
		}
		return nil
	})
	if err != nil || path == "" {
		if len(said) > 0 {
			t.Fatalf("%d decisions and no journal: %v", len(said), err)
		}
		return false
	}
	_, events, err := journal.Read(path)
	if err != nil && len(said) > 0 {
		t.Fatalf("the journal can not be read: %v", err)
	}
	if len(events) == 0 {
		return false // killed before its first line was on disk
	}
	o.Speed = 0
	run, err := engine.Open(t.Context(), path, o, true)
	if err != nil {
		t.Fatalf("taking the run up again: %v", err)
	}
	settle(t, run, time.Minute)
	s := stateOf(t, run)
	for _, id := range said {
		if s.Decisions[id].Choice != review.Accepted {
			t.Errorf("the decision on %s is lost: %+v", id, s.Decisions[id])
		}
	}
	for _, r := range s.Reviewers {
		if r.Status != event.StatusDone {
			t.Errorf("%s is not finished: %s %s", r.Name, r.Status, r.Text)
		}
	}
	finish(t, run)
	return true
}

// helperDecide runs the recording and accepts each finding once it is there.
// It says so only when the decision counts.
func helperDecide() int {
	base := os.Getenv("MRV_TEST_BASE")
	o := engine.Options{Demo: true, Speed: killSpeed, Version: "test", Out: filepath.Dir(base),
		Paths: config.Paths{Config: filepath.Join(base, "config"), State: filepath.Join(base, "state"), Cache: filepath.Join(base, "cache"), Data: filepath.Join(base, "data")}}
	ctx := context.Background()
	run, err := helperStart(ctx, o)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	updates, err := run.Updates(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	s, decided := event.NewState(), map[string]bool{}
	for batch := range updates {
		for _, e := range batch {
			if err := s.Apply(e); err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
		}
		for _, id := range s.Order {
			if _, ok := s.Entry(id); !ok || decided[id] {
				continue
			}
			decided[id] = true
			if err := run.Do(ctx, accept(id)); err == nil {
				fmt.Println("decided " + id)
			}
		}
	}
	return 0
}
