package inbox

import (
	"testing"

	"github.com/mrv-dev/mrv/engine/document"
)

func TestClaimsAreCheckedAgainstTheNewRun(t *testing.T) {
	for _, c := range []struct {
		said                     Outcome
		again, changed, complete bool
		want                     Standing
	}{
		{"", false, true, true, Unanswered},
		{Rejected, false, true, true, Contested},
		{Rejected, true, false, true, Contested},
		{Escalated, false, false, true, NeedsPerson},
		{Fixed, false, true, true, IsFixed},
		{Fixed, true, true, true, StillReported},
		{Fixed, true, false, false, StillReported},
		{Fixed, false, false, true, Unchanged},
		{Fixed, false, true, false, Unproven},
	} {
		if got := standing(c.said, c.again, c.changed, c.complete); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

func TestClaimsBringTheContestedFirst(t *testing.T) {
	last := doc("pr", "r1")
	answers := []Answer{{ID: "quality-1.1", Outcome: Fixed}, {ID: "quality-1.4", Outcome: Fixed}, {ID: "security-1.1", Outcome: Rejected, Note: "line 3 checks it"}, {ID: "gone", Outcome: Fixed}}
	got := Claims(last, answers, Round{
		Complete: true,
		Again:    func(f document.Finding) (string, bool) { return "new." + f.ID, f.ID == "security-1.1" },
		Changed:  func(document.Finding) bool { return true },
	})
	if len(got) != 2 || got[0].Finding.ID != "security-1.1" || got[0].Standing != Contested || got[0].Entry != "new.security-1.1" || got[0].Answer.Note == "" || got[1].Standing != IsFixed {
		t.Errorf("%+v", got)
	}
}
