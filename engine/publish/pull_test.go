package publish

import (
	"errors"
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine/document"
	"github.com/mrv-dev/mrv/engine/forge/double"
)

func TestOnlyTrustedSummariesCount(t *testing.T) {
	b := setUp(t, double.Options{})
	sent := b.send(Options{})
	genuine := b.s.Standing("comment", 7)[0]
	mallory, bot := double.User{Login: "mallory", ID: 66}, double.User{Login: "github-actions[bot]", ID: 67, Type: "Bot"}
	pr, err := b.f.PullRequest(ctx, b.repo, 7)
	if err != nil {
		t.Fatal(err)
	}
	pull := func(trust Trust) (Pulled, error) { return Pull(ctx, b.f, pr, trust) }
	me := Trust{Logins: []string{"viewer"}}

	b.s.Say(7, mallory, genuine.Body)
	b.s.Say(7, mallory, "> "+genuine.Body)
	p, err := pull(me)
	if err != nil || p.Meta.Digest != sent.Digest || len(p.Notes) != 1 || !strings.Contains(p.Notes[0], "mallory is not counted") {
		t.Errorf("a forged copy: %v, %v", p.Notes, err)
	}
	if _, err := pull(Trust{Logins: []string{"somebody"}}); !errors.Is(err, ErrNoSummary) {
		t.Errorf("nobody trusted: %v", err)
	}
	b.s.Say(7, bot, genuine.Body)
	if p, err = pull(Trust{Logins: []string{"viewer", "github-actions[bot]"}}); err != nil || p.URL == "" || len(p.Notes) != 2 || !strings.Contains(p.Notes[1], "neither run nor digest") {
		t.Errorf("a bot's without proof: %v, %v", p.Notes, err)
	}
	if p, err = pull(Trust{Logins: []string{"github-actions[bot]"}, Run: "run-1"}); err != nil || p.Meta.Run != "run-1" {
		t.Errorf("a bot's with the run's id: %v", err)
	}
	// Somebody with the right to edit others' comments changed a word.
	b.s.EditAs(mallory, genuine.ID, genuine.Body)
	if _, err := pull(me); !errors.Is(err, ErrNoSummary) {
		t.Errorf("edited by a stranger: %v", err)
	}
	b.s.EditAs(double.User{Login: "viewer", ID: 1}, genuine.ID, strings.Replace(genuine.Body, "problem", "no problem", 1))
	if _, err := pull(me); err == nil || !strings.Contains(err.Error(), "digest") {
		t.Errorf("edited by the publisher's own hand: %v", err)
	}
}

func TestChooseTriagedBeforeRaw(t *testing.T) {
	s := func(id int64, head string, triaged bool) Summary {
		return Summary{ID: id, Meta: document.Meta{Head: head, Triaged: triaged}}
	}
	for _, c := range []struct {
		list []Summary // newest first
		want int64
	}{
		{[]Summary{s(3, "b", true), s(2, "a", true)}, 3},
		{[]Summary{s(3, "a", false), s(2, "a", true), s(1, "a", true)}, 2},
		{[]Summary{s(3, "b", false), s(2, "a", true)}, 3},
	} {
		got, rest, err := Choose(c.list)
		if err != nil || got.ID != c.want || len(rest) != len(c.list)-1 {
			t.Errorf("%+v: chose %d, %v", c.list, got.ID, err)
		}
	}
	if _, _, err := Choose(nil); !errors.Is(err, ErrNoSummary) {
		t.Error(err)
	}
}
