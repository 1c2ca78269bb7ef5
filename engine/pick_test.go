package engine_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mrv-dev/mrv/engine"
	"github.com/mrv-dev/mrv/engine/document"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/forge"
	"github.com/mrv-dev/mrv/engine/forge/double"
	"github.com/mrv-dev/mrv/engine/git/gittest"
	"github.com/mrv-dev/mrv/engine/inbox"
	"github.com/mrv-dev/mrv/engine/journal"
	"github.com/mrv-dev/mrv/engine/review"
)

func TestWhichChangeIsLeftOpen(t *testing.T) {
	r := project(t)
	r.Git("checkout", "-q", "trunk")
	at := func(branch string) string {
		dir := cloned(t, r)
		gittest.At(t, dir).Git("checkout", "-q", branch)
		return dir
	}
	onDefault, onTopic := at("trunk"), at("topic")
	detached := at("trunk")
	gittest.At(t, detached).Git("checkout", "-q", "--detach")
	alone := gittest.New(t)
	alone.Commit("one")
	for _, c := range []struct {
		name string
		o    engine.SourceOptions
		want bool
	}{
		{"the default branch", engine.SourceOptions{Dir: onDefault}, true},
		{"another branch", engine.SourceOptions{Dir: onTopic}, false},
		{"no branch", engine.SourceOptions{Dir: detached}, false},
		{"the default branch of a repository with no remote", engine.SourceOptions{Dir: alone.Dir}, true},
		{"no clone", engine.SourceOptions{Dir: t.TempDir()}, true},
		{"--repo alone", engine.SourceOptions{Dir: onTopic, Repo: "acme/shop"}, true},
		{"--repo and a number", engine.SourceOptions{Dir: onTopic, Repo: "acme/shop", Ref: "7"}, false},
		{"--base", engine.SourceOptions{Dir: onDefault, Base: "HEAD~1"}, false},
		{"--worktree", engine.SourceOptions{Dir: onDefault, Worktree: true}, false},
		{"--diff", engine.SourceOptions{Dir: onDefault, Diff: "-"}, false},
	} {
		if got, err := c.o.NamesNothing(t.Context()); err != nil || got != c.want {
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
	}
}

// picking is a clone, a forge with pull request 7, and a folder of runs.
type picking struct {
	*testing.T
	s    *double.Server
	r    *gittest.Repo
	dir  string
	runs string
}

func newPicking(t *testing.T) picking {
	r := project(t)
	r.Git("checkout", "-q", "trunk")
	r.Write(".mrv/config.yaml", "publishers: [publisher]\n")
	r.Commit("publishers")
	return picking{t, pulled(t, r, double.Options{}), r, cloned(t, r), t.TempDir()}
}

func (p picking) pulls() *engine.Pulls {
	p.Helper()
	x, err := engine.FindPulls(p.Context(), engine.SourceOptions{Dir: p.dir}, p.runs)
	if err != nil {
		p.Fatal(err)
	}
	return x
}

// review is that of pull request 7, as the recent ones list it.
func (p picking) review() engine.PullReview {
	p.Helper()
	x := p.pulls()
	f, err := x.List(p.Context(), forge.Recent, false)
	if err != nil || len(f.Pulls) != 1 {
		p.Fatal(f, err)
	}
	r, err := x.Review(p.Context(), f.Pulls[0])
	if err != nil {
		p.Fatal(err)
	}
	return r
}

func (p picking) head() string { return p.r.Git("rev-parse", "topic") }

// ran keeps a run over a head with two findings, which are decided as given.
func (p picking) ran(id, head string, status event.Status, decisions ...review.Decision) string {
	p.Helper()
	plan := event.Plan{Run: id, Change: event.Change{
		Source: event.FromPR, Host: "github.com", Owner: "octo", Repo: "repo", Number: 7, HeadSHA: head, Identity: head,
	}, Team: []event.Member{{Name: "quality-1", Persona: review.Persona{Name: "quality"}}}}
	path := journal.PathOf(p.runs, plan.Change, id)
	w, err := journal.Create(path, id, "test")
	if err != nil {
		p.Fatal(err)
	}
	add := func(kind event.Kind, who string, data any) {
		e, err := event.New(kind, who, 1, data)
		if err != nil {
			p.Fatal(err)
		}
		if _, err := w.Append(false, e); err != nil {
			p.Fatal(err)
		}
	}
	add(event.Planned, "", plan)
	add(event.PhaseChanged, "", event.PhaseData{Phase: event.PhaseReviewing})
	add(event.StatusChanged, "quality-1", event.StatusData{Status: status})
	if status == event.StatusDone {
		var report review.Report
		var merged event.MergedData
		patch := event.Patch{Decisions: map[string]review.Decision{}}
		for i := range 2 {
			f := review.Finding{ID: review.FindingID("quality-1", i+1), Reviewer: "quality-1", Ordinal: i + 1, Severity: review.Warning, Title: "x"}
			report.Findings = append(report.Findings, f)
			merged.Entries = append(merged.Entries, event.Entry{ID: f.ID, Sources: []string{f.ID}, Lead: f.ID, Worst: f.Severity, Severity: f.Severity})
			if i < len(decisions) {
				patch.Decisions[f.ID] = decisions[i]
			}
		}
		add(event.ReportIn, "quality-1", event.ReportData{Report: report})
		add(event.Merged, "", merged)
		add(event.Decided, "", event.StepData{Op: "do", Patch: patch})
		add(event.PhaseChanged, "", event.PhaseData{Phase: event.PhaseTriage})
	}
	if err := w.Close(); err != nil {
		p.Fatal(err)
	}
	return path
}

// document is a triaged review with one open and one escalated finding.
func (p picking) document(head, to string) document.Document {
	d := document.Document{
		Schema: document.Schema, Run: "20261130-090000-aaaa", WrittenAt: "2026-11-30T12:00:00Z", Lang: review.English, Verdict: review.HumanCheckNeeded,
		Complete: true, TriagedBy: []string{"publisher"}, Missing: []string{}, Models: []string{}, Holds: []review.Hold{}, Counts: document.Counts{Accepted: 1, Escalated: 1},
		Change: document.Change{Source: event.FromPR, Name: "octo/repo#7", Host: "github.com", Repository: "octo/repo", Number: 7, Head: head, Identity: head, Visibility: "public"},
	}
	for i, status := range []document.Status{document.Open, document.Escalated} {
		id := review.FindingID("quality-1", i+1)
		d.Findings = append(d.Findings, document.Finding{
			ID: id, Sources: []string{id}, Status: status, Severity: review.Warning, Worst: review.Warning, Title: "t", Observation: "o", Inference: "i",
			Judgment: "j", Reviewers: []string{"quality-1"}, Models: []string{},
			Decision: map[document.Status]*review.Decision{
				document.Open:      {Choice: review.Accepted, By: "publisher"},
				document.Escalated: {Choice: review.Escalated, To: to, Note: "please look", By: "publisher"},
			}[status],
		})
	}
	return d
}

func (p picking) says(login string, d document.Document) {
	p.Helper()
	body, err := document.Comment(d, document.CommentOptions{As: login})
	if err != nil {
		p.Fatal(err)
	}
	p.s.Say(7, double.User{Login: login, ID: 5}, body)
}

func TestHowAReviewStands(t *testing.T) {
	accepted := review.Decision{Choice: review.Accepted, By: "ann"}
	escalated := func(to string) review.Decision {
		return review.Decision{Choice: review.Escalated, To: to, Note: "look", By: "ann"}
	}
	const older, id, newer = "20261130-080000-aaaa", "20261130-090000-bbbb", "20261130-100000-cccc"
	for _, c := range []struct {
		name string
		set  func(picking)
		want engine.PullReview // without heads and journal
		how  string
	}{
		{"none", func(picking) {}, engine.PullReview{}, "none"},
		{"fresh and decided", func(p picking) { p.ran(id, p.head(), event.StatusDone, accepted, accepted) },
			engine.PullReview{Found: engine.FoundRun, Findings: 2}, "fresh"},
		{"fresh, one undecided", func(p picking) { p.ran(id, p.head(), event.StatusDone, accepted) },
			engine.PullReview{Found: engine.FoundRun, Findings: 2, Undecided: 1}, "fresh"},
		{"stale", func(p picking) { p.ran(id, p.r.Git("rev-parse", "topic~1"), event.StatusDone) },
			engine.PullReview{Found: engine.FoundRun, Findings: 2, Undecided: 2}, "stale"},
		{"ended while a reviewer was at work", func(p picking) { p.ran(id, p.head(), event.StatusRunning) },
			engine.PullReview{Found: engine.FoundRun, Unfinished: true}, "fresh"},
		{"escalated to the person", func(p picking) {
			p.ran(id, p.head(), event.StatusDone, escalated("security team, @Viewer"), escalated("viewers"))
		}, engine.PullReview{Found: engine.FoundRun, Findings: 2, ToMe: 1}, "fresh"},
		{"the newest run counts", func(p picking) {
			p.ran(newer, p.head(), event.StatusDone, accepted, accepted)
			p.ran(older, p.r.Git("rev-parse", "main"), event.StatusDone)
		}, engine.PullReview{Found: engine.FoundRun, Findings: 2}, "fresh"},
		{"an inbox", func(p picking) {
			if _, err := inbox.Write(p.Context(), p.dir, p.document(p.head(), "viewer")); err != nil {
				p.Fatal(err)
			}
		}, engine.PullReview{Found: engine.FoundInbox, Findings: 2, ToMe: 1, Verdict: review.HumanCheckNeeded}, "fresh"},
		{"a publisher's comment", func(p picking) { p.says("publisher", p.document(p.head(), "@viewer")) },
			engine.PullReview{Found: engine.FoundComment, By: "publisher", Findings: 2, ToMe: 1, Verdict: review.HumanCheckNeeded}, "fresh"},
		{"a publisher's comment on an older head", func(p picking) { p.says("publisher", p.document(p.r.Git("rev-parse", "main"), "x")) },
			engine.PullReview{Found: engine.FoundComment, By: "publisher", Findings: 2, Verdict: review.HumanCheckNeeded}, "stale"},
		{"anybody's comment", func(p picking) { p.says("stranger", p.document(p.head(), "@viewer")) }, engine.PullReview{}, "none"},
		{"a fresh comment over a stale run", func(p picking) {
			p.ran(id, p.r.Git("rev-parse", "main"), event.StatusDone)
			p.says("publisher", p.document(p.head(), "x"))
		}, engine.PullReview{Found: engine.FoundComment, By: "publisher", Findings: 2, Verdict: review.HumanCheckNeeded}, "fresh"},
		{"a stale run over a stale comment", func(p picking) {
			p.ran(id, p.r.Git("rev-parse", "main"), event.StatusDone)
			p.says("publisher", p.document(p.r.Git("rev-parse", "trunk"), "x"))
		}, engine.PullReview{Found: engine.FoundRun, Findings: 2, Undecided: 2}, "stale"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPicking(t)
			c.set(p)
			got := p.review()
			how := "none"
			switch {
			case got.Fresh():
				how = "fresh"
			case got.Stale():
				how = "stale"
			}
			if (got.Journal != "") != (c.want.Found == engine.FoundRun) {
				t.Errorf("the journal is %q", got.Journal)
			}
			if c.want.Found == engine.FoundRun {
				got.Verdict = ""
			}
			got.Head, got.Now, got.Journal = "", "", ""
			if got != c.want || how != c.how {
				t.Errorf("%s: %+v\nwant %s: %+v", how, got, c.how, c.want)
			}
		})
	}
}

