package engine_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/mrv-dev/mrv/engine"
	"github.com/mrv-dev/mrv/engine/config"
	"github.com/mrv-dev/mrv/engine/event"
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
		OpenCode: openCodeBinary(), Version: "test", Interactive: true,
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

// settle waits until the panel is done.
func settle(t testing.TB, run *engine.Run, limit time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
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
