package event

import (
	"encoding/json"
	"fmt"
	"time"
)

// Kind names what happened. A kind this version does not know is kept in the
// journal and ignored by the fold.
type Kind string

// Kinds and the type of their data.
const (
	Planned       Kind = "run.planned"    // Plan
	DiffStored    Kind = "change.diff"    // DiffData
	PhaseChanged  Kind = "run.phase"      // PhaseData
	ServerChanged Kind = "server"         // ServerData
	Noticed       Kind = "notice"         // NoticeData; reviewer set if it is one's own
	GapFound      Kind = "gap"            // review.Gap
	HoldSet       Kind = "hold"           // review.Hold
	MemberAdded   Kind = "reviewer.added" // Member
	StatusChanged Kind = "reviewer.status"
	TurnStarted   Kind = "turn.started" // TurnData
	TextAppended  Kind = "text.append"  // TextData
	TextSet       Kind = "text.set"     // TextData
	TextDropped   Kind = "text.drop"    // TextData, only Part
	ToolCalled    Kind = "tool"         // review.Tool
	UsageAdded    Kind = "usage"        // review.Usage of one step
	ModelChosen   Kind = "model"        // ModelData
	ReportIn      Kind = "report"       // ReportData
	Merged        Kind = "merged"       // MergedData
	Summarised    Kind = "summary"      // SummaryData
	Decided       Kind = "decided"      // StepData
	Commanded     Kind = "command"      // Command, as it was obeyed
	Challenged    Kind = "challenge"    // ChallengeData
	Exported      Kind = "exported"     // ExportData
)

// Event is one line of the journal. TMS is milliseconds since the run began,
// Wall the wall clock in RFC 3339 with milliseconds, V the version of the
// kind's data.
type Event struct {
	Seq      int64           `json:"seq"`
	TMS      int64           `json:"t_ms"`
	Wall     string          `json:"wall,omitempty"`
	Kind     Kind            `json:"kind"`
	V        int             `json:"v"`
	Reviewer string          `json:"reviewer,omitempty"`
	Turn     int             `json:"turn,omitempty"`
	Data     json.RawMessage `json:"data,omitempty"`
}

// New makes an event of the current version of its kind. Seq and the clocks
// are set by the journal.
func New(kind Kind, reviewer string, turn int, data any) (Event, error) {
	raw, err := json.Marshal(data)
	if err != nil {
		return Event{}, fmt.Errorf("writing a %s event: %w", kind, err)
	}
	return Event{Kind: kind, V: 1, Reviewer: reviewer, Turn: turn, Data: raw}, nil
}

// Decode reads the event's data.
func (e Event) Decode(into any) error {
	if err := json.Unmarshal(e.Data, into); err != nil {
		return fmt.Errorf("event %d (%s): %w", e.Seq, e.Kind, err)
	}
	return nil
}

// Stamp formats a wall clock as the journal has it.
func Stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z07:00") }
