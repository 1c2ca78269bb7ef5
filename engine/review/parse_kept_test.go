package review

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestNothingIsLost: every word behind the label is in the report that is read
// from it, whatever it stands in: a finding, a gap, the summary or a note.
func TestNothingIsLost(t *testing.T) {
	shapes := []string{
		"%s", "- %s", "  - %s", "1. %s", "> %s", "    %s", "**%s**", "*%s*", "## %s", "#### %s", "**%s:** %s", "- %s: %s", "| %s | %s |", "| Severity | Issue | Owner |\n|---|---|---|\n| high | %s | %s |",
		"### [critical] %s", "### %s (low)", "- [warning] %s", "**[P2]** %s", "**1. %s** (`%s.go:3`, minor)", "🔴 %s", "【严重】%s", "- `%s.go:7` **[nit]** %s",
		"- **Location:** %s.go:12 in %s", "- **Location:** %s.go:1, %s.go:2", "- **Location:**\n  - %s.go:3\n  - %s.go:4", "- **Location:** the %s", "- **File:** %s.go\n- **Lines:** 3-4 (%s)",
		"- **Observation:** %s", "**Inference:** %s **Judgment:** %s", "Observation: %s. Verification: %s.", "【推断】%s", "「判断」：%s", "观察：%s。推断：%s。",
		"- **Severity:** high, because %s", "- **Rule:** %s", "- **Title:** %s", "- **Surface:** %s", "- **Fix:**\n```go\n%s()\n```\n%s", "- **Quote:** ```\n%s\n```", "Quote:\n~~~\n%s\n```\n%s\n~~~", "```\n%s\n```", "```suggestion\n%s\n",
		"## Findings", "## Findings\n\nNone. %s", "None.", "## Validation gaps", "## Validation gaps\n\nNone.\n\n%s", "- [human] %s", "## Summary\n%s", "# %s\n%s", "【问题】%s", "<li><b>%s</b></li>", "<details><summary>%s</summary>", "---", "",
		"## Findings\n```json\n[{\"title\":\"%s\",\"%s\":3}]\n```", "No %s.", "*None* - %s", "Read: %s",
	}
	rapid.Check(t, func(t *rapid.T) {
		var words []string
		word := func() any {
			w := fmt.Sprintf("word%dx", len(words))
			words = append(words, w)
			return w
		}
		text := "Merge with conditions\nRead: 7f3a9c21\n"
		for range rapid.IntRange(1, 12).Draw(t, "lines") {
			shape := rapid.SampledFrom(shapes).Draw(t, "shape")
			args := make([]any, strings.Count(shape, "%s"))
			for i := range args {
				args[i] = word()
			}
			text += fmt.Sprintf(shape, args...) + rapid.SampledFrom([]string{"\n", "\n\n", "\r\n"}).Draw(t, "end")
		}
		raw, err := json.Marshal(ParseReport(text, ParseOptions{Reviewer: "q", Labels: qualityLabels, Marker: "7f3a9c21"}))
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range words {
			if !strings.Contains(string(raw), w) {
				t.Fatalf("%s is lost: %s\nread from\n%s", w, raw, text)
			}
		}
	})
}
