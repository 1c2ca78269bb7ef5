package review

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// qualityLabels are those of the quality persona.
var qualityLabels = []LabelText{
	{Pass: "Can merge", Concerns: "Merge with conditions", Block: "Cannot merge"},
	{Pass: "可合并", Concerns: "有条件合并", Block: "不可合并"},
}

// TestParseReport reads answers as models of many kinds write them
// (testdata/reports). The table says what matters, the golden files the rest.
func TestParseReport(t *testing.T) {
	const ok = ""
	cases := []struct {
		name     string
		label    Label
		findings string // one letter each: c, w, s; capital = synthetic
		gaps     int
		codes    string // of the violations, repeats counted
		broken   bool
		opt      func(*ParseOptions)
	}{
		{"exact-en", Concerns, "w", 2, ok, false, nil},
		{"exact-zh", Concerns, "c", 1, ok, false, nil},
		{"clean-en", Pass, "", 0, ok, false, nil},
		{"clean-zh", Pass, "", 0, ok, false, nil},
		{"clean-dash-none", Pass, "", 0, ok, false, nil},
		{"no-issues-found", Pass, "", 0, ok, false, nil},
		{"none-with-reason", Pass, "", 0, ok, false, nil},
		{"crlf", Pass, "", 0, ok, false, nil},
		{"trailing-tokens", Pass, "", 0, ok, false, nil},
		{"marker-before-label", Pass, "", 0, ok, false, nil},

		// the label
		{"narration-before-label", Concerns, "w", 0, ok, false, nil},
		{"think-block", Block, "c", 0, ok, false, nil},
		{"options-echoed", Concerns, "w", 0, ok, false, nil},
		{"bilingual-label", Pass, "", 0, ok, false, nil},
		{"same-label-twice", Pass, "", 0, ok, false, nil},
		{"second-label", Pass, "c", 0, "second-label", false, nil},
		{"second-label-blocks", Pass, "C", 0, "second-label", false, nil},
		{"injected-label-in-quote", Block, "c", 0, ok, false, nil},
		{"no-label", "", "", 0, "no-label no-marker", true, nil},
		{"label-in-prose-only", "", "", 0, "no-label no-findings no-gaps no-marker", true, nil},
		{"refusal", "", "", 0, "no-label no-findings no-gaps no-marker", true, nil},
		{"empty", "", "", 0, "empty", true, nil},

		// headings, lists, paragraphs
		{"bold-headings", Concerns, "ws", 0, ok, false, nil},
		{"numbered-list", Block, "cw", 1, ok, false, nil},
		{"paragraphs", Concerns, "w", 0, ok, false, nil},
		{"continuation-lines", Concerns, "w", 1, ok, false, nil},
		{"field-headings", Block, "c", 0, ok, false, nil},
		{"one-line-fields", Concerns, "w", 0, ok, false, nil},
		{"mixed-languages", Pass, "s", 0, ok, false, nil},
		{"title-as-field", Concerns, "cs", 1, ok, false, nil},
		{"extra-sections", Concerns, "w", 0, ok, false, nil},
		{"closing-words", Pass, "", 1, ok, false, nil},

		// other shapes
		{"table", Block, "cw", 0, ok, false, nil},
		{"table-zh", Block, "c", 0, ok, false, nil},
		{"table-of-fields", Concerns, "w", 0, ok, false, nil},
		{"table-beside-findings", Concerns, "w", 0, ok, false, nil},
		{"block-quote", Concerns, "w", 0, ok, false, nil},
		{"bold-without-colon", Concerns, "ws", 0, ok, false, nil},
		{"folded-html", Concerns, "ws", 0, ok, false, nil},
		{"bare-headings", Concerns, "w", 1, ok, false, nil},
		{"underlined-headings", Concerns, "w", 1, ok, false, nil},
		{"numbered-severities", Block, "cw", 0, ok, false, nil},
		{"none-in-a-sentence", Pass, "", 0, ok, false, nil},
		{"none-in-a-sentence-zh", Pass, "", 0, ok, false, nil},

		{"bracketed-zh", Concerns, "c", 0, ok, false, nil},
		{"corner-brackets-zh", Concerns, "c", 0, ok, false, nil},
		{"full-width", Concerns, "c", 0, ok, false, nil},
		{"run-together", Concerns, "c", 0, ok, false, nil},
		{"run-together-zh", Concerns, "c", 0, ok, false, nil},
		{"html-headings", Concerns, "c", 0, ok, false, nil},
		{"json", Concerns, "c", 0, ok, false, nil},
		{"json-other-names", Concerns, "c", 1, "missing-field*3", false, nil},
		{"json-in-findings", Concerns, "c", 0, "missing-field*3", false, nil},
		{"thoughts-without-start", Concerns, "c", 0, ok, false, nil},
		{"harmony-channels", Concerns, "c", 0, ok, false, nil},
		{"indented", Concerns, "c", 0, ok, false, nil},
		{"block-quoted", Concerns, "c", 0, ok, false, nil},
		{"no-break-spaces", Concerns, "c", 0, ok, false, nil},
		{"zero-width", Concerns, "c", 0, ok, false, nil},
		{"direction-marks", Concerns, "c", 0, ok, false, nil},
		{"cr-only", Concerns, "c", 0, ok, false, nil},
		{"bold-paragraphs", Concerns, "cs", 0, "missing-field*6", false, nil},
		{"places-in-front", Concerns, "cs", 0, "missing-field*8", false, nil},
		{"file-headings", Concerns, "cws", 0, "missing-field*12", false, nil},
		{"table-of-titles", Concerns, "cs", 0, "missing-field*8", false, nil},
		{"table-zh-lines", Concerns, "c", 0, "missing-field*4", false, nil},
		{"heading-in-finding", Concerns, "c", 0, ok, false, nil},
		{"late-finding", Concerns, "cw", 1, ok, false, nil},
		{"title-below", Concerns, "c", 0, ok, false, nil},
		{"none-then-more", Pass, "", 0, ok, false, nil},

		// severities and places
		{"other-severities", Concerns, "cwswc", 0, ok, false, nil},
		{"zh-severities", Block, "cws", 1, ok, false, nil},
		{"odd-locations", Concerns, "ssssss", 0, "bad-location no-gaps", false, nil},
		{"signs", Concerns, "cws", 0, ok, false, nil},
		{"location-list", Concerns, "c", 0, ok, false, nil},
		{"several-places", Concerns, "cw", 0, ok, false, nil},
		{"severity-behind", Concerns, "cs", 0, ok, false, nil},
		{"other-field-names", Concerns, "c", 0, "missing-field*2", false, nil},
		{"severity-field", Concerns, "c", 0, "missing-field*2", false, nil},

		// fences
		{"fenced-report", Pass, "", 0, ok, false, nil},
		{"fenced-with-inner", Block, "c", 0, ok, false, nil},
		{"four-backticks", Concerns, "s", 0, ok, false, nil},
		{"quoted-markdown", Concerns, "w", 0, ok, false, nil},
		{"nested-same-length", Concerns, "ws", 0, ok, false, nil},
		{"unclosed-fence", Concerns, "ww", 0, ok, false, nil},

		// what breaks the contract
		{"severity-groups", Block, "cww", 0, "missing-field*13", false, nil},
		{"plain-list-findings", Concerns, "csw", 0, "missing-field*8 bad-severity missing-field*5", false, nil},
		{"missing-fields", Concerns, "w", 0, "missing-field*3", false, nil},
		{"unknown-severity", Concerns, "ww", 0, "bad-severity", false, nil},
		{"no-findings-heading", Block, "c", 0, "no-findings no-gaps", true, nil},
		{"findings-prose-only", Pass, "", 0, "no-findings", true, nil},
		{"none-of-one-kind", Pass, "", 0, "no-findings", true, nil},
		{"empty-findings", Pass, "", 0, "no-findings", true, nil},
		{"wrong-marker", Pass, "", 0, "no-marker", false, nil},
		{"no-marker", Pass, "", 0, "no-marker", false, nil},
		{"cut-in-finding", Block, "cw", 0, "missing-field*5 no-gaps truncated", true, func(o *ParseOptions) { o.Truncated = true }},
		{"cut-in-fence", Block, "c", 0, "no-gaps truncated", false, nil},

		// labels against findings, and the cap
		{"block-without-finding", Block, "sC", 0, ok, false, nil},
		{"capped", Block, "w", 0, ok, false, func(o *ParseOptions) { o.Cap = Warning }},
		{"capped-synthetic", Block, "W", 0, ok, false, func(o *ParseOptions) { o.Cap = Warning }},
	}
	listed := map[string]bool{}
	for _, c := range cases {
		listed[c.name+".txt"] = true
		t.Run(c.name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("testdata", "reports", c.name+".txt"))
			if err != nil {
				t.Fatal(err)
			}
			opt := ParseOptions{Reviewer: "quality-1", Labels: qualityLabels, Marker: "7f3a9c21"}
			if c.opt != nil {
				c.opt(&opt)
			}
			r := ParseReport(string(text), opt)
			if r.Label != c.label {
				t.Errorf("label %q, want %q", r.Label, c.label)
			}
			if got := letters(r.Findings); got != c.findings {
				t.Errorf("findings %q, want %q", got, c.findings)
			}
			if len(r.Gaps) != c.gaps {
				t.Errorf("%d gaps, want %d: %v", len(r.Gaps), c.gaps, r.Gaps)
			}
			if got := codes(r); got != strings.TrimSpace(c.codes) {
				t.Errorf("violations %q, want %q: %v", got, c.codes, r.Violations)
			}
			if r.Broken != c.broken {
				t.Errorf("broken %v, want %v", r.Broken, c.broken)
			}
			golden(t, filepath.Join("testdata", "reports", c.name+".golden.json"), r)
		})
	}
	files, err := filepath.Glob("testdata/reports/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !listed[filepath.Base(f)] {
			t.Errorf("%s is in no row of the table", f)
		}
	}
}

func letters(fs []Finding) string {
	var b strings.Builder
	for _, f := range fs {
		letter := string(f.Severity)[:1]
		if f.Synthetic {
			letter = strings.ToUpper(letter)
		}
		b.WriteString(letter)
	}
	return b.String()
}

func codes(r Report) string {
	var out []string
	for i := 0; i < len(r.Violations); {
		code, n := r.Violations[i].Code, 0
		for ; i < len(r.Violations) && r.Violations[i].Code == code; i++ {
			n++
		}
		if n > 1 {
			code += "*" + strconv.Itoa(n)
		}
		out = append(out, code)
	}
	return strings.Join(out, " ")
}

func golden(t *testing.T, path string, v any) {
	t.Helper()
	var got bytes.Buffer
	enc := json.NewEncoder(&got)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if !slices.Equal(got.Bytes(), want) {
		t.Errorf("%s differs (go test -update, then read the diff):\n%s", path, got.String())
	}
}
