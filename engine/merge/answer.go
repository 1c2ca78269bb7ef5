package merge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

// answer is what the judge sends, by judge.schema.json.
type answer struct {
	Summary string     `json:"summary"`
	Groups  [][]string `json:"groups"`
	Reword  []struct {
		ID string `json:"id"`
		event.Wording
	} `json:"reword"`
	Severity []struct {
		ID       string          `json:"id"`
		Severity review.Severity `json:"severity"`
	} `json:"severity"`
	Drop []struct {
		ID     string `json:"id"`
		Reason string `json:"reason"`
	} `json:"drop"`
}

// pathLike finds what reads like a path with a folder and an extension.
var pathLike = regexp.MustCompile(`[\w.@-]+(?:/[\w.@-]+)+\.[A-Za-z]\w{0,9}`)

// nameLike finds a file's name without a folder, by the line behind it:
// "Node.js" and "os.Exit" are none.
var nameLike = regexp.MustCompile(`([\w@-]+(?:\.[\w@-]+)*\.[A-Za-z]\w{0,9}):\d`)

// ApplyJudge checks the judge's answer against the entries it was asked about
// and applies it: all of it, or, with any violation, nothing. The violations
// are in words that can be sent back (JudgeRepair). The judge's severity is
// for display only: Worst stays what the sources say.
func ApplyJudge(entries []event.Entry, in Input, raw []byte) (merged event.MergedData, summary string, violations []string) {
	refused := event.MergedData{Entries: entries, By: Deterministic}
	a, err := readAnswer(raw)
	if err != nil {
		return refused, "", []string{err.Error()}
	}
	j := judgement{in: in, answer: a, at: map[string]int{}, byID: map[string]*source{}}
	for _, s := range gather(in) {
		j.byID[s.ID] = s
	}
	j.checkGroups()
	if len(j.violations) == 0 {
		j.checkFixed(entries)
		j.build()
		j.checkDrops()
		j.checkTexts()
	}
	if len(j.violations) > 0 {
		return refused, "", j.violations
	}
	slices.SortFunc(j.entries, compareEntries)
	return event.MergedData{Entries: j.entries, By: ByJudge}, strings.TrimSpace(a.Summary), nil
}

// answerStarts is how many braces of an answer are tried as its beginning.
const answerStarts = 64

// readAnswer takes the first JSON object of the schema in the answer: models
// fence it, write prose before it, and some stray tokens behind it. If there is
// none, the error is about the first that has the words of one.
func readAnswer(raw []byte) (answer, error) {
	fault := fmt.Errorf("the answer holds no JSON object")
	told := false
	for at, n := bytes.IndexByte(raw, '{'), 0; at >= 0 && n < answerStarts; n++ {
		a, err := decodeAnswer(raw[at:])
		if err == nil {
			return a, nil
		}
		if !told {
			fault = fmt.Errorf("the answer is not JSON of the schema: %w", err)
			told = bytes.Contains(raw[at:min(at+200, len(raw))], []byte(`"`))
		}
		next := bytes.IndexByte(raw[at+1:], '{')
		if next < 0 {
			break
		}
		at += 1 + next
	}
	return answer{}, fault
}

// decodeAnswer reads an object that has groups.
func decodeAnswer(raw []byte) (answer, error) {
	var a answer
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&a); err != nil {
		return a, err
	}
	if a.Groups == nil {
		return a, errors.New(`"groups" is not given`)
	}
	return a, nil
}

// judgement is one answer being checked.
type judgement struct {
	in         Input
	answer     answer
	byID       map[string]*source
	at         map[string]int // the group of each id
	groups     [][]*source
	entries    []event.Entry
	violations []string
}

func (j *judgement) fault(format string, args ...any) {
	j.violations = append(j.violations, fmt.Sprintf(format, args...))
}

// checkGroups: every id exactly once, and no others, here and in the lists
// that name a group by one of its ids.
func (j *judgement) checkGroups() {
	for g, ids := range j.answer.Groups {
		if len(ids) == 0 {
			j.fault("groups: group %d is empty", g+1)
		}
		var group []*source
		for _, id := range ids {
			s := j.byID[id]
			switch _, seen := j.at[id]; {
			case s == nil:
				j.fault("groups: %q is no finding", id)
			case seen:
				j.fault("groups: %q stands more than once", id)
			default:
				j.at[id] = g
				group = append(group, s)
			}
		}
		slices.SortFunc(group, func(a, b *source) int { return compareIDs(a.ID, b.ID) })
		j.groups = append(j.groups, group)
	}
	for _, s := range ordered(j.in.Findings) {
		if _, ok := j.at[s.ID]; !ok {
			j.fault("groups: %q is missing", s.ID)
			j.at[s.ID] = -1
		}
	}
	known := func(list, id string) {
		if j.byID[id] == nil {
			j.fault("%s: %q is no finding", list, id)
		}
	}
	once := map[string]bool{}
	first := func(list, id string) {
		if g, ok := j.at[id]; ok && g >= 0 {
			key := fmt.Sprint(list, g)
			if once[key] {
				j.fault("%s: the group of %q stands in it twice", list, id)
			}
			once[key] = true
		}
	}
	for _, x := range j.answer.Reword {
		known("reword", x.ID)
		first("reword", x.ID)
	}
	for _, x := range j.answer.Severity {
		known("severity", x.ID)
		first("severity", x.ID)
		if x.Severity.Rank() == 0 {
			j.fault("severity: %q is none of critical, warning, suggestion", x.Severity)
		}
	}
	for _, x := range j.answer.Drop {
		known("drop", x.ID)
		if strings.TrimSpace(x.Reason) == "" {
			j.fault("drop: %q has no reason", x.ID)
		}
	}
}

