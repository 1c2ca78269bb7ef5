// Package sarif is a reviewer whose report is a SARIF file that an analyser
// wrote (golangci-lint, semgrep, gosec, CodeQL): its findings on lines that
// the change adds become the reviewer's, so that a model and an analyser can
// confirm each other. No analyser is run, and no model is asked.
package sarif

import (
	"context"
	"fmt"
	"strings"

	"github.com/mrv-dev/mrv/engine/agent"
	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/review"
)

// Agent hands in the findings of files.
type Agent struct {
	findings map[string][]review.Finding // by reviewer
}

var _ agent.Agent = (*Agent)(nil)

// New makes the agent. The findings are those of each reviewer's file, with
// paths as the change has them.
func New(findings map[string][]review.Finding) *Agent { return &Agent{findings: findings} }

// Open makes the report of one reviewer ready.
func (a *Agent) Open(ctx context.Context, s agent.Spec) (agent.Session, error) {
	if ctx.Err() != nil {
		return nil, &review.Failure{Kind: review.FailAborted, Message: context.Cause(ctx).Error()}
	}
	all, ok := a.findings[s.Reviewer]
	if !ok {
		return nil, &review.Failure{Kind: review.FailOther, Message: "there is no SARIF file for " + s.Reviewer}
	}
	return &session{text: Report(s, all)}, nil
}

// Close has nothing to end.
func (*Agent) Close(context.Context) error { return nil }

// Report renders the findings that are on lines which the change adds.
func Report(s agent.Spec, all []review.Finding) string {
	r := review.Report{Marker: s.Marker, Label: review.Pass}
	for _, f := range all {
		if !onAddedLine(s.Change, f.Location) {
			continue
		}
		r.Findings = append(r.Findings, f)
		if f.Severity == review.Critical {
			r.Label = review.Block
		} else if r.Label == review.Pass {
			r.Label = review.Concerns
		}
	}
	r.LabelText = s.Persona.LabelsIn(s.Lang).Of(r.Label)
	words := map[review.Lang]string{
		review.English: "%d of %d findings of the analyser are on lines that this change adds.",
		review.Chinese: "分析器的 %[2]d 个问题中，%[1]d 个位于本次变更新增的行。",
	}
	r.Summary = fmt.Sprintf(review.In(words, s.Lang), len(r.Findings), len(all))
	return review.Render(r, s.Lang)
}

// onAddedLine reports whether a place touches a line that the change adds.
func onAddedLine(set *diff.Set, l review.Location) bool {
	if set == nil || l.Path == "" || l.Start == 0 {
		return false
	}
	for _, f := range set.Files {
		if f.NewPath != l.Path {
			continue
		}
		for _, h := range f.Hunks {
			for line := range h.All() {
				if line.Op == diff.Add && line.New >= l.Start && line.New <= max(l.Start, l.End) {
					return true
				}
			}
		}
	}
	return false
}

type session struct{ text string }

// Ask hands out the report; every turn gets the same.
func (s *session) Ask(ctx context.Context, t agent.Turn, emit func(agent.Update)) (agent.Answer, error) {
	usage := review.Usage{Price: review.PriceNone}
	switch {
	case ctx.Err() != nil:
		return agent.Answer{Usage: usage}, &review.Failure{Kind: review.FailAborted, Message: context.Cause(ctx).Error()}
	case len(t.Schema) > 0:
		return agent.Answer{Usage: usage}, &review.Failure{Kind: review.FailOther, Message: "a file can not answer a question by a schema"}
	}
	emit(agent.Update{Kind: agent.UpBusy})
	for part := range strings.SplitAfterSeq(s.text, "\n### ") {
		emit(agent.Update{Kind: agent.UpTextAppend, Part: "report", Stream: agent.StreamText, Text: part})
	}
	emit(agent.Update{Kind: agent.UpStep, Text: "stop", Usage: usage})
	return agent.Answer{Text: s.text, Finish: "stop", Usage: usage, Steps: 1}, nil
}

// Close has nothing to end.
func (*session) Close(context.Context) error { return nil }
