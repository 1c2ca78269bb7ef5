package publish

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/document"
	"github.com/mrv-dev/mrv/engine/forge"
	"github.com/mrv-dev/mrv/engine/review"
)

// TestNamesThatAreNotUTF8: a finding in such a file is in the summary, under
// its real name and with a link that leads there; it costs the others nothing.
func TestNamesThatAreNotUTF8(t *testing.T) {
	patch := func(name string) string {
		return `diff --git "a/` + name + `" "b/` + name + "\"\nindex 1111111..2222222 100644\n--- \"a/" + name + "\"\n+++ \"b/" + name + "\"\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n"
	}
	for _, c := range []struct{ name, diff, as, says, shown, link string }{
		{"one", patch(`caf\351.go`), "summary", `"caf\xe9.go", is not UTF-8`, "caf<E9>.go", "caf%E9.go#L2"},
		{"two that are the same as text", patch(`caf\351.go`) + patch(`caf\350.go`), "summary", "", "caf<U+FFFD>.go", ""},
		{"U+FFFD itself", patch("caf\ufffd.go"), "inline", "", "", ""},
	} {
		set, err := diff.Parse([]byte(c.diff))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		f := document.Finding{
			ID: "quality-1.1", Status: document.Open, Severity: review.Warning, Worst: review.Warning, Title: "x", Observation: "y", Reviewers: []string{"quality-1"},
			Place:    set.Locate(set.Files[0].Path(), 2, 2, false, "three"),
			Decision: &review.Decision{Choice: review.Accepted, By: "ann"},
		}
		doc := document.Document{Run: "r", TriagedBy: []string{"ann"}, Change: document.Change{Repository: "octo/repo", Number: 7, Head: strings.Repeat("a", 40)}, Findings: []document.Finding{f}}
		raw, err := json.Marshal(doc) // as it comes out of a journal
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(raw, &doc); err != nil {
			t.Fatal(err)
		}
		p := Plan(doc, set, Facts{PR: &forge.PullRequest{Number: 7, State: "open", HeadSHA: doc.Change.Head}, Viewer: forge.User{Login: "ann", ID: 1}}, Options{})
		if got := p.Posts[0]; got.As != c.as || !strings.Contains(got.Why, c.says) {
			t.Errorf("%s: %+v", c.name, got)
		}
		if again := Plan(p.Doc, set, p.Facts, Options{}); again.Posts[0].Key != p.Posts[0].Key {
			t.Errorf("%s: another key the second time", c.name)
		}
		body, err := document.Comment(p.Doc, document.CommentOptions{As: "ann"})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(body, c.shown) || !strings.Contains(body, c.link) {
			t.Errorf("%s: the summary has no %q or %q:\n%s", c.name, c.shown, c.link, body)
		}
	}
}
