package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mrv-dev/mrv/engine/forge/double"
	"github.com/mrv-dev/mrv/engine/review"
)

// on is a forge of its own for a person who has triaged: a copy of the
// repository, and of the home with its journal. Nothing stands on the pull
// request.
func (l *loop) on(t *testing.T) *loop {
	t.Helper()
	up, p := newPlace(t), newPlace(t)
	for to, from := range map[string]string{up.dir: l.up.dir, p.home: l.home} {
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	f := double.Start(t, double.Options{Owner: "acme", Name: "shop", Dir: up.dir}, double.Pull{Number: 7, Title: "Pay with TLS", Base: "main", Head: "feature"})
	p.dir, p.env = l.dir, f.Env()
	return &loop{place: p, forge: f, up: up}
}

// wanted says which requests: "POST reviews" is a POST to a path that ends so.
func wanted(r *http.Request, which string) bool {
	method, end, _ := strings.Cut(which, " ")
	return r.Method == method && strings.HasSuffix(r.URL.Path, "/"+end)
}

// says answers the first n of these requests instead of the forge, which
// never hears of them; n < 0 answers all.
func (l *loop) says(n int32, which string, status int, body string, header ...string) {
	var seen atomic.Int32
	l.forge.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if !wanted(r, which) || (n >= 0 && seen.Add(1) > n) {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body) // the client may be gone
		return true
	})
}

// cuts cuts the connection once, after these requests were obeyed.
func (l *loop) cuts(which string) {
	var done atomic.Bool
	l.forge.Cut(func(r *http.Request) bool { return wanted(r, which) && done.CompareAndSwap(false, true) })
}

// moves moves the head when the forge is first asked this.
func (l *loop) moves(which string, obeyed bool) {
	var done atomic.Bool
	move := func(r *http.Request) bool {
		if wanted(r, which) && done.CompareAndSwap(false, true) {
			l.another()
		}
		return false
	}
	if obeyed {
		l.forge.Cut(move)
	} else {
		l.forge.Intercept(func(_ http.ResponseWriter, r *http.Request) bool { return move(r) })
	}
}

// another is a commit that somebody else pushes: a line of the change moves
// down, another one changes.
func (l *loop) another() {
	l.up.git("checkout", "-q", "feature")
	l.up.write("pay.go", strings.Replace(strings.Replace(problems, "package pay\n", "package pay\n\n// Paying.\n", 1), "db.Query(", "db.QueryRow(", 1))
	l.up.git("commit", "-q", "-a", "-m", "another")
	l.up.git("checkout", "-q", "main")
}

var (
	mallory    = double.User{Login: "mallory", ID: 66}
	me         = double.User{Login: "viewer", ID: 1}
	noAccess   = `{"message":"Resource not accessible by personal access token","documentation_url":"https://docs.github.com/rest"}`
	htmlBroken = "<html><head><title>Unicorn! &middot; GitHub</title></head></html>"
)

// refusal is what a forge does that its description can not say, what a person
// then reads, and what stands on the pull request afterwards.
type refusal struct {
	name    string
	set     func(l *loop)
	args    []string // of publish latest, unless they name another command
	code    review.Exit
	says    []string
	summary int // comments of ours on the pull request
	lines   int
	heals   bool // publishing again, without the disturbance, makes it whole
}

// TestWhatTheDescriptionCanNotSay: GitHub's description of its interface says
// nothing of these; they were seen on the real one. Run with -v for the table.
func TestWhatTheDescriptionCanNotSay(t *testing.T) {
	base, _ := triaged(t)
	for _, rows := range [][]refusal{refusedLines(), moving(), broken(), limits(), forbidden(), marked()} {
		for _, c := range rows {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				c.check(t, base.on(t))
			})
		}
	}
}

