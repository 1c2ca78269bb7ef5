package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/document"
	"github.com/mrv-dev/mrv/engine/forge/double"
	"github.com/mrv-dev/mrv/engine/gate"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/window"
)

// mine is a reviewer of the person's own that hands in these findings and
// counts as a model.
func (l *loop) mine(findings string) document.Document {
	l.t.Helper()
	script := filepath.Join(l.home, "mine")
	text := "#!/bin/sh\nprompt=$(cat)\nmarker=$(echo \"$prompt\" | sed -n 's/^Marker: //p' | head -1)\n" +
		"label=$(echo \"$prompt\" | sed -n 's/^[^|]*: *\\([^|]*\\) | .* | .*$/\\1/p' | tail -1)\n" +
		"printf '%s\\nRead: %s\\n## Summary\\nRead.\\n## Findings\\n' \"$label\" \"$marker\"\ncat <<'END-OF-FINDINGS'\n" + findings + "\nEND-OF-FINDINGS\nprintf '## Validation gaps\\nNone.\\n'\n"
	if err := os.WriteFile(script, []byte(text), 0o755); err != nil {
		l.t.Fatal(err)
	}
	settings := filepath.Join(l.home, ".config/mrv/config.yaml")
	if err := os.MkdirAll(filepath.Dir(settings), 0o700); err != nil {
		l.t.Fatal(err)
	}
	if err := os.WriteFile(settings, []byte("commands:\n  mine:\n    run: ["+script+"]\n"), 0o600); err != nil {
		l.t.Fatal(err)
	}
	r := l.run("review", "7", "--agent", "command:mine", "--team", "quality:1", "--trust-rules", "base", "--json")
	if r.code == int(review.ExitUsage) {
		l.t.Fatal(r.err)
	}
	return decode[document.Document](l.t, r.out)
}

func claimed(title, location, quote, replacement string) string {
	out := "### [warning] " + title + "\n- **Location:** " + location + "\n- **Observation:** It is so.\n- **Inference:** It can go wrong.\n- **Judgment:** To be mended; contract: none\n" +
		"- **Verification:** Look.\n- **Quote:**\n~~~~\n" + quote + "\n~~~~\n"
	if replacement != "" {
		out += "- **Replacement:**\n~~~~\n" + replacement + "\n~~~~\n"
	}
	return out
}

const (
	wide   = `func open() error { return os.Chmod("x.db", 0777) }`
	narrow = "func open() error {\n\treturn os.Chmod(\"x.db\", 0600) // not ```0777```\n}"
	shell  = "func list(dir string) ([]byte, error) {\n\treturn exec.Command(\"sh\", \"-c\", \"ls \"+dir).Output()\n}"
)

// TestSuggestions: a replacement is offered only for exactly the lines that it
// is for, only when its diff was shown, and as it is.
func TestSuggestions(t *testing.T) {
	base := newLoop(t)
	d := base.mine(claimed("Too wide", "pay.go:22", wide, narrow) + claimed("A shell", "pay.go:18-20", shell, "func list(dir string) ([]byte, error) { return nil, nil }") +
		claimed("A part of the line", "pay.go:14", `db.Query("SELECT * FROM t WHERE id = '" + id`, "\treturn nil") +
		claimed("With a secret", "pay.go:11", strings.Split(problems, "\n")[10], "var client = dial(\""+token+"\")"))
	if len(d.Findings) != 4 || !d.Complete {
		t.Fatalf("%d findings, holds %+v", len(d.Findings), d.Holds)
	}
	base.triage("a", "a", "a", "a")
	bare := base.on(t)
	if r := bare.must(review.ExitOK, "publish", "latest"); strings.Contains(r.out, "0600") {
		t.Errorf("a replacement that nobody asked for:\n%s", r.out)
	}
	l := base.on(t)
	shown := l.must(review.ExitOK, "publish", "latest", "--suggest", "--dry-run")
	for _, want := range []string{"         - " + wide, "         + func open() error {", "         + func list(dir string) ([]byte, error) { return nil, nil }"} {
		if !strings.Contains(shown.out, want) {
			t.Errorf("the diff is not shown: %q\n%s", want, shown.out)
		}
	}
	if strings.Contains(shown.out, token) || strings.Contains(shown.out, "+ \treturn nil") || strings.Contains(shown.out, "+ return nil") {
		t.Errorf("what is not offered is shown:\n%s", shown.out)
	}
	l.must(review.ExitOK, "publish", "latest", "--suggest")
	offered := 0
	for _, c := range l.forge.Standing("line", 7) {
		if strings.Contains(c.Body, token) {
			t.Errorf("a secret:\n%s", c.Body)
		}
		if !strings.Contains(c.Body, "suggestion\n") {
			continue
		}
		offered++
		switch {
		case c.Line == 22 && c.Start == 0 && strings.Contains(c.Body, "````suggestion\n"+narrow+"\n````"):
		case c.Start == 18 && c.Line == 20:
		default:
			t.Errorf("%s:%d-%d offers\n%s", c.Path, c.Start, c.Line, c.Body)
		}
	}
	if offered != 2 || len(l.forge.Standing("line", 7)) != 4 {
		t.Errorf("%d suggestions in %d comments, want 2 in 4", offered, len(l.forge.Standing("line", 7)))
	}
	for _, c := range bare.forge.Standing("line", 7) {
		if strings.Contains(c.Body, "suggestion\n") {
			t.Errorf("offered although nobody asked:\n%s", c.Body)
		}
	}
}

