package inbox

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mrv-dev/mrv/engine/document"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

const (
	reviewed = "8b1e07d4c2a95f3e6d7081b2c3d4e5f60718293a"
	later    = "3f9c2a1b0d8e7f6a5b4c3d2e1f0a9b8c7d6e5f40"
	tree     = "7ee0000000000000000000000000000000000000"
)

var now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func doc(source event.Source, run string) document.Document {
	finding := func(id string, s document.Status, d *review.Decision) document.Finding {
		return document.Finding{ID: id, Sources: []string{id}, Status: s, Severity: review.Warning, Title: "title of " + id, Decision: d, Reviewers: []string{}, Models: []string{}}
	}
	d := document.Document{
		Schema: document.Schema, Run: run, Lang: review.English, WrittenAt: now.Format(time.RFC3339), Verdict: review.HumanCheckNeeded,
		Change: document.Change{Source: source, Number: 12, Head: reviewed, Identity: reviewed, Repository: "acme/shop", HeadRef: "fix"},
		Findings: []document.Finding{
			finding("quality-1.1", document.Open, nil), finding("security-1.1", document.Open, nil),
			finding("quality-1.2", document.Rejected, &review.Decision{Choice: review.Rejected, Reason: review.WontFix}),
			finding("quality-1.3", document.Undecided, nil),
		},
	}
	d.Findings[1].Sources = []string{"security-1.1", "quality-1.4"}
	switch source {
	case event.FromWorktree:
		d.Change.Identity = tree
	case event.FromPatch:
		d.Change.Head, d.Change.Identity = "", strings.Repeat("ab", 32)
	}
	return d
}

func write(t *testing.T, root string, d document.Document, tracked ...string) Written {
	t.Helper()
	w, err := Write(context.Background(), root, d, tracked...)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func names(t *testing.T, root string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(root, Dir))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestWritePutsPrivateFilesWhole(t *testing.T) {
	root := t.TempDir()
	d := doc(event.FromPR, "r1")
	w := write(t, root, d)
	want := []string{".gitignore", "latest.json", "latest.md", "pr-12.answers.jsonl", "pr-12.json", "pr-12.md"}
	if got := names(t, root); !slices.Equal(got, want) {
		t.Fatalf("files %v, want %v", got, want)
	}
	if len(w.Paths) != 5 || len(w.Notes) != 0 {
		t.Errorf("written: %+v", w)
	}
	for _, name := range want {
		info, err := os.Stat(filepath.Join(root, Dir, name))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v, want 0600", name, info.Mode(), err)
		}
	}
	if info, err := os.Stat(filepath.Join(root, Dir)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder is %v %v, want 0700", info.Mode(), err)
	}
	if raw, _ := os.ReadFile(filepath.Join(root, Dir, ".gitignore")); string(raw) != "*\n" {
		t.Errorf(".gitignore is %q", raw)
	}
	markdown, _ := os.ReadFile(filepath.Join(root, Dir, "pr-12.md"))
	latest, _ := os.ReadFile(filepath.Join(root, Dir, "latest.md"))
	if len(markdown) == 0 || string(markdown) != string(latest) || strings.Contains(string(markdown), "quality-1.3") {
		t.Errorf("latest.md is not the copy, or holds what is undecided:\n%s", latest)
	}
	for _, p := range Paths(d) {
		if !slices.Contains(w.Paths, filepath.Join(root, p)) {
			t.Errorf("%s was promised and not written: %v", p, w.Paths)
		}
	}
}

