package merge

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/review"
)

const twoItems = `{"findings":[
  {"id":"x1","reviewer":"a","model":"p/m","file":"cfg.go","line":20,"severity":"P1","title":"Race on cfg.values",
   "observation":"reload writes cfg.values without cfg.mu"},
  {"id":"x2","reviewer":"b","file":"cfg.go","line":21,"end_line":22,"severity":"nit",
   "text":"Data race: reload writes cfg.values while cfg.mu is not held","quote":"c.values = next"}
], "tool": {"findings": 1}}
`

func TestReadFindings(t *testing.T) {
	for _, c := range []struct{ name, in, ids, err string }{
		{"a document", twoItems, "x1 x2", ""},
		{"JSON lines", `{"id":"1","reviewer":"a","text":"t"}` + "\n\n" + `{"id":"2","reviewer":"a","text":"t"}`, "1 2", ""},
		{"a byte order mark", "\ufeff" + `{"findings":[{"id":"1","reviewer":"a","text":"t"}]}`, "1", ""},
		{"none", `{"findings":[]}`, "", ""},
		{"null for what is not known", `{"id":"1","reviewer":"a","text":"t","file":null,"line":null}`, "1", ""},
		{"nothing", " \n", "", "f.json: the file is empty"},
		{"no JSON", "{\"findings\":[\n{\"id\":\"1\",}]}", "", "f.json:2: not JSON"},
		{"cut", "{\"findings\":[\n{\"id\":\"1\"", "", "f.json:2: not JSON"},
		{"a list alone", "[{\"id\":\"1\",\"reviewer\":\"a\",\"text\":\"t\"},\r\n{\"id\":\"2\",\"reviewer\":\"a\",\"text\":\"t\"}]\r\n", "1 2", ""},
		{"a list with a broken one", "[{\"id\":\"1\",\"reviewer\":\"a\",\"text\":\"t\"},\n{\"id\":\"2\"}]", "", `f.json:2: finding "2" has no "reviewer"`},
		{"a list of something else", `["x"]`, "", "f.json:1: not a finding: want an object, not a string"},
		{"null", `null`, "", "f.json:1: want an object"},
		{"a word", `"findings"`, "", "f.json:1: want an object"},
		{"findings of another shape", `{"findings":{"id":"1"}}`, "", "f.json:1: \"findings\" must be a list"},
		{"no id", "{\"findings\":[\n\n{\"reviewer\":\"a\",\"text\":\"t\"}]}", "", `f.json:3: the finding has no "id"`},
		{"no reviewer", `{"id":"1","text":"t"}`, "", `"1" has no "reviewer"`},
		{"no words", `{"id":"1","reviewer":"a","title":" "}`, "", `"1" says nothing`},
		{"line as text", `{"id":"1","reviewer":"a","text":"t","line":"12"}`, "", `f.json:1: not a finding: "line" must be a whole number, not a string`},
		{"an id that is a number", `{"id":7,"reviewer":"a","text":"t"}`, "", `f.json:1: not a finding: "id" must be a string, not a number`},
		{"a negative line", `{"id":"1","reviewer":"a","text":"t","line":-1}`, "", "lines count from 1"},
		{"names in other letters", `{"Findings":[{"ID":"1","Reviewer":"a","Text":"t"}]}`, "1", ""},
		{"null for no findings", `{"findings":null,"tool":"x"}`, "", ""},
		{"two lists", `{"findings":[{"id":"1","reviewer":"a","text":"t"}],"findings":[{"id":"2","reviewer":"a","text":"t"}]}`, "1 2", ""},
		{"UTF-16", "\xff\xfe{\x00", "", "f.json:1: the file is UTF-16, save it as UTF-8"},
		{"prose", "\n# Review\n", "", `f.json:2: not JSON: invalid character '#' looking for beginning of value; want {"findings":[...]}, JSON lines or SARIF`},
		{"an id twice", `{"id":"1","reviewer":"a","text":"t"}` + "\n" + `{"id":"1","reviewer":"b","text":"t"}`, "", `f.json:2: the id "1" was used before at f.json:1`},
	} {
		items, err := ReadFindings(strings.NewReader(c.in), "f.json")
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: error %v, want %q", c.name, err, c.err)
			}
			continue
		}
		var ids []string
		for _, i := range items {
			ids = append(ids, i.ID)
		}
		if err != nil || strings.Join(ids, " ") != c.ids {
			t.Errorf("%s: %q, %v; want %q", c.name, ids, err, c.ids)
		}
	}
}

