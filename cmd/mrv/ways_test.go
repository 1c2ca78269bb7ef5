package main

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine/document"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/forge/double"
	"github.com/mrv-dev/mrv/engine/inbox"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/window"
)

// triaged is a loop whose first run is decided: the token, TLS, SQL and the
// shell are accepted, the mode is rejected.
func triaged(t *testing.T) (*loop, document.Document) {
	t.Helper()
	l := newLoop(t)
	d := l.review()
	l.triage("a", "a", "a", "a", "r", "w")
	return l, d
}

// TestWhatPublishRefuses: each is found before anything is sent.
func TestWhatPublishRefuses(t *testing.T) {
	l, _ := triaged(t)
	for _, c := range []struct {
		name   string
		set    func()
		unset  func()
		args   []string
		code   review.Exit
		says   string
		posted bool
	}{
		{"own pull request", func() { l.forge.Update(7, func(p *double.Pull) { p.Author = double.User{Login: "viewer", ID: 1} }) },
			func() { l.forge.Update(7, func(p *double.Pull) { p.Author = double.User{Login: "author", ID: 2} }) },
			[]string{"--event", "approve"}, review.ExitUsage, "one's own pull request", false},
		{"untriaged asked for", nil, nil, []string{"--untriaged"}, review.ExitUsage, "is triaged", false},
		{"closed", func() { l.forge.Update(7, func(p *double.Pull) { p.State = "closed" }) },
			func() { l.forge.Update(7, func(p *double.Pull) { p.State = "open" }) }, nil, review.ExitUsage, "closed", false},
		{"an unknown event", nil, nil, []string{"--event", "merge"}, review.ExitUsage, "merge", false},
		{"an unknown finding", nil, nil, []string{"--post-security", "nobody-1.1"}, review.ExitUsage, "nobody-1.1", false},
		{"no permission", func() {
			l.forge.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
				if r.Method == http.MethodGet || r.URL.Path == "/graphql" {
					return false
				}
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusForbidden)
				_, _ = io.WriteString(w, `{"message":"Resource not accessible by personal access token"}`) // the client may be gone
				return true
			})
		}, func() { l.forge.Intercept(nil) }, nil, review.ExitUsage, "the inbox was written instead", false},
		{"a pending review", func() { l.forge.StartReview(7) }, nil, nil, review.ExitUsage, "not submitted", false},
	} {
		if c.set != nil {
			c.set()
		}
		r := l.run(append([]string{"publish", "latest"}, c.args...)...)
		if c.unset != nil {
			c.unset()
		}
		if r.code != int(c.code) || !strings.Contains(r.err, c.says) {
			t.Errorf("%s: exit %d, %s, want %q", c.name, r.code, r.err, c.says)
		}
		if n := len(l.forge.Standing("comment", 7)) + len(l.forge.Standing("line", 7)); n != 0 {
			t.Fatalf("%s: %d comments were posted", c.name, n)
		}
	}
	if ids := openList(t, l.read(".ai/reviews/pr-7.md")); len(ids) != 4 {
		t.Errorf("the inbox after a refusal holds %v, want the four that were accepted", ids)
	}
}

// TestTheOutboxPosts: what the screen lists is what is sent, to both places.
func TestTheOutboxPosts(t *testing.T) {
	l, _ := triaged(t)
	s := window.Start(t, l.command("resume", "latest"), 140, 40)
	s.See("acme/shop#7")
	s.Settle() // the board is open
	s.Press("tab")
	s.See("pull/7", "pr-7.md", "kept", "viewer")
	s.Press("j", "space") // what others can read is sent only when it is ticked
	s.Press("enter")
	s.Until("says that it was posted", func(string) bool {
		return len(l.forge.Standing("comment", 7)) == 1
	})
	s.Settle()
	s.Press("q", "y")
	if code := s.Exit(); code != 0 {
		t.Errorf("exit %d", code)
	}
	if n := len(l.forge.Standing("line", 7)); n != 3 {
		t.Errorf("%d comments on lines, want 3: the critical one is kept off the page", n)
	}
	if ids := openList(t, l.read(".ai/reviews/pr-7.md")); len(ids) != 4 {
		t.Errorf("the inbox holds %v, want four", ids)
	}
}

// TestAKnownTokenNeverLeaves: masking knows shapes, this knows the value.
func TestAKnownTokenNeverLeaves(t *testing.T) {
	l := newLoop(t)
	l.write("pay.go", strings.Replace(problems, "SELECT * FROM t WHERE", "SELECT '"+double.Token+"' FROM t WHERE", 1))
	l.push("a token of no known shape")
	l.review()
	l.triage("a", "a", "a")
	for _, args := range [][]string{{"publish", "latest"}, {"publish", "latest", "--dry-run"}, {"runs", "export", "latest", "--format", "markdown"}} {
		if r := l.run(args...); r.code != int(review.ExitUsage) || !strings.Contains(r.err, "token or password") || strings.Contains(r.out+r.err, double.Token) {
			t.Errorf("%v: exit %d\n%s%s", args, r.code, r.out, r.err)
		}
	}
	if n := len(l.forge.Standing("comment", 7)) + len(l.forge.Standing("line", 7)); n != 0 {
		t.Errorf("%d comments were posted", n)
	}
}

