package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/forge/double"
	"github.com/mrv-dev/mrv/engine/review"
)

const reviewing = ".github/workflows/mrv-review.yml"

// ofAWorkflow is a loop whose default branch has the workflow, and what a
// run of it kept.
func ofAWorkflow(t *testing.T) (l *loop, kept []byte) {
	t.Helper()
	l = newLoop(t)
	l.up.write(reviewing, "name: mrv review\n")
	l.up.git("add", "-A")
	l.up.git("commit", "-q", "-m", "workflow")
	runner := newPlace(t)
	runner.env = l.forge.Env()
	if r := runner.run("review", "7", "--repo", "acme/shop", "--agent", "checks", "--trust-rules", "base", "--json"); r.code == int(review.ExitUsage) {
		t.Fatal(r.err)
	}
	return l, unpacked(t, keptRun(t, runner)["mrv-run"])
}

func unpacked(t *testing.T, raw []byte) []byte {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		t.Fatal(err)
	}
	f, err := z.File[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func packed(t *testing.T, journal []byte) map[string][]byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	f, err := z.Create("run.jsonl")
	if err == nil {
		_, err = f.Write(journal)
	}
	if err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	return map[string][]byte{"mrv-run": out.Bytes()}
}

// changed is a journal with the data of one kind of event changed.
func changed[T any](t *testing.T, journal []byte, kind event.Kind, change func(*T)) []byte {
	t.Helper()
	var out []string
	for line := range strings.SplitSeq(strings.TrimSpace(string(journal)), "\n") {
		var e event.Event
		if json.Unmarshal([]byte(line), &e) == nil && e.Kind == kind {
			var v T
			if err := json.Unmarshal(e.Data, &v); err != nil {
				t.Fatal(err)
			}
			change(&v)
			data, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			e.Data = data
			raw, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			line = string(raw)
		}
		out = append(out, line)
	}
	return []byte(strings.Join(out, "\n") + "\n")
}

// decidedIn is a journal in which a finding is rejected.
func decidedIn(t *testing.T, journal []byte) []byte {
	t.Helper()
	e, err := event.New(event.Decided, "", 0, event.StepData{Op: "do", Patch: event.Patch{Decisions: map[string]review.Decision{
		"security-1.1": {Choice: review.Rejected, Reason: review.FalsePositive, By: "viewer"}}}})
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(journal), []byte("\n"))
	var last event.Event
	if err := json.Unmarshal(lines[len(lines)-1], &last); err != nil {
		t.Fatal(err)
	}
	e.Seq, e.TMS = last.Seq+1, last.TMS
	raw, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return append(append(slices.Clone(journal), raw...), '\n')
}

// TestAMadeUpArtefact: what a workflow kept is output of models. The change
// that a person is shown is the forge's, or the run is refused.
func TestAMadeUpArtefact(t *testing.T) {
	base, journal := ofAWorkflow(t)
	diffed := func(from, to string) []byte {
		return changed(t, journal, event.DiffStored, func(d *event.DiffData) {
			raw, err := d.Raw()
			if err != nil || !bytes.Contains(raw, []byte(from)) {
				t.Fatalf("%q is not in the diff: %v", from, err)
			}
			var z bytes.Buffer
			w := gzip.NewWriter(&z)
			if _, err := w.Write(bytes.Replace(raw, []byte(from), []byte(to), 1)); err != nil || w.Close() != nil {
				t.Fatal(err)
			}
			d.Gzip = z.Bytes()
		})
	}
	planned := func(change func(*event.Plan)) []byte { return changed(t, journal, event.Planned, change) }
	for _, c := range []struct {
		name    string
		journal []byte
		kept    map[string][]byte
		why     string // "" = it is taken
		never   string // what must not be shown
	}{
		{name: "as it is", journal: journal},
		{name: "a line of the change says something else", journal: diffed("InsecureSkipVerify: true", "InsecureSkipVerify: false"), why: "what it shows of pay.go is not what the pull request changes"},
		{name: "another title and address", journal: planned(func(p *event.Plan) {
			p.Change.Title, p.Change.URL, p.Change.Author = "Harmless", "https://evil.example", "boss"
		}), never: "Harmless"},
		{name: "of another pull request", journal: planned(func(p *event.Plan) { p.Change.Number = 8 }), why: "it is of acme/shop#8"},
		{name: "of another head", journal: planned(func(p *event.Plan) { p.Change.HeadSHA = strings.Repeat("ab", 20) }), why: "it is of another head"},
		{name: "a run that would be written elsewhere", journal: planned(func(p *event.Plan) { p.Run = "../../../evil" }), why: "it has no plan of its own run"},
		{name: "somebody has decided in it", journal: decidedIn(t, journal), why: "somebody has decided in it"},
		{name: "cut off", journal: journal[:len(journal)/2], why: "the kept review"},
		{name: "no zip", kept: map[string][]byte{"mrv-run": []byte("PK nonsense")}, why: "opening the kept review"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := base.on(t)
			kept := c.kept
			if kept == nil {
				kept = packed(t, c.journal)
			}
			l.forge.AddRun(double.WorkflowRun{ID: 42, Path: reviewing, Pull: 7, Kept: kept})
			r := l.feed("q\ny\n", "tui", "7", "--from-pr", "--plain")
			t.Logf("exit %d: %s", r.code, lastLines(r.err, 1))
			said := l.run("ci", "publish", "--repo", "acme/shop", "--run-id", "42")
			if c.why != "" {
				for _, x := range []result{r, said} {
					if x.code != int(review.ExitUsage) || !strings.Contains(x.err, c.why) {
						t.Errorf("exit %d, want %q\n%s%s", x.code, c.why, x.out, x.err)
					}
				}
				if n := len(l.forge.Standing("comment", 7)); n != 0 {
					t.Errorf("%d comments", n)
				}
				return
			}
			if r.code != 0 || said.code != 0 || !strings.Contains(r.out, "acme/shop#7  Pay with TLS") || (c.never != "" && strings.Contains(r.out, c.never)) || strings.Contains(r.out, "evil.example") {
				t.Errorf("exit %d and %d\n%s%s%s", r.code, said.code, r.out, r.err, said.err)
			}
		})
	}
}

