package event

import (
	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/review"
)

// DiffData is the change's diff: gzip, then base64.
type DiffData struct {
	SHA256 string `json:"sha256"` // of the raw bytes
	Gzip   []byte `json:"gzip"`
}

// Phase is a phase of a run.
type Phase string

// Phases, in order.
const (
	PhasePlanned   Phase = "planned"
	PhaseReviewing Phase = "reviewing"
	PhaseMerging   Phase = "merging"
	PhaseTriage    Phase = "triage"
	PhaseClosed    Phase = "closed"
)

// PhaseData says that a phase began.
type PhaseData struct {
	Phase Phase `json:"phase"`
	// Interrupted is set when the person or a signal stopped the run.
	Interrupted bool `json:"interrupted,omitempty"`
}

// ServerData is news of an agent's own server.
type ServerData struct {
	Agent   string `json:"agent"`
	State   string `json:"state"` // starting, ready, restarted, gone
	Version string `json:"version,omitempty"`
	Text    string `json:"text,omitempty"`
}

// NoticeData is one line for the person.
type NoticeData struct {
	Level string `json:"level"` // info, warn, error
	Text  string `json:"text"`
}

// Status is what a reviewer is doing.
type Status string

// Statuses of a reviewer. The last five are final.
const (
	StatusPlanned  Status = "planned"
	StatusQueued   Status = "queued"
	StatusStarting Status = "starting"
	StatusRunning  Status = "running"
	StatusRetrying Status = "retrying"
	StatusDone     Status = "done"
	StatusFailed   Status = "failed"
	StatusAborted  Status = "aborted"
	StatusViolated Status = "contract violated"
	StatusSkipped  Status = "skipped"
)

// Final reports whether the reviewer will not go on by itself.
func (s Status) Final() bool {
	switch s {
	case StatusDone, StatusFailed, StatusAborted, StatusViolated, StatusSkipped:
		return true
	}
	return false
}

// StatusData says what a reviewer does now and why.
type StatusData struct {
	Status  Status          `json:"status"`
	Text    string          `json:"text,omitempty"`
	Failure *review.Failure `json:"failure,omitempty"`
	Attempt int             `json:"attempt,omitempty"`
	// NextMS is when a retry is due, in t_ms.
	NextMS int64 `json:"next_ms,omitempty"`
}

// TurnKind says why a turn is asked.
type TurnKind string

// Kinds of turn.
const (
	TurnReview    TurnKind = "review"
	TurnPart      TurnKind = "part"      // the next file group of a split change
	TurnRepair    TurnKind = "repair"    // the report's violations are named
	TurnShorter   TurnKind = "shorter"   // the whole report once more, shorter
	TurnJudge     TurnKind = "judge"     // the coordinator
	TurnChallenge TurnKind = "challenge" // a person's rebuttal
)

// TurnData says that a prompt was sent.
type TurnData struct {
	Kind    TurnKind     `json:"kind"`
	Attempt int          `json:"attempt"`
	Model   review.Model `json:"model"`
	Variant string       `json:"variant,omitempty"`
	Bytes   int          `json:"bytes"`
}

// ModelData says who answers, and at which of its efforts.
type ModelData struct {
	Model   review.Model `json:"model"`
	Variant string       `json:"variant,omitempty"`
}

// TextData is streamed text. Part is the id of the block it belongs to.
type TextData struct {
	Part   string `json:"part"`
	Stream string `json:"stream,omitempty"` // "text" or "thinking"
	Text   string `json:"text,omitempty"`
}

// ReportData is a report that came in. The last one of a reviewer stands.
type ReportData struct {
	Report review.Report `json:"report"`
	Raw    string        `json:"raw,omitempty"` // the answer it was read from
	// Places are the findings' places, by finding id.
	Places map[string]diff.Place `json:"places,omitempty"`
	Model  review.Model          `json:"model"`
	// Looked counts, by path, the hunks its author is known to have looked at.
	Looked map[string]int `json:"looked,omitempty"`
	// Superseded marks an attempt that is kept but does not stand: another one
	// broke the contract in fewer places.
	Superseded bool `json:"superseded,omitempty"`
}

