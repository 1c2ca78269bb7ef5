package review

import (
	"strings"
	"testing"
)

// BenchmarkParseHostile reads reports of 1 MB, the most that is kept, of the
// shapes that make a line-by-line reader with fences quadratic. Bytes per
// second must be of one order with those of an ordinary report.
func BenchmarkParseHostile(b *testing.B) {
	const size = 1 << 20
	fill := func(unit string) string {
		return "Can merge\n## Findings\n" + strings.Repeat(unit, size/len(unit))
	}
	for _, c := range []struct{ name, text string }{
		{"findings", fill("### [critical] x\n- **Location:** a.go:1\n")},
		{"open fences", fill("```go\n")},
		{"bare fences", fill("```\n")},
		{"nested fences", fill("```go\n```go\n```\n")},
		{"fences of every length", fill("````a\n```b\n~~~\n`````\n")},
		{"fields", fill("- **Observation:** x **Fix:** y\n")},
		{"one line", fill("x")},
		{"bold", fill("**")},
		{"bullets", fill("- a\n")},
		{"labels", fill("Cannot merge\n")},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			for b.Loop() {
				ParseReport(c.text, ParseOptions{Reviewer: "q", Labels: qualityLabels})
			}
		})
	}
}
