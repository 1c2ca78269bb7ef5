package opencode

import (
	"strings"

	"github.com/mrv-dev/mrv/engine/agent"
	"github.com/mrv-dev/mrv/engine/review"
)

// repair folds the messages that the server keeps, after events were missed.
// They hold every part that has ended; the text of an open one is empty there.
func (t *turn) repair(ms []stored) []agent.Update {
	var ups []agent.Update
	for _, m := range ms {
		ups = append(ups, t.message(m.Info)...)
		for _, p := range m.Parts {
			ups = append(ups, t.part(p)...)
		}
	}
	return ups
}

// settled reports whether what was heard is an end for a session that is idle.
// Between a prompt and the first sign of its turn a session is idle as well.
func (t *turn) settled() bool {
	if n := len(t.messages); n > 0 {
		if m := t.messages[n-1]; m.Finish != "" || m.Error != nil {
			return true
		}
	}
	return t.err != nil
}

// lastMessage is the id of the message that holds the answer so far, or "".
func (t *turn) lastMessage() string {
	if n := len(t.messages); n > 0 {
		return t.messages[n-1].ID
	}
	return ""
}

// answer is what came of the turn: the answer as far as it got, and the
// failure if it is one.
func (t *turn) answer() (agent.Answer, *review.Failure) {
	a := agent.Answer{Model: t.model, Usage: t.usage, Steps: t.finished}
	if t.open {
		// A step that never ended was paid for; how much, nobody told.
		a.Usage = a.Usage.Add(review.Usage{Price: review.PriceUnknown})
	}
	var last *answerMessage
	if n := len(t.messages); n > 0 {
		last = t.messages[n-1]
		a.Text = t.textOf(last)
		a.Finish = last.Finish
		a.Structured = last.Structured
	}
	f := t.failure(last, a)
	if f != nil && a.Text == "" {
		a.Text = t.rescue()
	}
	return a, f
}

// rescue is what a turn that fails without an answer did say: the last message
// with text, or what a retry took away.
func (t *turn) rescue() string {
	for i := len(t.messages) - 1; i >= 0; i-- {
		if s := t.textOf(t.messages[i]); s != "" {
			return s
		}
	}
	return t.lost
}

// textOf joins the text parts of a message.
func (t *turn) textOf(m *answerMessage) string {
	var b strings.Builder
	for _, id := range m.order {
		tp := t.parts[id]
		if tp.stream != agent.StreamText || tp.dropped || len(tp.text) == 0 {
			continue
		}
		if s := b.String(); s != "" && !strings.HasSuffix(s, "\n") {
			b.WriteByte('\n')
		}
		b.Write(tp.text)
	}
	return b.String()
}

// failure says whether and why the turn failed. An error of the session is not
// the end by itself: it counts unless a message ended well after it.
func (t *turn) failure(last *answerMessage, a agent.Answer) *review.Failure {
	switch {
	case t.stop != nil:
		return t.stop
	case t.deleted && t.err == nil:
		return &review.Failure{Kind: review.FailServer, Message: "the session was deleted while it ran"}
	case last != nil && last.Error != nil:
		return classify(last.Error)
	case t.err != nil && (last == nil || last.Finish == ""):
		return classify(t.err)
	case last == nil:
		return &review.Failure{Kind: review.FailServer, Message: "OpenCode accepted the prompt and started no turn"}
	case a.Finish == "content-filter":
		return &review.Failure{Kind: review.FailFilter, Message: "the provider's content filter stopped the answer"}
	case a.Finish == "unknown":
		return &review.Failure{Kind: review.FailUnknown, Message: "the provider ended the answer without saying why"}
	case a.Finish == "":
		return &review.Failure{Kind: review.FailAborted, Message: "the turn was stopped before its end"}
	case t.opt.Schema && a.Structured == nil:
		return &review.Failure{Kind: review.FailOther, Message: "the model did not answer in the form asked for"}
	case !t.opt.Schema && strings.TrimSpace(a.Text) == "":
		return &review.Failure{Kind: review.FailEmpty, Message: "the answer has no text (finish: " + a.Finish + ")"}
	}
	return nil
}
