package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine/document"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/window"
)

// openList reads the ids in the Open list of an inbox file.
func openList(t testing.TB, markdown string) []string {
	t.Helper()
	_, open, ok := strings.Cut(markdown, "## Open (")
	if !ok {
		t.Fatalf("no Open list in\n%s", markdown)
	}
	open, _, _ = strings.Cut(open, "\n## ")
	var ids []string
	for _, m := range regexp.MustCompile("(?m)^### `([a-z]+-\\d+\\.\\d+)`").FindAllStringSubmatch(open, -1) {
		ids = append(ids, m[1])
	}
	return ids
}

// TestDemoByKeysAlone is the README's first command on a machine with nothing
// but an empty home: panes fill, findings appear, and a few keys later the
// inbox holds exactly what was accepted.
func TestDemoByKeysAlone(t *testing.T) {
	p := newPlace(t)
	s := window.Start(t, p.command("tui", "--demo", "--speed", "20"), 120, 36)
	s.See("quality-1", "security-1", "performance-1", "architecture-1", "recording")
	s.See("4/4 done")
	s.Press("tab")
	s.See("undecided")
	s.Press("a") // accept the first
	s.Press("a") // and the second
	s.Press("r", "f")
	s.Press("e")
	s.Press("lin", "enter", "ask her", "enter")
	s.Press("u") // the escalation is taken back
	s.Press("tab")
	s.See("demo.md")
	s.Press("enter")
	s.Until("says that it was written", func(string) bool {
		_, err := os.Stat(filepath.Join(p.dir, ".ai/reviews/latest.md"))
		return err == nil
	})
	s.Press("q")
	s.See("Quit?")
	s.Press("y")
	if code := s.Exit(); code != 0 {
		t.Errorf("exit %d, want 0", code)
	}
	if s.AltScreen() {
		t.Error("the terminal was left on the alternate screen")
	}
	for _, name := range []string{"demo.md", "latest.md"} {
		if ids := openList(t, p.read(".ai/reviews/"+name)); len(ids) != 2 {
			t.Errorf("%s: the Open list holds %v, want the two that were accepted", name, ids)
		}
	}
}

func TestDemoWithoutAScreen(t *testing.T) {
	p := newPlace(t)
	r := p.run("review", "--demo", "--speed", "0", "--json")
	if r.code != int(review.ExitFindings) {
		t.Errorf("exit %d, want 1: the demo has critical findings\n%s", r.code, r.err)
	}
	d := decode[document.Document](t, r.out)
	if d.Verdict != review.ChangesNeeded || len(d.Findings) == 0 || d.Exit != review.ExitFindings {
		t.Errorf("verdict %s, %d findings, exit %d", d.Verdict, len(d.Findings), d.Exit)
	}
	if !strings.Contains(r.err, "recording") {
		t.Errorf("standard error must say that it is a recording:\n%s", r.err)
	}
	if _, err := os.Stat(filepath.Join(p.dir, ".ai")); err == nil {
		t.Error("an untriaged run must not write an inbox")
	}
	if r := p.run("review", "--demo", "--speed", "0", "--fail-on", "none"); r.code != 0 && r.code != 4 {
		t.Errorf("--fail-on none: exit %d", r.code)
	}
	list := p.run("runs")
	if strings.Count(list.out, "demo") < 2 {
		t.Errorf("mrv runs lists both:\n%s", list.out)
	}
}
