package publish

import (
	"context"
	"errors"
	"fmt"
	"net/http"
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

func TestSendPutsEachFindingInItsPlaceOnce(t *testing.T) {
	b := setUp(t, double.Options{})
	sent := b.send(Options{Suggest: map[string]bool{"quality-1.1": true}})
	if got := landing(sent.Posts); got != everywhere {
		t.Fatalf("landed: %s\nwant:   %s", got, everywhere)
	}
	said := b.s.Standing("line", 7)
	if len(said) != 5 || said[0].Start != 5 || said[0].Line != 6 || said[2].Side != "LEFT" {
		t.Errorf("on lines: %+v", said)
	}
	if !strings.Contains(said[0].Body, "```suggestion\namount := ledger.Captured(req.ID)\n") || strings.Contains(said[1].Body, "suggestion") {
		t.Error("a suggestion is for the exact lines that were shown, and only there")
	}
	if n := len(b.s.Standing("review", 7)); n != 1 {
		t.Errorf("%d reviews, want one", n)
	}
	summary := b.s.Standing("comment", 7)
	if len(summary) != 1 || !strings.Contains(summary[0].Body, "seen quality-1.5") || strings.Contains(summary[0].Body, "seen quality-1.1\n") {
		t.Errorf("summary: %+v", summary)
	}

	again := b.send(Options{})
	if got, want := landing(again.Posts), "there api.go:5-6 RIGHT; there api.go:49 RIGHT; there api.go:40 LEFT; there api.go; summary; there old.go:2 LEFT"; got != want {
		t.Errorf("again: %s", got)
	}
	if len(b.s.Standing("line", 7)) != 5 || len(b.s.Standing("comment", 7)) != 1 || len(b.s.Standing("review", 7)) != 1 {
		t.Error("the repeat posted something twice")
	}
	if sent.Digest == "" || sent.Export().Head != b.doc.Change.Head || len(sent.Export().Accepted) != 6 {
		t.Errorf("for the journal: %+v", sent.Export())
	}

	pr, err := b.f.PullRequest(ctx, b.repo, 7)
	if err != nil {
		t.Fatal(err)
	}
	pulled, err := Pull(ctx, b.f, pr, Trust{Logins: []string{"viewer"}})
	if err != nil || pulled.Stale || len(pulled.Document.Findings) != 6 || pulled.Meta.Digest != again.Digest {
		t.Errorf("pulled %+v, %v", pulled.Meta, err)
	}
}

func TestWhatIsTakenBackIsWithdrawn(t *testing.T) {
	b := setUp(t, double.Options{})
	b.send(Options{})
	said := b.s.Standing("line", 7)
	b.s.Reply(7, double.User{Login: "author", ID: 2}, said[0].ID, "why?")
	for _, i := range []int{0, 1} {
		b.doc.Findings[i].Status, b.doc.Findings[i].Decision = document.Rejected, &review.Decision{Choice: review.Rejected, Reason: review.FalsePositive, By: "viewer"}
	}
	b.doc.Findings[2].Observation = "seen better"
	sent := b.send(Options{})
	if len(sent.Notes) != 3 {
		t.Errorf("notes: %v", sent.Notes)
	}
	var bodies []string
	for _, c := range b.s.Standing("line", 7) {
		bodies = append(bodies, c.Body)
	}
	all := strings.Join(bodies, "\n")
	if len(bodies) != 5 || !strings.HasPrefix(bodies[0], "Withdrawn by viewer") || strings.Contains(all, "seen quality-1.2") || !strings.Contains(all, "seen better") {
		t.Errorf("after taking two back:\n%s", all)
	}
}

func TestTheHeadMoves(t *testing.T) {
	b := setUp(t, double.Options{})
	early := b.plan(Options{})
	b.r.Write("api.go", lines(1, 60, map[int]string{1: "new\nlines\n", 5: "amount := req.Amount\n", 6: "refund(amount)\n", 40: "", 50: "key := other()\n"}))
	b.r.Commit("moved")

	if _, err := sender(b.f).Send(ctx, early); !errors.Is(err, ErrMoved) {
		t.Errorf("between plan and post: %v", err)
	}
	var blocked *Blocked
	if _, err := sender(b.f).Send(ctx, b.plan(Options{})); !errors.As(err, &blocked) || !strings.Contains(err.Error(), "the head moved") {
		t.Errorf("before the plan: %v", err)
	}
	if n := len(b.s.Standing("line", 7)) + len(b.s.Standing("comment", 7)); n != 0 {
		t.Fatalf("%d comments on a head that was not reviewed", n)
	}
	sent := b.send(Options{OnMoved: Reanchor})
	if got, want := landing(sent.Posts), "inline api.go:6-7 RIGHT; summary; inline api.go:40 LEFT; file api.go; summary; inline old.go:2 LEFT"; got != want {
		t.Errorf("anchored anew: %s\nwant: %s", got, want)
	}
	pr, _ := b.f.PullRequest(ctx, b.repo, 7)
	pulled, err := Pull(ctx, b.f, pr, Trust{Logins: []string{"viewer"}})
	if err != nil || !pulled.Stale || pulled.Exit() != review.ExitStale {
		t.Errorf("the summary is of the reviewed head: stale %v, %v", pulled.Stale, err)
	}
}

func TestNothingIsPostedWhen(t *testing.T) {
	for _, c := range []struct {
		name  string
		setup func(b *bench)
		opt   Options
		want  string
	}{
		{"nobody decided", func(b *bench) { b.doc.TriagedBy = nil }, Options{}, "nobody has triaged"},
		{"it is triaged after all", nil, Options{Untriaged: true}, "without --untriaged"},
		{"one's own pull request", func(b *bench) { b.s.Update(7, func(p *double.Pull) { p.Author = double.User{Login: "viewer", ID: 1} }) }, Options{Event: forge.EventApprove}, "one's own"},
		{"a pending review", func(b *bench) { b.s.StartReview(7) }, Options{}, "not submitted"},
		{"closed", func(b *bench) { b.s.Update(7, func(p *double.Pull) { p.State = "closed" }) }, Options{}, "is closed"},
		{"another number", func(b *bench) { b.doc.Change.Number = 8 }, Options{}, "of #8"},
		{"a known value", func(b *bench) { b.doc.Findings[0].Observation = "it is hunter2hunter2" }, Options{Known: []string{"hunter2hunter2"}}, "token or password"},
	} {
		b := setUp(t, double.Options{})
		if c.setup != nil {
			c.setup(b)
		}
		p := b.plan(c.opt)
		_, err := sender(b.f).Send(ctx, p)
		var blocked *Blocked
		if !errors.As(err, &blocked) || !strings.Contains(err.Error(), c.want) || p.Destination().Ready {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if n := len(b.s.Standing("line", 7)) + len(b.s.Standing("comment", 7)); n != 0 {
			t.Errorf("%s: %d comments", c.name, n)
		}
	}
}

func TestUntriagedGoesIntoTheSummaryOnly(t *testing.T) {
	b := setUp(t, double.Options{})
	b.doc.TriagedBy = nil
	for i := range b.doc.Findings {
		b.doc.Findings[i].Status, b.doc.Findings[i].Decision = document.Undecided, nil
	}
	b.send(Options{Untriaged: true})
	said := b.s.Standing("comment", 7)
	if len(said) != 1 || len(b.s.Standing("line", 7)) != 0 || !strings.Contains(said[0].Body, "not triaged") || !strings.Contains(said[0].Body, "seen quality-1.6") {
		t.Errorf("%+v", said)
	}
}

func TestCriticalSecurityFindingsStayOffPublicPages(t *testing.T) {
	b := setUp(t, double.Options{})
	b.doc.Findings[0].Security, b.doc.Findings[0].Worst = true, review.Critical
	p := b.plan(Options{})
	if p.Posts[0].As != "kept" || !strings.Contains(p.Posts[0].Why, "https://github.com/octo/repo/security/advisories/new") {
		t.Fatalf("%+v", p.Posts[0])
	}
	b.send(Options{})
	for _, c := range append(b.s.Standing("line", 7), b.s.Standing("comment", 7)...) {
		if strings.Contains(c.Body, "seen quality-1.1") {
			t.Error("it is on the page")
		}
	}
	if b.plan(Options{PostSecurity: map[string]bool{"quality-1.1": true}}).Posts[0].As != "inline" {
		t.Error("the person may say so")
	}
	b.doc.Change.Visibility = "private"
	if b.plan(Options{}).Posts[0].As != "inline" {
		t.Error("on a private page it may stand")
	}
}

func TestARefusedCommentGoesIntoTheSummary(t *testing.T) {
	b := setUp(t, double.Options{})
	p := b.plan(Options{})
	p.Posts[1].Anchor.Line = 30     // as if the forge saw the change in another way
	p.Posts[3].Anchor.Path = "x.go" // a file it does not have
	sent, err := sender(b.f).Send(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	if got := landing(sent.Posts); got != "inline api.go:5-6 RIGHT; summary; inline api.go:40 LEFT; summary; summary; inline old.go:2 LEFT" {
		t.Errorf("landed: %s", got)
	}
	if !strings.Contains(sent.Posts[1].Why, "must be part of the diff") || !strings.Contains(b.s.Standing("comment", 7)[0].Body, "seen quality-1.2") {
		t.Errorf("lost, or without the reason: %+v", sent.Posts[1])
	}
}

func TestNoPermissionSaysWhichOne(t *testing.T) {
	b := setUp(t, double.Options{})
	p := b.plan(Options{})
	b.s.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodGet {
			return false
		}
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `{"message":"Resource not accessible by integration"}`)
		return true
	})
	_, err := sender(b.f).Send(ctx, p)
	var no *NotAllowed
	if !errors.As(err, &no) || !strings.Contains(err.Error(), "Pull requests: write") {
		t.Errorf("%v", err)
	}
}

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
	if p, err = pull(Trust{Logins: []string{"viewer", "github-actions[bot]"}}); err != nil || p.URL == "" || len(p.Notes) != 2 {
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
