package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine/document"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/forge/double"
	"github.com/mrv-dev/mrv/engine/gate"
	"github.com/mrv-dev/mrv/engine/review"
)

var boss, dev, bot = double.User{Login: "boss", ID: 9, Type: "User"}, double.User{Login: "author", ID: 2}, double.User{Login: "github-actions[bot]", ID: 5, Type: "Bot"}

const rulesOfTheGate = "publishers: [viewer]\ngate:\n  branches: [main, release/*]\n  checks: [lint]\n  task_path: tasks/{id}.md\n  task_states: [in review]\n"

// gated is a pull request for which every condition can hold; its review is
// put on it by says.
func gated(t *testing.T) *loop {
	t.Helper()
	// Before the forge's own clock, which stands still.
	t.Setenv("GIT_AUTHOR_DATE", "2023-05-05T10:00:00Z")
	t.Setenv("GIT_COMMITTER_DATE", "2023-05-05T10:00:00Z")
	l := newLoop(t)
	l.up.write(".mrv/config.yaml", rulesOfTheGate)
	l.up.write("tasks/PAY-12.md", "---\nid: PAY-12\nstatus: in review\n---\n# Pay with TLS\n")
	l.up.git("add", "-A")
	l.up.git("commit", "-q", "-m", "rules")
	return l
}

// good is a review that a gate likes: a model has read all of the change, and
// somebody else than its author triaged what it said.
func (l *loop) good() document.Document {
	head := l.up.git("rev-parse", "feature")
	return document.Document{
		Schema: document.Schema, Run: "20261130-210000-0001", WrittenAt: "2026-11-30T21:00:00Z", Lang: review.English, Verdict: review.NoBlockingFindings, Complete: true,
		TriagedBy: []string{"viewer"}, Read: document.Read{Marker: "mrv-1", By: []string{"quality-1"}}, Findings: []document.Finding{},
		Change: document.Change{Source: event.FromPR, Name: "acme/shop#7", Host: "github.com", Repository: "acme/shop", Number: 7, Head: head, Identity: head},
	}
}

func (l *loop) summary(by double.User, d document.Document, opt document.CommentOptions) {
	l.t.Helper()
	body, err := document.Comment(d, opt)
	if err != nil {
		l.t.Fatal(err)
	}
	l.forge.Say(7, by, body)
}

// gateRow is what is changed, and what the gate then says of which
// condition.
type gateRow struct {
	name    string
	review  func(*document.Document)
	forge   func(l *loop)
	args    []string
	code    string // of the condition
	outcome gate.Outcome
	exit    review.Exit
	says    string
}

// TestTheGate: each condition alone, on the forge, with the shipped binary.
func TestTheGate(t *testing.T) {
	base := gated(t)
	for _, c := range append(reviewRows(), forgeRows()...) {
		t.Run(c.name, func(t *testing.T) {
			l := base.on(t)
			l.forge.Update(7, func(p *double.Pull) { p.Title = "PAY-12 Pay with TLS" })
			green(l)
			d := l.good()
			if c.review != nil {
				c.review(&d)
			}
			if c.name != "no review" {
				l.summary(me, d, document.CommentOptions{As: "viewer"})
			}
			if c.forge != nil {
				c.forge(l)
			}
			r := l.run(append([]string{"gate", "7", "--json"}, c.args...)...)
			t.Logf("exit %d: %s", r.code, r.err)
			if r.code != int(c.exit) {
				t.Errorf("exit %d, want %d\n%s%s", r.code, c.exit, r.out, r.err)
			}
			if c.code == "" {
				if !strings.Contains(r.err, c.says) {
					t.Errorf("it does not say %q: %s", c.says, r.err)
				}
				return
			}
			g := decode[struct{ Gate gate.Result }](t, r.out).Gate
			x := condition(t, g, c.code)
			t.Logf("%s: %s (%s)", x.Text, x.Outcome, x.Evidence)
			if x.Outcome != c.outcome || !strings.Contains(x.Evidence, c.says) {
				t.Errorf("%s: %s (%s), want %s with %q", c.code, x.Outcome, x.Evidence, c.outcome, c.says)
			}
			for _, o := range g.Conditions {
				if o.Code != c.code && o.Outcome != gate.Held && c.outcome != gate.Held && c.code != "review" {
					t.Errorf("%s as well: %s (%s)", o.Code, o.Outcome, o.Evidence)
				}
			}
		})
	}
}

func green(l *loop) {
	l.forge.SetGate(double.Gate{Protected: []string{"build"}, Ruled: []string{"docs"}, Runs: map[string]string{"build": "success", "docs": "skipped"},
		Statuses: map[string]string{"lint": "success"}, Permissions: map[string]string{"boss": "maintain", "author": "write", "reader": "read", "viewer": "admin"}})
}

