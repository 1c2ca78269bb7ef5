package engine

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/document"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/inbox"
	"github.com/mrv-dev/mrv/engine/merge"
	"github.com/mrv-dev/mrv/engine/review"
)

// recalled is how many earlier runs of a change are looked at, the newest
// first: each was carried into the one after it.
const recalled = 8

// memory is what earlier rounds of a change left: what the person decided, and
// what the builder answered to the last one. Only the coordinator's side of a
// run sees it, never a reviewer.
type memory struct {
	decided []merge.Remembered // oldest run first
	last    document.Document  // the inbox's last round
	answers []inbox.Answer     // to it
	heard   bool               // the answers are journaled in this run
}

// recall reads the journals beside a run's own, and the inbox. What can not be
// read carries nothing over; the second result says what that was. tracked
// lists inbox files that the reviewed head itself tracks.
func recall(path string, s *event.State, tracked []string) (memory, []string) {
	var m memory
	var lost []string
	c := s.Plan.Change
	if c.Source == event.FromDemo {
		return m, nil
	}
	beside, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*.jsonl"))
	if err != nil {
		return m, nil // only a malformed pattern is an error
	}
	slices.Sort(beside)
	slices.Reverse(beside)
	runs := 0
	for _, p := range beside {
		if p == path || runs == recalled || !isOf(p, c) {
			continue
		}
		old, err := readState(p)
		if err != nil {
			lost = append(lost, fmt.Sprintf("what was decided in %s is not known: %v", filepath.Base(p), err))
			continue
		}
		if old.StartedWall < s.StartedWall {
			m.decided = append(decisionsOf(old), m.decided...)
			runs++
		}
	}
	if s.Plan.Out != "" {
		stem := document.Build(s, document.Options{At: time.Now()}).Stem()
		last, said, err := inbox.LastRound(s.Plan.Out, stem, tracked...)
		if err != nil {
			lost = append(lost, fmt.Sprintf("the builder's answers are not known: %v", err))
		}
		for _, b := range said.Bad {
			if b.Run != last.Run {
				continue // said before
			}
			lost = append(lost, fmt.Sprintf("line %d of %s.answers.jsonl is no answer: %s", b.Line, stem, b.Why))
		}
		m.last, m.answers = last, said.Of(last.Run)
		if m.last.Run == s.Plan.Run { // taken up again: the answers are to this run
			m.last, m.answers = document.Document{}, nil
		}
	}
	return m, lost
}

// isOf reports whether a journal is of a run over the same change, by its
// first events: a journal is long, and most are of other changes.
func isOf(path string, c event.Change) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	r := bufio.NewReader(f)
	if _, err := r.ReadBytes('\n'); err != nil { // the header
		return false
	}
	line, err := r.ReadBytes('\n')
	if err != nil {
		return false
	}
	var e event.Event
	var p event.Plan
	if json.Unmarshal(line, &e) != nil || e.Kind != event.Planned || e.Decode(&p) != nil {
		return false
	}
	return sameChange(p.Change, c)
}

// sameChange reports whether two runs are rounds of one change: a pull request
// by its number, a branch by its name, a patch by its bytes.
func sameChange(a, b event.Change) bool {
	if a.Source != b.Source || !strings.EqualFold(a.Host+"/"+a.Owner+"/"+a.Repo, b.Host+"/"+b.Owner+"/"+b.Repo) {
		return false
	}
	switch a.Source {
	case event.FromPR:
		return a.Number == b.Number
	case event.FromPatch:
		return a.Identity == b.Identity
	case event.FromBase, event.FromWorktree:
		return a.Dir == b.Dir && a.BaseRef == b.BaseRef && cmp.Or(a.HeadRef, a.HeadSHA) == cmp.Or(b.HeadRef, b.HeadSHA)
	}
	return false
}

