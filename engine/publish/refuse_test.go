package publish

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/mrv-dev/mrv/engine/forge"
	"github.com/mrv-dev/mrv/engine/forge/double"
	"github.com/mrv-dev/mrv/engine/review"
)

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

// TestTheHeadMovesWhilePosting: comments that stand are on the lines that were
// reviewed; the summary, which speaks of the whole change, is not written.
func TestTheHeadMovesWhilePosting(t *testing.T) {
	b := setUp(t, double.Options{})
	var once sync.Once
	b.s.Intercept(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/reviews") {
			once.Do(func() {
				b.r.Write("api.go", lines(1, 60, nil))
				b.r.Commit("moved")
			})
		}
		return false
	})
	if _, err := sender(b.f).Send(ctx, b.plan(Options{})); !errors.Is(err, ErrMoved) {
		t.Errorf("sent: %v", err)
	}
	if n := len(b.s.Standing("comment", 7)); n != 0 {
		t.Errorf("%d summaries of a head that was not reviewed", n)
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
		{"a triaged review of this head is there", func(b *bench) { b.send(Options{}); b.doc.TriagedBy = nil }, Options{Untriaged: true}, "a triaged review of this head"},
		{"a known value", func(b *bench) { b.doc.Findings[0].Observation = "it is hunter2hunter2" }, Options{Known: []string{"hunter2hunter2"}}, "token or password"},
	} {
		b := setUp(t, double.Options{})
		if c.setup != nil {
			c.setup(b)
		}
		there := len(b.s.Standing("line", 7)) + len(b.s.Standing("comment", 7))
		p := b.plan(c.opt)
		_, err := sender(b.f).Send(ctx, p)
		var blocked *Blocked
		if !errors.As(err, &blocked) || !strings.Contains(err.Error(), c.want) || p.Destination().Ready {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if n := len(b.s.Standing("line", 7)) + len(b.s.Standing("comment", 7)); n != there {
			t.Errorf("%s: %d comments, %d before", c.name, n, there)
		}
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