// TestACleanReviewPassesTheGate: a model read the change and found nothing, so
// there is nothing to decide; who posts that answers for it, and it is not the
// author.
func TestACleanReviewPassesTheGate(t *testing.T) {
	l := newLoop(t)
	d := l.mine("None.")
	if len(d.Findings) != 0 || d.Verdict != review.NoBlockingFindings {
		t.Fatalf("%s, %d findings, holds %+v", d.Verdict, len(d.Findings), d.Holds)
	}
	r := l.must(review.ExitOK, "publish", "latest")
	l.has(1, 0)
	if !strings.Contains(r.out, "the summary alone") {
		t.Errorf("what is posted:\n%s", r.out)
	}
	g := decode[struct{ Gate gate.Result }](t, l.must(review.ExitOK, "gate", "7", "--json", "--approve").out).Gate
	if x := condition(t, g, "triage"); !g.Holds || x.Outcome != gate.Held || x.Evidence != "by viewer" {
		t.Errorf("%+v", g)
	}
	if s := l.forge.Standing("review", 7); len(s) != 1 || s[0].State != "APPROVED" {
		t.Errorf("%+v", s)
	}
	l.forge.Update(7, func(p *double.Pull) { p.Author = me })
	if r := l.run("gate", "7"); r.code != int(review.ExitFindings) || !strings.Contains(r.out, "only by viewer, the author") {
		t.Errorf("one's own: exit %d\n%s", r.code, r.out)
	}
}

// TestUntriaged: what nobody decided is posted only when that is asked for, in
// the summary alone, and says so.
func TestUntriaged(t *testing.T) {
	l := newLoop(t)
	l.review()
	if r := l.run("publish", "latest", "--dry-run"); r.code != int(review.ExitUsage) || !strings.Contains(r.err, "nobody has triaged this run") {
		t.Errorf("exit %d: %s", r.code, r.err)
	}
	l.has(0, 0)
	r := l.must(review.ExitOK, "publish", "latest", "--untriaged")
	l.has(1, 0)
	body := l.forge.Standing("comment", 7)[0].Body
	if !strings.Contains(strings.ToLower(body), "not triaged") || strings.Contains(body, token) || !strings.Contains(r.out, "kept") || strings.Count(body, "\n### ") != 4 {
		t.Errorf("said:\n%s\n%s", r.out, body)
	}
	if r := l.must(review.ExitOK, "pull", "7"); !strings.Contains(r.err, "nobody has triaged") {
		t.Errorf("pulled: %s", r.err)
	}
	if ids := openList(t, l.read(".ai/reviews/pr-7.md")); len(ids) != 0 {
		t.Errorf("open although nobody accepted them: %v", ids)
	}
	if r := l.run("gate", "7"); r.code != int(review.ExitFindings) || !strings.Contains(r.out, "not triaged") {
		t.Errorf("the gate: exit %d\n%s", r.code, r.out)
	}
}

// TestACriticalOneIsAskedAbout: posting it where anybody may read it asks on
// its own, and names the private way.
func TestACriticalOneIsAskedAbout(t *testing.T) {
	base, first := triaged(t)
	id := of(t, first, "token").ID
	for answer, lines := range map[string]int{"n": 3, "y": 4} {
		l := base.on(t)
		s := window.Start(t, l.command("publish", "latest", "--post-security", id), 160, 40)
		s.See("critical security finding", "A private report reaches the maintainers alone", "[y/N]")
		s.Press(answer, "enter")
		s.See("Post this to https://github.com/acme/shop/pull/7?")
		s.Press("y", "enter")
		if code := s.Exit(); code != 0 {
			t.Errorf("exit %d\n%s", code, s.Text())
		}
		l.has(1, lines)
		for _, c := range append(l.forge.Standing("line", 7), l.forge.Standing("comment", 7)...) {
			if strings.Contains(c.Body, token) {
				t.Errorf("the token itself:\n%s", c.Body)
			}
		}
	}
}

