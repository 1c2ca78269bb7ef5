package main

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/mrv-dev/mrv/engine"
	"github.com/mrv-dev/mrv/engine/agent/opencode/scripted"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/journal"
	"github.com/mrv-dev/mrv/engine/review"
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
	t.Logf("again: go test ./cmd/mrv -run '^%s$' -kills %d -kill-seed %d", t.Name(), *kills, seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// TestKillAnywhere runs the real program, line by line and in a window by
// turns, decides without a pause, kills it at a random time, takes the run up
// again with the program, and finishes it. A decision counts once the program
// has shown it: all of those are there afterwards, at most the one under way is
// there besides. The journal is readable at every moment, and the run is
// finished.
func TestKillAnywhere(t *testing.T) {
	random := chances(t)
	decisions, inWindow, triaging, torn := 0, 0, 0, 0
	for i := range *kills {
		after := time.Duration(random.Int64N(int64(killSpan)))
		t.Run(fmt.Sprintf("%d after %v", i+1, after.Round(time.Millisecond)), func(t *testing.T) {
			k := &victim{place: newPlace(t), undecided: -1}
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
	*place
	shown     int // decisions, undone ones included
	undecided int // after the last of them; -1 = none
	step      int // what the step under way would make of undecided
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
	path := k.journal()
	if path == "" {
		if k.shown > 0 {
			t.Errorf("%d decisions were shown, and there is no journal", k.shown)
		}
		return false
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s, steps := k.fold(t, path)
	if s == nil {
		return false // killed before the run had begun
	}
	if steps != k.shown && steps != k.shown+1 {
		t.Errorf("%d decisions were shown, %d are there", k.shown, steps)
	}
	if got := s.Tally().Undecided; k.undecided >= 0 && got != k.undecided && got != k.step {
		t.Errorf("%d are undecided; shown were %d, and %d after the step under way", got, k.undecided, k.step)
	}
	if r := k.feed("q\ny\n", "resume", "latest", "--plain"); r.code != 0 {
		t.Fatalf("taking the run up again: exit %d\n%s%s", r.code, r.out, r.err)
	}
	k.finish(path)
	after, again := k.fold(t, path)
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

// journal is where the place's only run is; "" when there is none.
func (p *place) journal() string {
	p.t.Helper()
	paths, err := journal.Paths(filepath.Join(p.home, ".local/state/mrv/runs"))
	if err != nil || len(paths) > 1 {
		p.t.Fatalf("the journals: %v, %v", paths, err)
	}
	if len(paths) == 0 {
		return ""
	}
	return paths[0]
}

// finish lets the recording answer, at once, for the reviewers that had not
// finished.
func (k *victim) finish(path string) {
	k.t.Helper()
	ctx, cancel := context.WithTimeout(k.t.Context(), time.Minute)
	defer cancel()
	run, err := engine.Open(ctx, path, engine.Options{Demo: true, Version: "test", Getenv: func(name string) string {
		return map[string]string{"HOME": k.home}[name]
	}}, true)
	if err != nil {
		k.t.Fatal(err)
	}
	if err := run.Settled(ctx); err != nil {
		k.t.Errorf("waiting for the panel: %v", err)
	}
	if err := run.Close(ctx); err != nil {
		k.t.Fatalf("closing the run: %v", err)
	}
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

// TestKillLeavesNothing kills the program while its panel runs on the real
// server: no process of it lives on, and the run is finished when taken up
// again.
func TestKillLeavesNothing(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("looks at processes in /proc")
	}
	random := chances(t)
	for i := range max(*kills/10, 1) {
		after := time.Duration(random.Int64N(int64(4 * time.Second)))
		t.Run(fmt.Sprintf("%d after %v", i+1, after.Round(time.Millisecond)), func(t *testing.T) {
			p, _ := withModels(t, func(s *scripted.Provider) { s.Handle("paced", paced) })
			p.repository()
			cmd := p.command("review", "--base", "main", "--model", "scripted/paced", "--team", "security:1,quality:1")
			progress, err := cmd.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(progress)
			lines.Scan() // the first tells the plan: the run has begun
			timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
			defer timer.Stop()
			last := lines.Text()
			for lines.Scan() {
				last = lines.Text()
			}
			_ = cmd.Wait() // it was killed
			if code := cmd.ProcessState.ExitCode(); code != -1 {
				t.Fatalf("it ended by itself before it was killed: exit %d, %s", code, last)
			}
			p.nothingRuns()
			w := window.Start(t, p.command("resume", "latest", "--finish"), 100, 30)
			w.See("2/2 done", "coordinator  ✓ done")
			w.Press("q", "y")
			w.Exit()
			_, events, err := journal.Read(p.journal())
			if err != nil {
				t.Fatal(err)
			}
			s, err := event.Fold(events)
			if err != nil || len(s.Missing()) > 0 || s.Verdict() != review.ChangesNeeded {
				t.Errorf("%v: missing %v, verdict %s", err, s.Missing(), s.Verdict())
			}
			for _, d := range []string{"work", "opencode"} {
				if left, _ := os.ReadDir(filepath.Join(p.home, ".cache/mrv", d)); len(left) > 1 { // a lock file may stay
					t.Errorf("%s is not swept: %v", d, left)
				}
			}
		})
	}
}

// paced is a reviewer that takes some seconds to say what is wrong.
func paced(r scripted.Request) scripted.Script {
	if r.Schema != nil {
		return scripted.Script{scripted.Structured(map[string]any{"summary": "One.", "groups": [][]string{{"security-1.1", "quality-1.1"}}, "reword": []any{}, "severity": []any{}, "drop": []any{}})}
	}
	return scripted.Script{scripted.Pace(20, r.Report(review.Block, review.Finding{
		Severity: review.Critical, Title: "Not verified", Location: review.Location{Path: "pay.go", Start: 8},
		Observation: "The client takes every certificate.", Inference: "Anyone in between reads the payments.", Judgment: "Must be fixed; contract: none.", Verification: "Look.",
	}))}
}

// nothingRuns waits until no process of the place is left; the kernel ends them.
func (p *place) nothingRuns() {
	p.t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		left := p.processes()
		if len(left) == 0 {
			return
		}
		if time.Now().After(end) {
			p.t.Fatalf("left are %v", left)
		}
	}
}

// processes lists what runs with the place in its environment.
func (p *place) processes() (ours []string) {
	all, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		p.t.Fatal(err)
	}
	for _, path := range all {
		if raw, err := os.ReadFile(path); err == nil && bytes.Contains(raw, []byte(p.home)) { // others' can not be read
			ours = append(ours, path)
		}
	}
	return ours
}
