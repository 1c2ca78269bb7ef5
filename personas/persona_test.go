package personas

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mrv-dev/mrv/engine/review"
)

func builtins(t *testing.T) []review.Persona {
	t.Helper()
	list, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestBuiltin(t *testing.T) {
	list := builtins(t)
	var names []string
	for _, p := range list {
		names = append(names, p.Name)
	}
	if !slices.Equal(names, order) {
		t.Fatalf("built-in personas %v, want %v", names, order)
	}
	zh := map[string]review.LabelText{
		"quality":      {Pass: "可合并", Concerns: "有条件合并", Block: "不可合并"},
		"security":     {Pass: "安全无虞", Concerns: "存在风险", Block: "高危漏洞"},
		"performance":  {Pass: "性能良好", Concerns: "性能有疑虑", Block: "性能问题严重"},
		"architecture": {Pass: "架构合理", Concerns: "架构有疑虑", Block: "架构有问题"},
	}
	for _, p := range list {
		if want, ok := zh[p.Name]; ok && p.Labels[review.Chinese] != want {
			t.Errorf("%s: labels %v, want %v", p.Name, p.Labels[review.Chinese], want)
		}
		if p.Labels[review.Chinese].Pass == "" || p.Title[review.Chinese] == "" {
			t.Errorf("%s: no Chinese title or labels", p.Name)
		}
		for _, m := range p.Model {
			if !slices.Contains(tiers, m) {
				t.Errorf("%s: names the model %q; a built-in persona names tiers", p.Name, m)
			}
		}
		for _, c := range p.Checks {
			for _, text := range []map[review.Lang]string{c.Title, c.Observation, c.Inference, c.Judgment, c.Verification, c.Fix} {
				if text[review.Chinese] == "" {
					t.Errorf("%s, check %s: a text has no Chinese", p.Name, c.ID)
				}
			}
		}
	}
	if p, _ := Find(list, "documentation"); p.Cap != review.Warning {
		t.Errorf("documentation has the cap %q, want warning", p.Cap)
	}
}

// TestBuiltinLint: the built-in personas pass their own lint, which holds that
// what not to report is about as long as what to report.
func TestBuiltinLint(t *testing.T) {
	for _, name := range order {
		data, err := builtin.ReadFile(name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		errs, warnings := Lint(data, name+".yaml", Options{TiersOnly: true})
		for _, e := range append(errs, warnings...) {
			t.Error(e)
		}
	}
}

// TestLabelsReadBack: a report in any persona's labels, in either language, is
// read back with the same label.
func TestLabelsReadBack(t *testing.T) {
	for _, p := range builtins(t) {
		for _, lang := range languages {
			for _, step := range []review.Label{review.Pass, review.Concerns, review.Block} {
				text := review.Render(review.Report{LabelText: p.Labels[lang].Of(step), Marker: "m"}, lang)
				r := review.ParseReport(text, review.ParseOptions{Reviewer: p.Name + "-1", Marker: "m", Labels: Labels(p)})
				if r.Label != step || len(r.Violations) > 0 {
					t.Errorf("%s %s: %q is read as %q, %v", p.Name, lang, p.Labels[lang].Of(step), r.Label, r.Violations)
				}
			}
		}
	}
}

const valid = `name: house
title: {en: House, zh: 家规}
labels:
  en: {pass: "Fine", concerns: "Hm", block: "No"}
flag: [something that matters]
ignore: [something else that does not]
prompt: Look.
`

func TestParse(t *testing.T) {
	p, err := Parse([]byte(valid+"timeout: 5m\nmodel: [acme/large, strong]\nseverity_cap: warning\nthinking: false\n"), "person: house.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if p.Timeout != 5*time.Minute || !slices.Equal(p.Model, []string{"acme/large", "strong"}) || p.Cap != review.Warning || p.Thinking == nil || *p.Thinking || p.Source != "person: house.yaml" {
		t.Errorf("read %+v", p)
	}
	if p.Title[review.Chinese] != "家规" {
		t.Errorf("title %v", p.Title)
	}
}

func TestParseErrors(t *testing.T) {
	check := "checks:\n  - id: one\n    pattern: x\n    severity: warning\n    title: t\n    observation: o\n    inference: i\n    judgment: j\n    verification: v\n"
	for _, c := range []struct{ name, yaml, want string }{
		{"unknown key", valid + "sevrity_cap: warning\n", `p.yaml:8:1: unknown key "sevrity_cap", did you mean "severity_cap"?`},
		{"unknown key, nothing near", valid + "colour: red\n", `p.yaml:8:1: unknown key "colour"`},
		{"unknown key in a check", valid + check + "    patern: y\n", `p.yaml:17:5: unknown key "patern", did you mean "pattern"?`},
		{"wrong type", valid + "steps: many\n", `p.yaml:8:8: a text stands here, and a number is wanted`},
		{"a colon in a text", valid + "paths:\n  - Style: names\n", `p.yaml:9:10: a text with ": " in it`},
		{"a text for a list", valid + "paths: bugs\n", `p.yaml:8:8: a text stands here, and a list is wanted`},
		{"a tab", valid + "\tsteps: 3\n", `a tab stands here`},
		{"syntax", "name: [a\n", `p.yaml:1:`},
		{"empty", "", `p.yaml:1:1: the file is empty`},
		{"no name", strings.Replace(valid, "name: house\n", "", 1), `name is missing`},
		{"name", strings.Replace(valid, "house", "My House", 1), `p.yaml:1:7: the name "My House"`},
		{"numbered name", strings.Replace(valid, "house", "house-2", 1), `ends in a number`},
		{"no prompt", strings.Replace(valid, "prompt: Look.\n", "", 1), `prompt is missing`},
		{"no labels", strings.Replace(valid, "  en:", "  zh:", 1), `labels.en is missing`},
		{"label missing", strings.Replace(valid, `block: "No"`, "", 1), `p.yaml:4:7: labels.en.block is missing`},
		{"label twice", strings.Replace(valid, `"No"`, `"fine"`, 1), `p.yaml:4:45: the label "fine" stands for both pass and block`},
		{"language", strings.Replace(valid, "zh: 家规", "fr: Maison", 1), `p.yaml:2:24: "fr" is no language`},
		{"no time", valid + "timeout: 0s\n", `p.yaml:8:10: timeout "0s"`},
		{"timeout", valid + "timeout: soon\n", `p.yaml:8:10: timeout "soon" is no duration`},
		{"cap", valid + "severity_cap: awful\n", `p.yaml:8:15: severity_cap "awful" is not known`},
		{"effort", valid + "effort: heroic\n", `p.yaml:8:9: effort "heroic"`},
		{"model", valid + "model: smart\n", `p.yaml:8:8: "smart" is neither a tier`},
		{"glob", valid + "paths: ['*.{go']\n", `p.yaml:8:8: the glob "*.{go" has an open brace`},
		{"regexp", valid + strings.Replace(check, "pattern: x", "pattern: '('", 1), `p.yaml:10:14: pattern: error parsing regexp`},
		{"check severity", valid + strings.Replace(check, "severity: warning", "severity: bad", 1), `p.yaml:11:15: severity "bad"`},
		{"check text", valid + strings.Replace(check, "    judgment: j\n", "", 1), `checks[0].judgment is missing`},
		{"check id twice", valid + check + strings.TrimPrefix(check, "checks:\n"), `two checks have the id "one"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse([]byte(c.yaml), "p.yaml")
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %s", err, c.want)
			}
		})
	}
	if _, err := Parse([]byte(valid+check), "p.yaml"); err != nil {
		t.Errorf("the check that the cases spoil is itself refused: %v", err)
	}
}

// TestProjectNamesTiersOnly: a repository must not choose where code goes.
func TestProjectNamesTiersOnly(t *testing.T) {
	if _, err := ParseWith([]byte(valid+"model: acme/large\n"), "project", Options{TiersOnly: true}); err == nil || !strings.Contains(err.Error(), "names a tier") {
		t.Errorf("a project's persona names a model: %v", err)
	}
	if _, err := ParseWith([]byte(valid+"model: light\n"), "project", Options{TiersOnly: true}); err != nil {
		t.Errorf("a project's persona names a tier: %v", err)
	}
}

func TestLoad(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	write := func(dir, name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(first, "house.yaml", valid)
	write(first, "notes.txt", "not a persona")
	write(second, "h.yml", strings.Replace(valid, "Look.", "Look twice.", 1))
	list, err := Load(first, second, filepath.Join(first, "not-there"))
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 1 || list[0].Prompt != "Look twice." || list[0].Source != "person: "+filepath.Join(second, "h.yml") {
		t.Errorf("loaded %+v", list)
	}
	write(first, "again.yaml", valid)
	write(second, "broken.yaml", "nam: x\n")
	_, err = Load(first, second)
	for _, want := range []string{`the persona "house" is also in`, `broken.yaml:1:1: unknown key "nam", did you mean "name"?`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func TestMerge(t *testing.T) {
	a, b, c := review.Persona{Name: "a"}, review.Persona{Name: "b"}, review.Persona{Name: "c"}
	mine := review.Persona{Name: "a", Prompt: "mine"}
	got := Merge([]review.Persona{a, b}, []review.Persona{c, mine})
	if len(got) != 3 || got[0].Prompt != "mine" || got[1].Name != "b" || got[2].Name != "c" {
		t.Errorf("merged to %+v", got)
	}
}

func TestParseTeam(t *testing.T) {
	known := builtins(t)
	for _, c := range []struct{ spec, want string }{
		{"quality:1,security:2", "quality-1 security-1 security-2"},
		{" quality , security : 2 ", "quality-1 security-1 security-2"},
		{DefaultTeam("trivial"), "generalist-1"},
		{DefaultTeam("lite"), "quality-1 security-1 performance-1 architecture-1"},
		{DefaultTeam("full"), "quality-1 security-1 performance-1 architecture-1 testing-1 documentation-1 release-1 compliance-1"},
		{"security:12", "security-1 security-2 security-3 security-4 security-5 security-6 security-7 security-8 security-9 security-10 security-11 security-12"},
	} {
		team, err := ParseTeam(c.spec, known)
		if err != nil {
			t.Errorf("%q: %v", c.spec, err)
			continue
		}
		var got []string
		for _, part := range team {
			got = append(got, part.Reviewers()...)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q: %v, want %s", c.spec, got, c.want)
		}
	}
	for _, c := range []struct{ spec, want string }{
		{"", "known personas are quality, security"},
		{"securty:1", `no persona is called "securty"; the known ones are quality, security`},
		{"security:0", "give a number from 1 to 12"},
		{"security:-1", "give a number from 1 to 12"},
		{"security:two", "give a number from 1 to 12"},
		{"security:", "give a number from 1 to 12"},
		{"security:1.5", "give a number from 1 to 12"},
		{"security:13", "give a number from 1 to 12"},
		{"security:7,quality:6", "has 13 reviewers, the most is 12"},
		{"security,security", "names security twice"},
		{"security,,quality", "empty part"},
	} {
		if _, err := ParseTeam(c.spec, known); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %s", c.spec, err, c.want)
		}
	}
}

// TestPathsOfTheFullTeam: which personas of the full team a change calls.
func TestPathsOfTheFullTeam(t *testing.T) {
	known := builtins(t)
	for _, c := range []struct {
		path string
		want string
	}{
		{"docs/usage.md", "documentation"},
		{"db/migrations/0001_init.sql", "release"},
		{"AGENTS.md", "documentation compliance"},
		{".github/workflows/ci.yml", "release compliance"},
		{"deep/down/util.c", ""},
		{"internal/x/y.go", "compliance"},
	} {
		var got []string
		for _, p := range known {
			if len(p.Paths) > 0 && p.Applies([]string{c.path}) {
				got = append(got, p.Name)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s calls %v, want %q", c.path, got, c.want)
		}
	}
}

func TestPrompt(t *testing.T) {
	for _, p := range builtins(t) {
		en, zh := Prompt(p, review.English), Prompt(p, review.Chinese)
		for _, want := range append(append([]string{strings.TrimSpace(p.Prompt)}, p.Flag...), p.Ignore...) {
			if !strings.Contains(en, want) {
				t.Errorf("%s: the prompt lacks %q", p.Name, want)
			}
		}
		if !strings.HasPrefix(zh, en) || !strings.Contains(zh, "中文") {
			t.Errorf("%s: the Chinese prompt is the English one and asks for a report in Chinese", p.Name)
		}
		if p.Cap != "" && !strings.Contains(en, "highest severity you may give is "+string(p.Cap)) {
			t.Errorf("%s: the prompt does not say the cap", p.Name)
		}
		if len(en) > 8<<10 {
			t.Errorf("%s: the prompt has %d bytes", p.Name, len(en))
		}
	}
}

// FuzzParse: a broken file is an error, never a panic, and what is taken has
// what a reviewer needs.
func FuzzParse(f *testing.F) {
	for _, name := range order {
		data, err := builtin.ReadFile(name + ".yaml")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	f.Add(valid)
	f.Add("name: [\n")
	f.Add("labels: {en: 3}\n")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse([]byte(text), "p.yaml")
		if err == nil && (p.Name == "" || p.Prompt == "" || p.Labels[review.English].Block == "" || p.Source != "p.yaml") {
			t.Fatalf("taken without what it needs: %+v", p)
		}
	})
}

// TestBuiltinPersonasSayHowSevere: what each severity means differs by role,
// and a role with a cap does not speak of what it may not give.
func TestBuiltinPersonasSayHowSevere(t *testing.T) {
	for _, p := range builtins(t) {
		prompt := strings.Join(strings.Fields(p.Prompt), " ")
		for _, s := range review.Severities() {
			word := strings.ToUpper(string(s[0])) + string(s[1:]) + " is "
			if want := p.Cap == "" || s.Rank() <= p.Cap.Rank(); strings.Contains(prompt, word) != want {
				t.Errorf("%s: %q in the prompt: want %v", p.Name, word, want)
			}
		}
	}
}

func TestStarterIsRight(t *testing.T) {
	errs, warnings := Lint(Starter("accessibility"), "accessibility.yaml", Options{TiersOnly: true})
	if len(errs)+len(warnings) > 0 {
		t.Error(errs, warnings)
	}
}
