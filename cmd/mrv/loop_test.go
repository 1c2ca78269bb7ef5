package main

import (
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine/document"
	"github.com/mrv-dev/mrv/engine/forge/double"
	"github.com/mrv-dev/mrv/engine/gate"
	"github.com/mrv-dev/mrv/engine/inbox"
	"github.com/mrv-dev/mrv/engine/review"
)

// loop is a maintainer with a clone in which a coding agent builds, and a pull
// request on the forge.
type loop struct {
	*place
	forge *double.Server
	up    *place // the forge's repository
}

// problems is a file with five things that the checks report, the last of them
// critical. The token is put together so that it stands in no source.
var problems = `package pay

import (
	"crypto/tls"
	"database/sql"
	"net/http"
	"os"
	"os/exec"
)

var client = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}

func find(db *sql.DB, id string) error {
	_, err := db.Query("SELECT * FROM t WHERE id = '" + id + "'")
	return err
}

func list(dir string) ([]byte, error) {
	return exec.Command("sh", "-c", "ls "+dir).Output()
}

func open() error { return os.Chmod("x.db", 0777) }

const token = "` + token + `"
`

var token = "ghp_" + strings.Repeat("k7Qw2Z", 6)

func newLoop(t *testing.T) *loop {
	t.Helper()
	up := newPlace(t)
	up.git("init", "-q", "-b", "main")
	up.write("pay.go", "package pay\n")
	up.write(".mrv/config.yaml", "publishers: [viewer]\ngate:\n  branches: [main]\n")
	up.git("add", "-A")
	up.git("commit", "-q", "-m", "pay")
	up.git("checkout", "-q", "-b", "feature")
	up.write("pay.go", problems)
	up.git("commit", "-q", "-a", "-m", "client")
	up.git("checkout", "-q", "main")
	f := double.Start(t, double.Options{Owner: "acme", Name: "shop", Dir: up.dir}, double.Pull{Number: 7, Title: "Pay with TLS", Base: "main", Head: "feature"})
	p := newPlace(t)
	p.env = f.Env()
	p.git("clone", "-q", up.dir, ".")
	p.git("remote", "set-url", "origin", "https://github.com/acme/shop.git")
	p.git("checkout", "-q", "feature")
	p.git("config", "user.email", "ann@example.com")
	return &loop{place: p, forge: f, up: up}
}

// must runs mrv and wants its exit code.
func (l *loop) must(code review.Exit, args ...string) result {
	l.t.Helper()
	r := l.run(args...)
	if r.code != int(code) {
		l.t.Fatalf("mrv %s: exit %d, want %d\n%s%s", strings.Join(args, " "), r.code, code, r.out, r.err)
	}
	return r
}

// review runs the panel and returns the result.
func (l *loop) review() document.Document {
	l.t.Helper()
	r := l.run("review", "7", "--agent", "checks", "--trust-rules", "base", "--json")
	if r.code == int(review.ExitUsage) {
		l.t.Fatalf("review: %s", r.err)
	}
	return decode[document.Document](l.t, r.out)
}

// push commits what the builder changed, where the forge sees it.
func (l *loop) push(message string) {
	l.git("commit", "-q", "-a", "-m", message)
	l.git("push", "-q", l.up.dir, "feature")
}

// of finds the finding whose title has a word.
func of(t testing.TB, d document.Document, word string) document.Finding {
	t.Helper()
	for _, f := range d.Findings {
		if strings.Contains(f.Title, word) {
			return f
		}
	}
	t.Fatalf("no finding about %q in %+v", word, d.Findings)
	return document.Finding{}
}

// triage opens a run, line by line, and gives these commands.
func (l *loop) triage(keys ...string) {
	l.t.Helper()
	// The question is only asked while something is undecided.
	r := l.feed(strings.Join(append(keys, "q", "y"), "\n")+"\n", "resume", "latest", "--plain")
	if r.code != 0 {
		l.t.Fatalf("triage: exit %d\n%s%s", r.code, r.out, r.err)
	}
}

