package event

import (
	"github.com/mrv-dev/mrv/engine/review"
)

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
	Reserve  int64        `json:"reserve_bytes,omitempty"` // at most this much more, should another provider fail
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
