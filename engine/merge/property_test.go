package merge

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

// anyInput draws an arbitrary input: odd ids, words in two languages, code,
// places good and bad, hand-made merges over known and unknown ids, decisions.
func anyInput(t *rapid.T) Input {
	word := rapid.SampledFrom([]string{"nil", "pointer", "`parseHeader`", "race", "lock", "SQL", "injection", "空指针",
		"竞态", "user_id", "loop", "leak", "the", "``", "close(ch)", "\x00", "…", "Straße"})
	text := rapid.Custom(func(t *rapid.T) string {
		var s string
		for _, w := range rapid.SliceOfN(word, 0, 12).Draw(t, "words") {
			s += w + " "
		}
		return s
	})
	names := []string{"quality-1", "security-1", "perf-1", "checks-1"}
	in := Input{
		Places: map[string]diff.Place{}, Decided: map[string]string{},
		Floor: rapid.IntRange(0, 3).Draw(t, "floor"),
		Reviewers: map[string]Reviewer{
			"quality-1": {Model: "a/x"}, "security-1": {Model: "a/x", Security: true},
			"perf-1": {Model: "b/y"}, "checks-1": {Analyser: true},
		},
	}
	id := rapid.OneOf(
		rapid.Custom(func(t *rapid.T) string {
			return review.FindingID(rapid.SampledFrom(names).Draw(t, "name"), rapid.IntRange(1, 12).Draw(t, "n"))
		}),
		rapid.SampledFrom([]string{"x", "a.1x", "a.01", "a.1", "", "f7"}),
	)
	var ids []string
	for range rapid.IntRange(0, 20).Draw(t, "findings") {
		f := review.Finding{
			ID: id.Draw(t, "id"), Reviewer: rapid.SampledFrom(names).Draw(t, "reviewer"),
			Severity: rapid.SampledFrom(append(review.Severities(), "")).Draw(t, "severity"),
			Title:    text.Draw(t, "title"), Observation: text.Draw(t, "observation"),
			Judgment: rapid.SampledFrom([]string{"", "none", "无。", "AGENTS.md: no panics"}).Draw(t, "judgment"),
			Location: review.Location{
				Path:  rapid.SampledFrom([]string{"", "a.go", "b/c.go"}).Draw(t, "path"),
				Start: rapid.IntRange(0, 40).Draw(t, "line"),
			},
		}
		in.Findings = append(in.Findings, f)
		ids = append(ids, f.ID)
		if rapid.Bool().Draw(t, "placed") {
			in.Places[f.ID] = diff.Place{
				How:  rapid.SampledFrom([]diff.How{diff.Exact, diff.Moved, diff.InFile, diff.NoPath, diff.Nowhere}).Draw(t, "how"),
				Path: f.Location.Path, Start: f.Location.Start, End: f.Location.Start, Guessed: rapid.Bool().Draw(t, "guessed"),
			}
		}
	}
	known := rapid.SampledFrom(append(ids, "nobody.1"))
	for range rapid.IntRange(0, 4).Draw(t, "ops") {
		in.Ops = append(in.Ops, event.MergeOp{
			Op:  rapid.SampledFrom([]string{"join", "split", "?"}).Draw(t, "op"),
			IDs: rapid.SliceOfN(known, 0, 4).Draw(t, "op ids"),
		})
	}
	for range rapid.IntRange(0, 4).Draw(t, "decided") {
		in.Decided[known.Draw(t, "decided id")] = rapid.SampledFrom([]string{"d1", "d2"}).Draw(t, "key")
	}
	return in
}

// conserved fails unless every finding id is in exactly one entry.
func conserved(t *rapid.T, in Input, entries []event.Entry) {
	t.Helper()
	want := map[string]int{}
	for _, f := range in.Findings {
		want[f.ID] = 1
	}
	for _, e := range entries {
		if !slices.Contains(e.Sources, e.ID) || !slices.Contains(e.Sources, e.Lead) {
			t.Fatalf("entry %q or its lead %q is none of its sources %q", e.ID, e.Lead, e.Sources)
		}
		for _, id := range e.Sources {
			want[id]--
		}
	}
	for id, n := range want {
		if n != 0 {
			t.Fatalf("%q: in %d entries, want 1", id, 1-n)
		}
	}
}

func equalJSON(a, b any) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return string(x) == string(y)
}

