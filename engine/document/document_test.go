package document

import (
	"bytes"
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (write it with -update)", err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what it was (look at the change, then -update):\n%s", path, got)
	}
}

func changes() map[string]event.Change {
	branch, tree, demo := pull(), pull(), pull()
	branch.Source, branch.Number, branch.URL = event.FromBase, 0, ""
	tree.Source, tree.Number, tree.URL, tree.Identity = event.FromWorktree, 0, "", "7ee0000000000000000000000000000000000000"
	patch := event.Change{Source: event.FromPatch, Identity: strings.Repeat("ab", 32)}
	demo.Source, demo.Number, demo.URL, demo.Identity = event.FromDemo, 0, "", strings.Repeat("de", 32)
	return map[string]event.Change{"pr": pull(), "branch": branch, "worktree": tree, "patch": patch, "demo": demo}
}

func TestInboxIsWhatItWas(t *testing.T) {
	for name, change := range changes() {
		text, err := Inbox(build(t, review.English, change))
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "inbox-"+name+".md", []byte(text))
	}
	text, err := Inbox(build(t, review.Chinese, pull()))
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "inbox-pr.zh.md", []byte(text))
}

// body takes the front matter off, as a forge or an agent does.
func body(t *testing.T, inbox string) (front map[string]any, rest string) {
	t.Helper()
	parts := strings.SplitN(inbox, "---\n", 3)
	if len(parts) != 3 || parts[0] != "" {
		t.Fatalf("no front matter: %q", inbox)
	}
	if err := yaml.Unmarshal([]byte(parts[1]), &front); err != nil {
		t.Fatal(err)
	}
	return front, parts[2]
}

func TestInboxFrontMatterHasEveryKey(t *testing.T) {
	text, err := Inbox(build(t, review.English, pull()))
	if err != nil {
		t.Fatal(err)
	}
	front, rest := body(t, text)
	for _, key := range []string{
		"schema", "source", "repository", "pr", "reviewed_head", "base", "merge_base", "models", "agent", "tier", "verdict", "complete", "missing",
		"undecided", "escalated", "triaged_by", "rules_sha", "skill_sha", "read_marker", "run", "written_at",
	} {
		if _, ok := front[key]; !ok {
			t.Errorf("the front matter lacks %q", key)
		}
	}
	if front["reviewed_head"] != head || front["verdict"] != string(review.ChangesNeeded) || front["complete"] != false {
		t.Errorf("front matter: %v", front)
	}
	if found := dangers(rest); found != nil {
		t.Errorf("the inbox holds %q", found)
	}
	if i, j := strings.Index(rest, "\n1. "), strings.Index(rest, "\n## "); i < 0 || i > j {
		t.Error("the protocol is not the first thing in the file")
	}
}

func TestInboxHoldsNoWordOfUndecidedFindings(t *testing.T) {
	d := build(t, review.English, pull())
	text, err := Inbox(d)
	if err != nil {
		t.Fatal(err)
	}
	twin, err := JSON(d.Triaged())
	if err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{text, string(twin)} {
		for _, word := range []string{"Not decided yet", "Nobody has decided", "x is short"} {
			if strings.Contains(out, word) {
				t.Errorf("%q went out without being accepted", word)
			}
		}
	}
	if open := d.Triaged().With(Open); len(open) != 3 || open[0].Severity != review.Critical || open[1].Where != "api/refund.go:80 (old)" || open[2].Where != "engine/retry.go:52" {
		t.Errorf("open: critical ones first, then by file; got %+v", open)
	}
}

func TestBuildChangesNothingAndMasksEverything(t *testing.T) {
	token := "gh" + "p_" + strings.Repeat("a1B2", 9)
	entries := journal(review.English, pull())
	s := fold(t, entries)
	f := s.Findings["security-1.1"]
	f.Observation, f.Missing = "It logs "+token, []string{token}
	s.Findings["security-1.1"] = f
	s.Entries[0].Dissent[0] = "quality-1 says " + token
	s.Plan.Change.Title = token
	before := s.Entries[0].Dissent[0]

	raw, err := JSON(Build(s, Options{At: at}))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(raw, []byte(token)) {
		t.Error("a token left in a document")
	}
	if s.Entries[0].Dissent[0] != before || s.Findings["security-1.1"].Missing[0] != token {
		t.Error("building a document changed the run's state")
	}
}

