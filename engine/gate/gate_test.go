package gate

import (
	"errors"
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine/review"
)

const head = "8b1e07d4c2a95f3e6d7081b2c3d4e5f60718293a"
const other = "3f9c2a1b0d8e7f6a5b4c3d2e1f0a9b8c7d6e5f40"

// holding is a pull request for which the whole table holds.
func holding() (Known, Rules) {
	return Known{
			PR: PR{Number: 12, Author: "dev", State: "open", Base: "main", Head: head, Pushed: "2026-11-30T10:00:00Z"},
			Review: Review{
				URL: "https://x/1", Author: "maintainer", Head: head, Verdict: review.NoBlockingFindings, Complete: true, Triaged: true,
				TriagedBy: []string{"maintainer"}, ReadMarker: "m", ReadBy: []string{"quality-1"},
			},
			Checks: Checks{Required: []Check{{"build", "success"}, {"docs", "skipped"}}, Others: []Check{{"lint", "success"}}},
			Card:   Card{Path: "tasks/12.md", State: "in review"},
		}, Rules{
			Branches: []string{"main", "release/*"}, Checks: []string{"lint", "build"}, CardStates: []string{"in review"},
		}
}

func TestEachConditionAlone(t *testing.T) {
	err := errors.New("502")
	for _, c := range []struct {
		name    string
		change  func(*Known, *Rules)
		code    string
		outcome Outcome
		exit    review.Exit
		says    string
	}{
		{"all hold", func(*Known, *Rules) {}, "review", Held, 0, "maintainer"},
		{"the comments can not be read", func(k *Known, _ *Rules) { k.Review.Unread = err }, "review", Unknown, 2, "502"},
		{"there is no review", func(k *Known, _ *Rules) { k.Review.Err = errors.New("no review by mrv") }, "review", NotHeld, 1, "no review by mrv"},
		{"another head", func(k *Known, _ *Rules) { k.Review.Head = other }, "head", NotHeld, 1, "stale: reviewed 3f9c2a1, now 8b1e07d"},
		{"no head", func(k *Known, _ *Rules) { k.Review.Head, k.PR.Head = "", "" }, "head", NotHeld, 1, "stale"},
		{"no marker", func(k *Known, _ *Rules) { k.Review.ReadBy = nil }, "read", NotHeld, 1, "no reviewer"},
		{"one did not read", func(k *Known, _ *Rules) { k.Review.ReadNot = []string{"security-1"} }, "read", NotHeld, 1, "security-1"},
		{"one is missing", func(k *Known, _ *Rules) { k.Review.Missing = []string{"security-1"} }, "complete", NotHeld, 1, "security-1"},
		{"unread", func(k *Known, _ *Rules) { k.Review.Complete = false }, "complete", NotHeld, 1, "unread"},
		{"not triaged", func(k *Known, _ *Rules) { k.Review.Triaged = false }, "triage", NotHeld, 1, "not triaged"},
		{"by the author", func(k *Known, _ *Rules) { k.Review.TriagedBy = []string{"Dev"} }, "triage", NotHeld, 1, "only by dev"},
		{"by the author and another", func(k *Known, _ *Rules) { k.Review.TriagedBy = []string{"dev", "ada"} }, "triage", Held, 0, "dev, ada"},
		{"by another, says the author", func(k *Known, _ *Rules) { k.Review.Author = "DEV" }, "triage", NotHeld, 1, "dev, the author, posted it"},
		{"by another, says the author, allowed", func(k *Known, r *Rules) { k.Review.Author, r.SelfTriage = "dev", true }, "triage", Held, 0, "maintainer"},
		{"by the author, allowed", func(k *Known, r *Rules) { k.Review.TriagedBy = []string{"dev"}; r.SelfTriage = true }, "triage", Held, 0, "dev"},
		{"nobody knows the author", func(k *Known, _ *Rules) { k.PR.Author = "" }, "triage", Unknown, 2, "not known"},
		{"changes needed", func(k *Known, _ *Rules) { k.Review.Verdict = review.ChangesNeeded }, "verdict", NotHeld, 1, "CHANGES_NEEDED"},
		{"a person is needed", func(k *Known, _ *Rules) { k.Review.Verdict = review.HumanCheckNeeded }, "verdict", NotHeld, 1, "HUMAN"},
		{"escalated", func(k *Known, _ *Rules) { k.Review.Escalated = 1 }, "open", NotHeld, 1, "1 escalated"},
		{"contested", func(k *Known, _ *Rules) { k.Review.Contested = 2 }, "open", NotHeld, 1, "2 contested"},
		{"undecided", func(k *Known, _ *Rules) { k.Review.Undecided = 3 }, "open", NotHeld, 1, "3 undecided"},
		{"a red check", func(k *Known, _ *Rules) { k.Checks.Required[0].State = "failure" }, "checks", NotHeld, 1, "build: failure"},
		{"a check under way", func(k *Known, _ *Rules) { k.Checks.Others[0].State = "pending" }, "checks", NotHeld, 1, "lint: pending"},
		{"a check that never ran", func(k *Known, _ *Rules) { k.Checks.Others = nil }, "checks", NotHeld, 1, "lint: has not run"},
		{"no check", func(k *Known, r *Rules) { k.Checks, r.Checks = Checks{}, nil }, "checks", NotUsed, 0, "no check"},
		{"checks can not be read", func(k *Known, _ *Rules) { k.Checks.Err = err }, "checks", Unknown, 2, "502"},
		{"another branch", func(k *Known, _ *Rules) { k.PR.Base = "dev" }, "branch", NotHeld, 1, "dev is none of main, release/*"},
		{"a branch by pattern", func(k *Known, _ *Rules) { k.PR.Base = "release/1" }, "branch", Held, 0, "release/1"},
		{"any branch", func(k *Known, r *Rules) { k.PR.Base, r.Branches = "dev", nil }, "branch", NotUsed, 0, "dev"},
		{"a bad pattern", func(_ *Known, r *Rules) { r.Branches = []string{"["} }, "branch", Unknown, 2, "pattern"},
		{"no card", func(k *Known, _ *Rules) { k.Card = Card{} }, "card", NotHeld, 1, "no task card"},
		{"a card in another state", func(k *Known, _ *Rules) { k.Card.State = "todo" }, "card", NotHeld, 1, `"todo"`},
		{"the card can not be read", func(k *Known, _ *Rules) { k.Card.Err = err }, "card", Unknown, 2, "502"},
		{"no card asked for", func(k *Known, r *Rules) { k.Card, r.CardStates = Card{}, nil }, "card", NotUsed, 0, ""},
		{"a draft", func(k *Known, _ *Rules) { k.PR.Draft = true }, "ready", NotHeld, 1, "draft"},
		{"merged", func(k *Known, _ *Rules) { k.PR.State = "merged" }, "ready", NotHeld, 1, "merged"},
		{"red and unknown", func(k *Known, _ *Rules) { k.PR.Draft, k.Checks.Err = true, err }, "ready", NotHeld, 2, "draft"},
	} {
		k, r := holding()
		c.change(&k, &r)
		got := Evaluate(k, r)
		if len(got.Conditions) != len(table) || got.Exit != c.exit || got.Holds != (c.exit == 0) {
			t.Errorf("%s: exit %d, holds %v, want exit %d", c.name, got.Exit, got.Holds, c.exit)
		}
		for _, x := range got.Conditions {
			if x.Code == c.code && (x.Outcome != c.outcome || !strings.Contains(x.Evidence, c.says)) {
				t.Errorf("%s: %s is %q (%s), want %q with %q", c.name, x.Code, x.Outcome, x.Evidence, c.outcome, c.says)
			}
			if x.Evidence == "" || x.Text == "" {
				t.Errorf("%s: %s has no evidence", c.name, x.Code)
			}
		}
	}
}

