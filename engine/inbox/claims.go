package inbox

import (
	"github.com/mrv-dev/mrv/engine/document"
)

// Standing says what became of a finding since the builder answered it.
type Standing string

// What can become of an open finding of the last round.
const (
	Unanswered Standing = "unanswered"
	// Contested: the builder rejected it with evidence; a person decides again.
	Contested Standing = "contested"
	// NeedsPerson: the builder escalated it.
	NeedsPerson Standing = "escalated by the builder"
	// IsFixed: a complete run at the new head does not report it any more, and
	// its lines changed.
	IsFixed Standing = "fixed"
	// StillReported, Unchanged and Unproven are claims that do not hold.
	StillReported Standing = "claimed fixed, reported again"
	Unchanged     Standing = "claimed fixed, code unchanged"
	Unproven      Standing = "claimed fixed, not reviewed since"
)

// Round is what the new run says about findings of the last one.
type Round struct {
	// Complete says that the new run is whole; else nothing proves a fix.
	Complete bool
	// Again finds the entry of the new run that reports the same problem, by
	// text and place: lines may have moved.
	Again func(f document.Finding) (entry string, ok bool)
	// Changed reports whether the lines that a finding is about differ from
	// what they were.
	Changed func(f document.Finding) bool
}

// Claim is an open finding of the last round, the builder's last word on it,
// and what the new run makes of that.
type Claim struct {
	Finding  document.Finding
	Answer   Answer // zero if there is none
	Standing Standing
	Entry    string // of the new run, "" if it does not report it
}

// Claims checks the builder's answers against a new run: contested findings
// come first, then those that need a person, then claims that do not hold.
func Claims(last document.Document, answers []Answer, now Round) []Claim {
	said := map[string]Answer{}
	for _, a := range answers {
		if f, err := openFinding(last, a.ID); err == nil {
			said[f.ID] = a
		}
	}
	groups := map[Standing][]Claim{}
	for _, f := range last.With(document.Open) {
		c := Claim{Finding: f, Answer: said[f.ID]}
		entry, again := now.Again(f)
		if again {
			c.Entry = entry
		}
		c.Standing = standing(c.Answer.Outcome, again, now.Changed(f), now.Complete)
		groups[c.Standing] = append(groups[c.Standing], c)
	}
	var out []Claim
	for _, s := range []Standing{Contested, NeedsPerson, StillReported, Unchanged, Unproven, Unanswered, IsFixed} {
		out = append(out, groups[s]...)
	}
	return out
}

func standing(said Outcome, again, changed, complete bool) Standing {
	switch said {
	case Rejected:
		return Contested
	case Escalated:
		return NeedsPerson
	case Fixed:
		switch {
		case again:
			return StillReported
		case !changed:
			return Unchanged
		case !complete:
			return Unproven
		}
		return IsFixed
	}
	return Unanswered
}