// A quote from one source must not stand beside another source's lines.
func TestPlaceQuoteAndReplacementAreOfOneSource(t *testing.T) {
	at := func(how diff.How, line int) diff.Place {
		return diff.Place{How: how, Path: "a.go", Side: diff.Right, Start: line, End: line}
	}
	for _, c := range []struct {
		name        string
		lead, other diff.Place
		line        int
		quote       string
	}{
		{"the lead is placed", at(diff.Exact, 7), at(diff.Exact, 3), 7, "lead"},
		{"only the other is", at(diff.InFile, 70), at(diff.Exact, 3), 3, "other"},
		{"both are at one place", at(diff.InFile, 3), at(diff.Exact, 3), 3, "lead"},
	} {
		s := event.NewState()
		s.Findings["a-1.1"] = review.Finding{ID: "a-1.1", Reviewer: "a-1", Quote: "lead", Replacement: "lead"}
		s.Findings["b-1.1"] = review.Finding{ID: "b-1.1", Reviewer: "b-1", Quote: "other", Replacement: "other"}
		s.Places["a-1.1"], s.Places["b-1.1"] = c.lead, c.other
		s.Entries = []event.Entry{{ID: "a-1.1", Lead: "a-1.1", Sources: []string{"a-1.1", "b-1.1"}, Place: at(diff.Exact, 3)}}
		f := Build(s, Options{}).Findings[0]
		if f.Place.Start != c.line || f.Quote != c.quote || f.Replacement != c.quote {
			t.Errorf("%s: line %d, quote %q, replacement %q; want %d, %q", c.name, f.Place.Start, f.Quote, f.Replacement, c.line, c.quote)
		}
	}
}

