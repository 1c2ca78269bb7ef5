package checks

import (
	"context"
	"fmt"
	"strings"

	"github.com/mrv-dev/mrv/engine/agent"
	"github.com/mrv-dev/mrv/engine/review"
)

// Agent answers with the reports of rules. Its zero value is ready.
type Agent struct{}

// New returns the agent.
func New() *Agent { return &Agent{} }

// Open makes the report of one reviewer ready. A persona without checks has
// nothing to say here, which is a failure of its own kind and never a pass.
func (*Agent) Open(ctx context.Context, s agent.Spec) (agent.Session, error) {
	if err := ctx.Err(); err != nil {
		return nil, &review.Failure{Kind: review.FailAborted, Message: err.Error()}
	}
	if len(s.Persona.Checks) == 0 {
		return nil, &review.Failure{Kind: review.FailNoChecks, Message: fmt.Sprintf("the persona %s has no checks", s.Persona.Name)}
	}
	text, err := Report(s)
	if err != nil {
		return nil, &review.Failure{Kind: review.FailOther, Message: err.Error()}
	}
	return &session{text: text}, nil
}

// Close has nothing to end.
func (*Agent) Close(context.Context) error { return nil }

type session struct{ text string }

// Ask hands out the report, a section at a time. Every turn gets the same
// answer: a rule does not change its mind.
func (s *session) Ask(ctx context.Context, t agent.Turn, emit func(agent.Update)) (agent.Answer, error) {
	usage := review.Usage{Price: review.PriceNone}
	if len(t.Schema) > 0 {
		return agent.Answer{Usage: usage}, &review.Failure{Kind: review.FailOther, Message: "rules can not answer a question by a schema"}
	}
	emit(agent.Update{Kind: agent.UpBusy})
	for _, part := range sections(s.text) {
		if err := ctx.Err(); err != nil {
			return agent.Answer{Usage: usage}, &review.Failure{Kind: review.FailAborted, Message: err.Error()}
		}
		emit(agent.Update{Kind: agent.UpTextAppend, Part: "report", Stream: agent.StreamText, Text: part})
	}
	emit(agent.Update{Kind: agent.UpStep, Text: "stop", Usage: usage})
	return agent.Answer{Text: s.text, Finish: "stop", Usage: usage, Steps: 1}, nil
}

// Close has nothing to end.
func (*session) Close(context.Context) error { return nil }

// sections cuts a report before each of its second-level headings.
func sections(text string) []string {
	var out []string
	for {
		i := strings.Index(text[min(1, len(text)):], "\n## ")
		if i < 0 {
			return append(out, text)
		}
		out = append(out, text[:i+2])
		text = text[i+2:]
	}
}