// TestLoop is the whole way of a change: reviewed, triaged, published, pulled
// by its builder, answered, pushed, refused while stale, reviewed again with
// what was decided, and held at the gate until a person breaks the glass,
// because no model has read it.
func TestLoop(t *testing.T) {
	// Before the forge's own clock, which stands still.
	t.Setenv("GIT_AUTHOR_DATE", "2023-05-05T10:00:00Z")
	t.Setenv("GIT_COMMITTER_DATE", "2023-05-05T10:00:00Z")
	l := newLoop(t)
	first := l.review()
	if len(first.Findings) != 5 {
		t.Fatalf("%d findings, want 5", len(first.Findings))
	}
	// The token, TLS, SQL and the shell are accepted; the mode is not to be fixed.
	l.triage("a", "a", "a", "a", "r", "w")

	l.publishes(first)
	l.answers(first)
	l.isRefusedWhileStale()

	second := l.review()
	l.carriesOver(first, second)
	l.triage("a") // the contested one is first; the maintainer insists
	l.must(review.ExitOK, "publish", "latest")
	if n := len(l.forge.Standing("comment", 7)); n != 1 {
		t.Errorf("%d summaries, want the one, updated", n)
	}
	l.gates()
}

// publishes shows what would be posted, posts it, and posts nothing twice.
func (l *loop) publishes(first document.Document) {
	t := l.t
	key := of(t, first, "token").ID
	dry := l.must(review.ExitOK, "publish", "latest", "--dry-run")
	for _, want := range []string{"as viewer", "Pay with TLS", "inline", "kept", "security/advisories/new"} {
		if !strings.Contains(dry.out, want) {
			t.Errorf("the dry run does not say %q:\n%s", want, dry.out)
		}
	}
	if n := len(l.forge.Standing("comment", 7)) + len(l.forge.Standing("line", 7)); n != 0 {
		t.Fatalf("the dry run posted %d comments", n)
	}
	l.must(review.ExitOK, "publish", "latest")
	l.must(review.ExitOK, "publish", "latest")
	summaries, lines := l.forge.Standing("comment", 7), l.forge.Standing("line", 7)
	if len(summaries) != 1 || len(lines) != 3 {
		t.Fatalf("%d summaries and %d comments on lines, want 1 and 3", len(summaries), len(lines))
	}
	for _, c := range append(summaries, lines...) {
		if strings.Contains(c.Body, token) || strings.Contains(c.Body, "### `"+key) {
			t.Errorf("what is kept off the page stands on it:\n%s", c.Body)
		}
	}
	if exports := l.must(review.ExitOK, "runs", "export", "latest").out; strings.Count(exports, `"kind":"exported"`) != 2 {
		t.Errorf("both exports are journaled")
	}
}

// answers is the builder's part: pull, fix one, reject one with evidence,
// claim one.
func (l *loop) answers(first document.Document) {
	t := l.t
	l.must(review.ExitOK, "pull", "7")
	if ids := openList(t, l.read(".ai/reviews/pr-7.md")); len(ids) != 3 {
		t.Fatalf("open in the inbox: %v, want the three that were published", ids)
	}
	l.must(review.ExitOK, "inbox")
	l.must(review.ExitOK, "inbox", "resolve", of(t, first, "TLS").ID, "fixed", "--note", "verifies again")
	l.must(review.ExitOK, "inbox", "resolve", of(t, first, "SQL").ID, "rejected", "--note", "the id is a number, see parse.go")
	l.must(review.ExitOK, "inbox", "resolve", of(t, first, "Shell").ID, "fixed", "--note", "done")
	l.write("pay.go", strings.Replace(problems, "{InsecureSkipVerify: true}", "{MinVersion: tls.VersionTLS13}", 1))
	l.push("verify certificates")
}