// A list that says no head costs a request only where a review is to be
// compared with it, and comments are looked for only where there are any.
func TestReviewsAreCheap(t *testing.T) {
	p := newPicking(t)
	x := p.pulls()
	if v := x.Viewer(t.Context()); v != "viewer" || x.Repo() != "octo/repo" || x.Host() != "github.com" {
		t.Errorf("%s in %s on %s", v, x.Repo(), x.Host())
	}
	pr := forge.Listed{Repo: forge.Repo{Host: "github.com", Owner: "octo", Name: "repo"}, Number: 7, Updated: time.Unix(1, 0)}
	asked := func(want ...string) {
		t.Helper()
		before := len(p.s.Requests())
		if _, err := x.Review(t.Context(), pr); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(p.s.Requests()[before:], " "); got != strings.Join(want, " ") {
			t.Errorf("asked %s, want %v", got, want)
		}
	}
	asked()
	p.ran("20261130-090000-bbbb", p.head(), event.StatusDone)
	asked("GET /repos/octo/repo/pulls/7")
	if err := os.RemoveAll(filepath.Join(p.runs, "github.com")); err != nil {
		t.Fatal(err)
	}
	pr.Comments = 3
	asked("GET /repos/octo/repo", "GET /repos/octo/repo/contents/.mrv/config.yaml?ref=trunk", "GET /repos/octo/repo/issues/7/comments?per_page=100")
	asked()
	pr.Updated = time.Unix(2, 0)
	asked("GET /repos/octo/repo/issues/7/comments?per_page=100")
}