// decisionsOf lists what was decided in a run. A decision keeps the name of
// the run in which it was made.
func decisionsOf(s *event.State) []merge.Remembered {
	var out []merge.Remembered
	for _, id := range s.Order {
		d := s.Decisions[id]
		if d.Choice == review.Undecided {
			continue
		}
		out = append(out, merge.Remembered{Run: cmp.Or(d.Carried, s.Plan.Run), Finding: s.Findings[id], Place: s.Places[id], Decision: d})
	}
	return out
}

// carry gives findings that were decided in an earlier run their decision,
// unless the person has touched them in this one, or the builder contests it:
// then a person decides again. Loop only.
func (r *Run) carry() {
	if len(r.earlier.decided) == 0 {
		return
	}
	in := r.mergeInput()
	carried := merge.Carry(r.earlier.decided, r.state.Entries, in)
	for _, c := range r.claims(in) {
		if c.Standing != inbox.Contested && c.Standing != inbox.NeedsPerson {
			continue
		}
		if e, ok := r.state.Entry(c.Entry); ok {
			for _, id := range e.Sources {
				delete(carried, id)
			}
		}
	}
	maps.DeleteFunc(carried, func(id string, _ review.Decision) bool { return len(r.state.History[id]) > 0 })
	if len(carried) == 0 {
		return
	}
	label := fmt.Sprintf("%d decided before", len(carried))
	_ = r.append(true, event.Decided, "", 0, event.StepData{Op: "carry", Label: label, Patch: event.Patch{Decisions: carried}}) // a failure is kept in r.failed
}

// hear journals the builder's answers once, when the panel is done: on the
// findings that are reported again; what is contested, or claimed fixed over
// unchanged code, and not reported again comes back as it was. Loop only.
func (r *Run) hear() {
	if r.earlier.heard || len(r.earlier.answers) == 0 || len(r.state.Answers) > 0 {
		return
	}
	r.earlier.heard = true
	p := event.Patch{Answers: map[string]*event.Answer{}, Own: map[string]*review.Finding{}, Decisions: map[string]review.Decision{}}
	counts := map[inbox.Standing]int{}
	for _, c := range r.claims(r.mergeInput()) {
		if c.Answer.Outcome == "" {
			continue
		}
		counts[c.Standing]++
		answer := &event.Answer{
			Outcome: string(c.Answer.Outcome), Note: c.Answer.Note, By: c.Answer.By, Standing: string(c.Standing), Contested: c.Standing == inbox.Contested,
			Run: r.earlier.last.Run,
		}
		if e, ok := r.state.Entry(c.Entry); ok {
			for _, id := range e.Sources {
				p.Answers[id] = answer
			}
			continue
		}
		if c.Standing == inbox.Contested || c.Standing == inbox.NeedsPerson || c.Standing == inbox.Unchanged {
			f := asFinding(c.Finding)
			f.Reviewer, f.Ordinal = event.Earlier, len(p.Own)+1
			f.ID = review.FindingID(f.Reviewer, f.Ordinal)
			p.Own[f.ID], p.Answers[f.ID] = &f, answer
			if d := c.Finding.Decision; c.Standing == inbox.Unchanged && d != nil {
				kept := *d
				kept.Carried, kept.Inherited = cmp.Or(d.Carried, r.earlier.last.Run), false
				p.Decisions[f.ID] = kept
			}
		}
	}
	for _, s := range slices.Sorted(maps.Keys(counts)) {
		_ = r.append(false, event.Noticed, "", 0, event.NoticeData{Level: "info", Text: fmt.Sprintf("the builder's answers: %d %s", counts[s], s)}) // as below
	}
	if len(p.Answers) > 0 {
		_ = r.step(event.StepData{Op: "carry", Label: "the builder's answers", Patch: p}) // a failure is kept in r.failed
	}
}

