package document

import (
	"cmp"
	"reflect"
	"slices"
	"time"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/engine/secret"
)

// Options are what a document depends on beside the run.
type Options struct {
	At time.Time // when it is written
	// FailOn moves the exit code only: the severity from which findings lead
	// to exit 1. Empty = the run's blocking severity.
	FailOn review.Severity
}

// Build makes the document of a run as it stands. It changes nothing in s.
func Build(s *event.State, opt Options) Document {
	var plan event.Plan
	if s.Plan != nil {
		plan = *s.Plan
	}
	d := Document{
		Schema: Schema, Run: plan.Run, Version: plan.Version, WrittenAt: opt.At.UTC().Format(time.RFC3339), Lang: plan.Lang,
		Change: changeOf(plan.Change), Agent: plan.Agent, Banner: plan.Banner, Tier: plan.Tier,
		Verdict: s.Verdict(), Exit: review.ExitOf(s.Case(), opt.FailOn),
		Missing: nonNil(s.Missing()), Holds: nonNil(s.AllHolds()), Counts: countsOf(s), Usage: s.Usage(),
		Rules:   Rules{Ref: plan.Rules.Ref, SHA: plan.Rules.SHA, Hash: plan.Rules.Hash, Skill: plan.Rules.SkillSHA, Touched: plan.Rules.Touched},
		Summary: Summary{Text: s.Summary.Text, Error: s.Summary.Error, Model: s.Summary.Model.String(), MergedBy: s.MergedBy},
	}
	if d.Lang == "" {
		d.Lang = review.English
	}
	if s.Interrupted {
		d.Exit = review.WorseExit(d.Exit, review.ExitInterrupted)
	}
	d.Complete = complete(d.Holds) && !s.Interrupted
	d.Findings = findingsOf(s, d.Lang)
	d.TriagedBy = triagedBy(s)
	d.Members, d.Models, d.Read = membersOf(s, plan.Marker)
	d.Gaps = gapsOf(s)
	d.Unread, d.Filtered = filesOf(plan.Files)
	return masked(reflect.ValueOf(d)).Interface().(Document)
}

func changeOf(c event.Change) Change {
	repo := c.Repo
	if c.Owner != "" {
		repo = c.Owner + "/" + c.Repo
	}
	return Change{
		Source: c.Source, Name: c.Name(), Host: c.Host, Repository: repo, Number: c.Number, URL: c.URL, Title: c.Title, Author: c.Author,
		BaseRef: c.BaseRef, HeadRef: c.HeadRef, Base: c.BaseSHA, MergeBase: c.MergeBase, Head: c.HeadSHA, Identity: c.Identity, Visibility: c.Visibility,
	}
}

// complete reports whether the run itself is whole. What only a person can
// check does not make it incomplete.
func complete(holds []review.Hold) bool {
	return !slices.ContainsFunc(holds, func(h review.Hold) bool { return h.Code != "human-gap" && h.Code != "escalated" })
}

func countsOf(s *event.State) Counts {
	t := s.Tally()
	c := Counts{Accepted: t.Accepted, Rejected: t.Rejected, Escalated: t.Escalated, Undecided: t.Undecided}
	for _, e := range s.Entries {
		if !s.OnBoard(e) {
			c.Hidden++
			continue
		}
		if s.Contested(e) {
			c.Contested++
		}
		if d, _ := s.DecisionOf(e); d.Choice == review.Rejected {
			if c.Reasons == nil {
				c.Reasons = map[review.Reason]int{}
			}
			c.Reasons[d.Reason]++
		}
	}
	return c
}

func triagedBy(s *event.State) []string {
	by := []string{}
	for _, d := range s.Decisions {
		if d.By != "" && d.Choice != review.Undecided && !slices.Contains(by, d.By) {
			by = append(by, d.By)
		}
	}
	slices.Sort(by)
	return by
}

func findingsOf(s *event.State, lang review.Lang) []Finding {
	out := []Finding{}
	for _, e := range s.Entries {
		out = append(out, findingOf(s, e, lang))
	}
	slices.SortStableFunc(out, compare)
	return out
}

