package sarif_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine/agent"
	"github.com/mrv-dev/mrv/engine/agent/sarif"
	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/review"
)

const patch = `diff --git a/pay/pay.go b/pay/pay.go
--- a/pay/pay.go
+++ b/pay/pay.go
@@ -1,3 +1,4 @@
 package pay
 
-func Pay() {}
+func Pay() { charge() }
+func charge() {}
`

func at(path string, start, end int, s review.Severity) review.Finding {
	return review.Finding{Severity: s, Title: "G404", Location: review.Location{Path: path, Start: start, End: end},
		Observation: "o", Inference: "i", Judgment: "j; contract: none", Verification: "v"}
}

func report(t *testing.T, lang review.Lang, findings ...review.Finding) review.Report {
	t.Helper()
	set, err := diff.Parse([]byte(patch))
	if err != nil {
		t.Fatal(err)
	}
	labels := map[review.Lang]review.LabelText{
		review.English: {Pass: "Pass", Concerns: "Concerns", Block: "Block"}, review.Chinese: {Pass: "通过", Concerns: "有顾虑", Block: "阻塞"},
	}
	spec := agent.Spec{Reviewer: "sarif-1", Lang: lang, Change: set, Marker: "mrv-1", Persona: review.Persona{Name: "sarif", Labels: labels}}
	s, err := sarif.New(map[string][]review.Finding{"sarif-1": findings}).Open(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	var pane strings.Builder
	a, err := s.Ask(t.Context(), agent.Turn{}, func(u agent.Update) {
		if u.Kind == agent.UpTextAppend {
			pane.WriteString(u.Text)
		}
	})
	if err != nil || pane.String() != a.Text {
		t.Fatalf("%v; pane %q, answer %q", err, pane.String(), a.Text)
	}
	r := review.ParseReport(a.Text, review.ParseOptions{Reviewer: "sarif-1", Marker: "mrv-1", Labels: []review.LabelText{labels[lang]}, Rules: true})
	if r.Broken || len(r.Violations) > 0 || !r.MarkerOK {
		t.Errorf("the report breaks the contract: %+v\n%s", r.Violations, a.Text)
	}
	return r
}

// TestOnlyAddedLines: what was there before, and what is in no file of the
// change, is not this change's.
func TestOnlyAddedLines(t *testing.T) {
	r := report(t, review.English, at("pay/pay.go", 3, 3, review.Warning), at("pay/pay.go", 1, 1, review.Warning),
		at("pay/pay.go", 1, 9, review.Suggestion), at("other.go", 3, 3, review.Critical), at("", 0, 0, review.Critical))
	if len(r.Findings) != 2 || r.Label != review.Concerns || !strings.Contains(r.Summary, "2 of 5") {
		t.Errorf("%s: %+v, %q", r.Label, r.Findings, r.Summary)
	}
}

func TestLabels(t *testing.T) {
	for _, lang := range []review.Lang{review.English, review.Chinese} {
		if r := report(t, lang); r.Label != review.Pass {
			t.Errorf("nothing: %s", r.Label)
		}
		if r := report(t, lang, at("pay/pay.go", 4, 0, review.Critical)); r.Label != review.Block {
			t.Errorf("critical: %s", r.Label)
		}
	}
}

func TestNoFile(t *testing.T) {
	_, err := sarif.New(nil).Open(t.Context(), agent.Spec{Reviewer: "sarif-1"})
	var f *review.Failure
	if !errors.As(err, &f) || f.Kind != review.FailOther {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("stopped by you"))
	if _, err = sarif.New(nil).Open(ctx, agent.Spec{}); !errors.As(err, &f) || f.Kind != review.FailAborted {
		t.Errorf("%v", err)
	}
}
