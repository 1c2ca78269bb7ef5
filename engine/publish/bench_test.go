package publish

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/document"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/forge"
	"github.com/mrv-dev/mrv/engine/forge/double"
	"github.com/mrv-dev/mrv/engine/git/gittest"
	"github.com/mrv-dev/mrv/engine/review"
)

var ctx = context.Background()

// bench is a pull request on the double, and the review of it.
type bench struct {
	t    testing.TB
	s    *double.Server
	r    *gittest.Repo
	f    Forge
	set  *diff.Set
	doc  document.Document
	repo forge.Repo
	n    int // of the pull request
}

func lines(from, to int, change map[int]string) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		if s, ok := change[i]; ok {
			b.WriteString(s)
			continue
		}
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

// setUp makes: api.go with two hunks (lines 5-6 changed, line 40 deleted and
// one added), old.go removed, same.go untouched.
func setUp(t testing.TB, o double.Options) *bench {
	t.Helper()
	return onForge(t, history(t), o)
}

func history(t testing.TB) *gittest.Repo {
	t.Helper()
	r := gittest.New(t)
	r.Write("api.go", lines(1, 60, nil))
	r.Write("old.go", lines(1, 3, nil))
	r.Write("same.go", lines(1, 9, nil))
	r.Commit("base")
	r.Git("checkout", "-q", "-b", "topic")
	r.Write("api.go", lines(1, 60, map[int]string{5: "amount := req.Amount\n", 6: "refund(amount)\n", 40: "", 50: "key := uuid.New()\n"}))
	r.Git("rm", "-q", "old.go")
	r.Commit("change")
	return r
}

func onForge(t testing.TB, r *gittest.Repo, o double.Options) *bench {
	t.Helper()
	o.Dir = r.Dir
	s := double.Start(t, o, double.Pull{Number: 7, Title: "The change", Base: "main", Head: "topic"})
	s.Setenv(s.Env())
	f, err := Connect(ctx, "github.com")
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, s: s, r: r, f: f, repo: forge.Repo{Host: "github.com", Owner: "octo", Name: "repo"}, n: 7}
	if b.set, err = diff.Parse([]byte(r.Git("diff", "-M", "main...topic") + "\n")); err != nil {
		t.Fatal(err)
	}
	b.doc = b.review()
	return b
}

// review is a triaged review: a finding for each kind of place.
func (b *bench) review() document.Document {
	d := document.Document{
		Schema: document.Schema, Run: "run-1", WrittenAt: "2026-11-30T12:00:00Z", Lang: review.English, Verdict: review.ChangesNeeded, Complete: true,
		TriagedBy: []string{"viewer"}, Change: document.Change{
			Source: event.FromPR, Name: "octo/repo#7", Host: "github.com", Repository: "octo/repo", Number: b.n,
			Head: b.r.Git("rev-parse", "topic"), Identity: b.r.Git("rev-parse", "topic"), Visibility: "public",
		},
	}
	for i, c := range []struct {
		path       string
		start, end int
		old        bool
		quote      string
	}{
		{"api.go", 5, 6, false, "amount := req.Amount\nrefund(amount)"}, // a range
		{"api.go", 49, 49, false, "key := uuid.New()"},                  // a line
		{"api.go", 40, 40, true, "line 40"},                             // a deleted line
		{"api.go", 20, 20, false, ""},                                   // outside every hunk
		{"same.go", 3, 3, false, ""},                                    // not in the change
		{"old.go", 2, 2, true, "line 2"},                                // in a deleted file
	} {
		id := review.FindingID("quality-1", i+1)
		d.Findings = append(d.Findings, document.Finding{
			ID: id, Sources: []string{id}, Status: document.Open, Severity: review.Warning, Worst: review.Warning,
			Title: "problem " + id, Observation: "seen " + id, Inference: "leads to " + id, Judgment: "must fix " + id, Quote: c.quote,
			Place: b.set.LocateIn(func(p string) bool { return p == "same.go" }, diff.Claim{Path: c.path, Start: c.start, End: c.end, Old: c.old, Quote: c.quote}),
			Where: c.path, Reviewers: []string{"quality-1"}, Models: []string{}, Decision: &review.Decision{Choice: review.Accepted, By: "viewer"},
		})
	}
	d.Findings[0].Replacement = "amount := ledger.Captured(req.ID)\nrefund(amount)"
	d.Counts.Accepted = len(d.Findings)
	return d
}

func (b *bench) look() Facts {
	b.t.Helper()
	facts, err := Look(ctx, b.f, b.repo, b.n, b.doc, forge.User{}, Trust{})
	if err != nil {
		b.t.Fatal(err)
	}
	return facts
}

func (b *bench) plan(opt Options) Planned { return Plan(b.doc, b.set, b.look(), opt) }

var sender = func(f Forge) Sender {
	return Sender{Forge: f, Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}
}

func (b *bench) send(opt Options) Sent {
	b.t.Helper()
	sent, err := sender(b.f).Send(ctx, b.plan(opt))
	if err != nil {
		b.t.Fatal(err)
	}
	return sent
}

func landing(posts []Post) string {
	var out []string
	for _, x := range posts {
		out = append(out, strings.TrimSpace(x.As+" "+where(x)))
	}
	return strings.Join(out, "; ")
}

const everywhere = "inline api.go:5-6 RIGHT; inline api.go:49 RIGHT; inline api.go:40 LEFT; file api.go; summary; inline old.go:2 LEFT"
