package review

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

var grammarHeading = regexp.MustCompile(`(?m)^### \[(?:critical|warning|suggestion)\] [A-Za-z]+\r?$`)

// FuzzParseReport: whatever a model writes, the parser does not panic, invents
// no text, and loses no finding.
func FuzzParseReport(f *testing.F) {
	files, err := filepath.Glob("testdata/reports/*.txt")
	if err != nil || len(files) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := ParseReport(text, ParseOptions{Reviewer: "quality-1", Labels: qualityLabels, Marker: "7f3a9c21"})
		words, verbatim := squeeze(text), !holdsJSON(text) && !strings.Contains(strings.ToLower(text), "<li") // an item gets its dash
		for i, fi := range r.Findings {
			if fi.Ordinal != i+1 || fi.ID != FindingID("quality-1", i+1) {
				t.Fatalf("finding %d has ordinal %d and id %s", i+1, fi.Ordinal, fi.ID)
			}
			if fi.Severity.Rank() == 0 {
				t.Fatalf("finding %d has no severity", i+1)
			}
			if fi.Synthetic {
				continue
			}
			for _, word := range strings.Fields(fi.Title) { // a severity may stand in its middle
				if verbatim && utf8.ValidString(word) && !strings.Contains(words, squeeze(strings.Trim(word, "()"))) {
					t.Fatalf("%q of the title %q is not in the input", word, fi.Title)
				}
			}
			for _, text := range []string{fi.Inference, fi.Judgment, fi.Verification, fi.Quote, fi.Fix, fi.Replacement, fi.Surface, fi.Location.Path} {
				for _, line := range strings.Split(text, "\n") {
					if verbatim && utf8.ValidString(line) && !strings.Contains(words, squeeze(line)) {
						t.Fatalf("%q is not in the input", line)
					}
				}
			}
		}
		// fences and markup may hide a heading; without any of them none is lost
		if !strings.ContainsAny(text, "`~<") {
			if want := len(grammarHeading.FindAllString(behindLabel(text), -1)); len(r.Findings) < want {
				t.Fatalf("%d findings of %d headings", len(r.Findings), want)
			}
		}
	})
}

// holdsJSON reports whether a report, or its findings, are written in JSON:
// what is said in it is not said in the same bytes.
func holdsJSON(text string) bool {
	book := newLabelBook(qualityLabels)
	said := answer(text, book)
	lines := open(text, book).lines
	return fromJSON(said) != said || !slices.Equal(jsonFences(lines), lines)
}

// squeeze drops what the parser may drop: blanks, what is not seen, emphasis.
func squeeze(s string) string {
	s = unseen.Replace(s)
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return strings.ContainsRune(" \t\r\n*_`", r) || r == '\u00a0' || r == '\u3000' || r == '\u0085' || r == '\v' || r == '\f' || r >= 0x2000 && r <= 0x200a || r == 0x2028 || r == 0x2029 || r == 0x202f || r == 0x205f || r == 0x1680
	}), "")
}

// behindLabel is the text from the first label on, or all of it.
func behindLabel(text string) string {
	book := newLabelBook(qualityLabels)
	rest := text
	for {
		line, after, more := strings.Cut(rest, "\n")
		if _, ok := book.alone(line); ok {
			return after
		}
		if !more {
			return text
		}
		rest = after
	}
}

// TestRoundTrip: what Render writes, ParseReport reads back, in both languages.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lang := rapid.SampledFrom([]Lang{English, Chinese}).Draw(t, "lang")
		labels := rapid.SampledFrom(qualityLabels).Draw(t, "labels")
		prose := rapid.StringMatching(`[A-Z][a-z]{1,8}( [a-z(),/=<>-]{1,9}| [一-龥]{1,5}){0,9}[.。](\n[A-Z][a-z]{2,9} [a-z 。]{1,20}\.){0,2}`)
		code := rapid.StringMatching("[a-z]{1,5}\\([a-z` \"]{0,9}\\);?(\n {0,4}(```|#|- \\*\\*)?[a-z{}()]{1,9}){0,3}")
		optional := func(g *rapid.Generator[string], name string) string {
			if rapid.Bool().Draw(t, name) {
				return g.Draw(t, name)
			}
			return ""
		}
		want := Report{Label: Concerns, LabelText: labels.Concerns, Marker: "7f3a9c21", MarkerOK: true, Summary: prose.Draw(t, "summary")}
		for n := rapid.IntRange(0, 4).Draw(t, "findings"); len(want.Findings) < n; {
			i := len(want.Findings) + 1
			f := Finding{
				ID: FindingID("q", i), Reviewer: "q", Ordinal: i,
				Severity:    rapid.SampledFrom(Severities()).Draw(t, "severity"),
				Title:       rapid.StringMatching(`[A-Z][a-z]{2,9}( [a-z]{2,9}){1,5}`).Draw(t, "title"),
				Location:    drawLocation(t),
				Observation: prose.Draw(t, "o"), Inference: prose.Draw(t, "i"), Judgment: prose.Draw(t, "j"), Verification: prose.Draw(t, "v"),
				Quote: optional(code, "quote"), Fix: optional(prose, "fix"), Replacement: optional(code, "replacement"), Surface: optional(prose, "surface"),
			}
			want.Findings = append(want.Findings, f)
		}
		for n := rapid.IntRange(0, 3).Draw(t, "gaps"); len(want.Gaps) < n; {
			want.Gaps = append(want.Gaps, Gap{Text: prose.Draw(t, "gap"), Human: rapid.Bool().Draw(t, "human")})
		}
		text := Render(want, lang)
		got := ParseReport(text, ParseOptions{Reviewer: "q", Labels: qualityLabels, Marker: "7f3a9c21"})
		if a, b := asJSON(t, want), asJSON(t, got); a != b {
			t.Fatalf("wrote\n%s\nread\n%s\nfrom\n%s", a, b, text)
		}
	})
}

func drawLocation(t *rapid.T) Location {
	loc := Location{Path: rapid.StringMatching(`([a-zA-Z0-9_][a-zA-Z0-9_.-]{0,7}/){0,3}[a-zA-Z][a-zA-Z0-9_]{0,7}\.(go|py|ts|sql|测试)`).Draw(t, "path")}
	switch rapid.IntRange(0, 3).Draw(t, "lines") {
	case 0:
		return Location{}
	case 1:
		loc.Start = rapid.IntRange(1, 99999).Draw(t, "line")
		loc.End = loc.Start
	case 2:
		loc.Start = rapid.IntRange(1, 999).Draw(t, "first")
		loc.End = loc.Start + rapid.IntRange(0, 99).Draw(t, "more")
	}
	loc.Old = rapid.Bool().Draw(t, "old")
	return loc
}
