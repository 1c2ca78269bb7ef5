package engine

import (
	"fmt"
	"time"

	"github.com/mrv-dev/mrv/engine/agent"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

// toolOutput is how much of a tool's output is journaled.
const toolOutput = 2 << 10

// update journals one thing that happened in a turn.
func (b *bench) update(u agent.Update) {
	name, turn := b.member.Name, b.turn
	part := fmt.Sprintf("%d/%s", turn, u.Part)
	if b.waits && u.Kind != agent.UpRetrying {
		b.waits = false
		b.run.circuits.calm(b.model, b)
	}
	switch u.Kind {
	case agent.UpBusy:
		b.status(event.StatusData{Status: event.StatusRunning, Attempt: b.attempt})
	case agent.UpQueued:
		b.status(event.StatusData{Status: event.StatusQueued, Text: u.Text})
	case agent.UpRetrying:
		d := event.StatusData{Status: event.StatusRetrying, Text: u.Text, Attempt: max(u.Attempt, b.attempt)}
		if !u.Next.IsZero() {
			d.NextMS = b.run.elapsed() + time.Until(u.Next).Milliseconds()
		}
		b.status(d)
		b.waits, b.trouble = true, u.Text
		if wait := time.Until(u.Next); !u.Next.IsZero() && wait > b.left() {
			b.strike(&review.Failure{Kind: review.FailProvider, RetryAfter: wait.Round(time.Second),
				Message: u.Text + " (the next try would come too late)"})
			return
		}
		b.run.circuits.strike(b.model, b, b.strike)
	case agent.UpTextAppend:
		b.clock.start()
		b.run.stream(name, turn, event.TextData{Part: part, Stream: u.Stream, Text: u.Text})
	case agent.UpTextSet:
		b.clock.start()
		b.run.post(event.TextSet, name, turn, event.TextData{Part: part, Stream: u.Stream, Text: u.Text})
	case agent.UpTextDrop:
		b.run.post(event.TextDropped, name, turn, event.TextData{Part: part})
	case agent.UpTool:
		b.clock.start()
		u.Tool.ID = fmt.Sprintf("%d/%s", turn, u.Tool.ID)
		u.Tool.Seen = seenBy(u.Tool, b.run.rooms.relative)
		u.Tool.Output = cut(u.Tool.Output, toolOutput)
		b.run.post(event.ToolCalled, name, turn, u.Tool)
	case agent.UpStep:
		b.checkRead(u.Usage)
		if b.run.spent(name, turn, u.Usage) && u.Text == goesOn {
			b.strike(&review.Failure{Kind: review.FailAborted, Message: errBudget.Error()})
		}
	case agent.UpModel:
		b.run.post(event.ModelChosen, name, turn, event.ModelData{Model: u.Model, Variant: u.Variant})
	case agent.UpNotice:
		b.say("info", u.Text)
	case agent.UpGap:
		b.run.post(event.GapFound, "", 0, review.Gap{Text: u.Text})
	}
}

// goesOn is how a step ends that called tools: another step follows. Any other
// end is the turn's, and its answer is whole.
const goesOn = "tool-calls"

// cutShare is the share of the reckoned tokens below which a prompt was cut on
// the way: some servers drop the front of what does not fit, without a word.
const cutShare = 0.6

// checkRead compares what the provider says it read with what was sent.
func (b *bench) checkRead(u review.Usage) {
	read := u.Input + u.CacheRead + u.CacheWrite
	if b.expect == 0 || read == 0 || float64(read) >= cutShare*float64(b.expect) {
		return
	}
	text := fmt.Sprintf("%s: the prompt was cut: %d of about %d tokens were read", b.member.Name, read, b.expect)
	b.expect = 0 // said once
	b.run.post(event.HoldSet, "", 0, review.Hold{Code: "prompt-cut", Text: text})
}

// checkMarker notes a report of a model that does not repeat the marker: the
// front of the prompt may not have been read.
func (b *bench) checkMarker(r review.Report, model review.Model) {
	if r.MarkerOK || model.ID == "" || b.expect == 0 {
		return
	}
	b.expect = 0 // said once
	b.run.post(event.HoldSet, "", 0, review.Hold{Code: "prompt-cut",
		Text: b.member.Name + ": the prompt may have been cut: the marker at its front was not repeated"})
}

// cut keeps the first n bytes, on a rune's border, and says what is missing.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	i := n
	for i > 0 && s[i]&0xC0 == 0x80 {
		i--
	}
	return fmt.Sprintf("%s\n[%d bytes more]", s[:i], len(s)-i)
}

func (b *bench) status(d event.StatusData) {
	if d == b.said {
		return
	}
	b.said = d
	b.run.post(event.StatusChanged, b.member.Name, b.turn, d)
}

func (b *bench) say(level, text string) {
	b.run.post(event.Noticed, b.member.Name, b.turn, event.NoticeData{Level: level, Text: text})
}
