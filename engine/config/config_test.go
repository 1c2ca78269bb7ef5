package config

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestPersonsFile(t *testing.T) {
	p, err := ParsePerson("config.yaml", []byte(`
agent: opencode
model: zhipuai/glm-5.1
lang: zh
budget: 2.5
tiers:
  strong: [zhipuai/glm-5.1, moonshot/kimi-k2]
  light: moonshot/kimi-k2
personas:
  security: {model: strong, effort: max}
private_providers: [local]
concurrency: {zhipuai: 2}
clocks: {reviewer: 5m}
keys: {accept: [y, enter]}
`))
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Tiers["strong"]) != 2 || len(p.Tiers["light"]) != 1 || p.Personas["security"].Model[0] != "strong" {
		t.Errorf("tiers: %+v", p)
	}
	if time.Duration(p.Clocks.Reviewer) != 5*time.Minute || p.Keys["accept"][1] != "enter" {
		t.Errorf("clocks or keys: %+v", p)
	}
	if _, err := ParsePerson("empty", nil); err != nil {
		t.Errorf("an empty file is fine: %v", err)
	}
}

func TestMistakesNameFileLineAndRemedy(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"agent: checks\nlagn: zh\n", `c.yaml:2: unknown key "lagn"; did you mean "lang"?`},
		{"zzzzzz: 1\n", `c.yaml:1: unknown key "zzzzzz"`},
		{"lang: zh\nlang: en\n", "c.yaml:2:"},
		{"lang: fr\n", `c.yaml:1: lang: "fr" is not known; use en or zh`},
		{"effort: huge\n", "c.yaml:1: effort"},
		{"model: glm\n", "provider/model"},
		{"tiers:\n  best: a/b\n", `c.yaml:2: tiers.best: "best" is not a tier`},
		{"tiers:\n  strong: [a/b]\n  light: glm\n", `c.yaml:3: tiers.light: "glm" is no model`},
		{"lang: zh\nclocks:\n  run: soon\n", `c.yaml:3: "soon" is no duration; write it like 5m or 90s`},
		{"lang: zh\nthinking: maybe\n", "c.yaml:2: a text stands here, and true or false is wanted"},
		{"sarif: {a: b}\n", "c.yaml:1:"},
		{"tiers: [a/b]\n", `c.yaml:1: a list stands here, and a block of "key: value" is wanted`},
		{"lang: zh\n\ttheme: dark\n", "c.yaml:2: a tab stands here"},
		{"lang: zh\nagent: oracle\n", `c.yaml:2: agent: "oracle" is not known; use opencode`},
		{"agent: direct:box\n", `there is no "box" among the endpoints`},
		{"personas:\n  security:\n    agent: command:mine\n", `c.yaml:3: personas.security.agent: there is no "mine"`},
		{"budget: much\n", "c.yaml:1:"},
		{"commands:\n  claude: {}\n", "commands.claude: run is empty"},
		{"endpoints:\n  x: {model: m}\n", "base_url"},
		{"concurrency: {p: 0}\n", "below one"},
		{"a: [\n", "c.yaml:"},
	} {
		_, err := ParsePerson("c.yaml", []byte(c.text))
		var fe *FileError
		if !errors.As(err, &fe) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q:\n got %v\nwant %s", c.text, err, c.want)
		}
	}
}

func TestProjectsFile(t *testing.T) {
	p, err := ParseProject(".mrv/config.yaml", []byte("team: security:2\nsensitive: [pay/**]\nblocking: warning\ngate: {branches: [main]}\n"))
	if err != nil || p.Blocking != "warning" || p.Gate.Branches[0] != "main" {
		t.Fatalf("%+v, %v", p, err)
	}
	// What the person alone may set is unknown to a project's file.
	for _, key := range []string{"commands: {}", "endpoints: {}", "model: a/b", "keys: {}", "budget: 1", "opencode: /x"} {
		if _, err := ParseProject("p", []byte(key)); err == nil {
			t.Errorf("a project's file must not set %s", key)
		}
	}
}

func TestFirst(t *testing.T) {
	v := First("lang", Choice{"", "flag"}, Choice{"zh", "MRV_LANG"}, Choice{"en", "file"})
	if v.Text != "zh" || v.From != "MRV_LANG" {
		t.Errorf("%+v", v)
	}
	if v := First("lang"); v.From != "built-in" {
		t.Errorf("%+v", v)
	}
}

func TestDescribeSaysWhatStandsBeforeWhat(t *testing.T) {
	for _, name := range Variables() {
		t.Setenv(name, "")
	}
	t.Setenv("MRV_LANG", "en")
	t.Setenv("MRV_TIER", "lite")
	got := Describe(Person{Lang: "zh", Theme: "dark", Tiers: map[string]Models{"strong": {"a/b"}}}, "c.yaml")
	want := []Value{
		{Key: "tier", Text: "lite", From: "MRV_TIER"},
		{Key: "lang", Text: "en", From: "MRV_LANG", Over: "zh in c.yaml"},
		{Key: "theme", Text: "dark", From: "c.yaml"},
		{Key: "tiers.strong", Text: "a/b", From: "c.yaml"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}
