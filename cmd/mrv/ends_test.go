package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mrv-dev/mrv/tui/window"
)

// hanging is the screen over a real server whose model never answers; a script
// for a shell with job control can stand around it, with the program as "$@".
func hanging(t *testing.T, script string) (*window.Window, []int) {
	t.Helper()
	p, _ := withModels(t, nil)
	p.repository()
	cmd := p.command("tui", "--base", "main", "--model", "scripted/hangmid", "--team", "quality:1", "--yes")
	if script != "" {
		bash, err := exec.LookPath("bash")
		if err != nil && os.Getenv("MRV_REQUIRE_BASH") != "" {
			t.Fatal(err)
		}
		if err != nil {
			t.Skip("bash, whose job control is needed, is not installed")
		}
		cmd.Path, cmd.Args = bash, append([]string{"bash", "-m", "-c", script, "bash"}, cmd.Args...)
	}
	s := window.Start(t, cmd, 100, 30)
	s.See("one two three", "0/1 done")
	children := childrenOf(t, s.PID())
	if len(children) == 0 {
		t.Fatal("the server is no child of mrv")
	}
	return s, children
}

func childrenOf(t *testing.T, pid int) (all []int) {
	t.Helper()
	out, err := exec.Command("pgrep", "-P", strconv.Itoa(pid)).Output()
	var none *exec.ExitError
	if err != nil && !errors.As(err, &none) {
		t.Fatal(err)
	}
	for _, f := range strings.Fields(string(out)) {
		child, err := strconv.Atoi(f)
		if err != nil {
			t.Fatal(err)
		}
		all = append(append(all, child), childrenOf(t, child)...)
	}
	return all
}

// runs reports whether a process is there and no mere zombie.
func runs(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !strings.Contains(string(raw), ") Z ")
}

// TestEndedByASignal: whatever ends the program, the terminal is the shell's
// again, no child is left, the exit is not zero and it says where the run is.
func TestEndedByASignal(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM, syscall.SIGINT} {
		t.Run(sig.String(), func(t *testing.T) {
			s, children := hanging(t, "")
			s.Signal(sig)
			if code := s.Exit(); code == 0 {
				t.Error("exit 0")
			}
			if s.AltScreen() {
				t.Error("the alternate screen was left on")
			}
			if !strings.Contains(s.Text(), "mrv resume ") {
				t.Errorf("it must say where the run is:\n%s", s.Text())
			}
			gone(t, children)
		})
	}
}

// gone waits until no process is left: a child may end a moment after.
func gone(t *testing.T, pids []int) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		left := 0
		for _, pid := range pids {
			if runs(pid) {
				left++
			}
		}
		if left == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d children are left", left)
		}
	}
}

// TestSuspended: ctrl-z gives the terminal to the shell, and the server goes on
// meanwhile.
func TestSuspended(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("whether a process is stopped is read from /proc")
	}
	s, children := hanging(t, `"$@"; echo stopped; read line; fg; echo exit $?`)
	state := func(pid int) string {
		raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return "gone"
		}
		_, rest, _ := strings.Cut(string(raw), ") ")
		return rest[:1]
	}
	s.Press("ctrl+z")
	s.See("stopped")
	if s.AltScreen() {
		t.Error("the alternate screen was left on")
	}
	if st := state(children[0]); st != "T" {
		t.Errorf("the program is not stopped but %s", st)
	}
	for _, pid := range children[1:] {
		if st := state(pid); st == "T" || st == "gone" {
			t.Errorf("a child is %s", st)
		}
	}
	s.Press("enter")
	s.See("one two three", "0/1 done")
	s.Press("ctrl+c")
	s.See("1/1 done")
	s.Press("ctrl+c")
	s.See("mrv resume ", "exit 130")
	s.Exit()
	gone(t, children)
}
