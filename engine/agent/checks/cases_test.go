package checks_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine/agent"
	"github.com/mrv-dev/mrv/engine/agent/checks"
	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/personas"
)

const corpus = "../../../testdata/checks"

// one is a case of the corpus: an excerpt of real code, named, that a check
// must hit or leave alone. The manifest says where it is from.
type one struct {
	Case    string // check/hit/001.txt or check/miss/001.txt
	Path    string // the path the excerpt is given
	Source  string
	License string
	File    string
	Lines   string
	Note    string
}

func builtinRules(t *testing.T) map[string]checks.Rule {
	t.Helper()
	list, err := personas.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]checks.Rule{}
	for _, p := range list {
		rules, err := checks.Compile(p.Checks)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rules {
			out[r.ID] = r
		}
	}
	return out
}

// added is a change that adds one file.
func added(path, text string) *diff.Set {
	h := &diff.Hunk{NewStart: 1}
	for _, l := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		h.Lines = append(h.Lines, diff.Line{Op: diff.Add, Text: l})
	}
	h.NewLines = len(h.Lines)
	return &diff.Set{Files: []*diff.File{{NewPath: path, Status: diff.Added, Additions: len(h.Lines), Hunks: []*diff.Hunk{h}}}}
}

// TestCases runs every built-in check over its excerpts: it fires on each hit
// and on no miss, and no other check fires on either.
func TestCases(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(corpus, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []one
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	rules := builtinRules(t)
	var all []checks.Rule
	for _, r := range rules {
		all = append(all, r)
	}
	seen := map[string]int{}
	for _, c := range cases {
		t.Run(c.Case, func(t *testing.T) {
			parts := strings.Split(c.Case, "/")
			text, err := os.ReadFile(filepath.Join(corpus, c.Case))
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := rules[parts[0]]; !ok || c.Source == "" || c.License == "" {
				t.Fatalf("the manifest names no such check, or no source or licence: %+v", c)
			}
			seen[parts[0]+"/"+parts[1]]++
			// secrets are stored broken by a bar, so that scanners stay quiet
			whole := strings.ReplaceAll(string(text), "¦", "")
			var got []string
			for _, h := range checks.Run(all, added(c.Path, whole)) {
				got = append(got, h.Rule.ID)
			}
			want := ""
			if parts[1] == "hit" {
				want = parts[0]
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%s of %s (%s): fires %v, want %q", c.Lines, c.File, c.Source, got, want)
			}
		})
	}
	for id := range rules {
		if seen[id+"/hit"] == 0 || seen[id+"/miss"] < 2 {
			t.Errorf("%s: %d hits and %d misses; it needs one and two", id, seen[id+"/hit"], seen[id+"/miss"])
		}
	}
}

// TestGeneralistStandsForTheOthers: on a trivial change, the one reviewer has
// all the checks.
func TestGeneralistStandsForTheOthers(t *testing.T) {
	list, err := personas.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	p, _ := personas.Find(list, "generalist")
	if got, want := len(p.Checks), len(builtinRules(t)); got != want {
		t.Errorf("the generalist has %d checks of %d", got, want)
	}
}

// TestRealDiffs: over the corpus of diffs no check fires: it is made of
// harmless changes.
func TestRealDiffs(t *testing.T) {
	files, err := filepath.Glob("../../../testdata/diffs/*.diff")
	if err != nil || len(files) == 0 {
		t.Fatalf("no diffs: %v", err)
	}
	var all []checks.Rule
	for _, r := range builtinRules(t) {
		all = append(all, r)
	}
	read := 0
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		set, err := diff.Parse(raw)
		if err != nil {
			continue // refused with a reason: the diff package's own test
		}
		read++
		for _, h := range checks.Run(all, set) {
			t.Errorf("%s: %s fires on %s", filepath.Base(f), h.Rule.ID, h.Lines[0].Text)
		}
	}
	if read < 50 {
		t.Errorf("only %d diffs were read", read)
	}
}

// TestNoSecretInAnyReport: the reports over the cases of secrets, in both
// languages, hold nothing of them.
func TestNoSecretInAnyReport(t *testing.T) {
	list, err := personas.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	security, _ := personas.Find(list, "security")
	hits, err := filepath.Glob(corpus + "/p*/hit/*.txt") // private-key, private-key-inline, provider-token
	if err != nil || len(hits) < 3 {
		t.Fatalf("%d cases: %v", len(hits), err)
	}
	for _, f := range hits {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, lang := range []review.Lang{review.English, review.Chinese} {
			report, err := checks.Report(agent.Spec{
				Reviewer: "security-1", Persona: security, Lang: lang,
				Change: added("deploy/x.ts", strings.ReplaceAll(string(text), "¦", "")),
			})
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(report, "…") {
				t.Errorf("%s: nothing is masked in\n%s", f, report)
			}
			for _, word := range strings.FieldsFunc(string(text), func(r rune) bool { return strings.ContainsRune(" \t\n\"'`\\¦", r) }) {
				if len(word) >= 20 && !strings.HasPrefix(word, "-----") && strings.Contains(report, word) {
					t.Errorf("%s: the report holds %s…", f, word[:6])
				}
			}
		}
	}
}