// compare puts critical findings first, then goes by file and line, so that
// one pass edits each file once.
func compare(a, b Finding) int {
	critical := func(f Finding) int {
		if f.Severity == review.Critical {
			return 0
		}
		return 1
	}
	return cmp.Or(
		cmp.Compare(critical(a), critical(b)), cmp.Compare(a.Place.Path, b.Place.Path), cmp.Compare(a.Place.Start, b.Place.Start),
		cmp.Compare(b.Severity.Rank(), a.Severity.Rank()), review.CompareIDs(a.ID, b.ID),
	)
}

func findingOf(s *event.State, e event.Entry, lang review.Lang) Finding {
	x := s.Shown(e)
	if own := s.OwnSeverity(e); own != "" {
		x.Severity = own
	}
	f := Finding{
		ID: e.ID, Sources: nonNil(e.Sources), Status: Undecided, Severity: x.Severity, Worst: e.Worst, Title: x.Title, Place: e.Place,
		Quote: x.Quote, Judgment: x.Judgment, Observation: x.Observation, Inference: x.Inference, Fix: x.Fix, Replacement: x.Replacement,
		Verification: x.Verification, Surface: x.Surface, Rule: x.Rule, Synthetic: x.Synthetic,
		Reviewers: nonNil(e.Reviewers), Models: []string{}, Confirmed: e.Confirmed, Analyser: e.Analyser, Security: e.Security,
		Dissent: e.DissentIn(lang), Silent: e.Silent,
	}
	f.settle(s, e)
	if secret.Mask(f.Replacement) != f.Replacement {
		f.Replacement = "" // code with a hole in it replaces nothing
	}
	if f.Place.Path == "" {
		f.Place.Path, f.Place.Start, f.Place.End = x.Location.Path, x.Location.Start, x.Location.End
	}
	f.Where = review.Location{Path: f.Place.Path, Start: f.Place.Start, End: f.Place.End, Old: f.Place.Side == "LEFT"}.String()
	if e.Reword != nil {
		f.Reworded = cmp.Or(e.Reword.By, "judge")
	}
	if !s.OnBoard(e) {
		f.Hidden = cmp.Or(e.Dropped, e.FoldedIn(lang))
	}
	for _, id := range e.Sources {
		src := s.Findings[id]
		r := Report{Finding: src}
		if m := s.Reviewer(src.Reviewer); m != nil {
			r.Model = m.ReportFrom.String()
		}
		if r.Model != "" && !slices.Contains(f.Models, r.Model) {
			f.Models = append(f.Models, r.Model)
		}
		f.Reports = append(f.Reports, r)
		if w := s.Edits[id]; w != nil {
			f.Reworded = cmp.Or(w.By, viewer(s))
		}
		if n := s.Notes[id]; n != nil && f.Note == nil {
			f.Note = n
		}
	}
	f.Answer = s.AnswerOf(e)
	if dec, _ := s.DecisionOf(e); dec.Choice != review.Undecided {
		f.Status, f.Decision = statusOf(dec.Choice), &dec
	}
	return f
}

// settle makes place, quote and replacement those of one source: a quote from
// one place and numbers from another send the reader to the wrong lines. It is
// the lead's place where that is in the change, because the words are the
// lead's; else that of the source which stands at the entry's place.
func (f *Finding) settle(s *event.State, e event.Entry) {
	lead, ok := s.Places[e.Lead]
	if ok && (lead.How == diff.Exact || lead.How == diff.Moved) {
		f.Place = lead
		return
	}
	if !ok || sameLines(lead, e.Place) {
		return
	}
	f.Quote, f.Replacement = "", ""
	for _, id := range e.Sources {
		if sameLines(s.Places[id], e.Place) {
			f.Quote, f.Replacement = s.Findings[id].Quote, s.Findings[id].Replacement
			return
		}
	}
}

func sameLines(a, b diff.Place) bool {
	return a.Path == b.Path && a.Side == b.Side && a.Start == b.Start && a.End == b.End
}

