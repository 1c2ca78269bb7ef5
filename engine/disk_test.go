//go:build unix

package engine_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/mrv-dev/mrv/engine"
	"github.com/mrv-dev/mrv/engine/agent/opencode/scripted"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/journal"
)

// aloneEnv marks a test process that runs one test for another.
const aloneEnv = "MRV_TEST_ALONE"

// ownProcess runs a test in a process of its own, because it limits what the
// process may write, and returns what it says.
func ownProcess(t *testing.T, test string) (says string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^"+test+"$", "-test.v")
	cmd.Env = append(os.Environ(), aloneEnv+"="+test)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", test, err, out)
	}
	_, says, ok := strings.Cut(string(out), "says: ")
	if !ok {
		t.Fatalf("%s says nothing:\n%s", test, out)
	}
	says, _, _ = strings.Cut(says, "\n")
	return says
}

// TestFullDisk: a journal that can not be written stops the run, in words;
// what was written before can be read, and the run can be taken up again.
func TestFullDisk(t *testing.T) {
	needOpenCode(t)
	if os.Getenv(aloneEnv) == "" {
		t.Logf("as a process of its own: %s", ownProcess(t, t.Name()))
		return
	}
	dir := demoRepository(t)
	more := make(chan struct{})
	g := faultGroup{faults: []fault{{name: "disk-full"}}, handle: func(_ *testing.T, p *scripted.Provider) {
		p.Handle("disk-full", func(r scripted.Request) scripted.Script {
			return scripted.Script{scripted.Say(said + " "), scripted.Until(more), scripted.Pace(200, strings.Repeat("more ", 4000))}
		})
	}}
	o := g.options(t, dir)
	run := begin(t, o)
	waitFor(t, run, func(s *event.State) bool { return s.Reviewer("disk-full-1").TextBytes > 0 })
	release := limitFiles(t, run.Journal())
	close(more)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	err := run.Settled(ctx)
	t.Logf("says: %v", err)
	if err == nil || !strings.Contains(err.Error(), "journal can not be written") || !errors.Is(err, syscall.EFBIG) {
		t.Errorf("got %v", err)
	}
	if err := run.Do(t.Context(), event.Command{Kind: event.CmdStop}); err == nil {
		t.Error("a command is obeyed that is on no disk")
	}
	_ = run.Close(t.Context()) // says again that the journal can not be written
	release()
	_, events, err := journal.Read(run.Journal())
	if err != nil {
		t.Fatal(err)
	}
	if got := received(t, events, "disk-full-1"); !strings.Contains(got, said) {
		t.Errorf("what came before is lost: %q", got)
	}
	again, err := engine.Open(t.Context(), run.Journal(), o, false)
	if err != nil {
		t.Fatal(err)
	}
	if s := stateOf(t, again); s.Verdict() != human || s.Reviewer("disk-full-1").Status != aborted {
		t.Errorf("taken up again: %s, verdict %s", s.Reviewer("disk-full-1").Status, s.Verdict())
	}
	finish(t, again)
}

// limitFiles lets no file of this process grow much beyond the size that the
// one at path has now, as a full disk does not, until the returned function is
// called.
func limitFiles(t *testing.T, path string) (release func()) {
	t.Helper()
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	signal.Ignore(syscall.SIGXFSZ)
	now := was
	now.Cur = uint64(st.Size()) + 8<<10
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &now); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
			t.Fatal(err)
		}
		signal.Reset(syscall.SIGXFSZ)
	}
}
