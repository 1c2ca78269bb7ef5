package publish

import (
	"errors"
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine/forge/double"
)

func TestTheGateActsOnlyOnItsOutcome(t *testing.T) {
	b := setUp(t, double.Options{})
	s, head := sender(b.f), b.doc.Change.Head
	for _, c := range []struct {
		act   Act
		holds bool
		head  string
		want  string // "" = done
	}{
		{Approve, false, head, "does not hold"}, {Label, false, head, "does not hold"}, {RequestChanges, true, head, "the gate holds"},
		{Approve, true, b.r.Git("rev-parse", "main"), "moved"},
		{Approve, true, head, ""}, {Label, true, head, ""}, {RequestChanges, false, head, ""},
	} {
		err := s.Act(ctx, b.repo, 7, c.act, "ready-to-merge", Outcome{Holds: c.holds, Head: c.head, Evidence: []string{"checks: held, @mallory #1"}})
		if (err == nil) != (c.want == "") || (err != nil && !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s, holds %v: %v, want %q", c.act, c.holds, err, c.want)
		}
	}
	reviews := b.s.Standing("review", 7)
	if len(reviews) != 2 || len(b.s.Standing("label", 7)) != 1 || strings.Contains(reviews[0].Body, "@mallory") {
		t.Errorf("%+v", reviews)
	}
	b.s.Update(7, func(p *double.Pull) { p.Author = double.User{Login: "viewer", ID: 1} })
	var blocked *Blocked
	if err := s.Act(ctx, b.repo, 7, Approve, "", Outcome{Holds: true, Head: head}); !errors.As(err, &blocked) {
		t.Errorf("one's own: %v", err)
	}
}
