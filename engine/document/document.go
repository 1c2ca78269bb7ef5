package document

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

// Schema names the shape of a Document in JSON; schema.json describes it.
const Schema = "mrv.review.v1"

// Document is a run as it leaves: what was reviewed, by whom, what was found
// and what a person decided. Every string in it is free of secrets.
type Document struct {
	Schema    string         `json:"schema"`
	Run       string         `json:"run"`
	Version   string         `json:"version,omitempty"` // of mrv
	WrittenAt string         `json:"written_at"`        // RFC 3339
	Lang      review.Lang    `json:"lang"`
	Change    Change         `json:"change"`
	Agent     string         `json:"agent"`
	Banner    string         `json:"banner,omitempty"`
	Models    []string       `json:"models"` // provider/id of every model that answered
	Tier      string         `json:"tier"`
	Verdict   review.Verdict `json:"verdict"`
	Exit      review.Exit    `json:"exit"`
	// Complete says that every reviewer of the team handed in its report, a
	// model read the change, and nothing of it is unread.
	Complete  bool          `json:"complete"`
	Missing   []string      `json:"missing"` // reviewers without a whole report
	Holds     []review.Hold `json:"holds"`   // why a person is needed
	TriagedBy []string      `json:"triaged_by"`
	Counts    Counts        `json:"counts"`
	Rules     Rules         `json:"rules"`
	Read      Read          `json:"read"`
	// Findings are the merged findings: critical ones first, then by file and
	// line.
	Findings []Finding  `json:"findings"`
	Summary  Summary    `json:"summary"`
	Members  []Reviewer `json:"reviewers"`
	Gaps     []Gap      `json:"gaps"`
	// Unread are files that should have been read and were not, Filtered
	// those that no review reads (lock files, generated, binary).
	Unread   []File       `json:"unread"`
	Filtered []File       `json:"filtered"`
	Usage    review.Usage `json:"usage"`
	// Partial is how many findings this document had no room for.
	Partial int `json:"partial,omitempty"`
}

// Change is what was reviewed. SHAs are full.
type Change struct {
	Source     event.Source `json:"source"`
	Name       string       `json:"name"` // for people: owner/repo#12
	Host       string       `json:"host,omitempty"`
	Repository string       `json:"repository,omitempty"` // owner/repo
	Number     int          `json:"number,omitempty"`
	URL        string       `json:"url,omitempty"`
	Title      string       `json:"title,omitempty"`
	Author     string       `json:"author,omitempty"`
	BaseRef    string       `json:"base_ref,omitempty"`
	HeadRef    string       `json:"head_ref,omitempty"`
	Base       string       `json:"base,omitempty"`
	MergeBase  string       `json:"merge_base,omitempty"`
	Head       string       `json:"head,omitempty"`
	// Identity is the head's SHA; for a worktree the tree's hash, for a patch
	// the SHA-256 of its bytes.
	Identity   string `json:"identity"`
	Visibility string `json:"visibility,omitempty"`
}

// Counts are the findings on the board by what was decided, and the rejected
// ones by reason.
type Counts struct {
	Accepted  int `json:"accepted"`
	Rejected  int `json:"rejected"`
	Escalated int `json:"escalated"`
	Undecided int `json:"undecided"`
	Hidden    int `json:"hidden,omitempty"` // folded or dropped
	// Contested are those that the builder rejected and nobody decided since.
	Contested int                   `json:"contested,omitempty"`
	Reasons   map[review.Reason]int `json:"reasons,omitempty"`
}

// Rules says by which rules the review was made.
type Rules struct {
	Ref   string `json:"ref,omitempty"`
	SHA   string `json:"sha,omitempty"` // of the commit they come from; "" for built-in ones
	Hash  string `json:"hash,omitempty"`
	Skill string `json:"skill,omitempty"` // SHA-256 of the review skill
	// Touched lists rule files that the change itself touches.
	Touched []string `json:"touched,omitempty"`
}

// Read is the proof that the front of the prompt was read: the run's marker,
// and which reviewers repeated it.
type Read struct {
	Marker string   `json:"marker,omitempty"`
	By     []string `json:"by"`
	Not    []string `json:"not,omitempty"`
}

// Summary is the coordinator's text, or why there is none.
type Summary struct {
	Text     string `json:"text,omitempty"`
	Error    string `json:"error,omitempty"`
	Model    string `json:"model,omitempty"`
	MergedBy string `json:"merged_by,omitempty"` // "deterministic" or "judge"
}

// Status says where a finding stands.
type Status string

// Statuses of a finding.
const (
	Open      Status = "open" // accepted: to be dealt with
	Escalated Status = "escalated"
	Rejected  Status = "rejected"
	Undecided Status = "undecided"
)