func TestWriteKeepsAnExistingGitignoreAndTightensTheFolder(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, Dir), 0o755); err != nil {
		t.Fatal(err)
	}
	mine := filepath.Join(root, Dir, ".gitignore")
	if err := os.WriteFile(mine, []byte("# mine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	write(t, root, doc(event.FromPR, "r1"))
	if raw, _ := os.ReadFile(mine); string(raw) != "# mine\n" {
		t.Errorf("the person's .gitignore became %q", raw)
	}
	if info, _ := os.Stat(filepath.Join(root, Dir)); info.Mode().Perm() != 0o700 {
		t.Errorf("the folder is %v", info.Mode())
	}
}

func TestWriteNeverGoesThroughALink(t *testing.T) {
	outside := t.TempDir()
	for name, plant := range map[string]func(root string) error{
		".ai": func(root string) error { return os.Symlink(outside, filepath.Join(root, ".ai")) },
		".ai inside": func(root string) error {
			os.Mkdir(filepath.Join(root, "x"), 0o755)
			return os.Symlink("x", filepath.Join(root, ".ai"))
		},
		"reviews": func(root string) error {
			os.Mkdir(filepath.Join(root, ".ai"), 0o755)
			return os.Symlink(outside, filepath.Join(root, Dir))
		},
		"the file": func(root string) error {
			os.MkdirAll(filepath.Join(root, Dir), 0o755)
			return os.Symlink(filepath.Join(outside, "f"), filepath.Join(root, Dir, "pr-12.md"))
		},
		"latest": func(root string) error {
			os.MkdirAll(filepath.Join(root, Dir), 0o755)
			return os.Symlink(filepath.Join(outside, "f"), filepath.Join(root, Dir, "latest.md"))
		},
		"the answers": func(root string) error {
			os.MkdirAll(filepath.Join(root, Dir), 0o755)
			return os.Symlink(filepath.Join(outside, "f"), filepath.Join(root, Dir, "pr-12.answers.jsonl"))
		},
		"a plain file": func(root string) error { return os.WriteFile(filepath.Join(root, ".ai"), nil, 0o644) },
		"a folder .md": func(root string) error { return os.MkdirAll(filepath.Join(root, Dir, "pr-12.md"), 0o755) },
	} {
		root := t.TempDir()
		if err := plant(root); err != nil {
			t.Fatal(err)
		}
		_, err := Write(context.Background(), root, doc(event.FromPR, "r1"))
		if err == nil {
			t.Errorf("%s: written all the same", name)
		} else if !strings.Contains(err.Error(), root) {
			t.Errorf("%s: the error names no path: %v", name, err)
		}
	}
	if left, _ := os.ReadDir(outside); len(left) != 0 {
		t.Errorf("files outside the repository: %v", left)
	}
}

func TestWriteLeavesTrackedFilesAlone(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, Dir), 0o755); err != nil {
		t.Fatal(err)
	}
	planted := filepath.Join(root, Dir, "latest.md")
	if err := os.WriteFile(planted, []byte("planted"), 0o644); err != nil {
		t.Fatal(err)
	}
	w := write(t, root, doc(event.FromPR, "r1"), Dir+"/latest.md")
	if raw, _ := os.ReadFile(planted); string(raw) != "planted" {
		t.Error("a file of the repository was written over")
	}
	if len(w.Notes) != 1 || !strings.Contains(w.Notes[0], "latest.md is tracked") {
		t.Errorf("notes: %v", w.Notes)
	}
	if _, err := Read(context.Background(), root, "latest", nil, Dir+"/latest.json"); err == nil {
		t.Error("a tracked file was read as an inbox")
	}
}