func viewer(s *event.State) string {
	if s.Plan == nil || s.Plan.Viewer == "" {
		return event.Own
	}
	return s.Plan.Viewer
}

func statusOf(c review.Choice) Status {
	switch c {
	case review.Accepted:
		return Open
	case review.Rejected:
		return Rejected
	case review.Escalated:
		return Escalated
	}
	return Undecided
}

func membersOf(s *event.State, marker string) (members []Reviewer, models []string, read Read) {
	members, models, read = []Reviewer{}, []string{}, Read{Marker: marker, By: []string{}}
	for _, r := range s.Reviewers {
		m := Reviewer{
			Name: r.Name, Persona: r.Persona.Name, Agent: r.Agent, Model: cmp.Or(r.ReportFrom.String(), r.Answering.String()), Variant: r.Variant,
			Status: r.Status, Why: r.Text, Tools: r.ToolCalls, Usage: r.Usage,
		}
		if r.Failure != nil {
			m.Why = r.Failure.Error()
		}
		if r.EndMS > r.StartMS && r.StartMS > 0 {
			m.Seconds = (r.EndMS - r.StartMS + 500) / 1000
		}
		if rep := r.Report; rep != nil {
			m.Label, m.Said, m.Summary, m.Findings, m.Read, m.Notes = rep.Label, rep.LabelText, rep.Summary, len(rep.Findings), rep.MarkerOK, rep.Notes
			for _, v := range rep.Violations {
				m.Broken = append(m.Broken, v.Text)
			}
			if rep.MarkerOK {
				read.By = append(read.By, r.Name)
			} else if r.ReportFrom.ID != "" {
				read.Not = append(read.Not, r.Name)
			}
		}
		if id := r.ReportFrom.String(); id != "" && !slices.Contains(models, id) {
			models = append(models, id)
		}
		members = append(members, m)
	}
	slices.Sort(models)
	return members, models, read
}

func gapsOf(s *event.State) []Gap {
	out := []Gap{}
	for _, g := range s.Gaps {
		out = append(out, Gap{Gap: g})
	}
	for _, r := range s.Reviewers {
		if r.Report == nil {
			continue
		}
		for _, g := range r.Report.Gaps {
			out = append(out, Gap{Gap: g, Reviewer: r.Name})
		}
	}
	return out
}

func filesOf(files []event.PlanFile) (unread, filtered []File) {
	unread, filtered = []File{}, []File{}
	for _, f := range files {
		x := File{Path: f.Path(), Reason: f.Reason}
		switch {
		case f.Unread:
			unread = append(unread, x)
		case !f.Reviewed:
			filtered = append(filtered, x)
		}
	}
	return unread, filtered
}

// masked is a copy of a value with the secrets in every string masked. What it
// was made from is left as it is: slices and pointers are shared with the run.
func masked(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch v.Kind() {
	case reflect.String:
		out.SetString(secret.Mask(v.String()))
	case reflect.Struct:
		for i := range v.NumField() {
			out.Field(i).Set(masked(v.Field(i)))
		}
	case reflect.Slice:
		if v.IsNil() {
			return out
		}
		out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			out.Index(i).Set(masked(v.Index(i)))
		}
	case reflect.Pointer:
		if v.IsNil() {
			return out
		}
		out.Set(reflect.New(v.Type().Elem()))
		out.Elem().Set(masked(v.Elem()))
	}
	return out
}

// Leaks reports whether the document holds one of the values that must never
// leave: tokens, keys, passwords. Masking knows shapes, this knows values.
func (d Document) Leaks(known ...string) bool { return leaks(reflect.ValueOf(d), known) }

func leaks(v reflect.Value, known []string) bool {
	switch v.Kind() {
	case reflect.String:
		return secret.Contains(v.String(), known...)
	case reflect.Struct:
		for i := range v.NumField() {
			if leaks(v.Field(i), known) {
				return true
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			if leaks(v.Index(i), known) {
				return true
			}
		}
	case reflect.Pointer:
		return !v.IsNil() && leaks(v.Elem(), known)
	}
	return false
}
