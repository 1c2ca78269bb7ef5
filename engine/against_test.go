package engine_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mrv-dev/mrv/engine/agent/opencode/scripted"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/journal"
)

// BenchmarkAgainstProcesses is the real program with eight reviewers against
// eight processes of `opencode run` with the same prompts, over models that
// write for ten seconds each. The program is at its first run in a new home.
//
//	panel-s, processes-s      from the start to the end of the last
//	panel-cpu-s, …            processor time of all their processes
//	panel-MB, processes-MB    the most memory of all their processes at once (PSS: what is shared counts once)
//	wall-ratio, cpu-ratio,
//	memory-ratio              the processes' over the panel's
//
// The panel's time in its parts, and that until the processes' models are asked:
//
//	plan-s         the change is read, a server lists its models, the run begins
//	first-word-s   from there to the first word of a model
//	reviewers-s    to the last report: ten seconds of it are the models'
//	coordinator-s  to triage
//	exit-s         to the end of the program
//	asked-s, processes-asked-s  from the start to the last reviewer's model being asked
func BenchmarkAgainstProcesses(b *testing.B) {
	needOpenCode(b)
	if runtime.GOOS != "linux" {
		b.Skip("reads the memory of processes in /proc")
	}
	const reviewers, writing = 8, 10 * time.Second
	var asked lastAsked
	p := scripted.Start(b)
	p.Handle("ten", func(r scripted.Request) scripted.Script {
		if r.Schema != nil {
			return oneGroup(r)
		}
		asked.now()
		text := strings.Repeat("I look at one more line of it. ", 50) + "\n\n" + critical(r)
		return scripted.Script{scripted.Pace(pieces(text)/int(writing.Seconds()), text)}
	})
	bin, dir := builtProgram(b), demoRepository(b)
	var panel, processes usage
	var parts phases
	var panelAsked, processesAsked time.Duration
	for b.Loop() {
		home := p.Home(b.TempDir())
		writeConfig(b, home, reviewers+1)
		before := len(p.Requests())
		one := measure(b, []*exec.Cmd{place{home, dir}.command(bin, "", "review", "--base", "main", "--agent", "opencode",
			"--opencode", openCodeBinary(), "--team", fmt.Sprintf("quality:%d", reviewers), "--model", "scripted/ten", "--fail-on", "none")})
		panel.add(one)
		parts.add(phasesOf(b, home, one))
		panelAsked += asked.since(one.start)
		var all []*exec.Cmd
		for _, r := range p.Requests()[before:] {
			if r.Schema == nil && len(all) < reviewers {
				at := place{p.Home(b.TempDir()), dir}
				all = append(all, at.command(openCodeBinary(), r.Prompt, "run", "--model", "scripted/ten"))
			}
		}
		if len(all) != reviewers {
			b.Fatalf("%d prompts of %d reviewers", len(all), reviewers)
		}
		other := measure(b, all)
		processes.add(other)
		processesAsked += asked.since(other.start)
	}
	n := float64(b.N)
	seconds := func(d time.Duration, unit string) { b.ReportMetric(d.Seconds()/n, unit) }
	seconds(panel.wall, "panel-s")
	seconds(processes.wall, "processes-s")
	seconds(panel.cpu, "panel-cpu-s")
	seconds(processes.cpu, "processes-cpu-s")
	seconds(parts.plan, "plan-s")
	seconds(parts.first, "first-word-s")
	seconds(parts.reviewers, "reviewers-s")
	seconds(parts.coordinator, "coordinator-s")
	seconds(parts.exit, "exit-s")
	seconds(panelAsked, "asked-s")
	seconds(processesAsked, "processes-asked-s")
	b.ReportMetric(float64(panel.bytes>>20)/n, "panel-MB")
	b.ReportMetric(float64(processes.bytes>>20)/n, "processes-MB")
	b.ReportMetric(processes.wall.Seconds()/panel.wall.Seconds(), "wall-ratio")
	b.ReportMetric(processes.cpu.Seconds()/panel.cpu.Seconds(), "cpu-ratio")
	b.ReportMetric(float64(processes.bytes)/float64(panel.bytes), "memory-ratio")
	b.ReportMetric(0, "ns/op") // the models' time says nothing
}

// lastAsked is when a reviewer's model was asked last.
type lastAsked struct {
	mu sync.Mutex
	at time.Time
}

func (l *lastAsked) now() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.at = time.Now()
}

func (l *lastAsked) since(start time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.at.Sub(start)
}

var findingID = regexp.MustCompile(`quality-\d+\.\d+`)

// oneGroup is the judge's answer that all findings are one.
func oneGroup(r scripted.Request) scripted.Script {
	ids := findingID.FindAllString(r.Prompt, -1)
	slices.Sort(ids)
	return scripted.Script{scripted.Structured(map[string]any{
		"summary": "One.", "groups": [][]string{slices.Compact(ids)}, "reword": []any{}, "severity": []any{}, "drop": []any{},
	})}
}

// phases are the parts of the time that a program with one run took.
type phases struct{ plan, first, reviewers, coordinator, exit time.Duration }

func (p *phases) add(more phases) {
	p.plan += more.plan
	p.first += more.first
	p.reviewers += more.reviewers
	p.coordinator += more.coordinator
	p.exit += more.exit
}

