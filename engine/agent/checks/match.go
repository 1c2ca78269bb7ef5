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
	var out []Hits
	for _, f := range change.Files {
		for i := range rules {
			r := &rules[i]
			if f.NewPath == "" || len(r.paths) > 0 && !r.paths.Match(f.NewPath) || r.not.Match(f.NewPath) {
				continue
			}
			var lines []Hit
			for _, h := range f.Hunks {
				lines = append(lines, r.hunk(f.NewPath, h)...)
			}
			if len(lines) > 0 {
				out = append(out, Hits{Rule: r, Lines: lines})
			}
		}
	}
	return out
}

// hunk matches one hunk. Removed lines are not part of the new file: no
// condition looks at them.
func (r *Rule) hunk(path string, h *diff.Hunk) []Hit {
	var lines []diff.Numbered
	for l := range h.All() {
		if l.Op != diff.Delete {
			lines = append(lines, l)
		}
	}
	var out []Hit
	for i, l := range lines {
		if l.Op == diff.Add && r.pattern.MatchString(l.Text) && r.follows(lines, i) && !r.excused(lines, i) {
			out = append(out, Hit{Path: path, Line: l.New, Text: l.Text})
		}
	}
	return out
}

// follows reports whether After matches a line above, at most Within away (0:
// anywhere above in the hunk).
func (r *Rule) follows(lines []diff.Numbered, i int) bool {
	if r.after == nil {
		return true
	}
	first := 0
	if r.Within > 0 {
		first = max(0, i-r.Within)
	}
	for k := i - 1; k >= first; k-- {
		if r.after.MatchString(lines[k].Text) {
			return true
		}
	}
	return false
}

// excused reports whether Unless matches the line or one at most Within away.
func (r *Rule) excused(lines []diff.Numbered, i int) bool {
	if r.unless == nil {
		return false
	}
	for k := max(0, i-r.Within); k <= min(len(lines)-1, i+r.Within); k++ {
		if r.unless.MatchString(lines[k].Text) {
			return true
		}
	}
	return false
}