func TestDemoLeavesARealReviewAlone(t *testing.T) {
	root := t.TempDir()
	demo := doc(event.FromDemo, "d1")
	write(t, root, demo)
	if raw, _ := os.ReadFile(filepath.Join(root, Dir, "latest.md")); !strings.Contains(string(raw), "source: demo") {
		t.Error("the first demo is the latest")
	}
	write(t, root, doc(event.FromPR, "r1"))
	w := write(t, root, demo)
	if raw, _ := os.ReadFile(filepath.Join(root, Dir, "latest.md")); !strings.Contains(string(raw), "source: pr") {
		t.Error("a demo replaced a real review")
	}
	if len(w.Notes) != 1 || !slices.Contains(names(t, root), "demo.md") {
		t.Errorf("notes %v, files %v", w.Notes, names(t, root))
	}
	if err := os.WriteFile(filepath.Join(root, Dir, "latest.json"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	write(t, root, demo)
	if raw, _ := os.ReadFile(filepath.Join(root, Dir, "latest.json")); string(raw) != "mine" {
		t.Error("a demo replaced what it could not read")
	}
}

func TestAnswersAreAppendedAndNeverLost(t *testing.T) {
	root := t.TempDir()
	write(t, root, doc(event.FromPR, "r1"))
	path, err := Resolve(root, "pr-12", Answer{ID: "quality-1.1", Outcome: Fixed, By: "agent"}, now)
	if err != nil {
		t.Fatal(err)
	}
	byHand, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	lines := []string{`{"id":"quality-1.4","outcome":"rejected","note":"already checked in line 3"}`, `{"id":"x"`, `{"id":"quality-1.1","outcome":"done"}`, `{"id":"security-1.1","outcome":"rejected"}`, `no json`, ``, `[]`}
	if _, err := byHand.WriteString(strings.Join(lines, "\n")); err != nil { // no newline at the end
		t.Fatal(err)
	}
	byHand.Close()
	if _, err := Resolve(root, "", Answer{ID: "quality-1.1", Outcome: Escalated, Note: "needs a decision"}, now); err != nil {
		t.Fatal(err)
	}
	got, err := Answers(root, "pr-12")
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Answers) != 3 || len(got.Bad) != 5 || len(got.Of("r1")) != 3 {
		t.Fatalf("answers %+v\nbad %+v", got.Answers, got.Bad)
	}
	if got.Bad[0].Line != 4 || got.Bad[0].Text != `{"id":"x"` {
		t.Errorf("bad: %+v", got.Bad[0])
	}

	// A new run of the same change begins a round: its ids mean other findings.
	write(t, root, doc(event.FromPR, "r2"))
	write(t, root, doc(event.FromPR, "r2"))
	again, err := Answers(root, "pr-12")
	if err != nil {
		t.Fatal(err)
	}
	if len(again.Of("r1")) != 3 || len(again.Of("r2")) != 0 || len(again.Bad) != 5 {
		t.Errorf("a new run changed the answers to the old one: %+v", again)
	}
	raw, _ := os.ReadFile(path)
	if n := strings.Count(string(raw), `"run":"r2"`); n != 1 {
		t.Errorf("the round of r2 begins %d times", n)
	}
}

func TestResolveRefusesWhatIsNotOpen(t *testing.T) {
	root := t.TempDir()
	write(t, root, doc(event.FromPR, "r1"))
	for _, c := range []struct {
		stem string
		a    Answer
		want string
	}{
		{"pr-12", Answer{ID: "quality-1.2", Outcome: Fixed}, "is rejected"},
		{"pr-12", Answer{ID: "nobody-1.1", Outcome: Fixed}, "open are: quality-1.1, security-1.1"},
		{"pr-12", Answer{ID: "quality-1.1", Outcome: "done"}, "none of fixed"},
		{"pr-12", Answer{ID: "quality-1.1", Outcome: Rejected}, "needs a note"},
		{"../x", Answer{ID: "quality-1.1", Outcome: Fixed}, "no name of a review"},
		{"pr-13", Answer{ID: "quality-1.1", Outcome: Fixed}, "pr-13.json"},
	} {
		if _, err := Resolve(root, c.stem, c.a, now); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.a, err, c.want)
		}
	}
	if _, err := Resolve(t.TempDir(), "pr-12", Answer{ID: "a", Outcome: Fixed}, now); err == nil || !strings.HasPrefix(err.Error(), "no inbox in ") {
		t.Errorf("no inbox: %v", err)
	}
}

// clone is a repository's history as a test needs it.
type clone struct {
	head, tree, me string
	since          []Commit
	unrelated      bool
}

func (c clone) Head(context.Context) (string, error) { return c.head, nil }
func (c clone) Tree(context.Context) (string, error) { return c.tree, nil }
func (c clone) Me(context.Context) (string, error)   { return c.me, nil }
func (c clone) Since(context.Context, string) ([]Commit, bool, error) {
	return c.since, !c.unrelated, nil
}

