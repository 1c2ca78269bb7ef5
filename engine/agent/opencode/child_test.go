package opencode

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/mrv-dev/mrv/engine/agent"
	"github.com/mrv-dev/mrv/engine/agent/opencode/scripted"
)

// childEnv makes the test binary be an mrv that will be killed; it names the
// directory to work in.
const childEnv = "MRV_TEST_CHILD"

// child starts an agent with a turn that hangs, says its server's pid, and
// waits for its end.
func child() {
	root := os.Getenv(childEnv)
	t := &childTB{}
	p := scripted.Start(t)
	a, err := New(context.Background(), configure(t, p, root, filepath.Join(root, "snapshot")))
	if err != nil {
		t.Fatalf("%v", err)
	}
	s, err := a.Open(context.Background(), spec("hangmid"))
	if err != nil {
		t.Fatalf("%v", err)
	}
	_, err = s.Ask(context.Background(), agent.Turn{Text: "go"}, func(u agent.Update) {
		if u.Kind == agent.UpTextAppend {
			fmt.Println("pid", a.PID())
		}
	})
	t.Fatalf("the turn ended: %v", err)
}

// childTB is what the child has for a test.
type childTB struct{ testing.TB }

func (*childTB) Helper()        {}
func (*childTB) Cleanup(func()) {}
func (*childTB) Fatalf(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
	os.Exit(3)
}
func (t *childTB) Fatal(args ...any) { t.Fatalf("%s", fmt.Sprint(args...)) }

// TestKilledParent: when mrv is killed in the middle of a turn its server goes
// with it, and the next start removes what lay on disk.
func TestKilledParent(t *testing.T) {
	b := binary(t)
	root := t.TempDir()
	if err := os.Rename(tree(t, root, snapshotFiles), filepath.Join(root, "snapshot")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+root, "MRV_OPENCODE="+b.Path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the child said nothing: %v", err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(line, "pid ")))
	if err != nil {
		t.Fatal(err)
	}
	gone := watchExit(t, pid)
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the child ended well")
	}
	if left := leftovers(root); len(left) != 1 {
		t.Errorf("run dirs after the kill: %v, want one", left)
	}
	if !diesWithParent {
		if err := Sweep(filepath.Join(root, "runs")); err != nil {
			t.Fatal(err)
		}
	}
	gone()
	if err := Sweep(filepath.Join(root, "runs")); err != nil {
		t.Fatal(err)
	}
	if left := leftovers(root); len(left) != 0 {
		t.Errorf("left after the sweep: %v", left)
	}
}
