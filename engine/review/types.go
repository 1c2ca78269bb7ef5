package review

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// Lang is a language of the screen and of reports.
type Lang string

// The languages in which every text a person reads exists.
const (
	English Lang = "en"
	Chinese Lang = "zh"
)

// Severity says how bad a problem is. The empty Severity means none.
type Severity string

// Severities, most severe first. The definitions are those that the reviewers
// are given: critical is an outage or exploitable, warning is a measurable
// regression or a concrete risk, suggestion is an improvement worth a look.
const (
	Critical   Severity = "critical"
	Warning    Severity = "warning"
	Suggestion Severity = "suggestion"
)

// Severities lists all severities, most severe first.
func Severities() []Severity { return []Severity{Critical, Warning, Suggestion} }

// Rank is 3 for critical, 2 for warning, 1 for suggestion and 0 for anything
// else, so that severities can be compared.
func (s Severity) Rank() int {
	switch s {
	case Critical:
		return 3
	case Warning:
		return 2
	case Suggestion:
		return 1
	}
	return 0
}

// AtLeast reports whether s is as severe as floor or more.
func (s Severity) AtLeast(floor Severity) bool { return s.Rank() >= floor.Rank() && s.Rank() > 0 }

// Worse returns the more severe of two severities.
func Worse(a, b Severity) Severity {
	if b.Rank() > a.Rank() {
		return b
	}
	return a
}

// Label is the decision a reviewer puts on the first line of its report, in
// the three steps every persona has. Each persona words them itself.
type Label string

// The three labels, from good to bad. The empty Label means none was given.
const (
	Pass     Label = "pass"
	Concerns Label = "concerns"
	Block    Label = "block"
)

// Rank orders labels: 0 none, 1 pass, 2 concerns, 3 block.
func (l Label) Rank() int {
	switch l {
	case Pass:
		return 1
	case Concerns:
		return 2
	case Block:
		return 3
	}
	return 0
}

// WorseLabel returns the worse of two labels.
func WorseLabel(a, b Label) Label {
	if b.Rank() > a.Rank() {
		return b
	}
	return a
}

// LabelText is the wording of the three labels in one language.
type LabelText struct {
	Pass     string `json:"pass" yaml:"pass"`
	Concerns string `json:"concerns" yaml:"concerns"`
	Block    string `json:"block" yaml:"block"`
}

// Of returns the wording of one label, or "" for none.
func (t LabelText) Of(l Label) string {
	switch l {
	case Pass:
		return t.Pass
	case Concerns:
		return t.Concerns
	case Block:
		return t.Block
	}
	return ""
}

// Location is where a reviewer says a problem is: a path relative to the
// repository's root and a range of lines, both 1-based and inclusive. Start 0
// means the whole file; an empty Path means no place ("none"). Old says that
// the numbers are those of the side before the change.
type Location struct {
	Path  string `json:"path,omitempty"`
	Start int    `json:"start,omitempty"`
	End   int    `json:"end,omitempty"`
	Old   bool   `json:"old,omitempty"`
}

// String writes the location as the grammar has it: path:12-14 (old), or "none".
func (l Location) String() string {
	if l.Path == "" {
		return "none"
	}
	var b strings.Builder
	b.WriteString(l.Path)
	if l.Start > 0 {
		b.WriteByte(':')
		b.WriteString(strconv.Itoa(l.Start))
		if l.End > l.Start {
			b.WriteByte('-')
			b.WriteString(strconv.Itoa(l.End))
		}
	}
	if l.Old {
		b.WriteString(" (old)")
	}
	return b.String()
}

// Finding is one claimed problem of one reviewer: a source finding.
// Observation is what the code does, Inference what that can lead to, Judgment
// whether it must be dealt with and by which contract. Fields that the
// reviewer did not give are empty and named in Missing.
type Finding struct {
	ID           string   `json:"id"`
	Reviewer     string   `json:"reviewer"`
	Ordinal      int      `json:"ordinal"`
	Severity     Severity `json:"severity"`
	Title        string   `json:"title"`
	Location     Location `json:"location"`
	Observation  string   `json:"observation,omitempty"`
	Inference    string   `json:"inference,omitempty"`
	Judgment     string   `json:"judgment,omitempty"`
	Verification string   `json:"verification,omitempty"`
	Quote        string   `json:"quote,omitempty"`
	Fix          string   `json:"fix,omitempty"`
	Replacement  string   `json:"replacement,omitempty"`
	Surface      string   `json:"surface,omitempty"`

	// Missing lists the required fields that were not given, by Field key.
	Missing []string `json:"missing,omitempty"`
	// ClampedFrom is the severity the reviewer gave when the persona's cap
	// lowered it; empty when nothing was lowered.
	ClampedFrom Severity `json:"clamped_from,omitempty"`
	// Synthetic marks a finding that mrv made because a block label came
	// without a finding that blocks.
	Synthetic bool `json:"synthetic,omitempty"`
	// Rule is the id of the check or analyser rule that made the finding;
	// empty for a model's.
	Rule string `json:"rule,omitempty"`
}