// phasesOf reads the parts from the journal of the only run in a home.
func phasesOf(tb testing.TB, home string, u usage) phases {
	tb.Helper()
	paths, err := journal.Paths(filepath.Join(home, ".local", "state", "mrv", "runs"))
	if err != nil || len(paths) != 1 {
		tb.Fatalf("%d journals: %v", len(paths), err)
	}
	_, events, err := journal.Read(paths[0])
	if err != nil {
		tb.Fatal(err)
	}
	began, err := time.Parse(time.RFC3339Nano, events[0].Wall)
	if err != nil {
		tb.Fatal(err)
	}
	var word, report, triage time.Duration
	for _, e := range events {
		at := time.Duration(e.TMS) * time.Millisecond
		switch {
		case e.Kind == event.TextAppended && word == 0:
			word = at
		case e.Kind == event.ReportIn:
			report = at
		case e.Kind == event.Summarised:
			var d event.SummaryData
			if err := e.Decode(&d); err != nil || d.Error != "" {
				tb.Errorf("the coordinator: %v %s", err, d.Error)
			}
		case e.Kind == event.PhaseChanged && report > 0 && triage == 0:
			var d event.PhaseData
			if err := e.Decode(&d); err != nil {
				tb.Fatal(err)
			}
			if d.Phase == event.PhaseTriage {
				triage = at
			}
		}
	}
	plan := began.Sub(u.start)
	return phases{plan, word, report - word, triage - report, u.wall - plan - triage}
}

// pieces is how many chunks a scripted model makes of a text.
func pieces(text string) int { return len(strings.SplitAfter(text, " ")) }

// builtProgram is mrv itself.
func builtProgram(tb testing.TB) string {
	tb.Helper()
	bin := filepath.Join(tb.TempDir(), "mrv")
	if out, err := exec.Command("go", "build", "-o", bin, "../cmd/mrv").CombinedOutput(); err != nil {
		tb.Fatalf("building mrv: %v\n%s", err, out)
	}
	return bin
}

// writeConfig lets the scripted provider be asked so many at a time.
func writeConfig(tb testing.TB, home string, atATime int) {
	tb.Helper()
	path := filepath.Join(home, ".config", "mrv", "config.yaml")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(path, fmt.Appendf(nil, "concurrency: {scripted: %d}\n", atATime), 0o600); err != nil {
		tb.Fatal(err)
	}
}

// place is where a program runs: a person's home, and a clone.
type place struct{ home, dir string }

func (p place) command(program, stdin string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Stdin = p.dir, strings.NewReader(stdin)
	cmd.Env = []string{"HOME=" + p.home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "USER=ann",
		"OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_AUTOUPDATE=1", "npm_config_offline=true"}
	return cmd
}

// usage is what some processes took.
type usage struct {
	start     time.Time
	wall, cpu time.Duration
	bytes     int64
}

func (u *usage) add(more usage) {
	u.wall, u.cpu, u.bytes = u.wall+more.wall, u.cpu+more.cpu, u.bytes+more.bytes
}

// measure runs programs side by side.
func measure(b *testing.B, all []*exec.Cmd) usage {
	b.Helper()
	start, said := time.Now(), make([]strings.Builder, len(all))
	roots := make([]int, 0, len(all))
	for i, cmd := range all {
		cmd.Stdout, cmd.Stderr = &said[i], &said[i]
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		roots = append(roots, cmd.Process.Pid)
	}
	peak, stop := int64(0), make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				peak = max(peak, memoryOf(roots))
			}
		}
	})
	for i, cmd := range all {
		if err := cmd.Wait(); err != nil {
			b.Errorf("%s: %v\n%s", cmd, err, said[i].String())
		}
		if !strings.Contains(said[i].String(), "A new key each time") {
			b.Errorf("%s does not tell the finding:\n%s", cmd.Args[1], said[i].String())
		}
	}
	u := usage{start: start, wall: time.Since(start)}
	close(stop)
	watching.Wait()
	u.bytes = peak
	for _, cmd := range all { // with the children that each has waited for
		u.cpu += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	return u
}

// memoryOf is what some processes and all below them hold, in bytes.
func memoryOf(roots []int) (sum int64) {
	parents := map[int]int{}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return 0
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		raw, err := os.ReadFile(filepath.Join("/proc", e.Name(), "stat"))
		if err != nil {
			continue // it is gone
		}
		_, rest, _ := strings.Cut(string(raw), ") ")
		if f := strings.Fields(rest); len(f) > 1 {
			parents[pid], _ = strconv.Atoi(f[1])
		}
	}
	for pid := range parents {
		for at := pid; at > 1; at = parents[at] {
			if slices.Contains(roots, at) {
				sum += pss(pid)
				break
			}
		}
	}
	return sum
}

// pss is a process's proportional share of memory; 0 when it is gone.
func pss(pid int) int64 {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0
	}
	for l := range strings.Lines(string(raw)) {
		if f := strings.Fields(l); len(f) > 1 && f[0] == "Pss:" {
			kb, _ := strconv.ParseInt(f[1], 10, 64)
			return kb << 10
		}
	}
	return 0
}
