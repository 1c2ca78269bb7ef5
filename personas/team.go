package personas

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mrv-dev/mrv/engine/review"
)

// MaxReviewers is the size of the largest team.
const MaxReviewers = 12

// Count is one part of a team: a persona and how many reviewers play it.
type Count struct {
	Persona review.Persona
	N       int
}

// Reviewers names the reviewers: security-1, security-2.
func (c Count) Reviewers() []string {
	out := make([]string, c.N)
	for i := range out {
		out[i] = c.Persona.Name + "-" + strconv.Itoa(i+1)
	}
	return out
}

// ParseTeam reads a team like "quality:1,security:2" (a name without a count
// is one). A count that is no number from 1, an unknown name, a name given
// twice and a team above MaxReviewers are errors.
func ParseTeam(spec string, known []review.Persona) ([]Count, error) {
	var out []Count
	total := 0
	seen := map[string]bool{}
	for _, part := range strings.Split(spec, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			if strings.TrimSpace(spec) == "" {
				return nil, fmt.Errorf("the team is empty; the known personas are %s", names(known))
			}
			return nil, fmt.Errorf("the team %q has an empty part", spec)
		}
		name, count, counted := strings.Cut(part, ":")
		name = strings.TrimSpace(name)
		p, ok := Find(known, name)
		if !ok {
			return nil, fmt.Errorf("no persona is called %q; the known ones are %s", name, names(known))
		}
		n := 1
		if counted {
			var err error
			if n, err = strconv.Atoi(strings.TrimSpace(count)); err != nil || n < 1 || n > MaxReviewers {
				return nil, fmt.Errorf("%q is no count of reviewers, in %q: give a number from 1 to %d, as in security:2 (known personas: %s)", count, part, MaxReviewers, names(known))
			}
		}
		if seen[name] {
			return nil, fmt.Errorf("the team names %s twice; write %s:2 for two of them", name, name)
		}
		seen[name] = true
		total += n
		out = append(out, Count{Persona: p, N: n})
	}
	if total > MaxReviewers {
		return nil, fmt.Errorf("the team %q has %d reviewers, the most is %d", spec, total, MaxReviewers)
	}
	return out, nil
}

func names(known []review.Persona) string {
	out := make([]string, len(known))
	for i, p := range known {
		out[i] = p.Name
	}
	return strings.Join(out, ", ")
}

// DefaultTeam is the team of a risk tier: one generalist for a trivial change,
// the four for a lite one, and for a full one those, testing, and the personas
// that are skipped where their paths match nothing (review.Persona.Applies).
// The tiers and their sizes follow Cloudflare's published system (1, 4 and
// 7 reviewers). An unknown tier gets the full team.
func DefaultTeam(tier string) string {
	switch tier {
	case "trivial":
		return "generalist:1"
	case "lite":
		return "quality:1,security:1,performance:1,architecture:1"
	}
	return "quality:1,security:1,performance:1,architecture:1,testing:1,documentation:1,release:1,compliance:1"
}
