package checks

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine/agent"
	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/review"
)

var labels = review.LabelText{Pass: "Secure", Concerns: "At risk", Block: "Critical vulnerability"}

func texts(s string) map[review.Lang]string {
	return map[review.Lang]string{review.English: s, review.Chinese: s}
}

func rule(id, pattern string, severity review.Severity) review.Check {
	return review.Check{
		ID: id, Pattern: pattern, Severity: severity,
		Title: texts("Title of " + id), Observation: texts("It is there."), Inference: texts("It harms."), Judgment: texts("Must go. none"), Verification: texts("Look."),
	}
}

func persona(list ...review.Check) review.Persona {
	return review.Persona{Name: "security", Labels: map[review.Lang]review.LabelText{
		review.English: labels,
		review.Chinese: {Pass: "安全无虞", Concerns: "存在风险", Block: "高危漏洞"},
	}, Checks: list}
}

// change has the hunks of one new or changed file; a line starts with its
// sign, "@@" starts another hunk at line 100.
func change(path string, lines ...string) *diff.Set {
	f := &diff.File{OldPath: path, NewPath: path, Status: diff.Modified}
	h := &diff.Hunk{OldStart: 1, NewStart: 1}
	f.Hunks = append(f.Hunks, h)
	for _, l := range lines {
		if l == "@@" {
			h = &diff.Hunk{OldStart: 100, NewStart: 100}
			f.Hunks = append(f.Hunks, h)
			continue
		}
		h.Lines = append(h.Lines, diff.Line{Op: diff.Op(l[0]), Text: l[1:]})
		if l[0] == '+' {
			f.Additions++
		}
	}
	return &diff.Set{Files: []*diff.File{f}}
}