// claims checks the builder's answers against this run. Loop only.
func (r *Run) claims(in merge.Input) []inbox.Claim {
	if len(r.earlier.answers) == 0 {
		return nil
	}
	again := r.reported(in)
	return inbox.Claims(r.earlier.last, r.earlier.answers, inbox.Round{
		Complete: r.proves(),
		Again:    func(f document.Finding) (string, bool) { e, ok := again[f.ID]; return e, ok },
		Changed:  r.changed,
	})
}

// proves reports whether this run can show that something is fixed: every
// reviewer is done, nothing is unread, and a model read it if one found it.
func (r *Run) proves() bool {
	model := false
	for _, rv := range r.state.Reviewers {
		model = model || rv.ReportFrom.ID != ""
	}
	byModel := slices.ContainsFunc(r.earlier.last.With(document.Open), func(f document.Finding) bool { return len(f.Models) > 0 })
	return len(r.state.Missing()) == 0 && len(r.state.Holds) == 0 && (model || !byModel)
}

// reported finds the entries that report an open finding of the last round
// again: those that the clusterer would put it into. Loop only.
func (r *Run) reported(in merge.Input) map[string]string {
	in.Decided, in.Ops, in.Looked = nil, nil, func(string, string) bool { return false }
	in.Findings, in.Places = slices.Clone(in.Findings), maps.Clone(in.Places)
	was := map[string]string{} // by the id it has here
	for i, f := range r.earlier.last.With(document.Open) {
		x := asFinding(f)
		x.Reviewer, x.Ordinal = fmt.Sprintf("%s-%d", event.Earlier, i+1), 1
		x.ID = review.FindingID(x.Reviewer, x.Ordinal)
		in.Findings = append(in.Findings, x)
		in.Places[x.ID] = r.placeNow(f)
		was[x.ID] = f.ID
	}
	out := map[string]string{}
	for _, e := range merge.Update(nil, in) {
		now := slices.IndexFunc(e.Sources, func(id string) bool { return was[id] == "" })
		if now < 0 {
			continue
		}
		for _, id := range e.Sources {
			if f := was[id]; f != "" {
				if entry, ok := r.state.Entry(e.Sources[now]); ok {
					out[f] = entry.ID
				}
			}
		}
	}
	return out
}

// placeNow is a finding's place in the change as it is now, as far as its
// lines are still there.
func (r *Run) placeNow(f document.Finding) diff.Place {
	if r.state.Diff == nil || f.Place.Path == "" {
		return f.Place
	}
	p := r.state.Diff.Locate(f.Place.Path, f.Place.Start, f.Place.End, f.Place.Side == diff.Left, inbox.AnchorText(f))
	if p.How == diff.Exact || p.How == diff.Moved {
		return p
	}
	return f.Place
}

// changed reports whether the lines that a finding is about are gone from the
// head. Without lines that can be looked for they count as changed.
func (r *Run) changed(f document.Finding) bool {
	want := inbox.AnchorText(f)
	if want == "" || f.Place.Path == "" {
		return true
	}
	if f.Place.Side == diff.Left || r.rooms.store == nil {
		p := r.placeNow(f)
		return p == f.Place && p.How != diff.Exact
	}
	raw, ok, err := r.rooms.store.Show(context.Background(), r.plan.Change.Identity, f.Place.Path)
	if err != nil || !ok {
		return err == nil // the file is gone; what can not be read is not known to have changed
	}
	return !inbox.Holds(string(raw), want)
}

// asFinding is a finding of a document as one reviewer would report it.
func asFinding(f document.Finding) review.Finding {
	return review.Finding{
		Severity: cmp.Or(f.Worst, f.Severity), Title: f.Title, Quote: f.Quote, Observation: f.Observation, Inference: f.Inference, Judgment: f.Judgment,
		Fix: f.Fix, Replacement: f.Replacement, Verification: f.Verification, Surface: f.Surface, Rule: f.Rule,
		Location: review.Location{Path: f.Place.Path, Start: f.Place.Start, End: f.Place.End, Old: f.Place.Side == diff.Left},
	}
}
