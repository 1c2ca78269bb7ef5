// Package gate decides whether a pull request may go on: a table of
// conditions, each held or not with its evidence. It asks no model and does no
// I/O; what is known is handed in, and what is not known is said.
//
//	Known + Rules (of the default branch) --Evaluate--> Result --> exit code
package gate

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

// Rules are the project's own, from the tip of the default branch.
type Rules struct {
	// Branches are globs of target branches; empty = any.
	Branches []string
	// Checks are the names of checks that must be green beside those that the
	// branch requires.
	Checks []string
	// SelfTriage lets the author of a pull request triage its review.
	SelfTriage bool
	// CardStates are the allowed states of the task card; empty = no card is
	// asked for.
	CardStates []string
}

// Known is what was found out. A nil or Err says that it was not.
type Known struct {
	PR     PR
	Review Review
	Checks Checks
	Card   Card
	Glass  []Comment // comments that may break the glass
}

// PR is the pull request as it is now.
type PR struct {
	Number int
	Author string
	Draft  bool
	State  string // "open", "closed", "merged"
	Base   string // target branch
	Head   string // SHA
	// Pushed is when the head came to the pull request (RFC 3339), "" if
	// that is not known.
	Pushed string
}

// Review is the summary that stands on the pull request.
type Review struct {
	// Err is why there is none that counts: none found, not trusted, or its
	// contract is broken.
	Err error
	// Unread is set when the comments themselves could not be read.
	Unread error

	URL, Author string
	Head        string
	Verdict     review.Verdict
	Complete    bool
	Missing     []string
	Triaged     bool
	TriagedBy   []string
	ReadMarker  string   // "" for none
	ReadBy      []string // reviewers that repeated it
	ReadNot     []string // and those that did not
	Escalated   int      // still open
	Contested   int      // rejected by the builder, not yet decided again
	Undecided   int
}

// Checks are the checks of the head.
type Checks struct {
	Err      error // they could not be read
	Required []Check
	Others   []Check
}

// Check is one check or status of a commit.
type Check struct {
	Name  string
	State string // "success", "neutral", "skipped", "pending", "failure", ...; "" if it never ran
}

// Green reports whether a check stands in nobody's way.
func (c Check) Green() bool {
	return c.State == "success" || c.State == "neutral" || c.State == "skipped"
}

// Card is the task that the pull request belongs to.
type Card struct {
	Err   error
	Path  string // "" if there is none
	State string
}

// Outcome is how a condition stands.
type Outcome string

// Outcomes of a condition.
const (
	Held    Outcome = "held"
	NotHeld Outcome = "not held"
	Unknown Outcome = "unknown"
	NotUsed Outcome = "not asked for"
)

// Condition is one row of the table.
type Condition struct {
	Code     string  `json:"code"`
	Text     string  `json:"text"`
	Outcome  Outcome `json:"outcome"`
	Evidence string  `json:"evidence"`
}

// Result is the whole table and what follows from it.
type Result struct {
	Holds      bool        `json:"holds"`
	Exit       review.Exit `json:"exit"`
	Head       string      `json:"head"`
	Conditions []Condition `json:"conditions"`
	// Glass is who broke the glass, nil if nobody did. Then the gate holds
	// whatever the table says.
	Glass *Broken `json:"break_glass,omitempty"`
	// Refused says of each attempt to break the glass why it does not count.
	Refused []string `json:"break_glass_refused,omitempty"`
}

// row is one condition and how it is found out.
type row struct {
	code, text string
	decide     func(Known, Rules) (Outcome, string)
}

// table is the gate, in the order in which it is shown.
var table = []row{
	{"review", "a review by a trusted author stands, whole and unchanged", theReview},
	{"head", "the reviewed head is the current head", theHead},
	{"read", "the reviewers proved that they read their prompt", theMarker},
	{"complete", "the run is complete", theRun},
	{"triage", "a person other than the author triaged it", theTriage},
	{"verdict", "the verdict is " + string(review.NoBlockingFindings), theVerdict},
	{"open", "nothing is escalated, contested or undecided", theOpen},
	{"checks", "the required checks are green", theChecks},
	{"branch", "the target branch is allowed", theBranch},
	{"card", "the task card is in an allowed state", theCard},
	{"ready", "the pull request is open and no draft", theState},
}

// Evaluate fills the table. Exit is 0 if every condition that is asked for
// holds, 1 if one does not, 2 if one could not be found out.
func Evaluate(k Known, r Rules) Result {
	out := Result{Head: k.PR.Head, Holds: true}
	for _, row := range table {
		c := Condition{Code: row.code, Text: row.text}
		c.Outcome, c.Evidence = row.decide(k, r)
		out.Conditions = append(out.Conditions, c)
		switch c.Outcome {
		case NotHeld:
			out.Holds, out.Exit = false, review.WorseExit(out.Exit, review.ExitFindings)
		case Unknown:
			out.Holds, out.Exit = false, review.WorseExit(out.Exit, review.ExitUsage)
		}
	}
	out.Glass, out.Refused = glass(k)
	if out.Glass != nil {
		out.Holds, out.Exit = true, review.ExitOK
	}
	return out
}

// noReview answers for conditions that are about the review.
func noReview(k Known) (Outcome, string, bool) {
	switch {
	case k.Review.Unread != nil:
		return Unknown, k.Review.Unread.Error(), true
	case k.Review.Err != nil:
		return NotHeld, "there is no review that counts", true
	}
	return "", "", false
}

func theReview(k Known, _ Rules) (Outcome, string) {
	switch {
	case k.Review.Unread != nil:
		return Unknown, k.Review.Unread.Error()
	case k.Review.Err != nil:
		return NotHeld, k.Review.Err.Error()
	}
	return Held, fmt.Sprintf("%s by %s", k.Review.URL, k.Review.Author)
}

