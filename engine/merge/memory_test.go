package merge

import (
	"testing"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/review"
)

func TestCarry(t *testing.T) {
	at := func(print string) diff.Place {
		return diff.Place{How: diff.Exact, Path: "spool/open.go", Start: 12, End: 14, Fingerprint: print}
	}
	rejected := review.Decision{Choice: review.Rejected, Reason: review.WontFix, By: "ann", Inherited: true}
	reworded := leak("perf-1.4", review.Warning)
	reworded.Title = "File handle of `openSpool` stays open"
	reworded.Observation = "When `readHeader` returns an error, the handle that `os.Open` gave is never closed."
	for _, c := range []struct {
		name    string
		now     review.Finding
		place   diff.Place
		decided bool
		want    bool
	}{
		{"the same again", leak("quality-1.1", review.Warning), at("p1"), false, true},
		{"said by another in other words", reworded, at("p1"), false, true},
		{"less severe now", leak("quality-1.1", review.Suggestion), at("p1"), false, true},
		{"more severe now", leak("quality-1.1", review.Critical), at("p1"), false, false},
		{"the line changed", leak("quality-1.1", review.Warning), at("p2"), false, false},
		{"no place", leak("quality-1.1", review.Warning), at(""), false, false},
		{"a new problem on the same line", other("quality-1.1", review.Warning), at("p1"), false, false},
		{"decided in this run already", leak("quality-1.1", review.Warning), at("p1"), true, false},
	} {
		in := Input{Reviewers: team(), Findings: []review.Finding{c.now}, Places: map[string]diff.Place{c.now.ID: c.place}}
		if c.decided {
			in.Decided = map[string]string{c.now.ID: "x"}
		}
		got := Carry([]Remembered{
			{Run: "r1", Finding: leak("quality-1.1", review.Warning), Place: at("p1"), Decision: rejected},
			{Run: "r2", Finding: leak("quality-1.1", review.Warning), Place: at("p1")},
		}, Merge(in), in)
		d, ok := got[c.now.ID]
		if ok != c.want {
			t.Errorf("%s: carried %v, want %v", c.name, ok, c.want)
		}
		if ok && (d.Choice != review.Rejected || d.Carried != "r1" || d.Inherited || d.By != "ann") {
			t.Errorf("%s: %+v", c.name, d)
		}
	}
}