// TestUndoneAfterPosting: a decision taken back takes its comment along, and a
// moved head gets what did not change.
func TestUndoneAfterPosting(t *testing.T) {
	l, _ := triaged(t)
	l.must(review.ExitOK, "publish", "latest")
	l.triage("u", "u") // the mode's and the shell's
	r := l.must(review.ExitOK, "publish", "latest")
	if lines := l.forge.Standing("line", 7); len(lines) != 2 || !strings.Contains(r.out, "withdrawn") {
		t.Errorf("%d comments stand, want 2\n%s", len(lines), r.out)
	}
	l.write("pay.go", strings.Replace(problems, "db.Query(", "db.QueryRow(", 1))
	l.push("another query")
	l.must(review.ExitStale, "publish", "latest")
	r = l.must(review.ExitOK, "publish", "latest", "--on-moved", "reanchor", "--dry-run", "--json")
	p := decode[struct{ Planned event.Destination }](t, r.out)
	as := map[string]int{}
	for _, x := range p.Planned.Items {
		as[x.As]++
	}
	if as["there"] != 1 || as["summary"] != 1 || as["kept"] != 1 {
		t.Errorf("after the head moved: %+v", p.Planned.Items)
	}
}

// TestWhatNobodyReportsAgain: reviewers vary from run to run. What the builder
// contests, or claims to be fixed over the same code, is not lost by that.
func TestWhatNobodyReportsAgain(t *testing.T) {
	l, first := triaged(t)
	l.must(review.ExitOK, "publish", "latest")
	l.must(review.ExitOK, "pull", "7")
	l.must(review.ExitOK, "inbox", "resolve", of(t, first, "TLS").ID, "fixed", "--note", "done")
	l.must(review.ExitOK, "inbox", "resolve", of(t, first, "SQL").ID, "rejected", "--note", "it is a number")
	if r := l.must(review.ExitOK, "inbox"); !strings.Contains(r.out, string(inbox.Unchanged)) || !strings.Contains(r.out, string(inbox.Contested)) {
		t.Errorf("how the answers stand:\n%s", r.out)
	}
	second := decode[document.Document](t, l.run("review", "7", "--agent", "checks", "--trust-rules", "base", "--team", "quality:1", "--json").out)
	if len(second.Findings) != 2 {
		t.Fatalf("%d findings, want the two that are not settled: %+v", len(second.Findings), second.Findings)
	}
	tls, sql := of(t, second, "TLS"), of(t, second, "SQL")
	if tls.Status != document.Open || tls.Decision.Carried != first.Run || tls.Answer.Standing != string(inbox.Unchanged) || tls.Reviewers[0] != event.Earlier {
		t.Errorf("the claim: %+v by %+v, %+v", tls, tls.Decision, tls.Answer)
	}
	if sql.Status != document.Undecided || !sql.Answer.Contested || second.Counts.Contested != 1 {
		t.Errorf("the contested one: %+v, %+v", sql, sql.Answer)
	}
	s := window.Start(t, l.command("resume", "latest"), 140, 40)
	s.See("acme/shop#7")
	s.See("contested", "it is a number")
	s.Press("q", "y")
	s.Exit()
}

// TestOtherFormats: what was accepted, or all of it.
func TestOtherFormats(t *testing.T) {
	l, first := triaged(t)
	rejected := of(t, first, "Writable").Title
	for format, in := range map[string]string{"json": `"schema": "mrv.review.v1"`, "markdown": "# Review of", "sarif": `"version": "2.1.0"`} {
		some, all := l.must(review.ExitOK, "runs", "export", "latest", "--format", format).out, l.must(review.ExitOK, "runs", "export", "latest", "--format", format, "--all").out
		if !strings.Contains(some, in) || strings.Contains(some, rejected) || strings.Contains(all, token) {
			t.Errorf("%s:\n%s", format, some)
		}
		if format != "markdown" && !strings.Contains(all, rejected) {
			t.Errorf("%s --all leaves the rejected one out:\n%s", format, all)
		}
	}
	if r := l.run("runs", "export", "latest", "--format", "pdf"); r.code != int(review.ExitUsage) || !strings.Contains(r.err, "sarif") {
		t.Errorf("exit %d: %s", r.code, r.err)
	}
}
