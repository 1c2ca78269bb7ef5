package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// tmuxPane is the real binary in a real tmux, in a server of the test's own.
type tmuxPane struct {
	t      *testing.T
	socket string
}

func startTmux(t *testing.T, p *place, width, height int, args ...string) *tmuxPane {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		const how = "tmux is not installed: apt-get install tmux"
		if os.Getenv("MRV_REQUIRE_TMUX") != "" {
			t.Fatal(how)
		}
		t.Skip(how)
	}
	dir, err := os.MkdirTemp("", "mt") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	x := &tmuxPane{t, filepath.Join(dir, "s")}
	t.Cleanup(func() {
		_ = exec.Command("tmux", "-S", x.socket, "kill-server").Run() // it may have ended by itself
		_ = os.RemoveAll(dir)
	})
	cmd := p.command(args...)
	shell := fmt.Sprintf("stty -a >%[1]s/before; %[2]s; echo $? >%[1]s/exit; stty -a >%[1]s/after; exec cat", p.dir, quoted(cmd.Args))
	start := exec.Command("tmux", "-S", x.socket, "-f", "/dev/null", "new-session", "-d", "-x", strconv.Itoa(width), "-y", strconv.Itoa(height), shell)
	start.Dir, start.Env = p.dir, cmd.Env
	if out, err := start.CombinedOutput(); err != nil {
		t.Fatalf("starting tmux: %v\n%s", err, out)
	}
	return x
}

func quoted(args []string) string {
	q := make([]string, len(args))
	for i, a := range args {
		q[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
	}
	return strings.Join(q, " ")
}

func (x *tmuxPane) tmux(args ...string) string {
	x.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", x.socket}, args...)...).CombinedOutput()
	if err != nil {
		x.t.Fatalf("tmux %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func (x *tmuxPane) text() string { return x.tmux("capture-pane", "-p") }

// until polls the pane: tmux tells nobody when it changes.
func (x *tmuxPane) until(what string, holds func(string) bool) {
	x.t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(30 * time.Millisecond) {
		if holds(x.text()) {
			return
		}
	}
	x.t.Fatalf("the pane never %s:\n%s", what, x.text())
}

func (x *tmuxPane) wait(words ...string) {
	x.t.Helper()
	x.until("shows "+strings.Join(words, ", "), func(s string) bool {
		for _, w := range words {
			if !strings.Contains(s, w) {
				return false
			}
		}
		return true
	})
}

func (x *tmuxPane) keys(keys ...string) { x.tmux(append([]string{"send-keys"}, keys...)...) }

// ended waits for the program's exit code and checks that the terminal is as
// it was.
func (x *tmuxPane) ended(p *place) string {
	x.t.Helper()
	var code string
	x.until("gives the terminal back", func(string) bool {
		raw, err := os.ReadFile(filepath.Join(p.dir, "after"))
		code = strings.TrimSpace(readIf(filepath.Join(p.dir, "exit")))
		return err == nil && len(raw) > 0
	})
	_, before, _ := strings.Cut(readIf(filepath.Join(p.dir, "before")), "\n") // the first line has the size
	_, after, _ := strings.Cut(readIf(filepath.Join(p.dir, "after")), "\n")
	if before != after {
		x.t.Errorf("the terminal was left changed:\n%s\n%s", before, after)
	}
	if on := strings.TrimSpace(x.tmux("display-message", "-p", "#{alternate_on}")); on != "0" {
		x.t.Error("the alternate screen was left on")
	}
	return code
}

func readIf(path string) string {
	raw, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(raw)
}

// TestDemoInTmux: from the first pane to a written inbox by keys alone, at the
// sizes people have, with a resize in between.
func TestDemoInTmux(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {160, 48}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			p := newPlace(t)
			x := startTmux(t, p, size[0], size[1], "tui", "--demo", "--speed", "20")
			x.wait("4/4 done")
			x.tmux("resize-window", "-x", "100", "-y", "30")
			x.keys("Tab")
			x.wait("undecided")
			x.tmux("resize-window", "-x", strconv.Itoa(size[0]), "-y", strconv.Itoa(size[1]))
			x.keys("a")
			x.until("counts the decision", func(s string) bool { return strings.Contains(s, "10 of 11") })
			x.keys("Tab")
			x.wait("demo.md")
			x.keys("Enter")
			x.until("has written the inbox", func(string) bool { return readIf(filepath.Join(p.dir, ".ai/reviews/latest.md")) != "" })
			x.keys("q")
			x.wait("Quit?")
			x.keys("y")
			if code := x.ended(p); code != "0" {
				t.Errorf("exit %s, want 0", code)
			}
			if ids := openList(t, p.read(".ai/reviews/latest.md")); len(ids) != 1 {
				t.Errorf("the Open list holds %v", ids)
			}
		})
	}
}

// TestSmallWindows: nothing panics, and the way out works.
func TestSmallWindows(t *testing.T) {
	for _, size := range [][2]int{{40, 10}, {20, 5}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			p := newPlace(t)
			x := startTmux(t, p, size[0], size[1], "tui", "--demo", "--speed", "0")
			x.until("draws something", func(s string) bool { return strings.TrimSpace(s) != "" })
			x.keys("Tab", "Tab", "Tab", "q", "y")
			if code := x.ended(p); code != "0" {
				t.Errorf("exit %s", code)
			}
		})
	}
}

// TestKilledByASignal: SIGTERM restores the terminal and says where the run is.
func TestKilledByASignal(t *testing.T) {
	p := newPlace(t)
	x := startTmux(t, p, 100, 30, "tui", "--demo")
	x.wait("quality-1")
	pid, err := strconv.Atoi(strings.Fields(x.tmux("list-panes", "-F", "#{pane_pid}"))[0])
	if err != nil {
		t.Fatal(err)
	}
	children, err := exec.Command("pgrep", "-P", strconv.Itoa(pid)).Output()
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.Fields(string(children))[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(child, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := x.ended(p); code == "0" {
		t.Error("a program that was killed must not exit 0")
	}
	if !strings.Contains(x.text(), "mrv resume") {
		t.Errorf("it must say where the run is:\n%s", x.text())
	}
}