// reviewRows are about the review that stands on the pull request.
func reviewRows() []gateRow {
	return []gateRow{
		{name: "all hold", code: "review", outcome: gate.Held, says: "by viewer"},
		{name: "no review", code: "review", outcome: gate.NotHeld, exit: 1, says: "no review by mrv"},
		{name: "a stranger's review", forge: func(l *loop) {
			l.forge.EditAs(mallory, l.forge.Standing("comment", 7)[0].ID, l.forge.Standing("comment", 7)[0].Body)
		}, code: "review", outcome: gate.NotHeld, exit: 1, says: "no review by mrv"},
		{name: "changed by hand", forge: func(l *loop) {
			c := l.forge.Standing("comment", 7)[0]
			l.forge.EditAs(me, c.ID, strings.Replace(c.Body, "NO_BLOCKING_FINDINGS", "no_blocking_findings", 1))
		}, code: "review", outcome: gate.NotHeld, exit: 1, says: "verdict"},
		{name: "comments that can not be read", forge: func(l *loop) { l.says(-1, "POST graphql", http.StatusBadGateway, htmlBroken) }, code: "review", outcome: gate.Unknown, exit: 2, says: "502"},
		{name: "stale", forge: (*loop).another, code: "head", outcome: gate.NotHeld, exit: 1, says: "stale"},
		{name: "nobody repeated the marker", review: func(d *document.Document) { d.Read.By = nil }, code: "read", outcome: gate.NotHeld, exit: 1, says: "no reviewer"},
		{name: "one did not read", review: func(d *document.Document) { d.Read.Not = []string{"security-1"} }, code: "read", outcome: gate.NotHeld, exit: 1, says: "security-1"},
		{name: "a reviewer is missing", review: func(d *document.Document) { d.Complete, d.Missing = false, []string{"security-1"} }, code: "complete", outcome: gate.NotHeld, exit: 1, says: "missing: security-1"},
		{name: "triaged by the author alone", review: func(d *document.Document) { d.TriagedBy = []string{"author"} }, code: "triage", outcome: gate.NotHeld, exit: 1, says: "only by author"},
		{name: "triaged by another, which the author alone says", forge: func(l *loop) {
			l.rules(strings.Replace(rulesOfTheGate, "[viewer]", "[viewer, author]", 1))
			l.summary(dev, l.good(), document.CommentOptions{As: "author"})
		}, code: "triage", outcome: gate.NotHeld, exit: 1, says: "author, the author, posted it"},
		{name: "triaged by the author, which the project allows", review: func(d *document.Document) { d.TriagedBy = []string{"author"} },
			forge: func(l *loop) { l.rules(rulesOfTheGate + "  allow_author: true\n") }, code: "triage", outcome: gate.Held, says: "by author"},
		{name: "changes needed", review: func(d *document.Document) { d.Verdict = review.ChangesNeeded }, code: "verdict", outcome: gate.NotHeld, exit: 1, says: "CHANGES_NEEDED"},
		{name: "escalated", review: func(d *document.Document) { d.Counts.Escalated = 1 }, code: "open", outcome: gate.NotHeld, exit: 1, says: "1 escalated"},
		{name: "contested", review: func(d *document.Document) { d.Counts.Contested = 1 }, code: "open", outcome: gate.NotHeld, exit: 1, says: "1 contested"},
		{name: "undecided", review: func(d *document.Document) { d.Counts.Undecided = 2 }, code: "open", outcome: gate.NotHeld, exit: 1, says: "2 undecided"},
	}
}

