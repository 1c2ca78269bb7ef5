package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/tui/window"
)

// TestDemoLineByLine: the same panel, triaged and exported with lines on
// standard input, without a terminal and without an escape sequence.
func TestDemoLineByLine(t *testing.T) {
	p := newPlace(t)
	r := p.feed("a\nr\nf\n3\na\nu\no\ny\nq\ny\n", "tui", "--demo", "--speed", "0", "--plain")
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

// TestTheWholeTriageLineByLine: what the board can do, typed in lines.
func TestTheWholeTriageLineByLine(t *testing.T) {
	p := newPlace(t)
	script := []string{
		"A",                                                        // nothing is confirmed enough to be accepted unread
		"E", "", "The client names the amount", "", "", "", "", "", // its title only
		"i", "b", "see docs/payments.md",
		"c 3", "the driver allows one statement only", // the recording has no answer to this
		"/", "locked", "a", // the one that is found
		"f", "s", "R", "y", "o", "f", "x", // all suggestions, with one reason
		"r 5-7", "k", "u", "U",
		"s 1", "1", "u",
		"m 5 6", "u",
		"+", "critical", "No test of a double refund", "api/handler.go:42", "nothing covers it", "", "", "", "",
		"D", "v", "d", "x",
		"o", "p", "y", "q", "y",
	}
	r := p.feed(strings.Join(script, "\n")+"\n", "tui", "--demo", "--speed", "0", "--plain")
	if r.code != 0 {
		t.Fatalf("exit %d\n%s%s", r.code, r.out, r.err)
	}
	for _, want := range []string{
		"none of 11 can be accepted unread", "Note to the builder", "1 of 1 mention \"locked\"", "filter: sugg 1 shown",
		"reject all 1 undecided findings shown?", "rejected: out of scope", "rejected: accepted risk", "take out:", "12 undecided",
		"Who looked at which file", "crit  No test of a double refund", "written: inbox",
	} {
		if !strings.Contains(strings.Join(strings.Fields(r.out), " "), strings.Join(strings.Fields(want), " ")) {
			t.Errorf("it does not say %q", want)
		}
	}
	if t.Failed() {
		t.Log(r.out)
	}
}

// TestDumbTerminal: a terminal that can only print is read line by line, and
// is sent no escape sequence.
func TestDumbTerminal(t *testing.T) {
	p := newPlace(t)
	cmd := p.command("tui", "--demo", "--speed", "0")
	cmd.Env = append(cmd.Env, "TERM=dumb")
	s := window.Start(t, cmd, 100, 500)
	s.See("11 of 11 undecided>")
	s.Press("r", "enter")
	s.See("out of scope")
	s.Press("o", "enter")
	s.See("rejected: out of scope", "10 of 11 undecided>")
	s.Press("q", "enter", "y", "enter")
	if code := s.Exit(); code != 0 {
		t.Errorf("exit %d", code)
	}
	if bytes.ContainsRune(s.Output(), 0x1b) {
		t.Error("an escape sequence was sent")
	}
}