func TestMergeKeepsEveryFindingWhateverTheOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := anyInput(t)
		entries := Merge(in)
		conserved(t, in, entries)
		shuffled := in
		shuffled.Findings = slices.Clone(in.Findings)
		r := rand.New(rand.NewSource(rapid.Int64().Draw(t, "seed")))
		r.Shuffle(len(shuffled.Findings), func(i, j int) {
			shuffled.Findings[i], shuffled.Findings[j] = shuffled.Findings[j], shuffled.Findings[i]
		})
		if again := Merge(shuffled); !equalJSON(entries, again) {
			t.Fatalf("order changes the merge:\n%v\n%v", entries, again)
		}
	})
}

func TestUpdateKeepsStandingEntries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := anyInput(t)
		in.Ops = nil
		n := rapid.IntRange(0, len(in.Findings)).Draw(t, "first reports")
		early := in
		early.Findings = in.Findings[:n]
		standing := Merge(early)
		entries := Update(standing, in)
		conserved(t, in, entries)
		at := map[string]string{}
		for _, e := range entries {
			for _, id := range e.Sources {
				at[id] = e.ID
			}
		}
		seen := map[string]bool{}
		for _, e := range standing {
			for _, id := range e.Sources {
				if at[id] != at[e.Sources[0]] {
					t.Fatalf("standing entry %q was taken apart", e.Sources)
				}
			}
			if seen[at[e.ID]] {
				t.Fatalf("standing entries were made one: %q", at[e.ID])
			}
			seen[at[e.ID]] = true
		}
	})
}

func TestHandMadeMergesAreObeyed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := anyInput(t)
		if len(in.Ops) == 0 {
			return
		}
		entries := Merge(in)
		conserved(t, in, entries)
		at := map[string]string{}
		for _, e := range entries {
			for _, id := range e.Sources {
				at[id] = e.ID
			}
		}
		last := in.Ops[len(in.Ops)-1]
		for _, id := range last.IDs[min(1, len(last.IDs)):] {
			a, oka := at[last.IDs[0]]
			b, okb := at[id]
			if !oka || !okb || id == last.IDs[0] {
				continue
			}
			if last.Op == "split" && a == b {
				t.Fatalf("%q and %q were split and are together", last.IDs[0], id)
			}
		}
		var joined []string
		for _, id := range last.IDs {
			if e, ok := at[id]; ok && last.Op == "join" {
				joined = append(joined, e)
			}
		}
		if len(slices.Compact(joined)) > 1 {
			t.Fatalf("%q were joined and are apart", last.IDs)
		}
	})
}

func TestAnyJudgeAnswerConserves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := anyInput(t)
		entries := Merge(in)
		ids := rapid.SampledFrom(append(allIDs(entries), "new.1"))
		item := func(key, value string) []map[string]string {
			var out []map[string]string
			for range rapid.IntRange(0, 2).Draw(t, key) {
				out = append(out, map[string]string{"id": ids.Draw(t, "id"), key: value})
			}
			return out
		}
		groups := rapid.SliceOfN(rapid.SliceOfN(ids, 0, 4), 0, 6).Draw(t, "groups")
		if rapid.Bool().Draw(t, "well formed") {
			groups = nil
			for _, e := range entries {
				groups = append(groups, e.Sources)
			}
		}
		raw, err := json.Marshal(map[string]any{
			"summary": "s", "groups": groups, "reword": item("title", "t"),
			"severity": item("severity", "warning"), "drop": item("reason", "taste"),
		})
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "cut") {
			raw = raw[:rapid.IntRange(0, len(raw)).Draw(t, "at")]
		}
		merged, _, violations := ApplyJudge(entries, in, raw)
		conserved(t, in, merged.Entries)
		if len(violations) > 0 && (merged.By != Deterministic || !equalJSON(merged.Entries, entries)) {
			t.Fatalf("a refused answer changed the merge: %v", violations)
		}
		for _, e := range merged.Entries {
			if e.Dropped != "" && undroppable(e, in) != "" {
				t.Fatalf("%q was dropped: %s", e.Sources, undroppable(e, in))
			}
		}
	})
}

func allIDs(entries []event.Entry) []string {
	var ids []string
	for _, e := range entries {
		ids = append(ids, e.Sources...)
	}
	return ids
}

func TestEveryItemIsInOneMergedEntry(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var items []Item
		for i, f := range anyInput(t).Findings {
			items = append(items, Item{
				ID: fmt.Sprint(f.ID, "-", i), Reviewer: f.Reviewer, File: f.Location.Path, Line: f.Location.Start,
				Title: f.Title, Text: f.Observation,
			})
		}
		result := MergeItems(items, nil)
		var got, want []string
		for _, m := range result.Merged {
			got = append(got, m.Sources...)
		}
		for _, i := range items {
			want = append(want, i.ID)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("in %q, out %q", want, got)
		}
	})
}