// forgeRows are about the pull request itself.
func forgeRows() []gateRow {
	state := func(change func(*double.Gate)) func(*loop) {
		return func(l *loop) {
			g := double.Gate{Protected: []string{"build"}, Ruled: []string{"docs"}, Runs: map[string]string{"build": "success", "docs": "success"}, Statuses: map[string]string{"lint": "success"}}
			change(&g)
			l.forge.SetGate(g)
		}
	}
	pull := func(change func(*double.Pull)) func(*loop) { return func(l *loop) { l.forge.Update(7, change) } }
	return []gateRow{
		{name: "a red check that the branch requires", forge: state(func(g *double.Gate) { g.Runs["build"] = "failure" }), code: "checks", outcome: gate.NotHeld, exit: 1, says: "build: failure"},
		{name: "a check of a ruleset that runs", forge: state(func(g *double.Gate) { g.Runs["docs"] = "in_progress" }), code: "checks", outcome: gate.NotHeld, exit: 1, says: "docs: pending"},
		{name: "a check of the project that never ran", forge: state(func(g *double.Gate) { g.Statuses = nil }), code: "checks", outcome: gate.NotHeld, exit: 1, says: "lint: has not run"},
		{name: "green as a run, red as a status", forge: state(func(g *double.Gate) { g.Statuses["build"] = "failure" }), code: "checks", outcome: gate.NotHeld, exit: 1, says: "build: failure"},
		{name: "checks that can not be read", forge: func(l *loop) { l.says(-1, "GET check-runs", http.StatusForbidden, noAccess) }, code: "checks", outcome: gate.Unknown, exit: 2, says: "Resource not accessible"},
		{name: "another target", forge: func(l *loop) {
			l.up.git("branch", "old", "main")
			l.forge.Update(7, func(p *double.Pull) { p.Base = "old" })
		}, code: "branch", outcome: gate.NotHeld, exit: 1, says: "old is none of main, release/*"},
		{name: "a card in another state", forge: func(l *loop) { l.file("tasks/PAY-12.md", "---\nstatus: todo\n---\n") }, code: "card", outcome: gate.NotHeld, exit: 1, says: `"todo"`},
		{name: "no card", forge: pull(func(p *double.Pull) { p.Title = "PAY-13 Pay" }), code: "card", outcome: gate.NotHeld, exit: 1, says: "no task card"},
		{name: "no card named", forge: pull(func(p *double.Pull) { p.Title = "Pay" }), code: "card", outcome: gate.NotHeld, exit: 1, says: "no task card"},
		{name: "a card that is none", forge: func(l *loop) { l.file("tasks/PAY-12.md", "---\nstatus: [\n---\n") }, code: "card", outcome: gate.Unknown, exit: 2, says: "tasks/PAY-12.md"},
		{name: "a draft", forge: pull(func(p *double.Pull) { p.Draft = true }), code: "ready", outcome: gate.NotHeld, exit: 1, says: "draft"},
		{name: "closed", forge: pull(func(p *double.Pull) { p.State = "closed" }), code: "ready", outcome: gate.NotHeld, exit: 1, says: "closed"},
		{name: "rules that can not be read", forge: func(l *loop) { l.rules("gate: [\n") }, exit: 2, says: ".mrv/config.yaml"},
		{name: "no such pull request", args: []string{"--repo", "acme/other"}, exit: 2, says: "acme/other"},
	}
}

// rules changes the rules on the default branch; file another file there.
func (l *loop) rules(text string) { l.file(".mrv/config.yaml", text) }

func (l *loop) file(name, text string) {
	l.up.git("checkout", "-q", "main")
	l.up.write(name, text)
	l.up.git("commit", "-q", "-a", "-m", "another")
}

// TestBreakingTheGlass: only the exact line, unedited, newer than the head, by
// a person who may write and did not write the change.
func TestBreakingTheGlass(t *testing.T) {
	base := gated(t)
	head := base.up.git("rev-parse", "feature")
	line := "break glass " + head
	for _, c := range []struct {
		name string
		by   double.User
		body string
		then func(l *loop)
		why  string // "" = the gate holds
	}{
		{name: "as it should be", by: boss, body: line + "\nproduction is down"},
		{name: "a short head", by: boss, body: line[:20], why: "not exactly"},
		{name: "another head", by: boss, body: "break glass " + strings.Repeat("ab", 20), why: "another head"},
		{name: "words behind it", by: boss, body: line + " please", why: "not exactly"},
		{name: "not the first line", by: boss, body: "please\n" + line, why: "nothing"},
		{name: "edited", by: boss, body: line, then: func(l *loop) { l.forge.EditAs(boss, l.forge.Standing("comment", 7)[0].ID, line) }, why: "it was edited"},
		{name: "edited by somebody else into one", by: boss, body: "hello", then: func(l *loop) { l.forge.EditAs(mallory, l.forge.Standing("comment", 7)[0].ID, line) }, why: "it was edited"},
		{name: "by the author", by: dev, body: line, why: "the author of the pull request"},
		{name: "by a reader", by: double.User{Login: "reader", ID: 11}, body: line, why: "may not write"},
		{name: "by nobody of here", by: mallory, body: line, why: "may not write"},
		{name: "by a program", by: bot, body: line, why: "a program"},
		{name: "by one whose permission is not known", by: boss, body: line, then: func(l *loop) { l.says(-1, "GET permission", http.StatusForbidden, noAccess) }, why: "is not known"},
		{name: "and then the head moved", by: boss, body: line, then: (*loop).another, why: "another head"},
		{name: "where the project has none", by: boss, body: line, then: func(l *loop) { l.rules(rulesOfTheGate + "  no_break_glass: true\n") }, why: "nothing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := base.on(t)
			green(l)
			l.forge.Say(7, c.by, c.body)
			if c.then != nil {
				c.then(l)
			}
			r := l.run("gate", "7", "--approve", "--label", "ready-to-merge")
			t.Logf("exit %d\n%s", r.code, lastLines(r.out, 2))
			acts := len(l.forge.Standing("review", 7)) + len(l.forge.Standing("label", 7))
			if c.why == "" {
				if r.code != 0 || !strings.Contains(r.out, "the gate holds") || !strings.Contains(r.out, "glass broken by boss") || acts != 2 {
					t.Errorf("exit %d, %d acts\n%s", r.code, acts, r.out)
				}
				return
			}
			if refused := strings.Contains(r.out, "glass not broken: "); r.code == 0 || acts != 0 || refused != (c.why != "nothing") || refused && !strings.Contains(r.out, c.why) {
				t.Errorf("exit %d, %d acts, want %q\n%s", r.code, acts, c.why, r.out)
			}
		})
	}
	l := base.on(t)
	green(l)
	l.up.git("checkout", "-q", "feature")
	t.Setenv("GIT_COMMITTER_DATE", "2030-05-05T10:00:00Z")
	l.up.git("commit", "-q", "--allow-empty", "-m", "later")
	l.forge.Say(7, boss, "break glass "+l.up.git("rev-parse", "feature"))
	if r := l.run("gate", "7"); r.code == 0 || !strings.Contains(r.out, "not known to be newer") {
		t.Errorf("older than the head: exit %d\n%s", r.code, r.out)
	}
}

