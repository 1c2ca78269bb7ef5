package engine

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/engine/workspace"
)

// sight knows what a run's reviewers can have looked at: the hunks in their
// prompts, and the patches and files that they read with tools. What is not
// known to have been looked at was not: silence says nothing.
type sight struct {
	files   []*diff.File          // under review
	inline  map[string]bool       // paths whose hunks stand in every prompt
	patches map[string]*diff.File // by their path in the snapshot
}

func newSight(reviewed *diff.Set) sight {
	s := sight{files: reviewed.Files, inline: map[string]bool{}, patches: map[string]*diff.File{}}
	inline := fitsInline(reviewed)
	for i, f := range reviewed.Files {
		if inline {
			s.inline[f.Path()] = true
		} else {
			s.patches[workspace.PatchName(i, f.Path())] = f
		}
	}
	return s
}

// looked reports whether the author of a report looked at a place: its hunk
// was in a prompt whose front the report proves to have been read, or a
// completed tool call showed its first line.
func (s sight) looked(r *review.Report, tools []review.Tool, p diff.Place) bool {
	if r == nil || p.Path == "" {
		return false
	}
	if s.inline[p.Path] && p.Hunk >= 0 && r.MarkerOK {
		return true
	}
	for _, t := range tools {
		if t.Status != "completed" {
			continue
		}
		for _, seen := range t.Seen {
			if s.shows(seen, p) {
				return true
			}
		}
	}
	return false
}

// hunks counts, for each file under review, the hunks that the author of a
// report looked at, each judged by its first changed line. Fixed rules, and a
// model without tools, are given every hunk.
func (s sight) hunks(m event.Member, r *review.Report, tools []review.Tool) map[string]int {
	kind, _ := agentKind(m.Agent)
	given := r.MarkerOK && (kind == AgentChecks || kind == AgentDirect)
	n := map[string]int{}
	for _, f := range s.files {
		for i, h := range f.Hunks {
			if given || s.looked(r, tools, changedIn(f, i, h)) {
				n[f.Path()]++
			}
		}
	}
	return n
}

// changedIn is the place of a hunk's first changed line.
func changedIn(f *diff.File, i int, h *diff.Hunk) diff.Place {
	p := diff.Place{Path: f.Path(), Hunk: i, Side: diff.Right}
	for l := range h.All() {
		switch l.Op {
		case diff.Add:
			p.Start = l.New
			return p
		case diff.Delete:
			p.Start, p.Side = l.Old, diff.Left
			return p
		}
	}
	return p
}

// shows reports whether a stretch of a file of the snapshot has the place's
// first line: the file as it is after the change, or its patch.
func (s sight) shows(seen review.Seen, p diff.Place) bool {
	line := 0
	if f := s.patches[seen.Path]; f != nil && f.Path() == p.Path {
		line = patchLine(f, p)
	} else if seen.Path == p.Path && p.Side != diff.Left {
		line = p.Start
	}
	return line > 0 && seen.From <= line && line <= seen.To
}

// patchLine is the line of a file's patch on which a place begins, 0 if it is
// in no hunk.
func patchLine(f *diff.File, p diff.Place) int {
	if p.Hunk < 0 || p.Hunk >= len(f.Hunks) {
		return 0
	}
	at := bytes.Count(f.Patch()[:max(bytes.Index(f.Patch(), []byte("\n@@ "))+1, 0)], []byte("\n"))
	for i, h := range f.Hunks {
		at++ // its header
		for l := range h.All() {
			at++
			number := l.New
			if p.Side == diff.Left {
				number = l.Old
			}
			if i == p.Hunk && number == p.Start {
				return at
			}
			if l.NoEOL {
				at++
			}
		}
	}
	return 0
}

// seenBy reads out of a completed tool call which lines it showed. relative
// makes a path of the snapshot of one the tool names. The forms are those of
// OpenCode 1.18's read and grep.
func seenBy(t review.Tool, relative func(string) string) []review.Seen {
	if t.Status != "completed" {
		return nil
	}
	switch t.Name {
	case "read":
		var in struct {
			FilePath string `json:"filePath"`
		}
		if json.Unmarshal([]byte(t.Input), &in) != nil || !strings.Contains(t.Output, "<type>file</type>") {
			return nil
		}
		if from, to := numbered(t.Output); from > 0 {
			return []review.Seen{{Path: relative(in.FilePath), From: from, To: to}}
		}
	case "grep":
		return matches(t.Output, relative)
	}
	return nil
}

// numbered finds the first and last of the lines that read numbers, "12: text".
func numbered(output string) (from, to int) {
	_, content, _ := strings.Cut(output, "<content>\n")
	for line := range strings.SplitSeq(content, "\n") {
		digits, _, ok := strings.Cut(line, ": ")
		n, err := strconv.Atoi(digits)
		if !ok || err != nil || n < 1 {
			if from > 0 {
				return from, to // the numbers are over
			}
			continue
		}
		if from == 0 {
			from = n
		} else if n != to+1 {
			return from, to
		}
		to = n
	}
	return from, to
}

// matches lists the lines that grep shows below each path.
func matches(output string, relative func(string) string) (seen []review.Seen) {
	path := ""
	for line := range strings.SplitSeq(output, "\n") {
		if name, ok := strings.CutSuffix(line, ":"); ok && !strings.HasPrefix(line, " ") {
			path = relative(name)
			continue
		}
		rest, ok := strings.CutPrefix(line, "  Line ")
		if !ok || path == "" {
			continue
		}
		digits, _, _ := strings.Cut(rest, ":")
		if n, err := strconv.Atoi(digits); err == nil && n > 0 {
			seen = append(seen, review.Seen{Path: path, From: n, To: n})
		}
	}
	return seen
}
