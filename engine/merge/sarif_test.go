package merge

import (
	"strings"
	"testing"
)

// TestSARIFOfTools reads results in the shapes that well-known analysers write:
// each differs in where rules stand, how paths are given and what else is there.
func TestSARIFOfTools(t *testing.T) {
	for _, c := range []struct {
		tool, file string
		want       []Item
	}{
		{"CodeQL: rules in query packs, links in messages", `{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{
			"tool":{"driver":{"name":"CodeQL","organization":"GitHub","semanticVersion":"2.16.1","notifications":[]},
				"extensions":[{"name":"codeql/go-all","rules":[]},{"name":"codeql/go-queries","rules":[
					{"id":"go/path-injection","name":"go/path-injection","shortDescription":{"text":"Uncontrolled data used in path expression"},
					 "defaultConfiguration":{"enabled":true,"level":"error"},"properties":{"tags":["security"],"security-severity":"9.1"}},
					{"id":"go/redundant-assignment","shortDescription":{"text":"Self assignment"},"defaultConfiguration":{"level":"note"}}]}]},
			"artifacts":[{"location":{"uri":"srv/files.go","uriBaseId":"%SRCROOT%","index":0}}],
			"results":[
				{"ruleId":"go/path-injection","rule":{"id":"go/path-injection","index":0,"toolComponent":{"index":1}},
				 "message":{"text":"This path depends on a [user-provided value](1)."},"correlationGuid":"x",
				 "locations":[{"physicalLocation":{"artifactLocation":{"uri":"srv/files.go","uriBaseId":"%SRCROOT%","index":0},"region":{"startLine":31,"startColumn":18,"endColumn":22}}}],
				 "partialFingerprints":{"primaryLocationLineHash":"ab:1"},"relatedLocations":[{"id":1}],"codeFlows":[]},
				{"rule":{"index":1,"toolComponent":{"index":1}},"message":{"text":"This expression assigns x to itself."},"baselineState":"unchanged",
				 "locations":[{"physicalLocation":{"artifactLocation":{"index":0}}}]},
				{"ruleId":"go/redundant-assignment","message":{"text":"gone"},"baselineState":"absent"}],
			"columnKind":"utf16CodeUnits"}]}`, []Item{
			{ID: "CodeQL.1", Severity: "critical", Title: "Uncontrolled data used in path expression", Text: "This path depends on a user-provided value.", File: "srv/files.go", Line: 31},
			{ID: "CodeQL.2", Severity: "suggestion", Title: "Self assignment", Text: "This expression assigns x to itself.", File: "srv/files.go"},
		}},
		{"Semgrep: rules in the driver, a snippet, suppressed in the source", `{"version":"2.1.0","runs":[{
			"tool":{"driver":{"name":"Semgrep OSS","rules":[{"id":"python.lang.eval","shortDescription":{"text":"Semgrep Finding: python.lang.eval"},"defaultConfiguration":{"level":"error"}}]}},
			"results":[
				{"fingerprints":{"matchBasedId/v1":"x"},"ruleId":"python.lang.eval","message":{"text":"eval() of a request."},"properties":{},
				 "locations":[{"physicalLocation":{"artifactLocation":{"uri":"app/views.py","uriBaseId":"%SRCROOT%"},"region":{"startLine":8,"endLine":8,"snippet":{"text":"    eval(request.GET['q'])"}}}}]},
				{"ruleId":"python.lang.eval","message":{"text":"eval()"},"suppressions":[{"kind":"inSource"}],"locations":[]}],
			"invocations":[{"executionSuccessful":true,"toolExecutionNotifications":[]}]}]}`, []Item{
			{ID: "Semgrep OSS.1", Severity: "warning", Title: "Semgrep Finding: python.lang.eval", Text: "eval() of a request.", File: "app/views.py", Line: 8, EndLine: 8, Quote: "    eval(request.GET['q'])"},
		}},
		{"ESLint: absolute paths, levels in the results", `{"version":"2.1.0","runs":[{
			"tool":{"driver":{"name":"ESLint","informationUri":"https://eslint.org","rules":[{"id":"no-unused-vars","helpUri":"https://eslint.org/docs","shortDescription":{"text":"Disallow unused variables"},"properties":{"category":"Variables"}}]}},
			"artifacts":[{"location":{"uri":"file:///home/dev/shop/web/cart%20page.js"}}],
			"results":[{"level":"error","message":{"text":"'sum' is defined but never used."},"ruleId":"no-unused-vars","ruleIndex":0,
				"locations":[{"physicalLocation":{"artifactLocation":{"uri":"file:///home/dev/shop/web/cart%20page.js","index":0},"region":{"startLine":3,"startColumn":7,"endLine":3,"endColumn":10}}}]}]}]}`, []Item{
			{ID: "ESLint.1", Severity: "warning", Title: "Disallow unused variables", Text: "'sum' is defined but never used.", File: "/home/dev/shop/web/cart page.js", Line: 3, EndLine: 3},
		}},
		{"gosec: a guid, rules with a score, roots", `{"version":"2.1.0","runs":[{
			"tool":{"driver":{"name":"gosec","guid":"8b518d5f-906d-39f9-894b-d327b1a421c5","rules":[{"id":"G404 (CWE-338)","name":"Use of weak random number generator","shortDescription":{"text":"Use of weak random number generator (math/rand)"},"defaultConfiguration":{"level":"error"},"properties":{"precision":"medium","tags":["security","HIGH"]}}]}},
			"taxonomies":[{"name":"CWE"}],
			"originalUriBaseIds":{"ROOT":{"uri":"file:///home/dev/shop/"}},
			"results":[{"guid":"8f7ce0c1","ruleId":"G404","level":"error","message":{"text":"Use of weak random number generator"},
				"locations":[{"physicalLocation":{"artifactLocation":{"uri":"file:///home/dev/shop/token.go"},"region":{"startLine":7,"endLine":7,"startColumn":9,"snippet":{"text":"rand.Int()"},"sourceLanguage":"go"}}}]}]}]}`, []Item{
			{ID: "8f7ce0c1", Severity: "warning", Title: "G404", Text: "Use of weak random number generator", File: "token.go", Line: 7, EndLine: 7, Quote: "rand.Int()"},
		}},
		{"a base within the repository, several runs", `{"version":"2.1.0","runs":[
			{"tool":{"driver":{"name":"a"}},"originalUriBaseIds":{"SRC":{"uri":"services/api/"}},"results":[{"message":{"markdown":"**bad**"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"main.go","uriBaseId":"SRC"},"region":{"startLine":1}}}]}]},
			{"tool":{"driver":{"name":"a"}},"results":[{"ruleId":"R/2","message":{"text":"worse"}}]},
			{"tool":{"driver":{"name":"b","rules":[{"id":"R","shortDescription":{"text":"Rule R"}}]}},"results":[{"ruleId":"R/2","message":{"text":"worse"}}]}]}`, []Item{
			{ID: "a.1", Severity: "warning", Text: "**bad**", File: "services/api/main.go", Line: 1},
			{ID: "a.2", Severity: "warning", Title: "R/2", Text: "worse"},
			{ID: "b.1", Severity: "warning", Title: "Rule R", Text: "worse"},
		}},
	} {
		items, err := ReadFindings(strings.NewReader(c.file), "f.sarif")
		if err != nil || len(items) != len(c.want) {
			t.Errorf("%s: %d items, %v; want %d", c.tool, len(items), err, len(c.want))
			continue
		}
		for i, got := range items {
			got.Reviewer, got.at, got.numbered, got.Analyser = "", "", false, false
			if got != c.want[i] {
				t.Errorf("%s:\ngot  %+v\nwant %+v", c.tool, got, c.want[i])
			}
		}
	}
}

// TestAbsolutePathsMeet: one tool names a file by its place on the machine,
// another by its place in the repository.
func TestAbsolutePathsMeet(t *testing.T) {
	items := []Item{
		{ID: "1", Reviewer: "ESLint", File: "/home/dev/shop/web/cart.js", Line: 3, Text: "'sum' is defined but never used"},
		{ID: "2", Reviewer: "model", File: "web/cart.js", Line: 3, Text: "sum is defined but it is never used"},
		{ID: "3", Reviewer: "model", File: "cart.js", Line: 9, Text: "the total is rounded twice"},
	}
	for _, m := range MergeItems(items, nil).Merged {
		if m.ID != "3" && m.File != "web/cart.js" {
			t.Errorf("%v is at %s, want web/cart.js", m.Sources, m.File)
		}
	}
	if items[0].File != "/home/dev/shop/web/cart.js" {
		t.Error("the caller's items were changed")
	}
}
