package event

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/review"
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

// Source says where a change comes from.
type Source string

// Sources of a change.
const (
	FromPR       Source = "pr"
	FromBase     Source = "branch"
	FromWorktree Source = "worktree"
	FromPatch    Source = "patch"
	FromDemo     Source = "demo"
)

// Change is what is under review. SHAs are full; Identity is the head SHA, for
// a worktree the tree's hash, for a patch the SHA-256 of its bytes.
type Change struct {
	Source    Source `json:"source"`
	Host      string `json:"host,omitempty"`
	Owner     string `json:"owner,omitempty"`
	Repo      string `json:"repo,omitempty"`
	Number    int    `json:"number,omitempty"`
	URL       string `json:"url,omitempty"`
	Title     string `json:"title,omitempty"`
	Author    string `json:"author,omitempty"`
	Draft     bool   `json:"draft,omitempty"`
	BaseRef   string `json:"base_ref,omitempty"`
	HeadRef   string `json:"head_ref,omitempty"`
	BaseSHA   string `json:"base_sha,omitempty"`
	MergeBase string `json:"merge_base,omitempty"`
	HeadSHA   string `json:"head_sha,omitempty"`
	Identity  string `json:"identity"`
	// Visibility is "public", "private" or "unknown" (treated as private).
	Visibility string `json:"visibility,omitempty"`
	// Dir is the root of the clone of the reviewed repository on this
	// machine, "" if there is none. Store is the private object store that
	// holds the change's objects, "" if there is none.
	Dir   string `json:"dir,omitempty"`
	Store string `json:"store,omitempty"`
	// Context is untrusted text about the change: title, body, commit
	// messages, threads.
	Context []Untrusted `json:"context,omitempty"`
}

// Untrusted is text by somebody about the change.
type Untrusted struct {
	Kind   string `json:"kind"` // "title", "body", "commit", "issue", "thread"
	Author string `json:"author,omitempty"`
	Text   string `json:"text"`
}

// Name is how the screen names the change: owner/repo#12, or the refs.
func (c Change) Name() string {
	repo := c.Repo
	if c.Owner != "" {
		repo = c.Owner + "/" + c.Repo
	}
	switch c.Source {
	case FromPR:
		return fmt.Sprintf("%s#%d", repo, c.Number)
	case FromDemo:
		return "demo"
	case FromPatch:
		return "patch " + Short(c.Identity)
	}
	name := c.HeadRef
	if c.Source == FromWorktree {
		name = "worktree"
	}
	if name == "" {
		name = Short(c.HeadSHA)
	}
	if repo != "" {
		name = repo + " " + name
	}
	if c.BaseRef != "" {
		name += " on " + c.BaseRef
	}
	return name
}

// Tree is the commit or tree that holds the files as they are after the
// change, "" where no object does. For a patch it is the commit it is looked
// at in, which does not have the change.
func (c Change) Tree() string {
	if c.Source == FromPatch {
		return c.HeadSHA
	}
	return c.Identity
}

// Short is the first 7 characters of a SHA.
func Short(sha string) string {
	if len(sha) > 7 {
		return sha[:7]
	}
	return sha
}

// Member is one reviewer of the team.
type Member struct {
	Name     string         `json:"name"` // "security-1"; "coordinator"
	Persona  review.Persona `json:"persona"`
	Agent    string         `json:"agent"` // kind: opencode, checks, replay, ...
	Models   []review.Model `json:"models,omitempty"`
	Effort   review.Effort  `json:"effort,omitempty"`
	Variant  string         `json:"variant,omitempty"` // what the model makes of the effort; "n/a"
	Thinking bool           `json:"thinking,omitempty"`
	// Window is the smallest context window of its models, in tokens; 0 where
	// it is not known.
	Window int64 `json:"window,omitempty"`
	// Bytes is how much text it is given to read, patches that it reads from
	// files included, and Parts in how many prompts.
	Bytes int64 `json:"bytes,omitempty"`
	Parts int   `json:"parts,omitempty"`
	// Skip says why it does not run: "no checks", "no path matches".
	Skip string `json:"skip,omitempty"`
}

// Model is the first of the member's chain.
func (m Member) Model() review.Model {
	if len(m.Models) == 0 {
		return review.Model{}
	}
	return m.Models[0]
}

