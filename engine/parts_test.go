package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

// changeOf is a change of new files of so many lines of 61 bytes.
func changeOf(t *testing.T, lines ...int) *diff.Set {
	t.Helper()
	var b strings.Builder
	for i, n := range lines {
		fmt.Fprintf(&b, "diff --git a/f%d.go b/f%d.go\nnew file mode 100644\nindex 0000000..3333333\n--- /dev/null\n+++ b/f%d.go\n@@ -0,0 +1,%d @@\n", i, i, i, n)
		b.WriteString(strings.Repeat("+"+strings.Repeat("x", 60)+"\n", n))
	}
	return parsed(t, b.String())
}

// TestReading: every reviewable file is in exactly one part, no part is larger
// than it may be, and a file that fits nowhere is named.
func TestReading(t *testing.T) {
	for _, c := range []struct {
		name   string
		lines  []int
		window int64
		parts  string
		unread string
	}{
		{"a window that is not known", []int{900, 900}, 0, "f0 f1", ""},
		{"a large window", []int{100, 100}, 128_000, "f0 f1", ""},
		{"inline, in parts", []int{300, 300, 300}, 20_000, "f0|f1|f2", ""},
		{"from files, in parts", []int{1000, 1000, 1000, 1000}, 80_000, "f0 f1|f2 f3", ""},
		{"small ones beside a large one", []int{20, 1000, 20, 20}, 20_000, "f0 f2 f3", "f1"},
		{"more than half a window alone", []int{100, 800, 100}, 20_000, "f0|f1|f2", ""},
		{"nothing fits", []int{900, 900}, 2000, "", "f0 f1"},
	} {
		set := changeOf(t, c.lines...)
		m := event.Member{Name: "quality-1", Window: c.window}
		r := newPrompts(event.Plan{Boundary: "b", Marker: "m", Lang: review.English}, set).of(m)
		var parts, unread []string
		for i, p := range r.parts {
			var names []string
			for _, f := range p.files {
				names = append(names, strings.TrimSuffix(f.file.Path(), ".go"))
			}
			parts = append(parts, strings.Join(names, " "))
			if s := share(p.bytes, m); s > splitShare {
				t.Errorf("%s: part %d takes %.2f of the window", c.name, i+1, s)
			}
			if !strings.HasPrefix(p.Prefix, "Marker: m\n") || len(r.parts) > 1 != strings.Contains(p.Prefix, fmt.Sprintf("part %d of %d", i+1, len(r.parts))) {
				t.Errorf("%s: part %d begins %.200q", c.name, i+1, p.Prefix)
			}
		}
		for _, f := range r.unread {
			unread = append(unread, strings.TrimSuffix(f.Path(), ".go"))
		}
		if got := strings.Join(parts, "|"); got != c.parts || strings.Join(unread, " ") != c.unread {
			t.Errorf("%s: parts %s, unread %v; want %s, %s", c.name, got, unread, c.parts, c.unread)
		}
	}
}

func TestJoinReports(t *testing.T) {
	finding := func(n int, title string) review.Finding {
		return review.Finding{ID: review.FindingID("q-1", n), Reviewer: "q-1", Ordinal: n, Title: title}
	}
	a := review.Report{Label: review.Pass, LabelText: "Fine", Marker: "m", MarkerOK: true, Summary: "One.", Findings: []review.Finding{finding(1, "x"), finding(2, "y")}, Gaps: []review.Gap{{Text: "no device"}}}
	b := review.Report{Label: review.Block, LabelText: "Stop", Marker: "m", MarkerOK: true, Summary: "Two.", Findings: []review.Finding{finding(1, "z")},
		Gaps: []review.Gap{{Text: "no device"}}, Violations: []review.Violation{{Code: "missing-field", Finding: 1}}}
	all := joinReports([]review.Report{a, b})
	var ids []string
	for _, f := range all.Findings {
		ids = append(ids, f.ID+f.Title)
	}
	if !slices.Equal(ids, []string{"q-1.1x", "q-1.2y", "q-1.3z"}) || all.Label != review.Block || all.LabelText != "Stop" || all.Summary != "One.\n\nTwo." ||
		!all.MarkerOK || len(all.Gaps) != 1 || all.Violations[0].Finding != 3 || all.Broken {
		t.Errorf("%+v", all)
	}
	b.Broken, b.MarkerOK = true, false
	if all = joinReports([]review.Report{a, b}); !all.Broken || all.MarkerOK {
		t.Errorf("one broken part breaks the report: %+v", all)
	}
}

// TestWindowsInThePlan: what a window means is said before the run begins.
func TestWindowsInThePlan(t *testing.T) {
	plan := func(window int64, lines ...int) event.Plan {
		set := changeOf(t, lines...)
		p := event.Plan{Boundary: "b", Marker: "m", Lang: review.English, Team: []event.Member{
			{Name: "a-1", Agent: AgentOpenCode, Window: window, Models: []review.Model{{Provider: "p", ID: "small"}}},
			{Name: "b-1", Agent: AgentOpenCode, Window: 1_000_000, Models: []review.Model{{Provider: "p", ID: "large"}, {Provider: "q", ID: "next"}}},
		}}
		for _, f := range set.Files {
			p.Files = append(p.Files, event.PlanFile{NewPath: f.NewPath, Reviewed: true})
		}
		(&lineup{}).read(&p, set)
		return p
	}
	p := plan(20_000, 700)
	if len(p.Notes) != 2 || !strings.Contains(p.Notes[0], "% of the window of p/small") || p.Team[0].Parts != 1 || len(p.Holds) != 0 {
		t.Errorf("a warning: %+v", p.Notes)
	}
	p = plan(20_000, 500, 500)
	if len(p.Notes) != 2 || !strings.Contains(p.Notes[1], "should another provider fail, q (next) gets up to") || !strings.Contains(p.Notes[0], "in 2 parts") || p.Team[0].Parts != 2 || p.Team[1].Parts != 1 || len(p.Holds) != 0 {
		t.Errorf("in parts: %+v %+v", p.Notes, p.Team)
	}
	p = plan(5_000, 900)
	if len(p.Holds) != 1 || !strings.Contains(p.Holds[0].Text, "f0.go was not read: larger than the window of the model of a-1") || !p.Files[0].Unread || !p.Files[0].Reviewed {
		t.Errorf("one can not read it: %+v %+v", p.Holds, p.Files)
	}
	var sent []string
	for _, s := range p.Sends {
		sent = append(sent, s.Provider+":"+strings.Join(s.Models, ","))
	}
	if got := strings.Join(sent, " "); got != "p:small,large q:next" {
		t.Errorf("a model that stands in for another gets the code too: %s", got)
	}
	first, standIn := p.Sends[0], p.Sends[1]
	if first.Reserve != 0 || standIn.Bytes != 0 || standIn.Reserve != p.Team[1].Bytes || standIn.Reserve == 0 {
		t.Errorf("and that much: %+v %+v", first, standIn)
	}
	if got, want := amount(standIn, p), fmt.Sprintf("up to %d KB, should another provider fail,", (p.Team[1].Bytes+1023)/1024); got != want {
		t.Errorf("the question says %q, want %q", got, want)
	}
}