func TestFreshIsTheReviewedHeadAndOwnCommitsOnly(t *testing.T) {
	own := Commit{SHA: later, Author: "me@x", Committer: "ME@x", Parents: 1}
	foreign, picked, taken, merge := own, own, own, own
	foreign.Author, foreign.Committer, picked.Author, taken.Committer, merge.Parents = "you@x", "you@x", "you@x", "you@x", 2
	answered := Answer{ID: "quality-1.1", Outcome: Fixed}
	for _, c := range []struct {
		name   string
		source event.Source
		repo   Repo
		answer *Answer
		fresh  bool
	}{
		{"the reviewed head", event.FromPR, clone{head: reviewed}, nil, true},
		{"own commits after it", event.FromPR, clone{head: later, me: "me@x", since: []Commit{own, own}}, nil, true},
		{"another's commit", event.FromPR, clone{head: later, me: "me@x", since: []Commit{own, foreign}}, nil, false},
		{"another's commit picked", event.FromPR, clone{head: later, me: "me@x", since: []Commit{picked}}, nil, false},
		{"one's own, committed by another", event.FromPR, clone{head: later, me: "me@x", since: []Commit{taken}}, nil, false},
		{"a merge", event.FromPR, clone{head: later, me: "me@x", since: []Commit{merge}}, nil, false},
		{"nobody is me", event.FromPR, clone{head: later, since: []Commit{own}}, nil, false},
		{"another history", event.FromBase, clone{head: later, me: "me@x", unrelated: true}, nil, false},
		{"no clone", event.FromBase, nil, nil, false},
		{"a demo", event.FromDemo, clone{head: reviewed}, nil, false},
		{"a patch bound to nothing", event.FromPatch, clone{head: reviewed}, nil, false},
		{"the reviewed tree", event.FromWorktree, clone{head: reviewed, tree: tree}, nil, true},
		{"another tree", event.FromWorktree, clone{head: reviewed, tree: later}, nil, false},
		{"another tree after an answer", event.FromWorktree, clone{head: reviewed, tree: later}, &answered, true},
	} {
		root := t.TempDir()
		d := doc(c.source, "r1")
		write(t, root, d)
		if c.answer != nil {
			if _, err := Resolve(root, "", *c.answer, now); err != nil {
				t.Fatal(err)
			}
		}
		s, err := Read(context.Background(), root, d.Stem(), c.repo)
		if err != nil {
			t.Fatal(err)
		}
		if s.Fresh != c.fresh || s.Why == "" || (s.Exit() == review.ExitOK) != c.fresh {
			t.Errorf("%s: fresh %v (%s), want %v", c.name, s.Fresh, s.Why, c.fresh)
		}
	}
}

func TestReadSortsOpenFromAnswered(t *testing.T) {
	root := t.TempDir()
	write(t, root, doc(event.FromPR, "r1"))
	// An answer may name a source of the finding; the last one counts.
	for _, a := range []Answer{{ID: "quality-1.4", Outcome: Fixed}, {ID: "security-1.1", Outcome: Rejected, Note: "see line 3"}} {
		if _, err := Resolve(root, "", a, now); err != nil {
			t.Fatal(err)
		}
	}
	line, _ := json.Marshal(Answer{ID: "gone-1.1", Outcome: Fixed})
	b, err := open(root, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.add(Dir+"/pr-12.answers.jsonl", line); err != nil {
		t.Fatal(err)
	}
	b.close()
	s, err := Read(context.Background(), root, "", clone{head: reviewed})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Open) != 1 || s.Open[0].ID != "quality-1.1" || len(s.Answered) != 1 || s.Answered[0].Answer.Outcome != Rejected || len(s.Unknown) != 1 {
		t.Errorf("open %v\nanswered %v\nunknown %v", s.Open, s.Answered, s.Unknown)
	}
}

func FuzzParseAnswers(f *testing.F) {
	f.Add([]byte(`{"id":"a-1.1","outcome":"fixed"}` + "\n" + `{"run":"r","open":[]}` + "\nx\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got := ParseAnswers(raw)
		rounds := 0
		for _, line := range strings.Split(string(raw), "\n") {
			if strings.TrimSpace(line) != "" {
				rounds++
			}
		}
		if n := len(got.Answers) + len(got.Bad); n > rounds {
			t.Fatalf("%d answers of %d lines", n, rounds)
		}
		for _, a := range got.Answers {
			if err := a.Check(); err != nil {
				t.Fatalf("line %d passed: %v", a.Line, err)
			}
		}
	})
}
