package engine_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mrv-dev/mrv/engine/agent/opencode/scripted"
)

// BenchmarkAgainstProcesses is the real program with eight reviewers against
// eight processes of `opencode run` with the same prompts, over models that
// write for ten seconds each.
//
//	panel-s, processes-s      from the start to the end of the last
//	panel-MB, processes-MB    the most memory of all their processes at once (PSS: what is shared counts once)
//	wall-ratio, memory-ratio  the processes' over the panel's
func BenchmarkAgainstProcesses(b *testing.B) {
	needOpenCode(b)
	if runtime.GOOS != "linux" {
		b.Skip("reads the memory of processes in /proc")
	}
	const reviewers, writing = 8, 10 * time.Second
	p := scripted.Start(b)
	p.Handle("ten", func(r scripted.Request) scripted.Script {
		if r.Schema != nil {
			return oneFinding(r)
		}
		text := strings.Repeat("I look at one more line of it. ", 50) + "\n\n" + critical(r)
		return scripted.Script{scripted.Pace(pieces(text)/int(writing.Seconds()), text)}
	})
	bin, dir := builtProgram(b), demoRepository(b)
	var panel, processes usage
	for b.Loop() {
		home := p.Home(b.TempDir())
		writeConfig(b, home, reviewers+1)
		before := len(p.Requests())
		panel.add(measure(b, []*exec.Cmd{place{home, dir}.command(bin, "", "review", "--base", "main", "--agent", "opencode",
			"--opencode", openCodeBinary(), "--team", fmt.Sprintf("quality:%d", reviewers), "--model", "scripted/ten", "--fail-on", "none")}))
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
		processes.add(measure(b, all))
	}
	n := float64(b.N)
	b.ReportMetric(panel.wall.Seconds()/n, "panel-s")
	b.ReportMetric(processes.wall.Seconds()/n, "processes-s")
	b.ReportMetric(float64(panel.bytes>>20)/n, "panel-MB")
	b.ReportMetric(float64(processes.bytes>>20)/n, "processes-MB")
	b.ReportMetric(processes.wall.Seconds()/panel.wall.Seconds(), "wall-ratio")
	b.ReportMetric(float64(processes.bytes)/float64(panel.bytes), "memory-ratio")
	b.ReportMetric(0, "ns/op") // the models' time says nothing
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
	wall  time.Duration
	bytes int64
}

func (u *usage) add(more usage) { u.wall, u.bytes = u.wall+more.wall, u.bytes+more.bytes }

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
	wall := time.Since(start)
	close(stop)
	watching.Wait()
	return usage{wall, peak}
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