func (l *loop) isRefusedWhileStale() {
	l.must(review.ExitStale, "publish", "latest")
	l.must(review.ExitStale, "pull", "7")
	l.must(review.ExitOK, "inbox") // HEAD is what was reviewed and own commits
	r := l.must(review.ExitFindings, "gate", "7", "--json")
	g := decode[struct{ Gate gate.Result }](l.t, r.out)
	if c := condition(l.t, g.Gate, "head"); c.Outcome != gate.NotHeld || !strings.Contains(c.Evidence, "stale") {
		l.t.Errorf("the head: %+v", c)
	}
	if n := len(l.forge.Standing("line", 7)); n != 3 {
		l.t.Errorf("%d comments on lines after a refusal, want 3", n)
	}
}

func condition(t testing.TB, r gate.Result, code string) gate.Condition {
	t.Helper()
	for _, c := range r.Conditions {
		if c.Code == code {
			return c
		}
	}
	t.Fatalf("no condition %q", code)
	return gate.Condition{}
}

// carriesOver: decisions stand, what the builder contests is open again with
// the builder's words, a claim over unchanged code is named as such.
func (l *loop) carriesOver(first, second document.Document) {
	t := l.t
	if len(second.Findings) != 4 || second.Counts.Undecided != 1 || second.Counts.Contested != 1 {
		t.Fatalf("%d findings, counts %+v; want 4, of which one is contested and undecided", len(second.Findings), second.Counts)
	}
	for word, want := range map[string]document.Status{"token": document.Open, "SQL": document.Undecided, "Shell": document.Open, "Writable": document.Rejected} {
		f := of(t, second, word)
		if f.Status != want || (f.Decision != nil && f.Decision.Carried != first.Run) {
			t.Errorf("%s: %s by %+v, want %s by %s", word, f.Status, f.Decision, want, first.Run)
		}
	}
	if a := of(t, second, "SQL").Answer; a == nil || !a.Contested || !strings.Contains(a.Note, "parse.go") {
		t.Errorf("the builder's words: %+v", a)
	}
	if a := of(t, second, "Shell").Answer; a == nil || a.Standing != string(inbox.StillReported) {
		t.Errorf("the claim: %+v", a)
	}
}

// gates: the review is trusted, fresh and triaged, and the gate does not hold;
// then a maintainer who is not the author breaks the glass for this head.
func (l *loop) gates() {
	t := l.t
	l.forge.SetGate(double.Gate{Protected: []string{"build"}, Runs: map[string]string{"build": "success"}, Permissions: map[string]string{"boss": "maintain"}})
	r := l.must(review.ExitFindings, "gate", "7", "--json", "--approve", "--label", "ready-to-merge")
	g := decode[struct{ Gate gate.Result }](t, r.out)
	for code, want := range map[string]gate.Outcome{
		"review": gate.Held, "head": gate.Held, "triage": gate.Held, "open": gate.Held, "checks": gate.Held, "branch": gate.Held, "ready": gate.Held, "read": gate.Held,
		"complete": gate.NotHeld, "verdict": gate.NotHeld, "card": gate.NotUsed,
	} {
		if c := condition(t, g.Gate, code); c.Outcome != want {
			t.Errorf("%s: %+v, want %s", code, c, want)
		}
	}
	if n := len(l.forge.Standing("review", 7)) + len(l.forge.Standing("label", 7)); n != 1 {
		t.Errorf("%d reviews and labels, want the one of publish: a gate that does not hold approves nothing", n)
	}
	l.forge.Say(7, double.User{Login: "boss", ID: 9, Type: "User"}, "break glass "+l.git("rev-parse", "HEAD")+"\nproduction is down")
	r = l.must(review.ExitOK, "gate", "7", "--approve", "--label", "ready-to-merge")
	if !strings.Contains(r.out, "glass broken by boss") {
		t.Errorf("who broke the glass is not shown:\n%s", r.out)
	}
	if labels := l.forge.Standing("label", 7); len(labels) != 1 || labels[0].Body != "ready-to-merge" {
		t.Errorf("labels %+v", labels)
	}
}