// checkFixed: what a person decided or grouped by hand stays as it is.
func (j *judgement) checkFixed(entries []event.Entry) {
	for _, e := range entries {
		if !j.in.touched(e) {
			continue
		}
		g := j.at[e.Sources[0]]
		same := len(j.groups[g]) == len(e.Sources)
		for _, id := range e.Sources {
			same = same && j.at[id] == g
		}
		if !same {
			j.fault("groups: %s must stand as one group of its own, a person decided it or grouped it by hand",
				strings.Join(e.Sources, ", "))
		}
	}
}

// touched reports whether a person decided a source of the entry, or joined or
// split one by hand.
func (in Input) touched(e event.Entry) bool {
	return slices.ContainsFunc(e.Sources, func(id string) bool {
		if _, ok := in.Decided[id]; ok {
			return true
		}
		return slices.ContainsFunc(in.Ops, func(op event.MergeOp) bool {
			return slices.Contains(op.IDs, id)
		})
	})
}

// build makes the entries of the judge's groups, with its words and severities.
func (j *judgement) build() {
	for _, g := range j.groups {
		j.entries = append(j.entries, entry(g, j.in))
	}
	for _, x := range j.answer.Reword {
		e := &j.entries[j.at[x.ID]]
		w := x.Wording
		if w.Severity, w.By = "", ""; w == (event.Wording{}) {
			continue // it rewords nothing
		}
		w.By = ByJudge
		e.Reword = &w
	}
	for _, x := range j.answer.Severity {
		e := &j.entries[j.at[x.ID]]
		if e.Reword == nil {
			e.Reword = &event.Wording{By: ByJudge}
		}
		e.Severity, e.Reword.Severity = x.Severity, x.Severity
	}
	for _, x := range j.answer.Drop {
		j.entries[j.at[x.ID]].Dropped = strings.TrimSpace(x.Reason)
	}
}

// checkDrops: nothing that blocks, is critical, is a security reviewer's or a
// person's is dropped.
func (j *judgement) checkDrops() {
	for _, e := range j.entries {
		if e.Dropped == "" {
			continue
		}
		if why := undroppable(e, j.in); why != "" {
			j.fault("drop: %s may not be dropped, %s", strings.Join(e.Sources, ", "), why)
		}
	}
}

// undroppable says why a judge may not drop an entry; "" if it may.
func undroppable(e event.Entry, in Input) string {
	blocking := in.Blocking
	if blocking == "" {
		blocking = review.Critical
	}
	switch {
	case e.Worst == review.Critical:
		return "it is critical"
	case e.Worst.AtLeast(blocking):
		return "it is at or above the blocking severity"
	case e.Security:
		return "a security reviewer reports it"
	case owned(e):
		return "a person wrote it"
	case in.touched(e):
		return "a person decided it or grouped it by hand"
	}
	return ""
}

// checkTexts: no file is named that neither the change nor a finding has.
func (j *judgement) checkTexts() {
	known := slices.Clone(j.in.Files)
	var said strings.Builder
	for _, s := range j.byID {
		known = append(known, s.Location.Path, s.place.Path)
		for _, t := range []string{s.Title, s.Observation, s.Inference, s.Judgment, s.Fix, s.Quote, s.Replacement, s.Verification} {
			said.WriteString(t + "\n")
		}
	}
	files := func(text string) []string {
		list := pathLike.FindAllString(text, -1)
		for _, m := range nameLike.FindAllStringSubmatch(text, -1) {
			list = append(list, m[1])
		}
		return list
	}
	check := func(where string, texts ...string) {
		for _, p := range files(strings.Join(texts, "\n")) {
			if !strings.Contains(said.String(), p) && !slices.ContainsFunc(known, func(k string) bool {
				return k == p || strings.HasSuffix(k, "/"+p)
			}) {
				j.fault("%s: %q is neither in the change nor in a finding", where, p)
			}
		}
	}
	check("summary", j.answer.Summary)
	for _, x := range j.answer.Reword {
		check("reword", x.Title, x.Observation, x.Inference, x.Judgment, x.Fix, x.Verification)
	}
	for _, x := range j.answer.Drop {
		check("drop", x.Reason)
	}
}