func (c refusal) check(t *testing.T, l *loop) {
	if c.set != nil {
		c.set(l)
	}
	args := c.args
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		args = append([]string{"publish", "latest"}, args...)
	}
	r := l.run(args...)
	t.Logf("%s\nexit %d\nreads: %s\nstands: %s", strings.Join(args, " "), r.code, lastLines(r.out+r.err, 4), l.stands())
	if r.code != int(c.code) {
		t.Errorf("exit %d, want %d", r.code, c.code)
	}
	for _, w := range c.says {
		if !strings.Contains(r.out+r.err, w) {
			t.Errorf("it does not say %q:\n%s%s", w, r.out, r.err)
		}
	}
	if strings.Contains(r.out+r.err, double.Token) || strings.Contains(r.out+r.err, "goroutine ") {
		t.Errorf("a token or a panic:\n%s%s", r.out, r.err)
	}
	l.has(c.summary, c.lines)
	if !c.heals {
		return
	}
	l.forge.Intercept(nil)
	l.forge.Cut(nil)
	l.forge.Refuse(nil)
	l.must(review.ExitOK, "publish", "latest")
	l.has(1, 3)
}

// has wants so many summaries and comments on lines of ours, no line twice.
func (l *loop) has(summaries, lines int) {
	l.t.Helper()
	n := 0
	for _, c := range l.forge.Standing("comment", 7) {
		if c.By == "viewer" && strings.HasPrefix(c.Body, "<!-- mrv:review:") {
			n++
		}
	}
	seen := map[string]bool{}
	for _, c := range l.forge.Standing("line", 7) {
		at := fmt.Sprintf("%s:%d", c.Path, c.Line)
		if seen[at] {
			l.t.Errorf("two comments at %s", at)
		}
		seen[at] = true
	}
	if n != summaries || len(seen) != lines {
		l.t.Errorf("%d summaries and %d comments on lines stand, want %d and %d", n, len(seen), summaries, lines)
	}
}

func (l *loop) stands() string {
	return fmt.Sprintf("%d comments, %d reviews, %d comments on lines", len(l.forge.Standing("comment", 7)), len(l.forge.Standing("review", 7)), len(l.forge.Standing("line", 7)))
}

func lastLines(text string, n int) string {
	all := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(all[max(0, len(all)-n):], "\n       ")
}

// refusedLines: a review is taken whole or not at all, and the culprit is not
// named.
func refusedLines() []refusal {
	one := func(text string) func(*loop) {
		return func(l *loop) {
			l.forge.Refuse(func(_ string, line int) string {
				if line == 19 {
					return text
				}
				return ""
			})
		}
	}
	var rows []refusal
	for _, text := range []string{
		"Pull request review thread line must be part of the diff", "Line could not be resolved", "Pull request review thread diff hunk can't be blank",
	} {
		rows = append(rows, refusal{name: "422 of one comment, " + text, set: one(text), says: []string{"stands in the summary, not at pay.go:19", text}, summary: 1, lines: 2})
	}
	all := "Review comments is invalid and Review threads is invalid"
	return append(rows,
		refusal{name: "422 of every comment", set: func(l *loop) { l.forge.Refuse(func(string, int) string { return all }) },
			says: []string{"stands in the summary", all, "posted: "}, summary: 1},
		refusal{name: "422 with errors that are objects", set: func(l *loop) {
			l.says(1, "POST reviews", http.StatusUnprocessableEntity, `{"message":"Validation Failed","errors":[{"resource":"PullRequestReviewComment","code":"custom","field":"line","message":"line must be part of the diff"}]}`)
		}, says: []string{"posted: "}, summary: 1, lines: 3, heals: true},
		refusal{name: "a review that is under way and not shown", set: func(l *loop) {
			l.says(1, "POST reviews", http.StatusUnprocessableEntity, `{"message":"Unprocessable Entity","errors":["User can only have one pending review per pull request"]}`)
		}, code: review.ExitUsage, says: []string{"one pending review"}, heals: true},
		refusal{name: "a review that is under way", set: func(l *loop) { l.forge.StartReview(7) }, code: review.ExitUsage, says: []string{"not submitted; submit or discard it"}},
		refusal{name: "one's own pull request", set: func(l *loop) { l.forge.Update(7, func(p *double.Pull) { p.Author = me }) },
			args: []string{"--event", "approve"}, code: review.ExitUsage, says: []string{"one's own pull request can only be commented on"}},
		refusal{name: "one's own pull request, commented on", set: func(l *loop) { l.forge.Update(7, func(p *double.Pull) { p.Author = me }) },
			says: []string{"posted: "}, summary: 1, lines: 3},
		refusal{name: "a body that is too long", set: func(l *loop) {
			l.says(1, "POST comments", http.StatusUnprocessableEntity, `{"message":"Validation Failed","errors":[{"resource":"IssueComment","code":"unprocessable","field":"data","message":"Body is too long (maximum is 65536 characters)"}]}`)
		}, code: review.ExitUsage, says: []string{"Body is too long"}, lines: 3, heals: true},
	)
}

