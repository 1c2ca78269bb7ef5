package opencode

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/mrv-dev/mrv/engine/agent"
	"github.com/mrv-dev/mrv/engine/review"
)

// state is where a turn stands.
//
//	created -> busy <-> retrying -> over
type state string

const (
	created  state = "created"  // asked, nothing heard yet
	busy     state = "busy"     // the model or a tool works
	retrying state = "retrying" // the server waits before it asks again
	over     state = "over"     // idle again: answer() says how it went
)

// waiting says what a turn waits for, which decides the clock that runs.
type waiting string

const (
	forFirstByte waiting = "first byte" // of a step
	forNextByte  waiting = "next byte"
	forTool      waiting = "tool"  // a tool runs, or its call is being written unseen
	forRetry     waiting = "retry" // the server told when
	forEnd       waiting = "end"   // the answer is whole; the server has still to say so
)

// maxUnknown is how many steps in a row may end without a reason: the server
// asks again for ever when a stream ends without one.
const maxUnknown = 3

// stepSlack is how many steps above its limit a session gets: the model is
// told to finish at the limit, and needs a step to do it.
const stepSlack = 2

// defaultSteps is the limit for a session that names none. A loop of tool
// calls is never free.
const defaultSteps = 50

// turnOptions is what a turn knows beforehand.
type turnOptions struct {
	Variant  string       // shown beside the model
	Price    review.Price // whether the model's cost is known
	MaxSteps int          // 0 = defaultSteps
	Deadline time.Time    // a retry later than this is not waited for; zero = none
	Dir      string       // the snapshot, cut off the paths shown
	Schema   bool         // a JSON answer was asked for
	// Earlier reports the user messages of earlier turns of the session.
	Earlier func(id string) bool
}

// turn folds what the server says about one prompt into updates and an answer.
// It does no I/O and reads no clock.
type turn struct {
	opt   turnOptions
	state state
	wait  waiting
	until time.Time // of the retry, while retrying
	heard int       // grows with every sign of life of the provider

	user     string // id of the turn's user message
	parts    map[string]*textPart
	tools    map[string]string // part -> last status
	steps    map[string]bool   // step-start and step-finish parts that were counted
	messages []*answerMessage

	finished int  // steps that ended
	unknown  int  // of them, ended without a reason in a row
	open     bool // a step began and has not ended
	usage    review.Usage
	model    review.Model
	err      *wireError // first session.error
	deleted  bool
	lost     string // text that a retry took away, kept for a turn that fails

	// stop is set once the turn must be aborted, and why.
	stop *review.Failure
}

type answerMessage struct {
	message
	order []string // its text parts
}

type textPart struct {
	message *answerMessage
	stream  string
	text    []byte
	ended   bool
	dropped bool
}

func newTurn(opt turnOptions) *turn {
	if opt.MaxSteps == 0 {
		opt.MaxSteps = defaultSteps
	}
	if opt.Earlier == nil {
		opt.Earlier = func(string) bool { return false }
	}
	return &turn{
		opt: opt, state: created, wait: forFirstByte,
		parts: map[string]*textPart{}, tools: map[string]string{}, steps: map[string]bool{},
	}
}

// event folds one event of the session.
func (t *turn) event(e event) []agent.Update {
	if t.state == over {
		return nil
	}
	var p properties
	if err := json.Unmarshal(e.Properties, &p); err != nil {
		return nil
	}
	switch e.Type {
	case "message.updated":
		return t.message(p.Info)
	case "message.part.updated":
		return t.part(p.Part)
	case "message.part.delta":
		return t.delta(p)
	case "session.status":
		return t.status(p.Status)
	case "session.idle":
		return t.status(status{Type: "idle"})
	case "session.error":
		if t.err == nil {
			t.err = p.Error
		}
	case "session.deleted":
		t.deleted = true
		t.state = over
	case "permission.asked":
		t.halt(review.FailOther, "the agent asked for a permission that no reviewer has: "+p.Permission)
	}
	return nil
}