// TestAnArtefactElsewhere: GitHub keeps artefacts at another host and redirects
// to it; that host learns nothing of the person.
func TestAnArtefactElsewhere(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("a program can be made to trust the test's certificate on Linux only (SSL_CERT_FILE)")
	}
	l, journal := ofAWorkflow(t)
	l.forge.AddRun(double.WorkflowRun{ID: 42, Path: reviewing, Pull: 7, Kept: packed(t, journal)})
	var mu sync.Mutex
	var asked []*http.Request
	l.env = append(l.env, l.forge.Store(func(r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, r)
	})...)
	r := l.feed("q\ny\n", "tui", "7", "--from-pr", "--plain")
	if r.code != 0 || !strings.Contains(r.out, "Finding 1 of 5") {
		t.Fatalf("exit %d\n%s%s", r.code, r.out, r.err)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(asked) != 1 {
		t.Fatalf("the store was asked %d times", len(asked))
	}
	for name, values := range asked[0].Header {
		if name == "Authorization" || name == "Cookie" || strings.Contains(strings.Join(values, " "), double.Token) {
			t.Errorf("the store is told %s: %v", name, values)
		}
	}
	l.env = l.env[:len(l.env)-1] // the certificate is not trusted any more
	l.home = t.TempDir()
	if r := l.feed("q\n", "tui", "7", "--from-pr", "--plain"); r.code != int(review.ExitUsage) || !strings.Contains(r.err, "certificate") || strings.Contains(r.err, "sig=") {
		t.Errorf("a store that nobody vouches for: exit %d\n%s", r.code, r.err)
	}
}

// TestACommentsRun: a run that a comment started names no pull request, so the
// workflow does; a fork's change is reviewed that way too.
func TestACommentsRun(t *testing.T) {
	l, journal := ofAWorkflow(t)
	l.up.write(".github/workflows/mrv-comment.yml", "name: mrv comment\n")
	l.up.git("add", "-A")
	l.up.git("commit", "-q", "-m", "comment")
	l.forge.Update(7, func(p *double.Pull) { p.HeadOwner = "fork" })
	l.forge.AddRun(double.WorkflowRun{ID: 51, Path: ".github/workflows/mrv-comment.yml", Pull: 7, Event: "issue_comment", Kept: packed(t, journal)})
	ci := func(args ...string) result {
		return l.run(append([]string{"ci", "publish", "--repo", "acme/shop", "--run-id", "51"}, args...)...)
	}
	l.forge.As(bot)
	if r := ci(); r.code != int(review.ExitUsage) || !strings.Contains(r.err, "belongs to 0 pull requests") {
		t.Errorf("without a number: exit %d, %s", r.code, r.err)
	}
	l.forge.Open(double.Pull{Number: 8, Title: "Another", Base: "main", Head: "main"})
	if r := ci("--pr", "8"); r.code != int(review.ExitUsage) || !strings.Contains(r.err, "it is of acme/shop#7") {
		t.Errorf("another pull request: exit %d, %s", r.code, r.err)
	}
	if r := ci("--pr", "7"); r.code != 0 || !strings.Contains(r.out, "posted: ") {
		t.Fatalf("exit %d, %s", r.code, r.err)
	}
	if said := l.forge.Standing("comment", 7); len(said) != 1 || !strings.Contains(said[0].Body, "5 findings, `mrv tui 7 --from-pr`") {
		t.Errorf("said %+v", said)
	}
	l.forge.As(me)
	if r := l.feed("q\ny\n", "tui", "7", "--from-pr", "--plain"); r.code != 0 || !strings.Contains(r.out, "Finding 1 of 5") {
		t.Errorf("exit %d\n%s%s", r.code, r.out, r.err)
	}
	l.another()
	l.home = t.TempDir()
	if r := l.feed("q\n", "tui", "7", "--from-pr", "--plain"); r.code != int(review.ExitUsage) || !strings.Contains(r.err, "another head") {
		t.Errorf("after the head moved: exit %d\n%s", r.code, r.err)
	}
}