func TestJSONFitsItsSchema(t *testing.T) {
	compiled := compile(t, SchemaJSON)
	docs := map[string]Document{"no run": Build(event.NewState(), Options{At: at})}
	for name, change := range changes() {
		docs[name] = build(t, review.English, change)
		docs[name+" triaged"] = docs[name].Triaged()
	}
	for name, d := range docs {
		if name == "no run" {
			d.Change.Source = event.FromPR // the one thing that a run always has
		}
		raw, err := JSON(d)
		if err != nil {
			t.Fatal(err)
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		if err := compiled.Validate(v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		back, err := ParseJSON(raw)
		if err != nil {
			t.Fatal(err)
		}
		again, err := JSON(back)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(raw, again) {
			t.Errorf("%s: reading it back lost something", name)
		}
	}
	raw, err := JSON(build(t, review.English, pull()))
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "review.json", raw)
}

func compile(t *testing.T, raw []byte) *jsonschema.Schema {
	t.Helper()
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("schema.json", schema); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// The schema knows every key that the types have, and no other.
func TestSchemaAndTypesNameTheSameKeys(t *testing.T) {
	var schema struct {
		Properties map[string]any `json:"properties"`
		Defs       map[string]struct {
			Properties map[string]any `json:"properties"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(SchemaJSON, &schema); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		of   map[string]any
		v    any
	}{
		{"the document", schema.Properties, Document{}}, {"change", schema.Defs["change"].Properties, Change{}},
		{"finding", schema.Defs["finding"].Properties, Finding{}}, {"report", schema.Defs["report"].Properties, Report{}},
		{"reviewer", schema.Defs["reviewer"].Properties, Reviewer{}}, {"counts", schema.Defs["counts"].Properties, Counts{}},
		{"rules", schema.Defs["rules"].Properties, Rules{}}, {"read", schema.Defs["read"].Properties, Read{}},
		{"summary", schema.Defs["summary"].Properties, Summary{}}, {"gap", schema.Defs["gap"].Properties, Gap{}},
		{"file", schema.Defs["file"].Properties, File{}}, {"decision", schema.Defs["decision"].Properties, review.Decision{}},
		{"note", schema.Defs["note"].Properties, event.Note{}}, {"usage", schema.Defs["usage"].Properties, review.Usage{}},
		{"location", schema.Defs["location"].Properties, review.Location{}}, {"place", schema.Defs["place"].Properties, Finding{}.Place},
	} {
		var want []string
		for k := range c.of {
			want = append(want, k)
		}
		got := keys(reflect.TypeOf(c.v))
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: the type has %v, the schema %v", c.name, got, want)
		}
	}
}

func keys(t reflect.Type) []string {
	var out []string
	for f := range fields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" {
			out = append(out, keys(f.Type)...)
			continue
		}
		out = append(out, name)
	}
	return out
}

func fields(t reflect.Type) func(yield func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for i := range t.NumField() {
			if !yield(t.Field(i)) {
				return
			}
		}
	}
}

func TestParseJSONRefusesWhatItDoesNotKnow(t *testing.T) {
	finding := func(s string) string { return `{"schema":"mrv.review.v1","findings":[` + s + `]}` }
	for _, raw := range []string{
		"", "{", `{"schema":"mrv.review.v9"}`, `{}`, `[]`, `{"schema":"mrv.review.v1","change":{"head":"a b"}}`,
		finding(`{"id":""}`), finding(`{"id":"a","status":"open"},{"id":"a","status":"open"}`), finding(`{"id":"a","status":"done"}`),
		finding(`{"id":"a","status":"rejected"}`), finding(`{"id":"a","status":"escalated"}`), finding(`{"id":"a","status":"open","place":{"start":-1}}`),
	} {
		if _, err := ParseJSON([]byte(raw)); err == nil {
			t.Errorf("%q was taken for a review", raw)
		}
	}
}

func TestSARIFIsValid(t *testing.T) {
	d, schema := build(t, review.English, pull()), sarifSchema(t)
	for _, all := range []bool{false, true} {
		raw, err := SARIF(d, all)
		if err != nil {
			t.Fatal(err)
		}
		var strict sarif.Report
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&strict); err != nil {
			t.Fatalf("all=%v: a key that SARIF does not have: %v", all, err)
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(v); err != nil {
			t.Fatalf("all=%v: %v", all, err)
		}
		want := 3
		if all {
			want = len(d.Findings)
		}
		if got := len(strict.Runs[0].Results); got != want {
			t.Errorf("all=%v: %d results, want %d", all, got, want)
		}
		if all {
			golden(t, "review.sarif", raw)
		}
	}
}

// sarifSchema is the schema of the standard as the go-sarif module carries it:
// a constant of its source that it does not export. (Its own Validate checks
// what it would write itself, nulls for lists included.)
func sarifSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif").Output()
	if err != nil {
		t.Fatalf("looking for the go-sarif module: %v", err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(dir)), "schema.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	literal := file.Scope.Lookup("schema").Decl.(*ast.ValueSpec).Values[0].(*ast.BasicLit).Value
	return compile(t, []byte(strings.Trim(literal, "`")))
}

func TestStem(t *testing.T) {
	c := changes()
	for name, want := range map[string]string{"pr": "pr-123", "patch": "patch-abababab", "demo": "demo"} {
		if got := (Document{Change: changeOf(c[name])}).Stem(); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	branch := Document{Change: changeOf(c["branch"])}
	moved := branch
	moved.Change.Head, moved.Change.Identity = base, base
	if branch.Stem() != moved.Stem() || !strings.HasPrefix(branch.Stem(), "branch-refund-") {
		t.Errorf("a branch keeps its name while its head moves: %q, %q", branch.Stem(), moved.Stem())
	}
	odd := branch
	odd.Change.HeadRef = "../../Fix/Ünïcode .. " + strings.Repeat("x", 100)
	if s := odd.Stem(); strings.ContainsAny(s, "/. ") || len(s) > 60 || s == branch.Stem() {
		t.Errorf("stem %q", s)
	}
}

func TestCodeSpan(t *testing.T) {
	for in, want := range map[string]string{"a.go": "`a.go`", "a`b``c": "``` a`b``c ```", "": "`  `", "a\nb": "`a<U+000A>b`", "<!-- x": "`<! -- x`"} {
		if got := CodeSpan(in); got != want {
			t.Errorf("CodeSpan(%q) = %q, want %q", in, got, want)
		}
	}
}
