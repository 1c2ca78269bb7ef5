package review

// Verdict is what mrv derives from the findings; a reviewer never states it.
type Verdict string

// The verdicts.
const (
	ChangesNeeded      Verdict = "CHANGES_NEEDED"
	HumanCheckNeeded   Verdict = "HUMAN_CHECK_NEEDED"
	NoBlockingFindings Verdict = "NO_BLOCKING_FINDINGS"
)

// Exit is a process exit code.
type Exit int

// Exit codes. When several apply the first of 130, 2, 3, 1, 4, 0 wins.
const (
	ExitOK          Exit = 0
	ExitFindings    Exit = 1
	ExitUsage       Exit = 2
	ExitStale       Exit = 3
	ExitIncomplete  Exit = 4
	ExitInterrupted Exit = 130
)

// WorseExit returns the exit code that takes precedence.
func WorseExit(a, b Exit) Exit {
	order := map[Exit]int{ExitInterrupted: 5, ExitUsage: 4, ExitStale: 3, ExitFindings: 2, ExitIncomplete: 1, ExitOK: 0}
	if order[b] > order[a] {
		return b
	}
	return a
}

// Standing is one merged finding as the verdict sees it.
type Standing struct {
	// Severity is the highest of its sources, or the person's own once set.
	Severity Severity
	// Choice is the decision all its sources agree on; conflicting = Undecided.
	Choice Choice
}

// Hold is one reason why a person is needed before the verdict can be clean.
type Hold struct {
	// Code is a short stable word: "escalated", "human-gap", "reviewer",
	// "unread", "no-model".
	Code string `json:"code"`
	Text string `json:"text"`
}

// Case is all that the verdict is derived from.
type Case struct {
	Findings []Standing
	// Blocking is the severity from which a finding blocks; empty = critical.
	Blocking Severity
	// Holds are the reasons of the run itself: reviewers not done, unread
	// parts, human gaps, no model having read the change. Escalated findings
	// are added by Decide.
	Holds []Hold
}

// Decide derives the verdict: the first row that holds, over findings not
// rejected (DESIGN: Verdict).
//
//	an undecided or accepted finding at or above blocking     CHANGES_NEEDED
//	an open escalation, or any hold                           HUMAN_CHECK_NEEDED
//	otherwise                                                 NO_BLOCKING_FINDINGS
func Decide(c Case) Verdict {
	blocking := c.Blocking
	if blocking == "" {
		blocking = Critical
	}
	needHuman := len(c.Holds) > 0
	for _, f := range c.Findings {
		switch f.Choice {
		case Rejected:
		case Escalated:
			needHuman = true
		default:
			if f.Severity.AtLeast(blocking) {
				return ChangesNeeded
			}
		}
	}
	if needHuman {
		return HumanCheckNeeded
	}
	return NoBlockingFindings
}

// ExitOf maps a verdict to the exit code of a finished run. failOn moves only
// when findings lead to exit 1: it looks at the findings not rejected and not
// escalated, and is Blocking when empty; "none" never exits 1.
func ExitOf(c Case, failOn Severity) Exit {
	if failOn == "" {
		failOn = c.Blocking
	}
	if failOn == "" {
		failOn = Critical
	}
	for _, f := range c.Findings {
		if (f.Choice == Undecided || f.Choice == Accepted) && f.Severity.AtLeast(failOn) && failOn.Rank() > 0 {
			return ExitFindings
		}
	}
	if Decide(Case{Blocking: c.Blocking, Findings: onlyOpen(c.Findings), Holds: c.Holds}) == HumanCheckNeeded {
		return ExitIncomplete
	}
	return ExitOK
}

// onlyOpen keeps escalated findings, which alone can ask for a person.
func onlyOpen(in []Standing) []Standing {
	var out []Standing
	for _, s := range in {
		if s.Choice == Escalated {
			out = append(out, s)
		}
	}
	return out
}