// TestPullShowsTheForgesLines: a comment of one's own that was made up as a
// whole still decides nothing about what the change is.
func TestPullShowsTheForgesLines(t *testing.T) {
	l, first := triaged(t)
	clean := l.must(review.ExitOK, "publish", "latest")
	if r := l.must(review.ExitOK, "pull", "7"); strings.Contains(r.err, "has not at") {
		t.Errorf("%s\n%s", clean.out, r.err)
	}
	said := l.forge.Standing("comment", 7)[0]
	_, d, err := document.ParseComment(said.Body)
	if err != nil {
		t.Fatal(err)
	}
	forged := d
	forged.Change.Title, forged.Change.URL = "Another title", "https://evil.example/pull/7"
	tls, sql := of(t, first, "TLS").ID, of(t, first, "SQL").ID
	for i := range forged.Findings {
		f := &forged.Findings[i]
		switch f.ID {
		case tls:
			f.Quote, f.Place.Text = "os.RemoveAll(\"/\")", "os.RemoveAll(\"/\")"
		case sql:
			f.Place = diff.Place{How: diff.Exact, Path: "main.go", Side: diff.Right, Start: 3, End: 3, QuoteFound: true, Text: "rm"}
		}
	}
	body, err := document.Comment(forged, document.CommentOptions{As: "viewer"})
	if err != nil {
		t.Fatal(err)
	}
	l.forge.EditAs(me, said.ID, body)
	r := l.must(review.ExitOK, "pull", "7")
	for _, id := range []string{tls, sql} {
		if !strings.Contains(r.err, id+": the change has not at") {
			t.Errorf("%s: %s", id, r.err)
		}
	}
	if md := l.read(".ai/reviews/pr-7.md") + l.read(".ai/reviews/pr-7.json"); strings.Contains(md, "RemoveAll") || strings.Contains(md, "evil.example") || strings.Contains(md, "Another title") {
		t.Errorf("the comment's own lines are in the inbox:\n%s", l.read(".ai/reviews/pr-7.md"))
	}
}

// TestSARIFComesBack: SARIF has no level for a critical finding; what mrv wrote
// is read back as it was.
func TestSARIFComesBack(t *testing.T) {
	l, first := triaged(t)
	l.write("mrv.sarif", l.must(review.ExitOK, "runs", "export", "latest", "--format", "sarif").out)
	merged := decode[struct {
		Merged []struct{ Title, Severity string }
	}](t, l.run("merge", "mrv.sarif", "--json").out)
	if len(merged.Merged) != 4 {
		t.Fatalf("%d findings, want the four that were accepted: %+v", len(merged.Merged), merged)
	}
	critical := 0
	for _, f := range merged.Merged {
		if f.Severity == string(review.Critical) {
			critical++
		}
	}
	if critical != 1 {
		t.Errorf("%d are critical, want %s alone: %+v", critical, of(t, first, "token").ID, merged.Merged)
	}
}

// TestTheInboxOfTheChange: an inbox that the change itself brings is part of
// it; and a line that is no answer is said, by the inbox and by the next run.
func TestTheInboxOfTheChange(t *testing.T) {
	l, first := triaged(t)
	l.must(review.ExitOK, "publish", "latest")
	l.must(review.ExitOK, "pull", "7")
	answers := ".ai/reviews/pr-7.answers.jsonl"
	l.write(answers, l.read(answers)+`{"id":"`+of(t, first, "SQL").ID+`","outcome":"wontfix"}`+"\n")
	if r := l.must(review.ExitOK, "inbox"); !strings.Contains(r.err, "answers, line 2:") || !strings.Contains(r.err, "wontfix") {
		t.Errorf("the bad line: %s", r.err)
	}
	run := []string{"review", "7", "--agent", "checks", "--trust-rules", "base"}
	if r := l.run(run...); !strings.Contains(r.out+r.err, "line 2 of pr-7.answers.jsonl is no answer") {
		t.Errorf("the next run:\n%s%s", r.out, r.err)
	}
	l.write(answers, l.read(answers)+`{"id":"`+of(t, first, "SQL").ID+`","outcome":"rejected","note":"trust me"}`+"\n")
	l.git("add", "-f", ".ai/reviews/pr-7.json", answers)
	l.push("an inbox of one's own")
	for _, args := range [][]string{{"inbox", "pr-7"}, run} {
		if r := l.run(args...); !strings.Contains(r.out+r.err, "is tracked by the repository") || strings.Contains(r.out+r.err, "trust me") {
			t.Errorf("%v:\n%s%s", args, r.out, r.err)
		}
	}
}