// ask runs a whole session and reads the report back.
func ask(t *testing.T, s agent.Spec) (review.Report, agent.Answer, []agent.Update) {
	t.Helper()
	s.Reviewer = "security-1"
	session, err := New().Open(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	var updates []agent.Update
	answer, err := session.Ask(context.Background(), agent.Turn{Text: "review"}, func(u agent.Update) { updates = append(updates, u) })
	if err != nil {
		t.Fatal(err)
	}
	if err := session.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	var all []review.LabelText
	for _, l := range s.Persona.Labels {
		all = append(all, l)
	}
	return review.ParseReport(answer.Text, review.ParseOptions{Reviewer: s.Reviewer, Labels: all, Marker: s.Marker, Rules: true}), answer, updates
}

func TestConditions(t *testing.T) {
	after := rule("r", `use\(`, review.Warning)
	after.After = `open\(`
	near := after
	near.Within = 1
	unless := rule("r", `use\(`, review.Warning)
	unless.Unless = `safe`
	around := unless
	around.Within = 1
	paths := rule("r", `use\(`, review.Warning)
	paths.Paths, paths.Not = []string{"*.go"}, []string{"*_test.go"}
	plain := rule("r", `use\(`, review.Warning)
	for _, c := range []struct {
		name  string
		rule  review.Check
		path  string
		lines []string
		want  []int // lines of the new file
	}{
		{"added lines only", plain, "a.go", []string{"+use(1)", " use(2)", "-use(3)", "+use(4)"}, []int{1, 3}},
		{"after in the hunk", after, "a.go", []string{" open()", " x", " x", "+use()"}, []int{4}},
		{"after is a removed line", after, "a.go", []string{"-open()", "+use()"}, nil},
		{"after below", after, "a.go", []string{"+use()", "+open()"}, nil},
		{"after in another hunk", after, "a.go", []string{"+open()", "@@", "+use()"}, nil},
		{"after near enough", near, "a.go", []string{"+open()", "-gone", "+use()"}, []int{2}},
		{"after too far", near, "a.go", []string{"+open()", "+x", "+use()"}, nil},
		{"after on the line itself", after, "a.go", []string{"+open() use()"}, nil},
		{"after above and on the line itself", near, "a.go", []string{"+open()", "+open() use()"}, []int{2}},
		{"after below an earlier hit", after, "a.go", []string{" open()", "+use()", "+open()", "+use()"}, []int{2, 4}},
		{"unless on the line", unless, "a.go", []string{"+use(safe)", "+use()"}, []int{2}},
		{"unless not around", unless, "a.go", []string{"+safe", "+use()"}, []int{2}},
		{"unless around, above", around, "a.go", []string{" safe", "+use()"}, nil},
		{"unless around, below", around, "a.go", []string{"+use()", " safe"}, nil},
		{"unless too far", around, "a.go", []string{" safe", "+x", "+use()"}, []int{3}},
		{"path looked at", paths, "x/a.go", []string{"+use()"}, []int{1}},
		{"path of another kind", paths, "a.py", []string{"+use()"}, nil},
		{"path skipped", paths, "a_test.go", []string{"+use()"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			rules, err := Compile([]review.Check{c.rule})
			if err != nil {
				t.Fatal(err)
			}
			var got []int
			for _, hs := range Run(rules, change(c.path, c.lines...)) {
				for _, h := range hs.Lines {
					got = append(got, h.Line)
				}
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("hits %v, want %v", got, c.want)
			}
		})
	}
}

func TestReport(t *testing.T) {
	crit, warn, sugg := rule("crit", "CRIT", review.Critical), rule("warn", "WARN", review.Warning), rule("sugg", "SUGG", review.Suggestion)
	for _, c := range []struct {
		lines []string
		want  review.Label
		rules string
	}{
		{[]string{"+fine"}, review.Pass, ""},
		{[]string{"+SUGG"}, review.Pass, "sugg"},
		{[]string{"+SUGG", "+WARN"}, review.Concerns, "warn sugg"},
		{[]string{"+WARN", "+CRIT", "+SUGG"}, review.Block, "crit warn sugg"},
	} {
		for _, lang := range []review.Lang{review.English, review.Chinese} {
			r, answer, updates := ask(t, agent.Spec{Persona: persona(crit, warn, sugg), Lang: lang, Marker: "mrv-1", Change: change("dir/a file.go", c.lines...)})
			if len(r.Violations) > 0 || !r.MarkerOK {
				t.Fatalf("the report breaks the contract: %v\n%s", r.Violations, answer.Text)
			}
			var rules []string
			for _, f := range r.Findings {
				rules = append(rules, f.Rule)
				if f.Location.Path != "dir/a file.go" || f.Quote == "" || len(f.Missing) > 0 {
					t.Errorf("finding %+v", f)
				}
			}
			if r.Label != c.want || strings.Join(rules, " ") != c.rules {
				t.Errorf("%v: label %s, rules %v", c.lines, r.Label, rules)
			}
			var streamed strings.Builder
			var last agent.Update
			for _, u := range updates {
				streamed.WriteString(map[bool]string{true: u.Text}[u.Kind == agent.UpTextAppend])
				last = u
			}
			if streamed.String() != answer.Text {
				t.Error("what was streamed is not the answer")
			}
			if last.Kind != agent.UpStep || last.Usage.Price != review.PriceNone || answer.Usage.Price != review.PriceNone || answer.Finish != "stop" {
				t.Errorf("last update %+v, answer %+v", last, answer)
			}
		}
	}
}

func TestRepeatsInAFileAreOneFinding(t *testing.T) {
	r, _, _ := ask(t, agent.Spec{Persona: persona(rule("warn", "WARN", review.Warning)), Lang: review.English,
		Change: change("a.go", "+WARN 1", "+", "+WARN 2", "+WARN 3", "+WARN 4", "+WARN 5", "+WARN 6", "+WARN 7")})
	if len(r.Findings) != 1 || !strings.Contains(r.Findings[0].Observation, "Also in lines 3, 4, 5, 6, 7 and 1 more.") {
		t.Errorf("findings %+v", r.Findings)
	}
}

// TestSecretsAreMasked: no text of the report has what the rule hides, nor a
// known form of secret that another rule happens to quote.
func TestSecretsAreMasked(t *testing.T) {
	token := "ghp_" + strings.Repeat("a1B2", 9)
	masked := rule("token", `\b(gho_)[a-z]{36}\b|\b(ghp_)[A-Za-z0-9]{36}\b`, review.Critical)
	masked.Mask = true
	plain := rule("call", `login\(`, review.Warning)
	r, answer, _ := ask(t, agent.Spec{Persona: persona(masked, plain), Lang: review.English, Change: change("a.go", `+	login("`+token+`") // `+"`x`")})
	if strings.Contains(answer.Text, token) || strings.Contains(answer.Text, token[4:20]) {
		t.Fatalf("the token is in the report:\n%s", answer.Text)
	}
	if len(r.Findings) != 2 || !strings.Contains(r.Findings[0].Observation, "ghp_…") || r.Findings[0].Quote != "" {
		t.Errorf("findings %+v", r.Findings)
	}
}

func TestLongLinesAreCut(t *testing.T) {
	line := strings.Repeat("界", 5000) + "WARN" + strings.Repeat("x", 5000)
	r, answer, _ := ask(t, agent.Spec{Persona: persona(rule("warn", "WARN", review.Warning)), Lang: review.English, Change: change("a.go", "+"+line)})
	if len(answer.Text) > 2000 || len(r.Findings) != 1 || !strings.Contains(r.Findings[0].Observation, "WARN") || r.Findings[0].Quote != "" {
		t.Errorf("%d bytes, findings %+v", len(answer.Text), r.Findings)
	}
}

func TestUnreadFilesAreGaps(t *testing.T) {
	set := change("a.go", "+x")
	set.Files[0].Unread = "the forge sent no patch"
	r, _, _ := ask(t, agent.Spec{Persona: persona(rule("warn", "WARN", review.Warning)), Lang: review.English, Change: set})
	if len(r.Gaps) != 1 || !strings.Contains(r.Gaps[0].Text, "the forge sent no patch") {
		t.Errorf("gaps %v", r.Gaps)
	}
}

func TestFailures(t *testing.T) {
	var f *review.Failure
	if _, err := New().Open(context.Background(), agent.Spec{Persona: persona()}); !errors.As(err, &f) || f.Kind != review.FailNoChecks {
		t.Errorf("without checks: %v", err)
	}
	if _, err := New().Open(context.Background(), agent.Spec{Persona: persona(rule("r", "(", review.Warning))}); !errors.As(err, &f) || !strings.Contains(f.Message, "check r") {
		t.Errorf("broken check: %v", err)
	}
	s, err := New().Open(context.Background(), agent.Spec{Persona: persona(rule("r", "x", review.Warning))})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Ask(context.Background(), agent.Turn{Schema: []byte("{}")}, func(agent.Update) {}); !errors.As(err, &f) || f.Kind != review.FailOther {
		t.Errorf("a schema: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Ask(ctx, agent.Turn{}, func(agent.Update) {}); !errors.As(err, &f) || f.Kind != review.FailAborted {
		t.Errorf("after the end: %v", err)
	}
}
