package review

import "testing"

func TestParseLocation(t *testing.T) {
	at := func(path string, start, end int) Location { return Location{Path: path, Start: start, End: end} }
	old := func(l Location) Location { l.Old = true; return l }
	for _, c := range []struct {
		text string
		want Location
		ok   bool
	}{
		{"path/x.go:12-14", at("path/x.go", 12, 14), true},
		{"path/x.go:12", at("path/x.go", 12, 12), true},
		{"path/x.go", at("path/x.go", 0, 0), true},
		{"path/x.go:12-14 (old)", old(at("path/x.go", 12, 14)), true},
		{"`path/x.go:12-14` (old)", old(at("path/x.go", 12, 14)), true},
		{"path/x.go:12（旧）", old(at("path/x.go", 12, 12)), true},
		{"path/x.go (removed)", old(at("path/x.go", 0, 0)), true},
		{"none", Location{}, true},
		{"None.", Location{}, true},
		{"无", Location{}, true},
		{"path/x.go:L12", at("path/x.go", 12, 12), true},
		{"path/x.go#L3-L9", at("path/x.go", 3, 9), true},
		{"path/x.go:L3-9", at("path/x.go", 3, 9), true},
		{"`path/x.go`:12", at("path/x.go", 12, 12), true},
		{"`path/x.go` line 12", at("path/x.go", 12, 12), true},
		{"`path/x.go`, lines 12–14", at("path/x.go", 12, 14), true},
		{"path/x.go (lines 12-14)", at("path/x.go", 12, 14), true},
		{"path/x.go 第 12-14 行", at("path/x.go", 12, 14), true},
		{"path/x.go：12", at("path/x.go", 12, 12), true},
		{"**path/x.go:12**", at("path/x.go", 12, 12), true},
		{"path/x.go:12:5", at("path/x.go", 12, 12), true},
		{"path/x.go:14-12", at("path/x.go", 12, 14), true},
		{"path/x.go:12, path/y.go:3", at("path/x.go", 12, 12), true},
		{"path/x.go:12 in Handler()", at("path/x.go", 12, 12), true},
		{"in path/x.go:12", at("path/x.go", 12, 12), true},
		{"./path/x.go:12", at("path/x.go", 12, 12), true},
		{"[x.go](https://example.org/x.go):12", at("x.go", 12, 12), true},
		{"my file.go:12", at("my file.go", 12, 12), true},
		{"文档/说明.md:3", at("文档/说明.md", 3, 3), true},
		{"Dockerfile", at("Dockerfile", 0, 0), true},
		{"Makefile (target build)", at("Makefile", 0, 0), true},
		{"pkg/HTML5/x.go:7", at("pkg/HTML5/x.go", 7, 7), true},
		{"path/x.go:0", at("path/x.go", 0, 0), true},
		{"all over the place", Location{}, false},
		{"path/x.go:99999999999999999999", Location{}, false},
		{"", Location{}, false},
	} {
		got, ok := ParseLocation(c.text)
		if got != c.want || ok != c.ok {
			t.Errorf("%q: %+v, %v; want %+v, %v", c.text, got, ok, c.want, c.ok)
		}
	}
}

func TestParseSeverity(t *testing.T) {
	for want, words := range map[Severity][]string{
		Critical:   {"critical", "CRITICAL", "blocking", "Blocking issues", "blocker", "high", "High severity", "P0", "p1", "严重", "严重问题", "高危"},
		Warning:    {"warning", "Warnings", "medium", "major", "P2", "警告", "中"},
		Suggestion: {"suggestion", "Suggestions", "low", "nit", "minor", "P3", "建议", "低"},
		"":         {"", "spicy", "none", "security", "P9", "criticality"},
	} {
		for _, w := range words {
			if got, ok := ParseSeverity(w); got != want || ok != (want != "") {
				t.Errorf("%q is %q, want %q", w, got, want)
			}
		}
	}
	for _, s := range Severities() {
		for _, lang := range []Lang{English, Chinese} {
			if got, _ := ParseSeverity(SeverityName(s, lang)); got != s {
				t.Errorf("%s in %s is shown as %q and read as %q", s, lang, SeverityName(s, lang), got)
			}
		}
	}
}

// TestLabelAlone: a line is a label, or it is not; nothing is looked for
// within a line.
func TestLabelAlone(t *testing.T) {
	book := newLabelBook(qualityLabels)
	for want, lines := range map[Label][]string{
		Pass:     {"Can merge", "CAN MERGE", "**Can merge**", "## Can merge", "✅ Can merge.", "`Can merge`", "> Can merge", "可合并", "可合并。", "【可合并】", "**✅ 可合并**", "可合并 / Can merge", "可合并（Can merge）", "Decision: Can merge", "**Decision:** Can merge", "结论：可合并"},
		Concerns: {"Merge with conditions", "## ⚠️ Merge with conditions", "有条件合并"},
		Block:    {"Cannot merge", "🔴 **Cannot merge**", "不可合并!"},
		"":       {"", "- Can merge", "* Can merge", "1. Can merge", "I think it can merge", "Can merge | Cannot merge", "Can merge / Merge with conditions / Cannot merge", "Can merge, tests pass", "This can be merged", "Mergeable"},
	} {
		for _, line := range lines {
			if w, _ := book.alone(line); w.label != want {
				t.Errorf("%q is the label %q, want %q", line, w.label, want)
			}
		}
	}
}
