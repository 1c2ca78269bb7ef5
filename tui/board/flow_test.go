package board

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/review"
)

// panel is 26 findings as a panel of four hands them in, and in their titles
// what the person will make of them.
func panel() []claim {
	var list []claim
	add := func(n int, verdict string, c claim) {
		for range n {
			i := len(list)
			c.title = fmt.Sprintf("%s %d", verdict, i)
			c.obs, c.inf, c.jud, c.verify = "the code does this", "that can follow", "should fix", "a test"
			list = append(list, put(c, fmt.Sprintf("pkg%d/file.go", i*7%26), 10+i, diff.Exact, c.models > 1))
		}
	}
	two := claim{by: "quality-1 performance-1", models: 2}
	for _, x := range []struct {
		n       int
		verdict string
		sev     review.Severity
	}{{6, "confirmed", review.Warning}, {3, "confirmed", review.Suggestion}} {
		two.sev = x.sev
		add(x.n, x.verdict, two)
	}
	for _, x := range []struct {
		n        int
		verdict  string
		sev      review.Severity
		security bool
	}{
		{2, "accept", review.Critical, true}, {1, "escalate", review.Critical, true},
		{2, "accept", review.Warning, false}, {1, "false positive", review.Warning, false}, {1, "escalate", review.Warning, false},
		{1, "false positive", review.Warning, false}, {2, "out of scope", review.Suggestion, false}, {1, "accept", review.Suggestion, false},
		{3, "false positive", review.Suggestion, false}, {1, "escalate", review.Suggestion, false}, {2, "out of scope", review.Suggestion, false},
	} {
		add(x.n, x.verdict, claim{by: "architecture-1", sev: x.sev, models: 1, security: x.security})
	}
	return list
}

// TestKeystrokes triages 26 findings as a person would who reads each but the
// confirmed ones: those at once, the rest in order, the escalations last.
func TestKeystrokes(t *testing.T) {
	s := open(t, review.English, panel(), 160, 45)
	s.press("A", "y")
	last, left := "", len(s.run.state.Board())-9
	for passed := 0; passed < left; passed++ {
		verdict := s.title()[:strings.LastIndexByte(s.title(), ' ')]
		switch verdict {
		case "escalate":
			s.press("}")
			continue
		case "accept":
			s.press("a")
		case last:
			s.press(".")
		case "false positive":
			s.press("r", "f")
		case "out of scope":
			s.press("r", "o")
		}
		last = verdict
	}
	s.press("e")
	s.write("ana")
	s.press("enter")
	s.write("API?")
	s.press("enter", ".", ".")
	const export = 2 // tab to the outbox, enter
	got := s.run.state.Tally()
	if got.Accepted != 14 || got.Rejected != 9 || got.Escalated != 3 {
		t.Fatalf("%+v", got)
	}
	for _, e := range s.run.state.Board() {
		d, _ := s.run.state.DecisionOf(e)
		title := s.run.state.Shown(e).Title
		if word := title[:strings.LastIndexByte(title, ' ')]; d.Choice == review.Rejected && string(d.Reason) != word {
			t.Errorf("%q is rejected as %s", title, d.Reason)
		}
	}
	t.Logf("26 findings: %d keystrokes, the words of the escalation included", s.count+export)
	if s.count+export > 40 {
		t.Errorf("%d keystrokes, want at most 40", s.count+export)
	}
}

// BenchmarkBoard is one key to the next picture, with a thousand findings.
func BenchmarkBoard(b *testing.B) {
	s := open(b, review.English, thousand(), 160, 45)
	for i := 0; b.Loop(); i++ {
		key := "move.down"
		if i/100%2 == 1 {
			key = "move.up"
		}
		s.b.Do(key)
		s.b.View()
	}
}

// BenchmarkDecide is a decision, its fold and the next picture.
func BenchmarkDecide(b *testing.B) {
	s := open(b, review.English, thousand(), 160, 45)
	for b.Loop() {
		s.press("a")
		s.b.View()
	}
}

func thousand() []claim {
	var list []claim
	for len(list) < 1000 {
		for _, c := range english() {
			c.obs = strings.Repeat(c.obs+" ", 4)
			list = append(list, c)
		}
	}
	return list[:1000]
}
