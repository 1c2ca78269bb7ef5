package review

import (
	"testing"

	"pgregory.net/rapid"
)

// TestDecide is the verdict's specification: the first row that holds, over
// findings not rejected.
func TestDecide(t *testing.T) {
	open := func(s Severity) Standing { return Standing{Severity: s} }
	decided := func(s Severity, c Choice) Standing { return Standing{Severity: s, Choice: c} }
	hold := func(code string) []Hold { return []Hold{{Code: code, Text: "why"}} }
	for _, c := range []struct {
		name     string
		findings []Standing
		blocking Severity
		holds    []Hold
		want     Verdict
		exit     Exit
	}{
		{"nothing found", nil, "", nil, NoBlockingFindings, ExitOK},
		{"undecided critical", []Standing{open(Critical)}, "", nil, ChangesNeeded, ExitFindings},
		{"accepted critical", []Standing{decided(Critical, Accepted)}, "", nil, ChangesNeeded, ExitFindings},
		{"rejected critical", []Standing{decided(Critical, Rejected)}, "", nil, NoBlockingFindings, ExitOK},
		{"escalated critical", []Standing{decided(Critical, Escalated)}, "", nil, HumanCheckNeeded, ExitIncomplete},
		{"escalated suggestion", []Standing{decided(Suggestion, Escalated)}, "", nil, HumanCheckNeeded, ExitIncomplete},
		{"undecided warning", []Standing{open(Warning)}, "", nil, NoBlockingFindings, ExitOK},
		{"undecided warning, warnings block", []Standing{open(Warning)}, Warning, nil, ChangesNeeded, ExitFindings},
		{"accepted suggestion, suggestions block", []Standing{decided(Suggestion, Accepted)}, Suggestion, nil, ChangesNeeded, ExitFindings},
		{"undecided suggestion, warnings block", []Standing{open(Suggestion)}, Warning, nil, NoBlockingFindings, ExitOK},
		{"a reviewer is missing", nil, "", hold("reviewer"), HumanCheckNeeded, ExitIncomplete},
		{"a human gap", []Standing{open(Suggestion)}, "", hold("human-gap"), HumanCheckNeeded, ExitIncomplete},
		{"part of the change unread", nil, "", hold("unread"), HumanCheckNeeded, ExitIncomplete},
		{"no model read it", nil, "", hold("no-model"), HumanCheckNeeded, ExitIncomplete},
		{"blocked and held: blocked", []Standing{open(Critical)}, "", hold("reviewer"), ChangesNeeded, ExitFindings},
		{"blocked and escalated: blocked", []Standing{decided(Warning, Escalated), open(Critical)}, "", nil, ChangesNeeded, ExitFindings},
		{"rejected and held: held", []Standing{decided(Critical, Rejected)}, "", hold("unread"), HumanCheckNeeded, ExitIncomplete},
		{"one of many blocks", []Standing{open(Suggestion), decided(Critical, Rejected), open(Critical)}, "", nil, ChangesNeeded, ExitFindings},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := Case{Findings: c.findings, Blocking: c.blocking, Holds: c.holds}
			if got := Decide(in); got != c.want {
				t.Errorf("verdict %s, want %s", got, c.want)
			}
			if got := ExitOf(in, ""); got != c.exit {
				t.Errorf("exit %d, want %d", got, c.exit)
			}
		})
	}
}

// TestFailOn: --fail-on moves the exit only, never the verdict.
func TestFailOn(t *testing.T) {
	warning := Case{Findings: []Standing{{Severity: Warning}}}
	critical := Case{Findings: []Standing{{Severity: Critical}}}
	held := Case{Findings: []Standing{{Severity: Critical}}, Holds: []Hold{{Code: "reviewer"}}}
	rejected := Case{Findings: []Standing{{Severity: Critical, Choice: Rejected}}}
	escalated := Case{Findings: []Standing{{Severity: Critical, Choice: Escalated}}}
	for _, c := range []struct {
		name   string
		in     Case
		failOn Severity
		want   Exit
	}{
		{"lower", warning, Warning, ExitFindings},
		{"lowest", warning, Suggestion, ExitFindings},
		{"as blocking", warning, Critical, ExitOK},
		{"never", critical, "none", ExitOK},
		{"never, but held", held, "none", ExitIncomplete},
		{"findings before holds", held, "", ExitFindings},
		{"rejected never fails", rejected, Suggestion, ExitOK},
		{"escalated is incomplete", escalated, Suggestion, ExitIncomplete},
	} {
		if got := ExitOf(c.in, c.failOn); got != c.want {
			t.Errorf("%s: exit %d, want %d", c.name, got, c.want)
		}
	}
}

func TestWorseExit(t *testing.T) {
	order := []Exit{ExitInterrupted, ExitUsage, ExitStale, ExitFindings, ExitIncomplete, ExitOK}
	for i, a := range order {
		for _, b := range order[i:] {
			if WorseExit(a, b) != a || WorseExit(b, a) != a {
				t.Errorf("of %d and %d, %d takes precedence", a, b, a)
			}
		}
	}
}

// TestDecideHoldsForAnyCase: more findings, worse severities and more holds
// never make a verdict better, rejecting a finding never makes it worse, and
// the order of findings does not matter.
func TestDecideHoldsForAnyCase(t *testing.T) {
	rank := map[Verdict]int{NoBlockingFindings: 0, HumanCheckNeeded: 1, ChangesNeeded: 2}
	standing := rapid.Custom(func(t *rapid.T) Standing {
		return Standing{
			Severity: rapid.SampledFrom(Severities()).Draw(t, "severity"),
			Choice:   rapid.SampledFrom([]Choice{Undecided, Accepted, Rejected, Escalated}).Draw(t, "choice"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		c := Case{
			Findings: rapid.SliceOfN(standing, 1, 6).Draw(t, "findings"),
			Blocking: rapid.SampledFrom(append(Severities(), "")).Draw(t, "blocking"),
		}
		if rapid.Bool().Draw(t, "held") {
			c.Holds = []Hold{{Code: "reviewer"}}
		}
		before := Decide(c)

		shuffled := c
		shuffled.Findings = rapid.Permutation(c.Findings).Draw(t, "order")
		if Decide(shuffled) != before {
			t.Fatal("the order of findings matters")
		}
		more := c
		more.Findings = append([]Standing{standing.Draw(t, "more")}, c.Findings...)
		more.Holds = append([]Hold{{Code: "unread"}}, c.Holds...)
		if rank[Decide(more)] < rank[before] {
			t.Fatalf("more trouble turned %s into %s", before, Decide(more))
		}
		rejected := c
		rejected.Findings = append([]Standing(nil), c.Findings...)
		rejected.Findings[0].Choice = Rejected
		if rank[Decide(rejected)] > rank[before] {
			t.Fatalf("a rejection turned %s into %s", before, Decide(rejected))
		}
	})
}
