package event

import "github.com/mrv-dev/mrv/engine/review"

// CommandKind names what a person can ask of a run.
type CommandKind string

// Commands over the run while it goes on, and over its findings.
const (
	CmdStop       CommandKind = "stop"       // all of it; what came in is kept
	CmdAbort      CommandKind = "abort"      // Reviewer
	CmdRetry      CommandKind = "retry"      // Reviewer
	CmdModel      CommandKind = "model"      // Reviewer, Text = provider/model: retry with it
	CmdTime       CommandKind = "time"       // Reviewer, MS more
	CmdCoordinate CommandKind = "coordinate" // start the coordinator with those done
	CmdAdd        CommandKind = "add"        // Text = persona: one more reviewer

	CmdDecide    CommandKind = "decide"    // IDs, Decision
	CmdUndo      CommandKind = "undo"      //
	CmdRedo      CommandKind = "redo"      //
	CmdSplit     CommandKind = "split"     // IDs[0] = source to take out of its entry
	CmdJoin      CommandKind = "join"      // IDs = entries to make one
	CmdRestore   CommandKind = "restore"   // IDs: back from dropped or folded
	CmdEdit      CommandKind = "edit"      // IDs[0], Wording (nil = the original)
	CmdNote      CommandKind = "note"      // IDs[0], Text, To = author or builder
	CmdOwn       CommandKind = "own"       // Finding of the person's own
	CmdChallenge CommandKind = "challenge" // IDs[0], Text = rebuttal
	CmdExport    CommandKind = "export"    // Targets
)

// Command is one thing a person asks. IDs may name entries or sources.
type Command struct {
	Kind     CommandKind      `json:"kind"`
	Reviewer string           `json:"reviewer,omitempty"`
	IDs      []string         `json:"ids,omitempty"`
	Decision *review.Decision `json:"decision,omitempty"`
	Text     string           `json:"text,omitempty"`
	To       string           `json:"to,omitempty"`
	MS       int64            `json:"ms,omitempty"`
	Wording  *Wording         `json:"wording,omitempty"`
	Finding  *review.Finding  `json:"finding,omitempty"`
	Targets  []string         `json:"targets,omitempty"` // "inbox", "pr"
	// Cursor is where the person's cursor was, so that undo can return it.
	Cursor string `json:"cursor,omitempty"`
}

// Note is a person's remark on a finding.
type Note struct {
	To   string `json:"to"` // "author" or "builder"
	Text string `json:"text"`
	By   string `json:"by,omitempty"`
}

// Answer is the builder's word on a finding of the last round, and what this
// run makes of it.
type Answer struct {
	Outcome  string `json:"outcome"` // fixed, rejected, escalated
	Note     string `json:"note,omitempty"`
	By       string `json:"by,omitempty"`
	Run      string `json:"run,omitempty"` // the round that was answered
	Standing string `json:"standing"`      // in words: "claimed fixed, code unchanged"
	// Contested says that the builder rejected it: a person decides again.
	Contested bool `json:"contested,omitempty"`
}

// MergeOp is a merge or split made by hand; the clusterer obeys it.
type MergeOp struct {
	Op  string   `json:"op"`  // "split": IDs[0] stands apart from the rest; "join": IDs belong together
	IDs []string `json:"ids"` // source finding ids
}

// Patch is a set of changes by the person, each absolute: it replaces what was.
type Patch struct {
	Decisions map[string]review.Decision `json:"decisions,omitempty"` // by source id
	Edits     map[string]*Wording        `json:"edits,omitempty"`     // by source id, null = original
	Notes     map[string]*Note           `json:"notes,omitempty"`     // by source id, null = none
	Restored  map[string]bool            `json:"restored,omitempty"`  // by source id
	Own       map[string]*review.Finding `json:"own,omitempty"`       // by source id, null = taken back
	Answers   map[string]*Answer         `json:"answers,omitempty"`   // by source id; set once, by mrv
	// Ops replaces the whole list of hand-made merges when SetOps is set.
	Ops    []MergeOp `json:"ops,omitempty"`
	SetOps bool      `json:"set_ops,omitempty"`
}

// StepData is one undoable step.
type StepData struct {
	// Op is "do", "undo", "redo", or "inherit" and "carry" (by mrv, not undoable).
	Op     string `json:"op"`
	Label  string `json:"label,omitempty"` // "accept 3 findings"
	Patch  Patch  `json:"patch"`
	Cursor string `json:"cursor,omitempty"`
}

// Landing says what would be written where, before anything is.
type Landing struct {
	As           string        `json:"as,omitempty"` // who posts
	Head         string        `json:"head"`         // the head the run is bound to
	Current      string        `json:"current,omitempty"`
	Moved        bool          `json:"moved,omitempty"`
	Destinations []Destination `json:"destinations"`
}

// Destination is one place findings can go to.
type Destination struct {
	Target string   `json:"target"` // "inbox", "pr"
	Ready  bool     `json:"ready"`
	Why    string   `json:"why,omitempty"`   // why it is not ready
	Where  []string `json:"where,omitempty"` // paths or URL
	Items  []Item   `json:"items,omitempty"`
}

// Item is one finding and where it lands.
type Item struct {
	Entry string `json:"entry"`
	As    string `json:"as"`    // "open", "escalated", "rejected", "inline", "file", "summary", "kept"
	Where string `json:"where"` // anchor in words
	Why   string `json:"why,omitempty"`
}