func theHead(k Known, _ Rules) (Outcome, string) {
	if o, why, no := noReview(k); no {
		return o, why
	}
	if k.Review.Head == "" || k.Review.Head != k.PR.Head {
		return NotHeld, fmt.Sprintf("stale: reviewed %s, now %s", event.Short(k.Review.Head), event.Short(k.PR.Head))
	}
	return Held, k.PR.Head
}

func theMarker(k Known, _ Rules) (Outcome, string) {
	if o, why, no := noReview(k); no {
		return o, why
	}
	switch {
	case k.Review.ReadMarker == "" || len(k.Review.ReadBy) == 0:
		return NotHeld, "no reviewer repeated the read marker"
	case len(k.Review.ReadNot) > 0:
		return NotHeld, "not repeated by " + strings.Join(k.Review.ReadNot, ", ")
	}
	return Held, "repeated by " + strings.Join(k.Review.ReadBy, ", ")
}

func theRun(k Known, _ Rules) (Outcome, string) {
	if o, why, no := noReview(k); no {
		return o, why
	}
	switch {
	case len(k.Review.Missing) > 0:
		return NotHeld, "missing: " + strings.Join(k.Review.Missing, ", ")
	case !k.Review.Complete:
		return NotHeld, "a part of the change is unread, or no model read it"
	}
	return Held, "every reviewer handed in, nothing is unread"
}

func theTriage(k Known, r Rules) (Outcome, string) {
	if o, why, no := noReview(k); no {
		return o, why
	}
	by := k.Review.TriagedBy
	switch {
	case !k.Review.Triaged || len(by) == 0:
		return NotHeld, "not triaged"
	case r.SelfTriage:
		return Held, "by " + strings.Join(by, ", ")
	case k.PR.Author == "":
		return Unknown, "the author of the pull request is not known"
	}
	others := slices.ContainsFunc(by, func(l string) bool { return !strings.EqualFold(l, k.PR.Author) })
	if !others {
		return NotHeld, "only by " + k.PR.Author + ", the author"
	}
	// Who triaged stands in a journal, which whoever posts can write.
	if strings.EqualFold(k.Review.Author, k.PR.Author) {
		return NotHeld, fmt.Sprintf("%s, the author, posted it, and nobody else says that it was triaged by %s: who triaged it has to post it", k.PR.Author, strings.Join(by, ", "))
	}
	return Held, "by " + strings.Join(by, ", ")
}

func theVerdict(k Known, _ Rules) (Outcome, string) {
	if o, why, no := noReview(k); no {
		return o, why
	}
	if k.Review.Verdict != review.NoBlockingFindings {
		return NotHeld, string(k.Review.Verdict)
	}
	return Held, string(k.Review.Verdict)
}

func theOpen(k Known, _ Rules) (Outcome, string) {
	if o, why, no := noReview(k); no {
		return o, why
	}
	text := fmt.Sprintf("%d escalated, %d contested, %d undecided", k.Review.Escalated, k.Review.Contested, k.Review.Undecided)
	if k.Review.Escalated+k.Review.Contested+k.Review.Undecided > 0 {
		return NotHeld, text
	}
	return Held, text
}

func theChecks(k Known, r Rules) (Outcome, string) {
	if k.Checks.Err != nil {
		return Unknown, k.Checks.Err.Error()
	}
	want := slices.Clone(k.Checks.Required)
	for _, name := range r.Checks {
		if slices.ContainsFunc(want, func(c Check) bool { return c.Name == name }) {
			continue
		}
		at := slices.IndexFunc(k.Checks.Others, func(c Check) bool { return c.Name == name })
		if at < 0 {
			want = append(want, Check{Name: name})
		} else {
			want = append(want, k.Checks.Others[at])
		}
	}
	var red, green []string
	for _, c := range want {
		switch {
		case c.Green():
			green = append(green, c.Name)
		case c.State == "":
			red = append(red, c.Name+": has not run")
		default:
			red = append(red, c.Name+": "+c.State)
		}
	}
	switch {
	case len(red) > 0:
		return NotHeld, strings.Join(red, ", ")
	case len(green) == 0:
		return NotUsed, "no check is required"
	}
	return Held, strings.Join(green, ", ")
}

func theBranch(k Known, r Rules) (Outcome, string) {
	if len(r.Branches) == 0 {
		return NotUsed, k.PR.Base
	}
	for _, glob := range r.Branches {
		ok, err := path.Match(glob, k.PR.Base)
		if err != nil {
			return Unknown, fmt.Sprintf("the pattern %q: %v", glob, err)
		}
		if ok {
			return Held, k.PR.Base
		}
	}
	return NotHeld, fmt.Sprintf("%s is none of %s", k.PR.Base, strings.Join(r.Branches, ", "))
}

func theCard(k Known, r Rules) (Outcome, string) {
	switch {
	case len(r.CardStates) == 0:
		return NotUsed, "no task card is asked for"
	case k.Card.Err != nil:
		return Unknown, k.Card.Err.Error()
	case k.Card.Path == "":
		return NotHeld, "there is no task card"
	case !slices.Contains(r.CardStates, k.Card.State):
		return NotHeld, fmt.Sprintf("%s is %q, none of %s", k.Card.Path, k.Card.State, strings.Join(r.CardStates, ", "))
	}
	return Held, fmt.Sprintf("%s is %q", k.Card.Path, k.Card.State)
}

func theState(k Known, _ Rules) (Outcome, string) {
	switch {
	case k.PR.State != "open":
		return NotHeld, "it is " + k.PR.State
	case k.PR.Draft:
		return NotHeld, "it is a draft"
	}
	return Held, "open"
}
