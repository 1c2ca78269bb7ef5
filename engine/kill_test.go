package engine_test

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mrv-dev/mrv/engine"
	"github.com/mrv-dev/mrv/engine/agent/opencode/scripted"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/journal"
	"github.com/mrv-dev/mrv/tui/window"
)

var (
	kills    = flag.Int("kills", 20, "how often TestKillAnywhere kills mrv")
	killSeed = flag.Uint64("kill-seed", 0, "seed of TestKillAnywhere's times; 0 = a new one")
)

// killSpan is the time over which the kills are spread: about half of it is
// the recorded panel, the rest is triage.
const killSpan = 5 * time.Second

// chances are random times that can be drawn again.
func chances(t *testing.T) *rand.Rand {
	t.Helper()
	seed := *killSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("again: go test ./engine -run '^%s$' -kills %d -kill-seed %d", t.Name(), *kills, seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// TestKillAnywhere runs the real program, line by line and in a window by
// turns, decides without a pause, kills it at a random time, takes the run up
// again with the program, and finishes it. A decision counts once the program
// has shown it: all of those are there afterwards, at most the one under way is
// there besides. The journal is readable at every moment, and the run is
// finished.
func TestKillAnywhere(t *testing.T) {
	bin, random := builtProgram(t), chances(t)
	decisions, inWindow, triaging, torn := 0, 0, 0, 0
	for i := range *kills {
		after := time.Duration(random.Int64N(int64(killSpan)))
		t.Run(fmt.Sprintf("%d after %v", i+1, after.Round(time.Millisecond)), func(t *testing.T) {
			k := &victim{bin: bin, home: t.TempDir(), dir: t.TempDir(), undecided: -1}
			if i%2 == 0 {
				k.kill(t, after)
			} else {
				k.killInWindow(t, after)
				inWindow += k.shown
			}
			decisions += k.shown
			if k.shown > 0 {
				triaging++
			}
			if k.takeUp(t) {
				torn++
			}
		})
	}
	t.Logf("%d kills, %d of them among decisions: %d decisions had been shown, %d of them on the screen of a window; %d journals had a torn last line", *kills, triaging, decisions, inWindow, torn)
}

// victim is the program that is killed, and what it had shown.
type victim struct {
	bin, home, dir string
	shown          int // decisions, undone ones included
	undecided      int // after the last of them; -1 = none
	step           int // what the step under way would make of undecided
}

func (k *victim) command(args ...string) *exec.Cmd {
	cmd := exec.Command(k.bin, args...)
	cmd.Dir = k.dir
	cmd.Env = []string{"HOME=" + k.home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "USER=ann"}
	return cmd
}

var promptLine = regexp.MustCompile(`(\d+) of \d+ undecided> $`)

// kill runs the recorded panel line by line, answers every prompt with a
// decision, and kills the program.
func (k *victim) kill(t *testing.T, after time.Duration) {
	t.Helper()
	cmd := k.command("tui", "--demo", "--plain", "--speed", "8")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	var line bytes.Buffer
	for r := bufio.NewReader(out); ; {
		c, err := r.ReadByte()
		if err != nil {
			break
		}
		if c == '\n' {
			line.Reset()
			continue
		}
		line.WriteByte(c)
		if m := promptLine.FindSubmatch(line.Bytes()); m != nil {
			k.decide(in, string(m[1]))
			line.Reset()
		}
	}
	_ = cmd.Wait() // it was killed
}

var boardCount = regexp.MustCompile(`(\d+) of \d+ undecided`)

// killInWindow runs the recorded panel on its screen, opens the board when the
// panel is done, presses the next key as soon as the last one's decision is
// counted there, and kills the program.
func (k *victim) killInWindow(t *testing.T, after time.Duration) {
	t.Helper()
	cmd := k.command("tui", "--demo", "--speed", "8")
	cmd.Env = append(cmd.Env, "TERM=xterm-256color")
	w := window.Start(t, cmd, 120, 36)
	killed := make(chan struct{})
	timer := time.AfterFunc(after, func() { defer close(killed); _ = cmd.Process.Kill() })
	defer timer.Stop()
	tick := time.NewTicker(2 * time.Millisecond) // a window tells nobody when it changes
	defer tick.Stop()
	look := func(press func(...string)) {
		screen := w.Text()
		switch m := boardCount.FindStringSubmatch(screen); {
		case m != nil && m[1] != strconv.Itoa(k.undecided):
			press(k.next(m[1]))
		case m == nil && panelDone.MatchString(screen) && k.undecided == -1:
			press("tab")
			k.undecided = -2 // the board has been asked for
		}
	}
	for {
		select {
		case <-tick.C:
			look(w.Press)
			continue
		case <-killed:
		}
		break
	}
	w.Exit()
	look(func(...string) {}) // what it had shown last
	k.undecided = max(k.undecided, -1)
}

var panelDone = regexp.MustCompile(`coordinator +✓ done`)

// decide answers a prompt.
func (k *victim) decide(in io.Writer, undecided string) {
	_, _ = io.WriteString(in, k.next(undecided)+"\n") // it may have been killed
}

// next notes how many are undecided, and is the next key: accept, or undo when
// everything is decided.
func (k *victim) next(undecided string) (key string) {
	n, err := strconv.Atoi(undecided)
	if err != nil {
		return ""
	}
	if k.undecided >= 0 {
		k.shown++
	}
	k.undecided, k.step = n, n-1
	if n == 0 {
		k.step = 1
		return "u"
	}
	return "a"
}

// takeUp reads what was left, has the program show it, and finishes the run.
func (k *victim) takeUp(t *testing.T) (torn bool) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(k.home, ".local/state/mrv/runs/*/*.jsonl"))
	if deeper, derr := filepath.Glob(filepath.Join(k.home, ".local/state/mrv/runs/*/*/*/*.jsonl")); derr == nil {
		paths = append(paths, deeper...)
	}
	if err != nil || len(paths) == 0 {
		if k.shown > 0 {
			t.Errorf("%d decisions were shown, and there is no journal", k.shown)
		}
		return false
	}
	raw, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	s, steps := k.fold(t, paths[0])
	if s == nil {
		return false // killed before the run had begun
	}
	if steps != k.shown && steps != k.shown+1 {
		t.Errorf("%d decisions were shown, %d are there", k.shown, steps)
	}
	if got := s.Tally().Undecided; k.undecided >= 0 && got != k.undecided && got != k.step {
		t.Errorf("%d are undecided; shown were %d, and %d after the step under way", got, k.undecided, k.step)
	}
	cmd := k.command("resume", "latest", "--plain")
	cmd.Stdin = strings.NewReader("q\ny\n")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("taking the run up again: %v\n%s", err, out)
	}
	o := engine.Options{Demo: true, Version: "test", Getenv: homeIs(k.home)} // the recording answers at once
	run, err := engine.Open(t.Context(), paths[0], o, true)
	if err != nil {
		t.Fatal(err)
	}
	settle(t, run)
	finish(t, run)
	after, again := k.fold(t, paths[0])
	if again != steps || after.Tally().Accepted != s.Tally().Accepted {
		t.Errorf("the resume changed decisions: %d, were %d", again, steps)
	}
	for _, r := range after.Reviewers {
		if r.Status != event.StatusDone {
			t.Errorf("%s is not finished: %s %s", r.Name, r.Status, r.Text)
		}
	}
	return raw[len(raw)-1] != '\n'
}

