package engine_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/mrv-dev/mrv/engine"
	"github.com/mrv-dev/mrv/engine/config"
)

// The test binary plays other parts too, in processes of their own.
const (
	roleEnv  = "MRV_TEST_ROLE"
	faultEnv = "MRV_TEST_FAULT"
	realEnv  = "MRV_TEST_OPENCODE"
)

func TestMain(m *testing.M) {
	switch os.Getenv(roleEnv) {
	case "proxy":
		os.Exit(proxy(os.Args[1:]))
	case "review":
		os.Exit(helperReview())
	}
	flag.Parse()
	code := m.Run()
	if err := goleak.Find(goleak.IgnoreTopFunction("os/signal.loop")); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, "goroutines left:", err)
		code = 1
	}
	os.Exit(code)
}

func homeIs(home string) func(string) string {
	return func(name string) string {
		switch {
		case name == "HOME":
			return home
		case strings.HasPrefix(name, "XDG_"):
			return ""
		}
		return os.Getenv(name)
	}
}

// helper is a process of its own that uses the engine.
type helper struct {
	cmd   *exec.Cmd
	stdin io.Closer
	lines *bufio.Scanner
}

// startHelper runs the test binary in a part, for the person of the options.
func startHelper(t *testing.T, role string, o engine.Options, env ...string) *helper {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), roleEnv+"="+role, "HOME="+o.Getenv("HOME"), "MRV_TEST_BASE="+filepath.Dir(o.Paths.Config),
		"MRV_TEST_DIR="+o.Source.Dir, "MRV_TEST_TEAM="+o.Team, realEnv+"="+o.OpenCode)
	cmd.Env = append(cmd.Env, env...)
	cmd.Stderr = os.Stderr
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
	return &helper{cmd: cmd, stdin: in, lines: bufio.NewScanner(out)}
}

// journal is where the helper's run is, its first line.
func (h *helper) journal(t *testing.T) string {
	t.Helper()
	if !h.lines.Scan() {
		t.Fatalf("the helper ended: %v", h.cmd.Wait())
	}
	return h.lines.Text()
}

func (h *helper) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	if err := h.cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// end lets the helper close its run.
func (h *helper) end(t *testing.T) {
	t.Helper()
	h.stdin.Close()
	if err := h.cmd.Wait(); err != nil {
		t.Errorf("the helper: %v", err)
	}
}

// helperOptions are what startHelper was given.
func helperOptions() engine.Options {
	base := os.Getenv("MRV_TEST_BASE")
	o := engine.Options{
		OpenCode: os.Getenv(realEnv), Version: "test", Interactive: true, NoServer: true, Agent: engine.AgentOpenCode, Timing: patient,
		Paths:  config.Paths{Config: filepath.Join(base, "config"), State: filepath.Join(base, "state"), Cache: filepath.Join(base, "cache"), Data: filepath.Join(base, "data")},
		Team:   os.Getenv("MRV_TEST_TEAM"),
		Getenv: homeIs(os.Getenv("HOME")),
		Person: config.Person{Tiers: map[string]config.Models{"strong": {"scripted/fine"}}},
	}
	o.Source = engine.SourceOptions{Base: "main", Dir: os.Getenv("MRV_TEST_DIR"), CacheDir: o.Paths.Cache}
	if d, err := time.ParseDuration(os.Getenv("MRV_TEST_REVIEWER_CLOCK")); err == nil {
		o.Person.Clocks.Reviewer = config.Duration(d)
	}
	return o
}

// helperStart plans and begins a run, and says where its journal is.
func helperStart(ctx context.Context, o engine.Options) (*engine.Run, error) {
	p, err := engine.NewPlan(ctx, o)
	if err != nil {
		return nil, err
	}
	for _, q := range p.Questions() {
		if err := p.Allow(q); err != nil {
			return nil, err
		}
	}
	run, err := p.Start(ctx)
	if err != nil {
		return nil, err
	}
	fmt.Println(run.Journal())
	return run, nil
}

// helperReview runs a panel until its input ends.
func helperReview() int {
	run, err := helperStart(context.Background(), helperOptions())
	if err == nil {
		_, err = io.Copy(io.Discard, os.Stdin)
	}
	if err == nil {
		err = run.Close(context.Background())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