func TestBreakGlass(t *testing.T) {
	good := Comment{Author: "ada", Body: "break glass " + head + "\r\nproduction is down", URL: "https://x/9", Created: "2026-11-30T11:00:00Z", Permission: "write"}
	for _, c := range []struct {
		name   string
		change func(*Comment, *PR)
		why    string // "" = it counts
	}{
		{"as it should be", func(*Comment, *PR) {}, ""},
		{"by an admin", func(c *Comment, _ *PR) { c.Permission = "admin" }, ""},
		{"another head", func(c *Comment, _ *PR) { c.Body = "break glass " + other }, "another head"},
		{"a short head", func(c *Comment, _ *PR) { c.Body = "break glass " + head[:7] }, "not exactly"},
		{"words behind it", func(c *Comment, _ *PR) { c.Body = "break glass " + head + " please" }, "not exactly"},
		{"a space before it", func(c *Comment, _ *PR) { c.Body = " break glass " + head }, "not exactly"},
		{"capitals", func(c *Comment, _ *PR) { c.Body = "Break glass " + head }, "not exactly"},
		{"edited", func(c *Comment, _ *PR) { c.Edited = true }, "edited"},
		{"by a bot", func(c *Comment, _ *PR) { c.Bot = true }, "program"},
		{"by the author", func(c *Comment, _ *PR) { c.Author = "Dev" }, "the author of the pull request"},
		{"older than the head", func(c *Comment, _ *PR) { c.Created = "2026-11-30T09:59:59Z" }, "newer"},
		{"as old as the head", func(c *Comment, _ *PR) { c.Created = "2026-11-30T10:00:00Z" }, "newer"},
		{"nobody knows when the head came", func(_ *Comment, p *PR) { p.Pushed = "" }, "newer"},
		{"by a triager", func(c *Comment, _ *PR) { c.Permission = "triage" }, "may not write"},
		{"by nobody known", func(c *Comment, _ *PR) { c.Permission = "" }, "may not write"},
		{"permission not known", func(c *Comment, _ *PR) { c.PermissionErr = errors.New("502") }, "502"},
	} {
		k, r := holding()
		k.Review.Verdict, k.Checks.Err = review.ChangesNeeded, errors.New("down")
		comment := good
		c.change(&comment, &k.PR)
		k.Glass = []Comment{{Body: "unrelated", Author: "x"}, comment}
		got := Evaluate(k, r)
		if counts := c.why == ""; got.Holds != counts || (got.Glass != nil) != counts {
			t.Errorf("%s: holds %v, glass %v", c.name, got.Holds, got.Glass)
		}
		if c.why == "" {
			if got.Glass == nil || got.Glass.By != "ada" || got.Glass.Head != head || got.Exit != 0 || len(got.Refused) != 0 {
				t.Errorf("%s: %+v", c.name, got)
			}
		} else if len(got.Refused) != 1 || !strings.Contains(got.Refused[0], c.why) {
			t.Errorf("%s: %v, want %q", c.name, got.Refused, c.why)
		}
	}
}
