package merge

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

// entry says of one group of sources what the policy makes of it.
func entry(group []*source, in Input) event.Entry {
	e := event.Entry{ID: group[0].ID}
	for _, s := range group {
		e.Sources = append(e.Sources, s.ID)
		e.Worst = review.Worse(e.Worst, s.Severity)
	}
	e.Severity = majority(group)
	led := lead(group, e.Severity)
	e.Lead, e.Place = led.ID, placeOf(led, group)
	e.Reviewers = reviewers(group)
	e.Models = models(e.Reviewers, in.Reviewers)
	e.Confirmed = confirmed(e.Reviewers)
	e.Analyser = anyReviewer(e.Reviewers, in.Reviewers, func(r Reviewer) bool { return r.Analyser })
	e.Security = anyReviewer(e.Reviewers, in.Reviewers, func(r Reviewer) bool { return r.Security })
	e.Remarks = dissent(group, e.Severity)
	for _, r := range e.Remarks {
		e.Dissent = append(e.Dissent, r.Text(review.English))
	}
	e.Silent = silent(e, in)
	if lacks := folded(e, group, in.Floor); lacks != nil {
		r := review.Remark{Code: review.RemarkFolded, Lacks: lacks}
		e.Remarks, e.Folded = append(e.Remarks, r), r.Text(review.English)
	}
	return e
}