// What is known of a review is known although the forge does not answer.
func TestAReviewWhoseHeadIsNotKnown(t *testing.T) {
	p := newPicking(t)
	x := p.pulls()
	p.ran("20261130-090000-bbbb", p.head(), event.StatusDone)
	pr := forge.Listed{Repo: forge.Repo{Host: "github.com", Owner: "octo", Name: "repo"}, Number: 7}
	p.s.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/pulls/7") {
			return false
		}
		w.WriteHeader(http.StatusForbidden)
		return true
	})
	r, err := x.Review(t.Context(), pr)
	if !forge.IsKind(err, forge.Forbidden) || r.Undecided != 2 || r.Journal == "" || r.Fresh() || r.Stale() {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestARunOfAnotherPullRequestDoesNotCount(t *testing.T) {
	p := newPicking(t)
	p.ran("20261130-090000-bbbb", p.head(), event.StatusDone)
	for _, pr := range []forge.Listed{
		{Repo: forge.Repo{Host: "github.com", Owner: "octo", Name: "repo"}, Number: 8},
		{Repo: forge.Repo{Host: "github.com", Owner: "octo", Name: "other"}, Number: 7},
		{Repo: forge.Repo{Host: "ghe.example.org", Owner: "octo", Name: "repo"}, Number: 7},
	} {
		if r, err := p.pulls().Review(t.Context(), pr); err != nil || r != (engine.PullReview{}) {
			t.Errorf("%s#%d: %+v %v", pr.Repo, pr.Number, r, err)
		}
	}
}

func TestPickedElsewhere(t *testing.T) {
	p := newPicking(t)
	o := p.pulls().Source(forge.Listed{Repo: forge.Repo{Host: "ghe.example.org", Owner: "a", Name: "b"}, Number: 12})
	if o.Ref != "12" || o.Repo != "ghe.example.org/a/b" || o.Dir != p.dir {
		t.Errorf("%+v", o)
	}
	if _, err := engine.FindPulls(t.Context(), engine.SourceOptions{Dir: p.dir, Repo: "nonsense"}, p.runs); err == nil || !strings.Contains(err.Error(), "--repo") {
		t.Errorf("a repository that is none: %v", err)
	}
	t.Setenv("GH_HOST", "ghe.example.org")
	x, err := engine.FindPulls(t.Context(), engine.SourceOptions{Dir: t.TempDir()}, p.runs)
	if err != nil || x.Host() != "ghe.example.org" || x.Repo() != "" {
		t.Errorf("outside of a clone: %+v, %v", x, err)
	}
	x, err = engine.FindPulls(t.Context(), engine.SourceOptions{Dir: t.TempDir(), Repo: "other.example.org/a/b"}, p.runs)
	if err != nil || x.Host() != "other.example.org" || x.Repo() != "other.example.org/a/b" {
		t.Errorf("--repo with a host: %+v, %v", x, err)
	}
}
