package review

// ParseOptions is what the parser knows about a report before it reads it.
type ParseOptions struct {
	Reviewer string
	// Labels are the persona's label wordings, in every language it has.
	Labels []LabelText
	// Marker is the run's marker; empty skips the check.
	Marker string
	// Cap is the persona's severity cap; empty = none.
	Cap Severity
	// Blocking is the severity from which a finding blocks; empty = critical.
	Blocking Severity
	// FirstOrdinal is the ordinal of the first finding, 0 means 1 (parts of a
	// split report run on).
	FirstOrdinal int
	// Truncated says that the provider cut the answer (finish "length").
	Truncated bool
}

// Contract is the part of a reviewer's prompt that says how to report, in the
// language asked for. It is made from the same table the parser reads.
func Contract(lang Lang, labels LabelText, marker string) string { return "" }

// ParseReport reads a report. It never fails: what is wrong is in Violations.
func ParseReport(text string, opt ParseOptions) Report { return Report{} }

// RepairPrompt asks a reviewer to hand in its report again without the
// violations named.
func RepairPrompt(lang Lang, violations []Violation) string { return "" }
