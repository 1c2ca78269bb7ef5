package checks

import (
	"fmt"
	"regexp"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/review"
)

// Rule is a check ready to run.
type Rule struct {
	review.Check
	pattern, after, unless *regexp.Regexp // after and unless are nil for none
	needs, afterNeeds      []string       // texts that pattern and after need, as needed has them
	paths, not             review.Globs
}

// Compile makes the rules of a persona's checks. Loading a persona has shown
// that they compile; an error here names the check.
func Compile(list []review.Check) ([]Rule, error) {
	var out []Rule
	for _, c := range list {
		r := Rule{Check: c}
		for _, e := range []struct {
			text string
			into **regexp.Regexp
		}{{c.Pattern, &r.pattern}, {c.After, &r.after}, {c.Unless, &r.unless}} {
			if e.text == "" {
				continue
			}
			re, err := regexp.Compile(e.text)
			if err != nil {
				return nil, fmt.Errorf("check %s: %w", c.ID, err)
			}
			*e.into = re
		}
		for _, e := range []struct {
			globs []string
			into  *review.Globs
		}{{c.Paths, &r.paths}, {c.Not, &r.not}} {
			gs, err := review.CompileGlobs(e.globs)
			if err != nil {
				return nil, fmt.Errorf("check %s: %w", c.ID, err)
			}
			*e.into = gs
		}
		if r.pattern == nil {
			return nil, fmt.Errorf("check %s has no pattern", c.ID)
		}
		r.needs, r.afterNeeds = needed(c.Pattern), needed(c.After)
		out = append(out, r)
	}
	return out, nil
}

// Hit is one added line that a rule matched.
type Hit struct {
	Path string
	Line int // in the new file, from 1
	Text string
}

// Hits are the lines of one file that one rule matched, in their order.
type Hits struct {
	Rule  *Rule
	Lines []Hit
}

// Run matches rules against the added lines of a change: by file in the
// change's order, within a file by rule in the persona's order.
func Run(rules []Rule, change *diff.Set) []Hits {
	s := newScan(rules)
	var out []Hits
	for _, f := range change.Files {
		if f.NewPath == "" {
			continue
		}
		s.begin(f.NewPath)
		for _, h := range f.Hunks {
			s.hunk(h)
		}
		for i, lines := range s.hits {
			if len(lines) > 0 {
				out = append(out, Hits{Rule: &rules[i], Lines: lines})
			}
		}
	}
	return out
}

// first is the first of the lines above a line in which After is looked for: at
// most Within away (0: anywhere above in the hunk).
func (r *Rule) first(at int) int {
	if r.Within > 0 {
		return max(0, at-r.Within)
	}
	return 0
}

// follows reports whether After matches a line above.
func (r *Rule) follows(lines []line, at int) bool {
	if r.after == nil {
		return true
	}
	for k := at - 1; k >= r.first(at); k-- {
		if r.after.MatchString(lines[k].text) {
			return true
		}
	}
	return false
}

// excused reports whether Unless matches the line or one at most Within away.
func (r *Rule) excused(lines []line, at int) bool {
	if r.unless == nil {
		return false
	}
	for k := max(0, at-r.Within); k <= min(len(lines)-1, at+r.Within); k++ {
		if r.unless.MatchString(lines[k].text) {
			return true
		}
	}
	return false
}
