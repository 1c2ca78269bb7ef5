package publish

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine/document"
	"github.com/mrv-dev/mrv/engine/forge/double"
	"github.com/mrv-dev/mrv/engine/review"
)

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

// TestAnotherRunsCommentsStay: a run withdraws what it said itself, and nothing
// that another said.
func TestAnotherRunsCommentsStay(t *testing.T) {
	b := setUp(t, double.Options{})
	b.send(Options{})
	before := b.s.Standing("line", 7)
	b.doc.Run = "run-2"
	for i := range b.doc.Findings {
		b.doc.Findings[i].Status, b.doc.Findings[i].Decision = document.Rejected, &review.Decision{Choice: review.Rejected, Reason: review.FalsePositive, By: "viewer"}
	}
	b.send(Options{})
	if after := b.s.Standing("line", 7); !slices.Equal(after, before) {
		t.Errorf("of %d comments of an earlier run these are left: %+v", len(before), after)
	}
}

// TestTheSummaryIsReadBack: two runs that write at the same time; the one whose
// words do not stand says so.
func TestTheSummaryIsReadBack(t *testing.T) {
	b := setUp(t, double.Options{})
	other := b.doc
	other.Run = "run-2"
	words, err := document.Comment(other, document.CommentOptions{As: "viewer"})
	if err != nil {
		t.Fatal(err)
	}
	b.s.Intercept(func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.Contains(r.URL.Path, "/issues/comments/") && r.Method == http.MethodGet {
			b.s.EditAs(double.User{Login: "viewer", ID: 1}, b.s.Standing("comment", 7)[0].ID, words)
		}
		return false
	})
	if _, err := sender(b.f).Send(ctx, b.plan(Options{})); err == nil || !strings.Contains(err.Error(), "it is not what was sent") {
		t.Errorf("sent: %v", err)
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