const sarifFile = `{"$schema":"s","version":"2.1.0","runs":[{
 "tool":{"driver":{"name":"gosec","rules":[
  {"id":"G104","shortDescription":{"text":"Errors unhandled"},"defaultConfiguration":{"level":"note"}},
  {"id":"G201","shortDescription":{"text":"SQL string formatting"},"properties":{"security-severity":"9.1"},
   "messageStrings":{"default":{"text":"{0} is formatted into SQL"}}}]}},
 "artifacts":[{"location":{"uri":"db/query%20one.go"}}],
 "results":[
  {"ruleId":"G104","message":{"text":"Errors unhandled."},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"./a.go"},
   "region":{"startLine":7,"endLine":8,"snippet":{"text":"f.Close()"}}}}]},
  {"ruleIndex":1,"guid":"7f0c","message":{"id":"default","arguments":["name"]},
   "locations":[{"physicalLocation":{"artifactLocation":{"index":0},"region":{"startLine":3}}}]},
  {"ruleId":"G104","kind":"pass","message":{"text":"fine"}},
  {"ruleId":"G104","suppressions":[{"kind":"inSource"}],"message":{"text":"known"}},
  {"ruleId":"X1","level":"error","message":{"text":"broken"}}]}]}`

func TestReadSARIF(t *testing.T) {
	items, err := ReadFindings(strings.NewReader(sarifFile), "r.sarif")
	if err != nil {
		t.Fatal(err)
	}
	want := []Item{
		{ID: "gosec.1", Reviewer: "gosec", File: "a.go", Line: 7, EndLine: 8, Severity: "suggestion", Title: "Errors unhandled", Text: "Errors unhandled.", Quote: "f.Close()", numbered: true},
		{ID: "7f0c", Reviewer: "gosec", File: "db/query one.go", Line: 3, Severity: "critical", Title: "SQL string formatting", Text: "name is formatted into SQL"},
		{ID: "gosec.5", Reviewer: "gosec", Severity: "warning", Title: "X1", Text: "broken", numbered: true},
	}
	if len(items) != len(want) {
		t.Fatalf("%d items, want %d: %+v", len(items), len(want), items)
	}
	for i, w := range want {
		got := items[i]
		if got.at = ""; !got.Analyser {
			t.Errorf("%s is not marked as an analyser's", got.ID)
		}
		if got.Analyser = false; got != w {
			t.Errorf("got  %+v\nwant %+v", got, w)
		}
	}
	for in, want := range map[string]string{
		`{"version":"2.0.0","runs":[]}`:                                                `version "2.0.0"; want 2.1.0`,
		`{"version":"2.1.0","runs":[{"tool":{"driver":{}}}]}`:                          "the tool has no name",
		`{"version":"2.1.0","runs":{}}`:                                                "not SARIF",
		`{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"x"}},"results":[{}]}]}`: "neither a message nor a rule",
	} {
		if _, err := ReadFindings(strings.NewReader(in), "r.sarif"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", in, err, want)
		}
	}
}