// reviewers names who reports the problem, in order.
func reviewers(group []*source) []string {
	var names []string
	for _, s := range group {
		names = append(names, s.Reviewer)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// models counts the different models behind the reviewers. Several reviewers
// of one model share its blind spots: ten of one model once endorsed a flaw
// that did not exist (arXiv 2604.19049), so the number stands beside
// "confirmed" rather than in it.
func models(names []string, known map[string]Reviewer) int {
	seen := map[string]bool{}
	for _, n := range names {
		if m := known[n].Model; m != "" {
			seen[m] = true
		}
	}
	return len(seen)
}

// confirmed is two reviewers, as multi-review's coordinator has it
// (opencode-actions: ">= 2 reviewers agree").
func confirmed(names []string) bool { return len(names) >= 2 }

// surely is the likeness from which two findings say the same beyond doubt.
const surely = threshold + 0.11

// agree reports whether two reviewers in a group that was made by likeness
// alone say the same: two findings that were linked do; of more, two must be
// surely alike. A group held together by half-alike findings only is more
// often several problems.
func agree(group []*source) bool {
	if len(group) < 3 {
		return true
	}
	for i, a := range group {
		for _, b := range group[:i] {
			if a.Reviewer != b.Reviewer && likeness(a, b) >= surely {
				return true
			}
		}
	}
	return false
}

func anyReviewer(names []string, known map[string]Reviewer, is func(Reviewer) bool) bool {
	return slices.ContainsFunc(names, func(n string) bool { return is(known[n]) })
}

// majority is the severity that most reviewers give, each reviewer's worst
// counting once; a tie goes to the worse one. The verdict does not use it: it
// takes the worst of all.
func majority(group []*source) review.Severity {
	votes := map[review.Severity]int{}
	for _, s := range worstByReviewer(group) {
		votes[s]++
	}
	order := append(review.Severities(), "")
	return slices.MaxFunc(order, func(a, b review.Severity) int {
		return cmp.Compare(votes[a], votes[b])
	})
}

func worstByReviewer(group []*source) map[string]review.Severity {
	worst := map[string]review.Severity{}
	for _, s := range group {
		worst[s.Reviewer] = review.Worse(worst[s.Reviewer], s.Severity)
	}
	return worst
}

// lead is the source whose words are shown: one of the majority's severity,
// the best placed, the most complete, the most like the others.
func lead(group []*source, shown review.Severity) *source {
	return slices.MinFunc(group, func(a, b *source) int {
		return cmp.Or(
			cmp.Compare(off(a.Severity != shown), off(b.Severity != shown)),
			cmp.Compare(placeRank(a.place), placeRank(b.place)),
			cmp.Compare(len(a.Missing), len(b.Missing)),
			cmp.Compare(centrality(b, group), centrality(a, group)),
			compareIDs(a.ID, b.ID),
		)
	})
}

func off(b bool) int {
	if b {
		return 1
	}
	return 0
}

// centrality is how much a source is like the rest of its group.
func centrality(s *source, group []*source) float64 {
	var sum float64
	for _, t := range group {
		if t != s {
			sum += likeness(s, t)
		}
	}
	return sum
}

// placeOf is where an entry stands: where its words are about, if that is
// sure, else the best place of its sources.
func placeOf(lead *source, group []*source) diff.Place {
	if p := lead.place; (p.How == diff.Exact || p.How == diff.Moved) && !p.Guessed {
		return p
	}
	return bestPlace(group)
}

// bestPlace is the place of the best placed source.
func bestPlace(group []*source) diff.Place {
	return slices.MinFunc(group, func(a, b *source) int {
		return cmp.Or(
			cmp.Compare(placeRank(a.place), placeRank(b.place)),
			cmp.Compare(off(!a.place.QuoteFound), off(!b.place.QuoteFound)),
			cmp.Compare(off(a.place.Start == 0), off(b.place.Start == 0)),
		)
	}).place
}

// placeRank orders places, the best first; a guess is worth no more than the
// file it is in.
func placeRank(p diff.Place) int {
	order := []diff.How{diff.Exact, diff.Moved, diff.InFile, diff.NotChanged, diff.NoPath}
	i := slices.Index(order, p.How)
	if i < 0 {
		return len(order)
	}
	if p.Guessed {
		return max(i, 2)
	}
	return i
}

// dissent says whose severity differs from the one shown, and who says that no
// contract is broken where others name one.
func dissent(group []*source, shown review.Severity) []review.Remark {
	var out []review.Remark
	worst := worstByReviewer(group)
	for _, name := range reviewers(group) {
		if s := worst[name]; s != shown {
			out = append(out, review.Remark{Code: review.RemarkSeverity, Reviewer: name, Said: s, Shown: shown})
		}
	}
	named := slices.ContainsFunc(group, func(s *source) bool { return namesContract(s.Judgment) })
	var last string
	for _, s := range group {
		if named && s.Judgment != "" && !namesContract(s.Judgment) && s.Reviewer != last {
			last = s.Reviewer
			out = append(out, review.Remark{Code: review.RemarkNoContract, Reviewer: s.Reviewer})
		}
	}
	return out
}

// namesContract reports whether a judgment rests on a contract: anything but
// the grammar's "none".
func namesContract(judgment string) bool {
	j := strings.ToLower(strings.Trim(strings.TrimSpace(judgment), "*_`. 。"))
	return j != "" && j != "none" && j != "n/a" && j != "无" && j != "没有"
}

// silent names the reviewers that looked at the place and did not report it.
func silent(e event.Entry, in Input) []string {
	if in.Looked == nil {
		return nil
	}
	var out []string
	for name := range in.Reviewers {
		if slices.Contains(e.Reviewers, name) {
			continue
		}
		if slices.ContainsFunc(e.Sources, func(id string) bool { return in.Looked(name, id) }) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// folded says what an entry lacks to be on the board: a lone suggestion that
// fewer than floor things speak for; nil when it is on the board. A security finding, an analyser's, the person's
// own, a confirmed one and anything but a suggestion is never folded.
// Calimero's reviewer likewise asks more agreement of a suggestion than of a
// warning.
func folded(e event.Entry, group []*source, floor int) []review.Lack {
	if e.Confirmed || e.Analyser || e.Security || owned(e) || e.Worst != review.Suggestion {
		return nil
	}
	best := slices.MaxFunc(group, func(a, b *source) int {
		return cmp.Compare(Support(a.Finding, a.place), Support(b.Finding, b.place))
	})
	if Support(best.Finding, best.place) >= floor {
		return nil
	}
	var lacks []review.Lack
	for _, x := range supports(best.Finding, best.place) {
		if !x.holds {
			lacks = append(lacks, x.lack)
		}
	}
	return lacks
}

// owned reports whether the person wrote a source of the entry.
func owned(e event.Entry) bool { return slices.Contains(e.Reviewers, event.Own) }

// Support counts what speaks for a finding besides its own claim, 0 to 3: its
// place is in the change, its quote stands there, its judgment names a
// contract.
func Support(f review.Finding, p diff.Place) int {
	n := 0
	for _, x := range supports(f, p) {
		n += off(x.holds)
	}
	return n
}

// support is one thing that may speak for a finding, and what is lacking if it
// does not.
type support struct {
	holds bool
	lack  review.Lack
}

func supports(f review.Finding, p diff.Place) []support {
	return []support{
		{(p.How == diff.Exact || p.How == diff.Moved) && !p.Guessed, review.LackPlace},
		{p.QuoteFound, review.LackQuote},
		{namesContract(f.Judgment), review.LackContract},
	}
}

// Inherit reports whether a source that joins a decided entry takes over its
// decision: not if it is more severe than anything that was decided, and never
// a security finding; the entry is then undecided again.
func Inherit(f review.Finding, r Reviewer, decided []review.Finding) bool {
	if r.Security {
		return false
	}
	var worst review.Severity
	for _, d := range decided {
		worst = review.Worse(worst, d.Severity)
	}
	return f.Severity.Rank() <= worst.Rank()
}