// message folds the head of a message. The first user message that no earlier
// turn had is this turn's; whatever comes before it belongs to an earlier one,
// and so does an answer to an earlier one that is said again late.
func (t *turn) message(m message) []agent.Update {
	switch {
	case m.Role == "user":
		if t.user == "" && !t.opt.Earlier(m.ID) {
			t.user, t.state, t.err = m.ID, busy, nil
			return []agent.Update{{Kind: agent.UpBusy}}
		}
		return nil
	case m.Role != "assistant", t.user == "", m.ParentID != "" && t.opt.Earlier(m.ParentID), bytes.Equal(m.Summary, []byte("true")):
		return nil
	}
	var ups []agent.Update
	a := t.find(m.ID)
	if a == nil {
		a = &answerMessage{}
		t.messages = append(t.messages, a)
		t.wait = forFirstByte
		if id := (review.Model{Provider: m.ProviderID, ID: m.ModelID}); id != t.model {
			t.model = id
			ups = append(ups, agent.Update{Kind: agent.UpModel, Model: id, Variant: t.opt.Variant})
		}
	}
	a.message = m
	return ups
}

func (t *turn) find(id string) *answerMessage {
	for i := len(t.messages) - 1; i >= 0; i-- {
		if t.messages[i].ID == id {
			return t.messages[i]
		}
	}
	return nil
}

// part folds a whole part. Parts of messages that are not this turn's answer,
// the prompt's own echo among them, are none of the turn's.
func (t *turn) part(p part) []agent.Update {
	m := t.find(p.MessageID)
	if m == nil {
		return nil
	}
	switch p.Type {
	case "text":
		return t.text(m, p, agent.StreamText)
	case "reasoning":
		return t.text(m, p, agent.StreamThinking)
	case "tool":
		return t.tool(p)
	case "step-start":
		if t.steps[p.ID] {
			return nil
		}
		t.steps[p.ID], t.open = true, true
		t.alive(forNextByte)
		// A second start in one message is a retry, also when its
		// announcement was missed.
		return t.drop(m)
	case "step-finish":
		return t.stepFinish(p)
	}
	return nil
}

// text folds a text or reasoning part. The server sends it empty when it
// begins and whole when it ends; between them come the deltas.
func (t *turn) text(m *answerMessage, p part, stream string) []agent.Update {
	tp := t.parts[p.ID]
	if tp == nil {
		tp = &textPart{message: m, stream: stream}
		t.parts[p.ID] = tp
		m.order = append(m.order, p.ID)
	}
	if tp.ended || p.Text == "" {
		return nil
	}
	t.alive(forNextByte)
	tp.ended = p.Time != nil && p.Time.End > 0
	old := string(tp.text)
	back := tp.dropped
	tp.text, tp.dropped = []byte(p.Text), false
	switch {
	case back:
		return []agent.Update{{Kind: agent.UpTextSet, Part: p.ID, Stream: stream, Text: p.Text}}
	case old == p.Text, strings.TrimRight(old, " \n\t") == p.Text:
		return nil // the server trims the end
	case strings.HasPrefix(p.Text, old):
		return []agent.Update{{Kind: agent.UpTextAppend, Part: p.ID, Stream: stream, Text: p.Text[len(old):]}}
	}
	return []agent.Update{{Kind: agent.UpTextSet, Part: p.ID, Stream: stream, Text: p.Text}}
}

// delta appends to a part that is open. Deltas of reasoning also name the
// field "text": the part's type tells them apart. Those of an unknown part
// (its start was missed) are left out; its end brings the whole text.
func (t *turn) delta(p properties) []agent.Update {
	if t.find(p.MessageID) == nil {
		return nil
	}
	t.alive(forNextByte)
	tp := t.parts[p.PartID]
	if tp == nil || tp.ended || tp.dropped || p.Field != "text" || p.Delta == "" {
		return nil
	}
	tp.text = append(tp.text, p.Delta...)
	return []agent.Update{{Kind: agent.UpTextAppend, Part: p.PartID, Stream: tp.stream, Text: p.Delta}}
}