// TestWhatTheGateDoes: only what was asked for, and only on that outcome.
func TestWhatTheGateDoes(t *testing.T) {
	base := gated(t)
	for _, c := range []struct {
		name    string
		verdict review.Verdict
		set     func(*loop)
		args    []string
		exit    review.Exit
		review  string // state of the review that stands then, "" for none
		label   bool
		says    string
	}{
		{name: "it holds, nothing asked for", verdict: review.NoBlockingFindings},
		{name: "it holds, approve", verdict: review.NoBlockingFindings, args: []string{"--approve"}, review: "APPROVED", says: "done: approve"},
		{name: "it holds, label", verdict: review.NoBlockingFindings, args: []string{"--label", "ready-to-merge"}, label: true, says: "done: label"},
		{name: "it holds, request changes", verdict: review.NoBlockingFindings, args: []string{"--request-changes"}},
		{name: "it holds, all three", verdict: review.NoBlockingFindings, args: []string{"--approve", "--label", "ready-to-merge", "--request-changes"}, review: "APPROVED", label: true},
		{name: "it does not hold, nothing asked for", verdict: review.ChangesNeeded, exit: 1},
		{name: "it does not hold, approve and label", verdict: review.ChangesNeeded, args: []string{"--approve", "--label", "x"}, exit: 1},
		{name: "it does not hold, request changes", verdict: review.ChangesNeeded, args: []string{"--request-changes"}, exit: 1, review: "CHANGES_REQUESTED", says: "done: request-changes"},
		{name: "it is not known, all three", verdict: review.NoBlockingFindings, set: func(l *loop) { l.says(-1, "GET check-runs", http.StatusForbidden, noAccess) },
			args: []string{"--approve", "--label", "x", "--request-changes"}, exit: 2},
		{name: "one's own pull request", verdict: review.NoBlockingFindings, set: func(l *loop) {
			l.rules(rulesOfTheGate + "  allow_author: true\n")
			l.forge.Update(7, func(p *double.Pull) { p.Author = me })
		}, args: []string{"--approve"}, exit: 2, says: "one's own pull request can only be commented on"},
		{name: "a label without the permission", verdict: review.NoBlockingFindings, set: func(l *loop) { l.says(-1, "POST labels", http.StatusForbidden, noAccess) },
			args: []string{"--label", "x"}, exit: 2, says: "Resource not accessible"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := base.on(t)
			l.forge.Update(7, func(p *double.Pull) { p.Title = "PAY-12 Pay with TLS" })
			green(l)
			d := l.good()
			d.Verdict = c.verdict
			l.summary(me, d, document.CommentOptions{As: "viewer"})
			if c.set != nil {
				c.set(l)
			}
			r := l.run(append([]string{"gate", "7"}, c.args...)...)
			if r.code != int(c.exit) || !strings.Contains(r.err, c.says) {
				t.Errorf("exit %d, want %d and %q\n%s%s", r.code, c.exit, c.says, r.out, r.err)
			}
			state := ""
			for _, s := range l.forge.Standing("review", 7) {
				state += s.State
			}
			if labels := l.forge.Standing("label", 7); state != c.review || (len(labels) == 1) != c.label {
				t.Errorf("reviews %q and labels %+v, want %q and %v", state, labels, c.review, c.label)
			}
		})
	}
}
