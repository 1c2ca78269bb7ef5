package event

import (
	"strings"

	"github.com/mrv-dev/mrv/engine/review"
)

// Since says how a finding that went out as accepted stands to what went out.
type Since string

// What may have become of it.
const (
	Unchanged Since = ""
	TakenBack Since = "taken back" // it is not accepted any more
	Edited    Since = "edited"     // it has other words, or another severity
)

// note keeps the words in which accepted findings went to a target: by target
// and source id, those of the last export alone.
func (s *State) note(d ExportData) {
	words := map[string]string{}
	for _, id := range d.Accepted {
		e, ok := s.Entry(id)
		if !ok {
			continue
		}
		for _, source := range e.Sources {
			words[source] = s.wording(d.Target, e)
		}
	}
	if s.sent == nil {
		s.sent = map[string]map[string]string{}
	}
	s.sent[d.Target] = words
}

// wording is what a target has of an entry and an edit can change: comments
// are without the verification, which is for whoever mends it.
func (s *State) wording(target string, e Entry) string {
	f := s.Shown(e)
	words := []string{string(f.Severity), f.Title, f.Observation, f.Inference, f.Judgment, f.Fix}
	if target != "pr" {
		words = append(words, f.Verification)
	}
	return strings.Join(words, "\x00")
}

// SentTo lists where an entry went out as accepted, in the order of the
// exports.
func (s *State) SentTo(e Entry) (targets []string) {
	seen := map[string]bool{}
	for _, x := range s.Exports {
		if _, went := s.went(x.Target, e); went && !seen[x.Target] {
			seen[x.Target] = true
			targets = append(targets, x.Target)
		}
	}
	return targets
}

// Since compares an entry with how it last went to a target; an entry that did
// not go there is unchanged.
func (s *State) Since(target string, e Entry) Since {
	words, went := s.went(target, e)
	if !went {
		return Unchanged
	}
	if d, _ := s.DecisionOf(e); d.Choice != review.Accepted {
		return TakenBack
	}
	if words != s.wording(target, e) {
		return Edited
	}
	return Unchanged
}

func (s *State) went(target string, e Entry) (words string, went bool) {
	for _, id := range e.Sources {
		if w, ok := s.sent[target][id]; ok {
			return w, true
		}
	}
	return "", false
}
