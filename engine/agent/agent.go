// Package agent says what it takes to answer a reviewer's prompt. The kinds of
// agent live below it (opencode, checks, replay, direct, command, sarif); they
// never see each other, and never write anywhere but into their own rooms.
//
//	engine -- Open --> Session -- Ask(Turn) --> Update, Update, ... --> Answer
package agent

import (
	"context"
	"time"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/review"
)

// Agent answers prompts. One agent serves all reviewers of its kind in a run,
// concurrently.
type Agent interface {
	// Open makes an isolated session for one reviewer. Opening is cheap; a
	// retry opens a fresh one.
	Open(ctx context.Context, s Spec) (Session, error)
	// Close ends every session and every process the agent started, and
	// returns when they are gone.
	Close(ctx context.Context) error
}

// Session is one reviewer's conversation. It is used by one goroutine.
type Session interface {
	// Ask sends one turn and hands what comes back to emit, in order, until
	// the turn is over. It returns the answer's text (that of the last
	// assistant message) also when it fails, as far as it came. A failure is a
	// *review.Failure. When ctx ends, the session is aborted before Ask returns.
	Ask(ctx context.Context, t Turn, emit func(Update)) (Answer, error)
	// Close aborts what runs, waits until it is idle, and deletes it.
	Close(ctx context.Context) error
}

// Spec is what a session needs to know before its first turn.
type Spec struct {
	Reviewer string // "security-1", or "coordinator"
	Persona  review.Persona
	Lang     review.Lang
	Model    review.Model
	Effort   review.Effort // wanted; "" = the model's default
	Thinking bool
	MaxSteps int // tool steps; the session is aborted above it
	// ReadOnlyTools: read, grep, glob over the snapshot; false for the
	// coordinator, which has none.
	ReadOnlyTools bool
	Clocks        Clocks
	// Change and Marker are for agents that answer without a model.
	Change *diff.Set
	Marker string
}

// Clocks are the limits of a session, each zero for none.
type Clocks struct {
	FirstByte time.Duration // from the prompt to the first byte
	Silence   time.Duration // between two bytes
}

// Turn is one prompt of a session.
type Turn struct {
	// Prefix is the text all reviewers share (marker, change), Text what is
	// this reviewer's own. They are sent in this order.
	Prefix, Text string
	// Schema asks for a JSON answer of this JSON Schema (the judge); nil for text.
	Schema []byte
}

// Answer is how a turn ended.
type Answer struct {
	Text       string       // of the last assistant message
	Structured []byte       // the JSON answer, when a Schema was given
	Finish     string       // "stop", "length", ...
	Model      review.Model // who answered
	Usage      review.Usage // of this turn
	Steps      int
}

// UpdateKind says what an Update is about.
type UpdateKind string

// Kinds of update.
const (
	UpBusy       UpdateKind = "busy"        // the turn started or goes on
	UpQueued     UpdateKind = "queued"      // waits for a free place
	UpRetrying   UpdateKind = "retrying"    // Text, Attempt, Next
	UpTextAppend UpdateKind = "text.append" // Part, Stream, Text
	UpTextSet    UpdateKind = "text.set"    // Part, Stream, Text replaces the part's
	UpTextDrop   UpdateKind = "text.drop"   // Part is gone
	UpTool       UpdateKind = "tool"        // Tool
	UpStep       UpdateKind = "step"        // one step is over: Usage is its own, Text its finish reason
	UpModel      UpdateKind = "model"       // Model, Variant: who answers, at which effort
	UpNotice     UpdateKind = "notice"      // Text for the person
	UpGap        UpdateKind = "gap"         // Text: something could not be checked
)

// Streams of text.
const (
	StreamText     = "text"
	StreamThinking = "thinking"
)

// Update is one thing that happened in a turn.
type Update struct {
	Kind    UpdateKind
	Part    string // id of the text part
	Stream  string
	Text    string
	Tool    review.Tool
	Usage   review.Usage
	Model   review.Model
	Variant string // the effort actually asked for; "n/a" when the model has none
	Attempt int
	Next    time.Time
}
