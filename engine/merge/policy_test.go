package merge

import (
	"slices"
	"testing"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

// leak is one problem as several reviewers would report it.
func leak(id string, s review.Severity) review.Finding {
	reviewer, ordinal, _ := review.SplitID(id)
	return review.Finding{
		ID: id, Reviewer: reviewer, Ordinal: ordinal, Severity: s,
		Title:       "`openSpool` leaks the file handle when `readHeader` fails",
		Location:    review.Location{Path: "spool/open.go", Start: 12, End: 14},
		Observation: "The handle from `os.Open` is not closed on the error path of `readHeader`.",
		Judgment:    "AGENTS.md: close what you open",
	}
}

// other is a different problem in the same place.
func other(id string, s review.Severity) review.Finding {
	f := leak(id, s)
	f.Title = "`maxEntries` is compared with the wrong unit"
	f.Observation = "`maxEntries` counts kilobytes in the configuration and rows here."
	return f
}

// team is who reports in these tests: two reviewers of one model, one of
// another, security, and an analyser.
func team() map[string]Reviewer {
	return map[string]Reviewer{
		"quality-1": {Model: "a/x"}, "quality-2": {Model: "a/x"}, "perf-1": {Model: "b/y"},
		"security-1": {Model: "b/y", Security: true}, "checks-1": {Analyser: true},
	}
}

func only(t *testing.T, entries []event.Entry) event.Entry {
	t.Helper()
	if len(entries) != 1 {
		t.Fatalf("%d entries, want one: %+v", len(entries), entries)
	}
	return entries[0]
}

func TestEntrySaysWhoAgrees(t *testing.T) {
	in := Input{Reviewers: team(), Findings: []review.Finding{
		leak("quality-2.1", review.Warning), leak("quality-1.3", review.Warning),
		leak("perf-1.1", review.Critical), leak("checks-1.2", review.Suggestion),
	}}
	in.Looked = func(reviewer, id string) bool { return reviewer == "security-1" }
	e := only(t, Merge(in))
	if e.ID != "checks-1.2" || !slices.Equal(e.Sources, []string{"checks-1.2", "perf-1.1", "quality-1.3", "quality-2.1"}) {
		t.Errorf("id %q, sources %q: want the smallest id and all in order", e.ID, e.Sources)
	}
	if !e.Confirmed || e.Models != 2 || !e.Analyser || e.Security {
		t.Errorf("confirmed %v, models %d, analyser %v, security %v", e.Confirmed, e.Models, e.Analyser, e.Security)
	}
	if e.Severity != review.Warning || e.Worst != review.Critical {
		t.Errorf("shown %q, worst %q: want the majority's warning and critical", e.Severity, e.Worst)
	}
	if e.Lead != "quality-1.3" {
		t.Errorf("lead %q: want the first of the majority", e.Lead)
	}
	if want := []string{"checks-1: suggestion, not warning", "perf-1: critical, not warning"}; !slices.Equal(e.Dissent, want) {
		t.Errorf("dissent %q, want %q", e.Dissent, want)
	}
	if !slices.Equal(e.Silent, []string{"security-1"}) {
		t.Errorf("silent %q", e.Silent)
	}
}

func TestMajorityOfSeverities(t *testing.T) {
	for _, c := range []struct {
		given []review.Severity
		want  review.Severity
	}{
		{[]review.Severity{review.Warning}, review.Warning},
		{[]review.Severity{review.Critical, review.Suggestion}, review.Critical}, // a tie goes to the worse
		{[]review.Severity{review.Critical, review.Suggestion, review.Suggestion}, review.Suggestion},
		{[]review.Severity{"", review.Suggestion}, review.Suggestion},
		{[]review.Severity{"", ""}, ""},
	} {
		var group []*source
		for i, s := range c.given {
			group = append(group, &source{Finding: leak(review.FindingID(string(rune('a'+i)), 1), s)})
		}
		if got := majority(group); got != c.want {
			t.Errorf("%q: %q, want %q", c.given, got, c.want)
		}
	}
}

func TestOneReviewerCountsOnce(t *testing.T) {
	in := Input{Reviewers: team(), Findings: []review.Finding{
		leak("quality-1.1", review.Suggestion), leak("quality-1.2", review.Suggestion), leak("perf-1.1", review.Warning),
	}}
	e := only(t, Merge(in))
	if e.Severity != review.Warning {
		t.Errorf("shown %q: one reviewer's two votes beat another's one", e.Severity)
	}
}

func TestDissentOnTheJudgment(t *testing.T) {
	none := leak("perf-1.1", review.Warning)
	none.Judgment = "无。"
	e := only(t, Merge(Input{Reviewers: team(), Findings: []review.Finding{leak("quality-1.1", review.Warning), none}}))
	if want := []string{"perf-1: breaks no contract"}; !slices.Equal(e.Dissent, want) {
		t.Errorf("dissent %q, want %q", e.Dissent, want)
	}
	if got, want := e.DissentIn(review.Chinese), []string{"perf-1：不违反任何约定"}; !slices.Equal(got, want) {
		t.Errorf("dissent in Chinese %q, want %q", got, want)
	}
}

func TestSecurityStaysAndStillMerges(t *testing.T) {
	alone := leak("security-1.1", review.Suggestion)
	alone.Judgment = ""
	in := Input{Reviewers: team(), Floor: 3, Findings: []review.Finding{alone}}
	if e := only(t, Merge(in)); e.Folded != "" || !e.Security {
		t.Errorf("a lone security finding was folded: %+v", e)
	}
	in.Findings = append(in.Findings, leak("quality-1.1", review.Suggestion))
	if e := only(t, Merge(in)); !e.Security || !e.Confirmed {
		t.Errorf("a security finding did not merge with its repeat: %+v", e)
	}
}

func TestFoldedBelowTheFloor(t *testing.T) {
	backed := diff.Place{How: diff.Exact, Path: "spool/open.go", Start: 12, End: 14, QuoteFound: true}
	guessed := diff.Place{How: diff.Exact, Path: "spool/open.go", Start: 12, End: 14, Guessed: true}
	for _, c := range []struct {
		name     string
		severity review.Severity
		place    diff.Place
		judgment string
		floor    int
		folded   bool
	}{
		{"nothing speaks for it", review.Suggestion, diff.Place{How: diff.InFile}, "none", 1, true},
		{"its place is a guess", review.Suggestion, guessed, "none", 1, true},
		{"it names a contract", review.Suggestion, diff.Place{How: diff.InFile}, "AGENTS.md", 1, false},
		{"quote and place", review.Suggestion, backed, "none", 2, false},
		{"a higher floor", review.Suggestion, backed, "none", 3, true},
		{"a warning", review.Warning, diff.Place{How: diff.NoPath}, "none", 3, false},
		{"a severity nobody knows", "", diff.Place{How: diff.NoPath}, "none", 3, false},
		{"no floor", review.Suggestion, diff.Place{How: diff.NoPath}, "none", 0, false},
	} {
		f := leak("quality-1.1", c.severity)
		f.Judgment = c.judgment
		in := Input{Reviewers: team(), Floor: c.floor, Findings: []review.Finding{f}, Places: map[string]diff.Place{f.ID: c.place}}
		if e := only(t, Merge(in)); (e.Folded != "") != c.folded {
			t.Errorf("%s: folded %q", c.name, e.Folded)
		}
	}
}

func TestFoldedSaysWhatIsLacking(t *testing.T) {
	f := leak("quality-1.1", review.Suggestion)
	in := Input{Floor: 2, Findings: []review.Finding{f}, Places: map[string]diff.Place{f.ID: {How: diff.NotChanged}}}
	want := "lone suggestion: its place is not in the change, its quote was not found"
	e := only(t, Merge(in))
	if e.Folded != want || e.FoldedIn(review.English) != want {
		t.Errorf("folded %q, in English %q, want %q", e.Folded, e.FoldedIn(review.English), want)
	}
	if got, want := e.FoldedIn(review.Chinese), "仅一人提出的建议：位置不在本次改动中，未找到引用的代码"; got != want {
		t.Errorf("folded in Chinese %q, want %q", got, want)
	}
}

func TestThePersonsOwnFindingStays(t *testing.T) {
	f := leak(review.FindingID(event.Own, 1), review.Suggestion)
	in := Input{Floor: 3, Findings: []review.Finding{f}}
	e := only(t, Merge(in))
	if e.Folded != "" {
		t.Errorf("folded %q", e.Folded)
	}
	if undroppable(e, in) == "" {
		t.Error("a judge may drop it")
	}
}

func TestBestPlaceLeads(t *testing.T) {
	a, b, c := leak("quality-1.1", review.Warning), leak("perf-1.1", review.Warning), leak("quality-2.1", review.Warning)
	in := Input{Reviewers: team(), Findings: []review.Finding{a, b, c}, Places: map[string]diff.Place{
		a.ID: {How: diff.Exact, Path: "spool/open.go", Start: 12, End: 12, Guessed: true},
		b.ID: {How: diff.InFile, Path: "spool/open.go", Start: 40, End: 40},
		c.ID: {How: diff.Moved, Path: "spool/open.go", Start: 13, End: 14, QuoteFound: true, Shift: 1},
	}}
	e := only(t, Merge(in))
	if e.Lead != c.ID || e.Place.Start != 13 {
		t.Errorf("lead %q at %d: want the one whose quote was found", e.Lead, e.Place.Start)
	}
}

func TestAnEntryStandsWhereItsWordsAreAbout(t *testing.T) {
	a, b, c := leak("quality-1.1", review.Warning), leak("perf-1.1", review.Suggestion), leak("quality-2.1", review.Warning)
	in := Input{Reviewers: team(), Findings: []review.Finding{a, b, c}, Places: map[string]diff.Place{
		a.ID: {How: diff.Exact, Path: "spool/open.go", Side: diff.Right, Start: 42, End: 42},
		b.ID: {How: diff.Exact, Path: "spool/open.go", Side: diff.Right, Start: 32, End: 33, QuoteFound: true},
		c.ID: {How: diff.InFile, Path: "spool/open.go", Side: diff.Right, Start: 40, End: 40},
	}}
	e := only(t, Merge(in))
	if e.Lead != a.ID || e.Place.Start != 42 {
		t.Errorf("the words of %s stand at line %d, want %s at 42", e.Lead, e.Place.Start, a.ID)
	}
	in.Places[a.ID] = diff.Place{How: diff.InFile, Path: "spool/open.go", Side: diff.Right, Start: 42, End: 42}
	in.Places[c.ID] = in.Places[a.ID]
	if e := only(t, Merge(in)); e.Lead != a.ID || e.Place.Start != 32 {
		t.Errorf("%s at line %d: its own line is not sure, want the one that is, 32", e.Lead, e.Place.Start)
	}
}

func TestConfirmedWantsTwoThatSurelyAgree(t *testing.T) {
	vague := []review.Finding{
		say("quality-1.1", "The reset of `isInvalid` is missing when the form is closed from outside, so old input is shown again.", "", 0, ""),
		say("quality-2.1", "`isInvalid` stays set while the person edits the input to something valid.", "", 0, ""),
		say("perf-1.1", "A failed check leaves `isInvalid` behind, and the form shows the error at once when opened again.", "", 0, ""),
	}
	in := Input{Reviewers: team(), Findings: vague, Ops: []event.MergeOp{{Op: "join", IDs: []string{"quality-1.1", "quality-2.1", "perf-1.1"}}}}
	if e := only(t, Merge(in)); !e.Confirmed {
		t.Error("joined by hand, not confirmed")
	}
	group := gather(Input{Reviewers: team(), Findings: vague})
	if agree(group) {
		t.Error("three half-alike findings agree")
	}
	if !agree(group[:2]) {
		t.Error("two that were linked do not agree")
	}
	sure := gather(Input{Findings: append(vague, leak("quality-1.2", ""), leak("perf-1.2", ""))})
	if !agree(sure) {
		t.Error("two reviewers in one group use the same words and do not agree")
	}
	standing := Merge(in)
	in.Ops = nil
	if e := only(t, Update(standing, in)); !e.Confirmed {
		t.Error("a confirmed entry is not confirmed any more after an update")
	}
}

func TestInherit(t *testing.T) {
	decided := []review.Finding{leak("quality-1.1", review.Warning), leak("quality-2.1", review.Suggestion)}
	for _, c := range []struct {
		name string
		f    review.Finding
		r    Reviewer
		want bool
	}{
		{"as severe as what was decided", leak("perf-1.1", review.Warning), Reviewer{}, true},
		{"less severe", leak("perf-1.1", review.Suggestion), Reviewer{}, true},
		{"more severe", leak("perf-1.1", review.Critical), Reviewer{}, false},
		{"security", leak("security-1.1", review.Suggestion), Reviewer{Security: true}, false},
	} {
		if got := Inherit(c.f, c.r, decided); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