// PlanFile is one file of the change as the plan has it.
type PlanFile struct {
	OldPath   string `json:"old_path"`
	NewPath   string `json:"new_path"`
	Status    string `json:"status"`
	Additions int    `json:"additions"`
	Deletions int    `json:"deletions"`
	Binary    bool   `json:"binary,omitempty"`
	Hunks     int    `json:"hunks"`
	Reviewed  bool   `json:"reviewed"`
	Reason    string `json:"reason,omitempty"` // why it is not reviewed
	// Unread marks a file that should have been reviewed and was not (cap,
	// missing patch): it makes the run incomplete; a filtered one does not.
	Unread bool   `json:"unread,omitempty"`
	Note   string `json:"note,omitempty"` // e.g. "marked binary by this change"
}

// Path is the file's name in the change.
func (f PlanFile) Path() string {
	if f.NewPath != "" {
		return f.NewPath
	}
	return f.OldPath
}

// Rules says where the rules of the review come from.
type Rules struct {
	Ref  string `json:"ref,omitempty"`  // "main", "built-in"
	SHA  string `json:"sha,omitempty"`  // of the commit
	Hash string `json:"hash,omitempty"` // over the rule files
	// Touched lists rule files that the change itself touches.
	Touched  []string `json:"touched,omitempty"`
	Skill    string   `json:"skill,omitempty"` // text of .mrv/skill.md
	SkillSHA string   `json:"skill_sha,omitempty"`
	// Template replaces the coordinator's instructions, from .mrv/coordinator.md.
	Template string `json:"template,omitempty"`
	// Contracts are the project's contract files and rules, from the base.
	Contracts []Untrusted `json:"contracts,omitempty"`
}

// Send says how much goes to whom.
type Send struct {
	Provider string       `json:"provider"`
	Models   []string     `json:"models"`
	Bytes    int64        `json:"bytes"`
	Tokens   int64        `json:"tokens"`
	CostUSD  float64      `json:"cost_usd,omitempty"`
	Price    review.Price `json:"price"`
	Loopback bool         `json:"loopback,omitempty"`
}

// Limits are the clocks and ceilings of a run, in milliseconds; 0 = none.
type Limits struct {
	RunMS         int64   `json:"run_ms"`
	ReviewerMS    int64   `json:"reviewer_ms"`
	CoordinatorMS int64   `json:"coordinator_ms"`
	FirstByteMS   int64   `json:"first_byte_ms"`
	SilenceMS     int64   `json:"silence_ms"`
	BudgetUSD     float64 `json:"budget_usd,omitempty"`
	Steps         int     `json:"steps,omitempty"`
	Retries       int     `json:"retries,omitempty"`
	PerProvider   int     `json:"per_provider,omitempty"` // sessions at a time
}

// Plan is everything that was fixed before a run began.
type Plan struct {
	Run         string          `json:"run"`
	Version     string          `json:"version"` // of mrv
	Change      Change          `json:"change"`
	Files       []PlanFile      `json:"files"`
	Tier        string          `json:"tier"`
	TierReason  string          `json:"tier_reason,omitempty"`
	Team        []Member        `json:"team"`
	Coordinator *Member         `json:"coordinator,omitempty"` // nil: deterministic only
	Agent       string          `json:"agent"`                 // default kind
	Banner      string          `json:"banner,omitempty"`      // what the person must know of the agent
	Lang        review.Lang     `json:"lang"`
	Rules       Rules           `json:"rules"`
	Marker      string          `json:"marker"`
	Boundary    string          `json:"boundary"`
	Sends       []Send          `json:"sends,omitempty"`
	Limits      Limits          `json:"limits"`
	Blocking    review.Severity `json:"blocking,omitempty"`
	Gaps        []review.Gap    `json:"gaps,omitempty"`
	Holds       []review.Hold   `json:"holds,omitempty"`
	Notes       []string        `json:"notes,omitempty"` // how the change was read, for the person
	// Out is the directory under which .ai/reviews is written; "" if none.
	Out string `json:"out,omitempty"`
	// Viewer is who decides: the forge login, else the git or system user.
	Viewer string `json:"viewer,omitempty"`
}

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
	// Answer marks the judge's own answer: later merges start from it.
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

// Stamp formats a wall clock as the journal has it.
func Stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z07:00") }
