package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// faulty is the program with a mistake in drawing, which the compiler is given
// in place of the file that has none: nothing of it is in the program itself.
func faulty(t *testing.T, file, without, with string) string {
	t.Helper()
	file, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(source), without) != 1 {
		t.Fatalf("%s has not just one %q", file, without)
	}
	dir := t.TempDir()
	other := filepath.Join(dir, "faulty.go")
	if err := os.WriteFile(other, []byte(strings.Replace(string(source), without, with, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{file: other}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "mrv")
	if out, err := exec.Command("go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("building mrv with a mistake: %v\n%s", err, out)
	}
	return bin
}

// TestAPanicWhileDrawing: the terminal is the shell's again, one short message
// says where the trace is and how to go on, and the decision that was made just
// before is kept.
func TestAPanicWhileDrawing(t *testing.T) {
	const clean = "func (m *model) frame() string {\n"
	bin := faulty(t, "../../tui/chrome.go", clean, clean+"\tif len(m.state.Decisions) > 0 {\n\t\tpanic(\"a cell that is not there\")\n\t}\n")
	p := newPlace(t)
	sound := binary
	binary = bin
	x := startTmux(t, p, 100, 30, "tui", "--demo", "--speed", "20")
	binary = sound
	x.wait("4/4 done")
	x.keys("Tab")
	x.wait("undecided")
	x.keys("a")
	if code := x.ended(p); code != "2" {
		t.Errorf("exit %s, want 2", code)
	}
	said := x.tmux("capture-pane", "-p", "-J")
	var lines []string
	for l := range strings.Lines(said) {
		if strings.TrimSpace(l) != "" {
			lines = append(lines, strings.TrimSpace(l))
		}
	}
	if len(lines) != 2 || !strings.HasPrefix(lines[0], "mrv: ") || !strings.Contains(lines[0], "a cell that is not there") || !strings.Contains(lines[1], "mrv resume ") {
		t.Fatalf("it says\n%s", said)
	}
	_, path, _ := strings.Cut(lines[0], "is kept in ")
	st, err := os.Stat(path)
	if err != nil || st.Mode().Perm() != 0o600 {
		t.Fatalf("the trace: %v, %v", st, err)
	}
	if trace := readIf(path); !strings.Contains(trace, "goroutine ") || !strings.Contains(trace, "frame") {
		t.Errorf("the trace is\n%s", trace)
	}

	runs := decode[[]runInfo](t, p.run("runs", "--json").out)
	if len(runs) != 1 || runs[0].Findings-runs[0].Undecided != 1 {
		t.Fatalf("kept are %+v", runs)
	}
	for _, of := range []string{"before", "exit", "after"} { // the first window's
		if err := os.Remove(filepath.Join(p.dir, of)); err != nil {
			t.Fatal(err)
		}
	}
	_, resume, _ := strings.Cut(lines[1], "mrv ")
	y := startTmux(t, p, 100, 30, strings.Fields(resume)...)
	y.wait("10 of 11 undecided")
	y.keys("q", "y")
	if code := y.ended(p); code != "0" {
		t.Errorf("exit %s", code)
	}
}