// drop takes back the open text parts of a message: the server empties them
// on a retry without an event.
func (t *turn) drop(m *answerMessage) []agent.Update {
	var ups []agent.Update
	for _, id := range m.order {
		tp := t.parts[id]
		if tp.ended || tp.dropped {
			continue
		}
		tp.dropped = true
		if len(tp.text) == 0 {
			continue
		}
		if tp.stream == agent.StreamText {
			t.lost = string(tp.text)
		}
		ups = append(ups, agent.Update{Kind: agent.UpTextDrop, Part: id, Stream: tp.stream})
	}
	return ups
}

func (t *turn) stepFinish(p part) []agent.Update {
	if t.steps[p.ID] {
		return nil
	}
	t.steps[p.ID], t.open = true, false
	t.finished++
	t.alive(forFirstByte)
	if p.Reason != "tool-calls" && p.Reason != "unknown" { // after these the server asks again
		t.wait = forEnd
	}
	u := review.Usage{
		Input: p.Tokens.Input, Output: p.Tokens.Output, Reasoning: p.Tokens.Reasoning,
		CacheRead: p.Tokens.Cache.Read, CacheWrite: p.Tokens.Cache.Write, Price: t.opt.Price,
	}
	switch {
	case p.Tokens == (tokens{}):
		u.Price = review.PriceUnknown // the provider reported no usage
	case u.Price == review.PriceKnown:
		u.CostUSD = p.Cost
	}
	t.usage = t.usage.Add(u)
	t.unknown++
	if p.Reason != "unknown" {
		t.unknown = 0
	}
	switch {
	case t.unknown >= maxUnknown:
		t.halt(review.FailUnknown, fmt.Sprintf("the provider ended %d answers in a row without saying why", t.unknown))
	case t.finished > t.opt.MaxSteps+stepSlack:
		t.halt(review.FailSteps, fmt.Sprintf("more than %d steps", t.opt.MaxSteps))
	}
	return []agent.Update{{Kind: agent.UpStep, Usage: u, Text: p.Reason}}
}

// status folds what the session is doing, from an event or a poll.
func (t *turn) status(s status) []agent.Update {
	if t.user == "" || t.state == over {
		return nil
	}
	switch s.Type {
	case "busy":
		if t.state == retrying {
			t.state, t.wait = busy, forFirstByte
			t.heard++
			return []agent.Update{{Kind: agent.UpBusy}}
		}
	case "retry":
		return t.retry(s)
	case "idle":
		if len(t.messages) == 0 && t.err == nil {
			return nil // said again of the turn before; a turn has an answer or an error
		}
		t.state = over
	}
	return nil
}

func (t *turn) retry(s status) []agent.Update {
	next := time.UnixMilli(s.Next)
	if t.state == retrying && t.until.Equal(next) {
		return nil // a poll repeats it
	}
	t.state, t.wait, t.until = retrying, forRetry, next
	t.heard++
	var ups []agent.Update
	if n := len(t.messages); n > 0 {
		ups = t.drop(t.messages[n-1])
	}
	text := words(s.Message)
	if f := (&review.Failure{Kind: kindOfWords(text)}); f.Kind != review.FailOther && !f.Passing() {
		t.halt(f.Kind, text) // the server tries again what no try can mend: a quota that is used up
		return ups
	}
	ups = append(ups, agent.Update{Kind: agent.UpRetrying, Text: text, Attempt: s.Attempt, Next: next})
	if !t.opt.Deadline.IsZero() && next.After(t.opt.Deadline) {
		t.halt(kindOfWords(text), text+" (the next try would come too late)")
	}
	return ups
}

// alive notes a sign of life of the provider.
func (t *turn) alive(next waiting) {
	t.heard++
	t.wait = next
	if t.state == retrying {
		t.state = busy
	}
}

func (t *turn) halt(kind review.FailureKind, message string) {
	if t.stop == nil {
		t.stop = &review.Failure{Kind: kind, Message: message}
	}
}