func TestOneToolInTwoSARIFFiles(t *testing.T) {
	var all []Item
	for _, name := range []string{"a.sarif", "b.sarif"} {
		items, err := ReadFindings(strings.NewReader(strings.ReplaceAll(sarifFile, "7f0c", name)), name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, items...)
	}
	if err := Distinct(all); err != nil {
		t.Fatalf("ordinals of two files: %v", err)
	}
	if err := Distinct(all); err != nil {
		t.Fatalf("still not distinct: %v", err)
	}
	twice := append(all, Item{ID: "a.sarif", Reviewer: "gosec", at: "c.json:1"})
	if err := Distinct(twice); err == nil {
		t.Error("an id of the tool's own was taken twice")
	}
}

func TestMergeItemsAnswers(t *testing.T) {
	items, err := ReadFindings(strings.NewReader(twoItems), "f.json")
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.MarshalIndent(MergeItems(items, nil), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "merged.golden", string(got)+"\n")
	empty, err := json.Marshal(MergeItems(nil, nil))
	if err != nil || string(empty) != `{"merged":[],"findings":0,"reviewers":[]}` {
		t.Errorf("nothing merges to %s, %v", empty, err)
	}
}

func TestMergeItemsChecksPlaces(t *testing.T) {
	set := &diff.Set{Files: []*diff.File{{OldPath: "cfg.go", NewPath: "cfg.go", Status: diff.Modified, Hunks: []*diff.Hunk{{
		OldStart: 40, NewStart: 40, OldLines: 1, NewLines: 2,
		Lines: []diff.Line{{Op: diff.Context, Text: "func (c *Config) reload(next map[string]string) {"}, {Op: diff.Add, Text: "\tc.values = next"}},
	}}}}}
	items := []Item{{ID: "1", Reviewer: "a", File: "cfg.go", Line: 12, Text: "reload writes the values unlocked", Quote: "c.values = next"}}
	m := MergeItems(items, set).Merged[0]
	if m.Place != diff.Moved || m.Line != 41 {
		t.Errorf("place %q, line %d: the quote stands on line 41", m.Place, m.Line)
	}
}

func TestSeverityWordsOfOtherTools(t *testing.T) {
	for word, want := range map[string]review.Severity{"P1": review.Critical, "high": review.Critical, "medium": review.Warning, "nit": review.Suggestion, "odd": ""} {
		if got := (Item{Severity: word}).finding().Severity; got != want {
			t.Errorf("%q is %q, want %q", word, got, want)
		}
	}
}

// TestMergeItemsOfAnyOrder: the model of a reviewer that names two does not
// depend on which finding comes first.
func TestMergeItemsOfAnyOrder(t *testing.T) {
	items := []Item{
		{ID: "1", Reviewer: "a", Model: "p/x", File: "a.go", Line: 2, Text: "the lock is never released"},
		{ID: "2", Reviewer: "a", Model: "p/y", File: "b.go", Line: 9, Text: "an index is out of range"},
		{ID: "3", Reviewer: "b", Model: "p/y", File: "a.go", EndLine: 2, Text: "the lock is never released"},
	}
	want := asJSON(t, MergeItems(items, nil))
	slices.Reverse(items)
	if got := asJSON(t, MergeItems(items, nil)); got != want {
		t.Errorf("in another order:\n%s\nwant\n%s", got, want)
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func FuzzReadFindings(f *testing.F) {
	f.Add(twoItems)
	f.Add(sarifFile)
	f.Add(`{"id":"1","reviewer":"a","text":"t"}` + "\n" + `{"id":"2"`)
	f.Add("\ufeff{}")
	f.Fuzz(func(t *testing.T, in string) {
		items, err := ReadFindings(strings.NewReader(in), "f")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f:") {
				t.Errorf("an error without a position: %v", err)
			}
			return
		}
		seen := map[string]bool{}
		for _, m := range MergeItems(items, nil).Merged {
			for _, id := range m.Sources {
				if seen[id] {
					t.Errorf("%q stands in two entries", id)
				}
				seen[id] = true
			}
		}
		if len(seen) != len(items) {
			t.Errorf("%d items, %d in entries", len(items), len(seen))
		}
	})
}