// FindingID is the id of a reviewer's n-th finding, n from 1. Ids belong to
// mrv, never to a model.
func FindingID(reviewer string, ordinal int) string {
	return reviewer + "." + strconv.Itoa(ordinal)
}

// SplitID takes a finding's id apart. ok is false if it is not one.
func SplitID(id string) (reviewer string, ordinal int, ok bool) {
	i := strings.LastIndexByte(id, '.')
	if i <= 0 {
		return "", 0, false
	}
	n, err := strconv.Atoi(id[i+1:])
	if err != nil || n < 1 {
		return "", 0, false
	}
	return id[:i], n, true
}

// CompareIDs orders finding ids by reviewer, then by ordinal as a number.
func CompareIDs(a, b string) int {
	ra, na, oka := SplitID(a)
	rb, nb, okb := SplitID(b)
	if !oka || !okb {
		return cmp.Compare(a, b)
	}
	if c := cmp.Compare(ra, rb); c != 0 {
		return c
	}
	return cmp.Compare(na, nb)
}

// Gap is something that could not be checked. It is never a bug by itself; a
// Human gap needs a person.
type Gap struct {
	Text  string `json:"text"`
	Human bool   `json:"human,omitempty"`
}

// Violation is one way in which a report breaks the contract, in words that
// can be sent back to its author.
type Violation struct {
	// Code is a short stable word: "no-label", "no-findings", "no-marker",
	// "no-gaps", "second-label", "missing-field", "bad-location",
	// "bad-severity", "truncated", "empty".
	Code string `json:"code"`
	// Finding is the ordinal of the finding it is about, 0 for the report.
	Finding int `json:"finding,omitempty"`
	// Text says what is wrong and what is wanted instead.
	Text string `json:"text"`
}

// String is the violation's text.
func (v Violation) String() string { return v.Text }

// Report is what one reviewer hands in.
type Report struct {
	Label     Label  `json:"label,omitempty"`
	LabelText string `json:"label_text,omitempty"`
	// Marker is what stood behind "Read:"; MarkerOK says it was the run's.
	Marker     string      `json:"marker,omitempty"`
	MarkerOK   bool        `json:"marker_ok,omitempty"`
	Summary    string      `json:"summary,omitempty"`
	Findings   []Finding   `json:"findings,omitempty"`
	Gaps       []Gap       `json:"gaps,omitempty"`
	Violations []Violation `json:"violations,omitempty"`
	// Broken is set when there is no label, no findings section (or one that
	// says neither a finding nor "None."), or the provider cut the answer: the
	// contract is violated, and what did parse still counts as findings.
	Broken bool `json:"broken,omitempty"`
	// Notes are things said for the reader that break nothing, such as a
	// pass label beside a critical finding.
	Notes []string `json:"notes,omitempty"`
}

// Choice is what a person decided about a finding. The empty Choice means
// undecided.
type Choice string

// The three decisions.
const (
	Undecided Choice = ""
	Accepted  Choice = "accepted"
	Rejected  Choice = "rejected"
	Escalated Choice = "escalated"
)

// Reason is why a finding was rejected; one of Reasons.
type Reason string

// The reasons for a rejection. ReasonOther wants a note.
const (
	FalsePositive Reason = "false positive"
	WontFix       Reason = "won't fix"
	AcceptedRisk  Reason = "accepted risk"
	Duplicate     Reason = "duplicate"
	OutOfScope    Reason = "out of scope"
	ReasonOther   Reason = "other"
)

// Reasons lists the reasons for a rejection in the order of their keys.
func Reasons() []Reason {
	return []Reason{FalsePositive, WontFix, AcceptedRisk, Duplicate, OutOfScope, ReasonOther}
}

// Decision is a person's word on one source finding.
type Decision struct {
	Choice Choice `json:"choice"`
	Reason Reason `json:"reason,omitempty"`
	// Note is free text: more about the reason, or why it was escalated.
	Note string `json:"note,omitempty"`
	// To is whom an escalation is for.
	To string `json:"to,omitempty"`
	// By is who decided, At when (RFC 3339).
	By string `json:"by,omitempty"`
	At string `json:"at,omitempty"`
	// Inherited is set when the finding joined an entry that was decided.
	Inherited bool `json:"inherited,omitempty"`
	// Severity is the person's own, once set; else empty.
	Severity Severity `json:"severity,omitempty"`
	// Carried names the earlier run whose decision this is.
	Carried string `json:"carried,omitempty"`
}

// Check validates a decision before it is journaled: a rejection needs a
// known reason ("other" a note too), an escalation needs somebody and a why.
func (d Decision) Check() error {
	switch d.Choice {
	case Undecided, Accepted:
		return nil
	case Rejected:
		for _, r := range Reasons() {
			if d.Reason == r {
				if r == ReasonOther && strings.TrimSpace(d.Note) == "" {
					return fmt.Errorf("the reason %q needs a note", r)
				}
				return nil
			}
		}
		return fmt.Errorf("a rejection needs a reason, one of %v", Reasons())
	case Escalated:
		if strings.TrimSpace(d.To) == "" || strings.TrimSpace(d.Note) == "" {
			return fmt.Errorf("an escalation needs to whom and why")
		}
		return nil
	}
	return fmt.Errorf("unknown decision %q", d.Choice)
}
