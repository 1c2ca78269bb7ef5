package engine

import (
	"slices"

	"github.com/mrv-dev/mrv/engine/agent"
	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/engine/workspace"
	"github.com/mrv-dev/mrv/personas"
)

// Shares of a model's context window that a prompt, with the patches it leads
// to, may take. Above the first the plan warns, because answers get worse;
// above the second the change is read in parts of up to the first.
const (
	warnShare  = 0.5
	splitShare = 0.9
)

// prompts makes the prompts of a run's reviewers.
type prompts struct {
	plan  event.Plan
	files []filePrompt // of the set, in its order
	whole brief
	bare  *prompts // without a patch in the snapshot, for agents without tools; nil where all stands inline
}

// filePrompt is a file of the change as a prompt has it.
type filePrompt struct {
	file  *diff.File
	patch string // its patch's path in the snapshot, "" where it stands in the prompt
	bytes int64  // in the prompt and in the patch
}

// part is one prompt of a reviewer. A change that fits the model's window is
// one part.
type part struct {
	agent.Turn
	files []filePrompt
	bytes int64 // of the prompt and of the patches it leads to
}

// has reports whether the part is about a path.
func (p part) has(path string) bool {
	return slices.ContainsFunc(p.files, func(f filePrompt) bool { return f.file.NewPath == path || f.file.OldPath == path })
}

// about is the part that is about a path, else the first.
func about(parts []part, path string) part {
	if i := slices.IndexFunc(parts, func(p part) bool { return p.has(path) }); i >= 0 {
		return parts[i]
	}
	return parts[0]
}

func newPrompts(p event.Plan, reviewed *diff.Set) *prompts {
	inline := fitsInline(reviewed)
	all := promptsOf(p, reviewed, inline)
	if !inline {
		all.bare = promptsOf(p, reviewed, true)
	}
	return all
}

func promptsOf(p event.Plan, reviewed *diff.Set, inline bool) *prompts {
	all := &prompts{plan: p, files: make([]filePrompt, 0, len(reviewed.Files))}
	for i, f := range reviewed.Files {
		fp := filePrompt{file: f}
		if inline {
			fp.bytes = int64(len(f.NumberedPatch()))
		} else {
			fp.patch = workspace.PatchName(i, f.Path())
			fp.bytes = int64(len(f.Patch()))
		}
		all.files = append(all.files, fp)
	}
	all.whole = newBrief(p, all.files, 0, 0)
	return all
}

// reading is how one reviewer reads the change.
type reading struct {
	parts  []part
	unread []*diff.File // too large for its model's window, even alone
}

// bytes is how much of text the reviewer is given to read in all.
func (r reading) bytes() (n int64) {
	for _, p := range r.parts {
		n += p.bytes
	}
	return n
}

// of makes a reviewer's prompts: one, or several where its model's window is
// too small for all at once.
func (all *prompts) of(m event.Member) reading {
	if kind, _ := agentKind(m.Agent); kind == AgentDirect && all.bare != nil {
		return all.bare.of(m)
	}
	own := personas.Prompt(m.Persona, all.plan.Lang) + "\n\n" +
		review.Contract(all.plan.Lang, m.Persona.LabelsIn(all.plan.Lang), all.plan.Marker)
	in := func(b brief, files []filePrompt) part {
		p := part{Turn: agent.Turn{Prefix: b.prefix, Text: own}, files: files, bytes: int64(len(b.prefix) + len(own))}
		for _, f := range files {
			if f.patch != "" {
				p.bytes += f.bytes
			}
		}
		return p
	}
	whole := in(all.whole, all.files)
	if share(whole.bytes, m) <= splitShare {
		return reading{parts: []part{whole}}
	}
	bare := in(newBrief(all.plan, nil, 1, 2), nil)
	room := func(share float64) int64 { return int64(float64(m.Window)*share*bytesPerToken) - bare.bytes }
	groups, unread := group(all.files, room(warnShare), room(splitShare))
	r := reading{unread: unread}
	for i, g := range groups {
		r.parts = append(r.parts, in(newBrief(all.plan, g, i+1, len(groups)), g))
	}
	return r
}

// reckoned is how many tokens a prompt is expected to have; unknown (0) where
// no model reads it, or a recording answers.
func reckoned(m event.Member, t agent.Turn) int64 {
	if m.Agent == AgentChecks || m.Agent == AgentReplay || m.Agent == AgentSARIF {
		return 0
	}
	return Tokens(int64(len(t.Prefix) + len(t.Text)))
}

// share is how much of a reviewer's window a text takes; 0 where the window
// is not known.
func share(bytes int64, m event.Member) float64 {
	if m.Window <= 0 {
		return 0
	}
	return float64(bytes) / bytesPerToken / float64(m.Window)
}

// group packs files, in their order, into groups of up to full bytes. A file
// larger than that is a group of its own up to most; beyond, it is unread.
func group(files []filePrompt, full, most int64) (groups [][]filePrompt, unread []*diff.File) {
	var now []filePrompt
	var n int64
	end := func() {
		if len(now) > 0 {
			groups = append(groups, now)
		}
		now, n = nil, 0
	}
	for _, f := range files {
		size := f.bytes + int64(titleBytes+len(f.file.Path())+hunkBytes*len(f.file.Hunks))
		if size > most {
			unread = append(unread, f.file)
			continue
		}
		if n+size > full {
			end()
		}
		now, n = append(now, f), n+size
	}
	end()
	return groups, unread
}

// What a file's title and marks, and a hunk's range in the index, take at most
// in a prompt, beside its path.
const (
	titleBytes = 160
	hunkBytes  = 32
)

// joinReports makes one report of those of a change's parts: the worst label,
// all findings with their ordinals running on, every gap once.
func joinReports(reports []review.Report) review.Report {
	if len(reports) == 1 {
		return reports[0]
	}
	var all review.Report
	for i, r := range reports {
		if i == 0 {
			all.Marker, all.MarkerOK = r.Marker, true
		}
		if r.Label.Rank() > all.Label.Rank() {
			all.Label, all.LabelText = r.Label, r.LabelText
		}
		all.MarkerOK = all.MarkerOK && r.MarkerOK
		all.Broken = all.Broken || r.Broken
		if r.Summary != "" && all.Summary != "" {
			all.Summary += "\n\n"
		}
		all.Summary += r.Summary
		before := len(all.Findings)
		for _, f := range r.Findings {
			f.Ordinal += before
			f.ID = review.FindingID(f.Reviewer, f.Ordinal)
			all.Findings = append(all.Findings, f)
		}
		for _, v := range r.Violations {
			if v.Finding > 0 {
				v.Finding += before
			}
			all.Violations = append(all.Violations, v)
		}
		for _, g := range r.Gaps {
			if !slices.Contains(all.Gaps, g) {
				all.Gaps = append(all.Gaps, g)
			}
		}
		for _, n := range r.Notes {
			if !slices.Contains(all.Notes, n) {
				all.Notes = append(all.Notes, n)
			}
		}
	}
	return all
}
