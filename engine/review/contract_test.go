package review

import (
	"encoding/json"
	"strings"
	"testing"
)

func asJSON(t interface{ Fatal(...any) }, v any) string {
	out, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestContract: the prompt's example is a report the parser takes without a
// violation, and every field of the table is explained.
func TestContract(t *testing.T) {
	for i, lang := range []Lang{English, Chinese} {
		labels := qualityLabels[i]
		text := Contract(lang, labels, "7f3a9c21")
		golden(t, "testdata/contract."+string(lang)+".golden.json", strings.Split(text, "\n"))
		for _, want := range []string{labels.Pass, labels.Concerns, labels.Block, "7f3a9c21"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: the contract does not say %q", lang, want)
			}
		}
		for _, f := range Fields() {
			if !strings.Contains(text, In(f.Name, lang)+":") && !strings.Contains(text, In(f.Name, lang)+"（可选）") && !strings.Contains(text, In(f.Name, lang)+" (optional)") {
				t.Errorf("%s: the contract does not name %s", lang, f.Key)
			}
		}
		r := ParseReport(text, ParseOptions{Reviewer: "q", Labels: qualityLabels, Marker: "7f3a9c21"})
		if len(r.Violations) > 0 || len(r.Findings) != 1 || r.Label != Concerns {
			t.Errorf("%s: the example reads as %s", lang, asJSON(t, r))
		}
		if len(text) > 3000 {
			t.Errorf("%s: the contract has %d bytes, every reviewer pays for them", lang, len(text))
		}
	}
}

func TestRepairPromptNamesEachViolation(t *testing.T) {
	r := ParseReport("no report at all", ParseOptions{Labels: qualityLabels, Marker: "m"})
	for _, lang := range []Lang{English, Chinese} {
		text := RepairPrompt(lang, r.Violations)
		for _, v := range r.Violations {
			if !strings.Contains(text, v.Text) {
				t.Errorf("%s: %q is not named", lang, v.Text)
			}
		}
	}
}

func TestParseChallenge(t *testing.T) {
	for _, c := range []struct {
		text, outcome string
		severity      Severity
		words         string
	}{
		{"Retract\nThe caller checks it.", Retract, "", "The caller checks it."},
		{"**Stand**\n\nLine 12 still has it.", Stand, "", "Line 12 still has it."},
		{"I read it again.\n\nDowngrade: suggestion\nOnly in tests.", Downgrade, Suggestion, "Only in tests."},
		{"降级：警告\n只影响测试。", Downgrade, Warning, "只影响测试。"},
		{"撤回。\n调用方已检查。", Retract, "", "调用方已检查。"},
		{"Downgrade\nOnly in tests.", "", "", "Downgrade\nOnly in tests."},
		{"I stand by it, do not retract.", "", "", "I stand by it, do not retract."},
		{"", "", "", ""},
	} {
		outcome, severity, words := ParseChallenge(c.text)
		if outcome != c.outcome || severity != c.severity || words != c.words {
			t.Errorf("%q: %q %q %q", c.text, outcome, severity, words)
		}
	}
	for _, lang := range []Lang{English, Chinese} {
		prompt := ChallengePrompt(lang, Finding{Title: "Leak", Severity: Critical}, "it is closed in line 9")
		if !strings.Contains(prompt, "it is closed in line 9") || !strings.Contains(prompt, "Leak") {
			t.Errorf("%s: %s", lang, prompt)
		}
	}
}