// moving: the head moves at each point.
func moving() []refusal {
	moved := []string{"the head moved"}
	return []refusal{
		{name: "moved before", set: (*loop).another, code: review.ExitStale, says: append(moved, "reanchor", "summary")},
		{name: "moved before, onto what did not change", set: (*loop).another, args: []string{"--on-moved", "reanchor"}, says: []string{"its lines have changed since", "posted: "}, summary: 1, lines: 2},
		{name: "moved before, the summary alone", set: (*loop).another, args: []string{"--on-moved", "summary"}, says: []string{"posted: "}, summary: 1},
		{name: "moved before, and the new diff is too large (406)", set: func(l *loop) { l.another(); l.forge.Limit(300, 3) }, args: []string{"--on-moved", "reanchor"},
			code: review.ExitUsage, says: []string{"could not be read"}},
		{name: "moved between the plan and the post", set: func(l *loop) { l.moves("GET comments", false) }, code: review.ExitStale, says: moved},
		{name: "moved between the review and the summary", set: func(l *loop) { l.moves("POST reviews", true) }, code: review.ExitStale, says: moved, lines: 3},
		{name: "pushed over: the commit is none of the pull request", set: func(l *loop) {
			l.says(1, "POST reviews", http.StatusUnprocessableEntity, `{"message":"Unprocessable Entity","errors":["The commitOID is not part of the pull request"]}`)
		}, code: review.ExitUsage, says: []string{"commitOID is not part"}, heals: true},
		{name: "closed", set: func(l *loop) { l.forge.Update(7, func(p *double.Pull) { p.State = "closed" }) }, code: review.ExitUsage, says: []string{"is closed"}},
	}
}

// broken: no answer, or one that is none. What was stored is found again.
func broken() []refusal {
	html := func(n int32, which string) func(*loop) {
		return func(l *loop) { l.says(n, which, http.StatusBadGateway, htmlBroken, "Content-Type", "text/html") }
	}
	return []refusal{
		{name: "cut after the review was stored", set: func(l *loop) { l.cuts("POST reviews") }, says: []string{"posted: "}, summary: 1, lines: 3, heals: true},
		{name: "cut after the summary was stored", set: func(l *loop) { l.cuts("POST comments") }, says: []string{"posted: "}, summary: 1, lines: 3, heals: true},
		{name: "502 in HTML for the review", set: html(1, "POST reviews"), says: []string{"posted: "}, summary: 1, lines: 3, heals: true},
		{name: "502 in HTML for the summary, again and again", set: html(-1, "POST comments"), code: review.ExitUsage, says: []string{"answers 502"}, lines: 3, heals: true},
		{name: "502 in HTML for a read", set: html(1, "GET comments"), says: []string{"posted: "}, summary: 1, lines: 3},
		{name: "no list but a page", set: func(l *loop) { l.says(-1, "GET reviews", http.StatusOK, htmlBroken) }, code: review.ExitUsage, says: []string{"no list that makes sense"}},
	}
}