// fold reads a journal and counts the steps of the person in it.
func (k *victim) fold(t *testing.T, path string) (*event.State, int) {
	t.Helper()
	_, events, err := journal.Read(path)
	if err != nil && k.shown > 0 {
		t.Fatalf("the journal can not be read: %v", err)
	}
	s, err := event.Fold(events)
	if err != nil {
		t.Fatalf("the journal can not be read: %v", err)
	}
	steps := 0
	for _, e := range events {
		var d event.StepData
		if e.Kind == event.Decided && e.Decode(&d) == nil && (d.Op == "do" || d.Op == "undo" || d.Op == "redo") {
			steps++
		}
	}
	if s.Plan == nil {
		return nil, steps
	}
	return s, steps
}

// TestKillLeavesNothing kills a process whose panel runs on the real server:
// no process of it lives on, and the run is finished when taken up again.
func TestKillLeavesNothing(t *testing.T) {
	needOpenCode(t)
	if runtime.GOOS != "linux" {
		t.Skip("looks at processes in /proc")
	}
	dir, random := demoRepository(t), chances(t)
	g := faultGroup{faults: []fault{{name: "paced"}, {name: "fine"}}, handle: func(_ *testing.T, p *scripted.Provider) {
		p.Handle("paced", func(r scripted.Request) scripted.Script { return scripted.Script{scripted.Pace(20, critical(r))} })
	}}
	for i := range max(*kills/10, 1) {
		after := time.Duration(random.Int64N(int64(8 * time.Second)))
		t.Run(fmt.Sprintf("%d after %v", i+1, after.Round(time.Millisecond)), func(t *testing.T) {
			o := g.options(t, dir)
			h := startHelper(t, "review", o)
			path := h.journal(t)
			timer := time.AfterFunc(after, func() { _ = h.cmd.Process.Signal(syscall.SIGKILL) })
			defer timer.Stop()
			_ = h.cmd.Wait() // it was killed
			gone(t, o)
			run, err := engine.Open(context.Background(), path, o, true)
			if err != nil {
				t.Fatal(err)
			}
			settle(t, run)
			if s := stateOf(t, run); len(s.Missing()) > 0 || s.Verdict() != blocked {
				t.Errorf("missing %v, verdict %s", s.Missing(), s.Verdict())
			}
			finish(t, run)
			for _, d := range []string{"work", "opencode"} {
				if left, _ := os.ReadDir(filepath.Join(o.Paths.Cache, d)); len(left) > 1 { // a lock file may stay
					t.Errorf("%s is not swept: %v", d, left)
				}
			}
		})
	}
}

// gone waits until no process of the run is left; the kernel ends them.
func gone(t *testing.T, o engine.Options) {
	t.Helper()
	limit := time.After(patience)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for left := below(t, o.Paths.Cache); len(left) > 0; left = below(t, o.Paths.Cache) {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("orphans: %v", left)
		}
	}
}
