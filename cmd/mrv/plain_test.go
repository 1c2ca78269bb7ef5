package main

import (
	"strings"
	"testing"
)

// TestDemoLineByLine: the same panel, triaged and exported with lines on
// standard input, without a terminal and without an escape sequence.
func TestDemoLineByLine(t *testing.T) {
	p := newPlace(t)
	r := p.feed("a\nr\nf\n3\na\nu\nx\ny\nq\ny\n", "tui", "--demo", "--speed", "0", "--plain")
	if r.code != 0 {
		t.Fatalf("exit %d\n%s%s", r.code, r.out, r.err)
	}
	for _, want := range []string{"a recording: no model is asked", "security-1  done", "Finding 1 of 11", "rejected: false positive", "9 of 11 undecided", "written: inbox"} {
		if !strings.Contains(r.out, want) {
			t.Errorf("it does not say %q", want)
		}
	}
	if strings.ContainsRune(r.out+r.err, 0x1b) {
		t.Error("an escape sequence was written")
	}
	if ids := openList(t, p.read(".ai/reviews/latest.md")); len(ids) != 1 {
		t.Errorf("the Open list holds %v", ids)
	}

	// Triage goes on in the next sitting where it was.
	r = p.feed("u\nq\ny\n", "resume", "latest", "--plain", "--lang", "zh")
	if r.code != 0 || !strings.Contains(r.out, "9/11 待定") || !strings.Contains(r.out, "10/11 待定") {
		t.Errorf("exit %d\n%s%s", r.code, r.out, r.err)
	}
}