// Entry is a merged finding: one problem, its sources, who agrees and who not.
type Entry struct {
	ID      string   `json:"id"`
	Sources []string `json:"sources"` // finding ids, in order
	Lead    string   `json:"lead"`    // the source whose words are shown
	// Severity is the one shown (the majority's); Worst the highest of the sources.
	Severity review.Severity `json:"severity"`
	Worst    review.Severity `json:"worst"`
	Place    diff.Place      `json:"place"`
	// Reword is the judge's wording; nil shows the lead's.
	Reword    *Wording `json:"reword,omitempty"`
	Reviewers []string `json:"reviewers"`
	Models    int      `json:"models"` // distinct models behind it
	Confirmed bool     `json:"confirmed,omitempty"`
	Analyser  bool     `json:"analyser,omitempty"` // a deterministic reviewer agrees
	Security  bool     `json:"security,omitempty"` // a security reviewer reports it
	// Dissent lists reviewers whose severity or judgment differs, in words.
	Dissent []string `json:"dissent,omitempty"`
	// Silent lists reviewers that looked at the place and did not report it.
	Silent []string `json:"silent,omitempty"`
	// Folded and Dropped say why it is not on the board; "" when it is.
	Folded  string `json:"folded,omitempty"`
	Dropped string `json:"dropped,omitempty"`
	// Remarks are Dissent and Folded as codes; DissentIn and FoldedIn word them.
	Remarks []review.Remark `json:"remarks,omitempty"`
}

// DissentIn words the dissent in a language; as it was journaled where there
// are no codes.
func (e Entry) DissentIn(lang review.Lang) []string {
	var out []string
	for _, r := range e.Remarks {
		if r.Code != review.RemarkFolded {
			out = append(out, r.Text(lang))
		}
	}
	if out == nil {
		return e.Dissent
	}
	return out
}

// FoldedIn words in a language why the entry is folded; "" when it is not.
func (e Entry) FoldedIn(lang review.Lang) string {
	for _, r := range e.Remarks {
		if r.Code == review.RemarkFolded && e.Folded != "" {
			return r.Text(lang)
		}
	}
	return e.Folded
}

// Wording is a text to show instead of the lead's. Empty fields are the lead's.
type Wording struct {
	Severity     review.Severity `json:"severity,omitempty"`
	Title        string          `json:"title,omitempty"`
	Observation  string          `json:"observation,omitempty"`
	Inference    string          `json:"inference,omitempty"`
	Judgment     string          `json:"judgment,omitempty"`
	Fix          string          `json:"fix,omitempty"`
	Verification string          `json:"verification,omitempty"`
	By           string          `json:"by,omitempty"` // "judge", or the person
}

// MergedData is the coordinator's result as it stands: every entry, the
// dropped and folded ones too.
type MergedData struct {
	Entries []Entry `json:"entries"`
	// By is "deterministic" or "judge".
	By string `json:"by"`
	// Answer marks the judge's own answer: later merges start from it and are
	// what is shown, so that what a person decided meanwhile holds.
	Answer bool `json:"answer,omitempty"`
}

// SummaryData is the coordinator's summary, or why there is none.
type SummaryData struct {
	Text  string       `json:"text,omitempty"`
	Raw   string       `json:"raw,omitempty"` // the answer it was read from
	Error string       `json:"error,omitempty"`
	Model review.Model `json:"model"`
}

// Verdict of a challenge.
const (
	Retracted  = "retract"
	Downgraded = "downgrade"
	Stands     = "stand"
)

// ChallengeData is a rebuttal and what the reviewer said to it.
type ChallengeData struct {
	Finding  string          `json:"finding"` // source id
	Rebuttal string          `json:"rebuttal"`
	Answer   string          `json:"answer,omitempty"`  // the reviewer's words
	Outcome  string          `json:"outcome,omitempty"` // retract, downgrade, stand; "" while open
	Severity review.Severity `json:"severity,omitempty"`
	Error    string          `json:"error,omitempty"`
}

// ExportData says what went out.
type ExportData struct {
	Target   string   `json:"target"` // "inbox", "pr"
	Where    []string `json:"where"`  // paths or a URL
	Accepted []string `json:"accepted,omitempty"`
	Head     string   `json:"head,omitempty"`
	Digest   string   `json:"digest,omitempty"`
}