// limits: paging, and how fast one may write.
func limits() []refusal {
	slow := `{"message":"You have exceeded a secondary rate limit. Please wait a few minutes before you try again."}`
	return []refusal{
		{name: "the summary is on the second page", set: func(l *loop) {
			for i := range 120 {
				l.forge.Say(7, mallory, fmt.Sprintf("comment %d", i))
			}
			l.must(review.ExitOK, "publish", "latest")
			for i := range 120 {
				l.forge.Say(7, mallory, fmt.Sprintf("later %d", i))
			}
		}, says: []string{"posted: "}, summary: 1, lines: 3},
		{name: "a secondary limit with a time", set: func(l *loop) { l.says(1, "POST reviews", http.StatusForbidden, slow, "Retry-After", "1") },
			says: []string{"posted: "}, summary: 1, lines: 3, heals: true},
		{name: "a limit that lasts too long", set: func(l *loop) { l.says(-1, "POST reviews", http.StatusForbidden, slow, "Retry-After", "3600") },
			code: review.ExitUsage, says: []string{"asks to wait until"}, heals: true},
		{name: "a primary limit that is used up", set: func(l *loop) {
			reset := fmt.Sprint(time.Now().Add(time.Hour).Unix())
			l.says(-1, "POST reviews", http.StatusForbidden, `{"message":"API rate limit exceeded for user ID 1."}`, "X-Ratelimit-Remaining", "0", "X-Ratelimit-Reset", reset)
		}, code: review.ExitUsage, says: []string{"API rate limit exceeded"}},
	}
}

// forbidden: what the token may not do. What was accepted goes to the inbox.
func forbidden() []refusal {
	instead := "the inbox was written instead"
	return []refusal{
		{name: "403 for the review", set: func(l *loop) { l.says(-1, "POST reviews", http.StatusForbidden, noAccess) },
			code: review.ExitUsage, says: []string{"Resource not accessible", "Pull requests: write", instead}, heals: true},
		{name: "404 for the review", set: func(l *loop) { l.says(-1, "POST reviews", http.StatusNotFound, `{"message":"Not Found"}`) },
			code: review.ExitUsage, says: []string{"needs a token with write access", instead}},
		{name: "403 for the summary", set: func(l *loop) { l.says(-1, "POST comments", http.StatusForbidden, noAccess) },
			code: review.ExitUsage, says: []string{"Pull requests: write", instead}, lines: 3, heals: true},
		{name: "a conversation that is locked", set: func(l *loop) {
			l.says(-1, "POST comments", http.StatusForbidden, `{"message":"Unable to create comment because issue is locked."}`)
		}, code: review.ExitUsage, says: []string{"locked", instead}, lines: 3},
		{name: "a token that is not taken", set: func(l *loop) { l.env = append(l.env, "GH_TOKEN=ghp_old") }, code: review.ExitUsage, says: []string{"does not take the token", "gh auth login"}},
		{name: "a token that wants single sign-on", set: func(l *loop) {
			l.says(-1, "GET 7", http.StatusForbidden, `{"message":"Resource protected by organization SAML enforcement."}`, "X-GitHub-SSO", "required; url=https://github.com/orgs/acme/sso?x=1")
		}, code: review.ExitUsage, says: []string{"https://github.com/orgs/acme/sso?x=1"}},
		{name: "a workflow's token, which may not ask whose it is", set: func(l *loop) {
			l.env = append(l.env, "GITHUB_ACTIONS=true")
			l.says(-1, "GET user", http.StatusForbidden, `{"message":"Resource not accessible by integration"}`)
		}, says: []string{"as github-actions[bot]", "posted: "}, summary: 1, lines: 3},
	}
}

