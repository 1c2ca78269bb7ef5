package engine_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/mrv-dev/mrv/engine"
	"github.com/mrv-dev/mrv/engine/agent/opencode"
	"github.com/mrv-dev/mrv/engine/config"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

// openCodeBinary finds the real server: MRV_OPENCODE, or the pinned package of
// testdata/opencode.
func openCodeBinary() string {
	if p := os.Getenv("MRV_OPENCODE"); p != "" {
		return p
	}
	p, err := filepath.Abs("../testdata/opencode/node_modules/opencode-linux-x64-baseline/bin/opencode")
	if err != nil {
		return ""
	}
	if _, err := os.Stat(p); err != nil {
		return ""
	}
	return p
}

// needOpenCode skips a test that needs the real server where it is not
// installed; CI sets MRV_REQUIRE_OPENCODE so that there it fails instead.
func needOpenCode(t testing.TB) string {
	t.Helper()
	p := openCodeBinary()
	if p == "" {
		const how = "OpenCode is not installed: npm ci --ignore-scripts --prefix testdata/opencode"
		if os.Getenv("MRV_REQUIRE_OPENCODE") != "" {
			t.Fatal(how)
		}
		t.Skip(how)
	}
	return p
}

// testOptions are options of a person whose home is a directory of the test.
func testOptions(t testing.TB, home string) engine.Options {
	t.Helper()
	t.Setenv("HOME", home)
	for _, v := range []string{"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"} {
		t.Setenv(v, "")
	}
	base := filepath.Join(home, ".mrv")
	return engine.Options{
		OpenCode: openCodeBinary(), Version: "test", Interactive: true, Timing: patient,
		Paths: config.Paths{Config: filepath.Join(base, "config"), State: filepath.Join(base, "state"), Cache: filepath.Join(base, "cache"), Data: filepath.Join(base, "data")},
	}
}

// begin plans, answers every question with yes, and starts.
func begin(t testing.TB, o engine.Options) *engine.Run {
	t.Helper()
	p, err := engine.NewPlan(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range p.Questions() {
		if err := p.Allow(q); err != nil {
			t.Fatal(err)
		}
	}
	run, err := p.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = run.Close(context.Background()) }) // a second close is an error that says so
	return run
}

// patience is how long a test waits for what must come: the speed of the
// machine is not what it looks at.
const patience = 8 * time.Minute

// patient is a real server's timing on a machine of any speed. Polls come
// often, so that what only they can tell is told soon.
var patient = opencode.Timing{
	Listen: patience, Quiet: patience, Begin: patience, Call: patience, Idle: time.Minute,
	Stop: 10 * time.Second, Cleanup: time.Minute, Poll: 500 * time.Millisecond,
}

// settle waits until the panel is done.
func settle(t testing.TB, run *engine.Run) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := run.Settled(ctx); err != nil {
		t.Fatalf("waiting for the panel: %v", err)
	}
}

// stateOf folds the run's journal: what a reader of the file sees.
func stateOf(t testing.TB, run *engine.Run) *event.State {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	updates, err := run.Updates(ctx)
	if err != nil {
		t.Fatal(err)
	}
	state, err := event.Fold(<-updates)
	if err != nil {
		t.Fatal(err)
	}
	return state
}

func finish(t testing.TB, run *engine.Run) {
	t.Helper()
	if err := run.Close(context.Background()); err != nil {
		t.Fatalf("closing the run: %v", err)
	}
}

// newerFS is a tree to lay over a directory: files that stand there are
// removed first, because os.CopyFS does not replace.
type newerFS struct {
	fs.FS
	over string
}

func (n newerFS) Open(name string) (fs.File, error) {
	f, err := n.FS.Open(name)
	if err != nil {
		return nil, err
	}
	if st, serr := f.Stat(); serr == nil && st.Mode().IsRegular() {
		_ = os.Remove(filepath.Join(n.over, filepath.FromSlash(name))) // it may not be there yet
	}
	return f, nil
}

// waitFor reads the run's events until its state holds.
func waitFor(t *testing.T, run *engine.Run, holds func(*event.State) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	updates, err := run.Updates(ctx)
	if err != nil {
		t.Fatal(err)
	}
	s := event.NewState()
	for batch := range updates {
		for _, e := range batch {
			if err := s.Apply(e); err != nil {
				t.Fatal(err)
			}
		}
		if holds(s) {
			return
		}
	}
	for _, r := range s.Reviewers {
		t.Logf("%s: %s %q, turn %d, %d bytes of text", r.Name, r.Status, r.Text, r.Turn, r.TextBytes)
	}
	t.Fatalf("the run never got there: %s, server %+v, notices %+v", s.Phase, s.Server, s.Notices)
}

// settledDemo is the demo's run, at its end.
func settledDemo(t *testing.T) (*engine.Run, engine.Options) {
	t.Helper()
	o := testOptions(t, t.TempDir())
	o.Demo, o.Out = true, t.TempDir()
	run := begin(t, o)
	settle(t, run)
	return run, o
}

func do(t *testing.T, run *engine.Run, c event.Command) {
	t.Helper()
	if err := run.Do(t.Context(), c); err != nil {
		t.Fatalf("%s: %v", c.Kind, err)
	}
}

func accept(ids ...string) event.Command {
	return event.Command{Kind: event.CmdDecide, IDs: ids, Decision: &review.Decision{Choice: review.Accepted}}
}