// Finding is a merged finding: one problem.
type Finding struct {
	ID       string          `json:"id"`
	Sources  []string        `json:"sources"` // ids of the source findings
	Status   Status          `json:"status"`
	Severity review.Severity `json:"severity"`        // shown: the person's, else the majority's
	Worst    review.Severity `json:"worst,omitempty"` // the highest of the sources
	Title    string          `json:"title"`
	Place    diff.Place      `json:"place"`
	Where    string          `json:"where"` // path:12-14, for people
	Quote    string          `json:"quote,omitempty"`

	Judgment     string `json:"judgment"`
	Observation  string `json:"observation"`
	Inference    string `json:"inference"`
	Fix          string `json:"fix,omitempty"`
	Replacement  string `json:"replacement,omitempty"`
	Verification string `json:"verification,omitempty"`
	Surface      string `json:"surface,omitempty"`
	Rule         string `json:"rule,omitempty"`
	Synthetic    bool   `json:"synthetic,omitempty"`
	// Reworded is who worded it: "judge" or the person; "" = the lead source.
	Reworded string `json:"reworded,omitempty"`

	Reviewers []string `json:"reviewers"`
	Models    []string `json:"models"`
	Confirmed bool     `json:"confirmed"`
	Analyser  bool     `json:"analyser,omitempty"`
	Security  bool     `json:"security,omitempty"`
	Dissent   []string `json:"dissent,omitempty"`
	Silent    []string `json:"silent,omitempty"`
	// Hidden says why it is not on the board: folded or dropped by the merge.
	Hidden string `json:"hidden,omitempty"`

	Decision *review.Decision `json:"decision,omitempty"`
	Note     *event.Note      `json:"note,omitempty"`
	// Answer is what the builder said to it in the last round.
	Answer *event.Answer `json:"answer,omitempty"`
	// Reports are the source findings in their reviewers' words.
	Reports []Report `json:"reports,omitempty"`
}

// Report is a source finding and the model that wrote it.
type Report struct {
	review.Finding
	Model string `json:"model,omitempty"`
}

// Reviewer is one reviewer of the team and what became of it.
type Reviewer struct {
	Name     string       `json:"name"`
	Persona  string       `json:"persona"`
	Agent    string       `json:"agent"`
	Model    string       `json:"model,omitempty"`
	Variant  string       `json:"variant,omitempty"`
	Status   event.Status `json:"status"`
	Why      string       `json:"why,omitempty"`
	Label    review.Label `json:"label,omitempty"`
	Said     string       `json:"label_text,omitempty"`
	Summary  string       `json:"summary,omitempty"`
	Findings int          `json:"findings"`
	Read     bool         `json:"read_marker"`
	Notes    []string     `json:"notes,omitempty"`
	Broken   []string     `json:"violations,omitempty"`
	Tools    int          `json:"tool_calls,omitempty"`
	Seconds  int64        `json:"seconds,omitempty"`
	Usage    review.Usage `json:"usage"`
}

// Gap is something that could not be checked, and who says so ("" = mrv).
type Gap struct {
	review.Gap
	Reviewer string `json:"reviewer,omitempty"`
}

// File is a file of the change that was not reviewed, and why.
type File struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// With lists the findings of a status that are on the board, in order.
func (d Document) With(s Status) []Finding {
	var out []Finding
	for _, f := range d.Findings {
		if f.Status == s && (f.Hidden == "" || s != Undecided) {
			out = append(out, f)
		}
	}
	return out
}

// Triaged is the document as it may be handed on after triage: accepted and
// escalated findings whole, of rejected ones the id and the decision, of
// undecided ones only their number.
func (d Document) Triaged() Document {
	var keep []Finding
	for _, f := range d.Findings {
		switch f.Status {
		case Open, Escalated:
			keep = append(keep, f)
		case Rejected:
			keep = append(keep, Finding{
				ID: f.ID, Sources: f.Sources, Status: f.Status, Severity: f.Severity, Worst: f.Worst,
				Place: f.Place, Where: f.Where, Reviewers: f.Reviewers, Models: f.Models, Confirmed: f.Confirmed, Decision: f.Decision,
			})
		}
	}
	d.Findings = nonNil(keep)
	d.Members = slices.Clone(d.Members)
	for i := range d.Members {
		// A reviewer's own words speak of findings that nobody accepted.
		d.Members[i].Summary = ""
	}
	return d
}

// Stem is the name of the document's files without an extension: pr-12,
// branch-<slug>-<8 hex>, patch-<8 hex> or demo. A branch keeps its name while
// its head moves, as a pull request does.
func (d Document) Stem() string {
	c := d.Change
	switch c.Source {
	case event.FromPR:
		return fmt.Sprintf("pr-%d", c.Number)
	case event.FromDemo:
		return "demo"
	case event.FromPatch:
		return "patch-" + hex8(c.Identity)
	}
	ref := cmp.Or(c.HeadRef, c.Head)
	name := ref
	if c.Source == event.FromWorktree {
		name = "worktree-" + ref
	}
	return "branch-" + slug(name) + "-" + sum8(string(c.Source)+"\x00"+c.Repository+"\x00"+ref+"\x00"+c.BaseRef)
}

// hex8 is the first 8 digits of a hash, or of the hash of what is none.
func hex8(s string) string {
	s = strings.TrimPrefix(s, "sha256:")
	if len(s) >= 8 && strings.Trim(s[:8], "0123456789abcdef") == "" {
		return s[:8]
	}
	return sum8(s)
}

func sum8(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:4])
}

// slug makes a part of a file name of a branch's name: letters, digits and
// dashes, 40 at most.
func slug(name string) string {
	var b strings.Builder
	dash := true
	for _, r := range strings.ToLower(name) {
		ok := r >= 'a' && r <= 'z' || r >= '0' && r <= '9'
		switch {
		case ok:
			b.WriteRune(r)
		case !dash:
			b.WriteByte('-')
		}
		dash = !ok
		if b.Len() >= 40 {
			break
		}
	}
	return cmp.Or(strings.Trim(b.String(), "-"), "head")
}

func nonNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