// marked: comments that others wrote or edited.
func marked() []refusal {
	ours := func(l *loop) double.Said {
		l.must(review.ExitOK, "publish", "latest")
		return l.forge.Standing("comment", 7)[0]
	}
	pull := []string{"pull", "7"}
	return []refusal{
		{name: "a forged summary", set: func(l *loop) {
			l.forge.Say(7, mallory, ours(l).Body)
		}, says: []string{"by mallory is not counted: its author is no publisher", "posted: "}, summary: 1, lines: 3},
		{name: "a forged summary, pulled", set: func(l *loop) {
			said := ours(l)
			l.forge.Say(7, mallory, said.Body)
			l.forge.Say(7, mallory, "> "+said.Body)
		}, args: pull, says: []string{"by viewer", "of the current head", "by mallory is not counted"}, summary: 1, lines: 3},
		{name: "only a forged one, pulled", set: func(l *loop) { l.forge.Say(7, mallory, "<!-- mrv:review:v1 {} -->") }, args: pull,
			code: review.ExitUsage, says: []string{"no review by mrv", "mallory is not counted"}},
		{name: "edited by a stranger, pulled", set: func(l *loop) { said := ours(l); l.forge.EditAs(mallory, said.ID, said.Body) }, args: pull,
			code: review.ExitUsage, says: []string{"edited by mallory, who is no publisher"}, summary: 1, lines: 3},
		{name: "edited by a stranger, published again", set: func(l *loop) { said := ours(l); l.forge.EditAs(mallory, said.ID, said.Body+"!") },
			says: []string{"edited by mallory", "posted: "}, summary: 1, lines: 3},
		{name: "edited by hand, pulled", set: func(l *loop) {
			said := ours(l)
			l.forge.EditAs(me, said.ID, strings.Replace(said.Body, "Certificates", "No certificates", 1)+" ")
			l.forge.EditAs(me, said.ID, strings.Replace(said.Body, "## mrv", "## Mrv", 1))
		}, args: pull, code: review.ExitUsage, says: []string{"the digest does not fit"}, summary: 1, lines: 3},
		{name: "a key that others wrote", set: func(l *loop) {
			ours(l)
			for i, c := range l.forge.Standing("line", 7) {
				if i == 0 {
					l.forge.SayAt(7, mallory, "pay.go", 1, c.Body)
				}
			}
		}, says: []string{"posted: "}, summary: 1, lines: 4},
		{name: "somebody else writes at the same time", set: func(l *loop) {
			l.forge.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
				if r.Method != http.MethodGet || !strings.Contains(r.URL.Path, "/issues/comments/") {
					return false
				}
				body := l.forge.Standing("comment", 7)[0].Body
				w.Header().Set("Content-Type", "application/json")
				_, _ = fmt.Fprintf(w, `{"id":1,"body":%q}`, strings.Replace(body, "mrv:data v1 ", "mrv:data v1 A", 1)) // the client may be gone
				return true
			})
		}, code: review.ExitUsage, says: []string{"reading back"}, summary: 1, lines: 3, heals: true},
	}
}

// TestALimitWithoutATime: nothing says when it ends, so it is waited for, and a
// person who does not want to wait loses nothing.
func TestALimitWithoutATime(t *testing.T) {
	base, _ := triaged(t)
	l := base.on(t)
	asked := make(chan struct{}, 16)
	l.forge.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if !wanted(r, "POST reviews") {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnprocessableEntity)
		_, _ = io.WriteString(w, `{"message":"Validation Failed","errors":[{"resource":"PullRequestReview","code":"abuse"}]}`) // the client may be gone
		asked <- struct{}{}
		return true
	})
	cmd := l.command("publish", "latest")
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-asked
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // its exit code is looked at
	if code := cmd.ProcessState.ExitCode(); code != int(review.ExitInterrupted) || len(asked) != 0 {
		t.Errorf("exit %d, asked %d times more\n%s", code, len(asked), said.String())
	}
	l.has(0, 0)
	l.forge.Intercept(nil)
	l.must(review.ExitOK, "publish", "latest")
	l.has(1, 3)
}
