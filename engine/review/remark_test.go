package review

import "testing"

func TestRemarksInEachLanguage(t *testing.T) {
	for _, c := range []struct {
		remark Remark
		en, zh string
	}{
		{Remark{Code: RemarkSeverity, Reviewer: "quality-1", Said: Critical, Shown: Warning},
			"quality-1: critical, not warning", "quality-1：严重，而不是警告"},
		{Remark{Code: RemarkSeverity, Reviewer: "quality-1", Shown: Suggestion},
			"quality-1: no severity, not suggestion", "quality-1：未给级别，而不是建议"},
		{Remark{Code: RemarkNoContract, Reviewer: "perf-1"}, "perf-1: breaks no contract", "perf-1：不违反任何约定"},
		{Remark{Code: RemarkFolded, Lacks: []Lack{LackPlace, LackQuote, LackContract}},
			"lone suggestion: its place is not in the change, its quote was not found, it names no contract",
			"仅一人提出的建议：位置不在本次改动中，未找到引用的代码，没有写明依据的约定"},
		{Remark{Code: "of a later version", Reviewer: "perf-1"}, "perf-1 of a later version", "perf-1 of a later version"},
	} {
		if got := c.remark.Text(English); got != c.en {
			t.Errorf("%v in English %q, want %q", c.remark, got, c.en)
		}
		if got := c.remark.Text(Chinese); got != c.zh {
			t.Errorf("%v in Chinese %q, want %q", c.remark, got, c.zh)
		}
		if got := c.remark.Text("fr"); got != c.en {
			t.Errorf("%v in a language without words %q, want %q", c.remark, got, c.en)
		}
	}
}
