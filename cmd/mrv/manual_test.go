package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine/config"
)

// TestHelpNamesEverything: no command and no topic is without a page, and each
// chapter of the help stands in it.
func TestHelpNamesEverything(t *testing.T) {
	p := newPlace(t)
	root := p.run("help")
	for _, name := range []string{"tui", "review", "plan", "runs", "resume", "replay", "merge", "publish", "pull", "inbox", "gate",
		"doctor", "setup", "models", "personas", "config", "keys", "init", "version", "completion", "exit-codes", "environment", "json", "trouble"} {
		if !strings.Contains(root.out, "  "+name+" ") && !strings.Contains(root.out, "mrv "+name+" ") {
			t.Errorf("%s is not in the help:\n%s", name, root.out)
		}
		if r := p.run("help", name); r.code != 0 || r.err != "" || len(strings.Split(r.out, "\n")) < 4 {
			t.Errorf("help %s: exit %d, %s%s", name, r.code, r.out, r.err)
		}
	}
	page := p.run("help", "environment").out
	for _, name := range config.Variables() {
		if !strings.Contains(page, name) {
			t.Errorf("%s is not in help environment", name)
		}
	}
	if r := p.run("personas"); r.code != 0 || !strings.Contains(r.out, "personas [command]") {
		t.Errorf("a group alone prints its help: exit %d, %s", r.code, r.out)
	}
}

// TestTroubleQuotesWhatMrvSays: what the page of troubles puts in quotes is said
// somewhere, so that who searches for a message finds it.
func TestTroubleQuotesWhatMrvSays(t *testing.T) {
	var said strings.Builder
	for _, dir := range []string{".", "../../engine"} {
		err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			raw, err := os.ReadFile(path)
			said.Write(raw)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	page, err := pages.ReadFile("topics/trouble.txt")
	if err != nil {
		t.Fatal(err)
	}
	quotes := regexp.MustCompile(`"([^"]+)"`).FindAllStringSubmatch(string(page), -1)
	if len(quotes) < 10 {
		t.Errorf("only %d messages are on the page", len(quotes))
	}
	for _, q := range quotes {
		if !strings.Contains(said.String(), q[1]) {
			t.Errorf("mrv does not say %q", q[1])
		}
	}
}

// TestCompletion asks what a shell asks: values come from what is there.
func TestCompletion(t *testing.T) {
	p := newPlace(t)
	p.config("tiers: {strong: [acme/large-1]}\nendpoints: {box: {base_url: 'http://127.0.0.1:1/v1', model: m}}\n")
	p.run("personas", "new", "mine")
	p.run("review", "--demo", "--speed", "0")
	for _, c := range []struct {
		typed []string
		words []string
	}{
		{[]string{"tui", "--team", ""}, []string{"quality\t", "mine\t"}},
		{[]string{"tui", "--team", "quality:2,"}, []string{"quality:2,security\t"}},
		{[]string{"tui", "--theme", ""}, []string{"auto\n", "catppuccin-mocha\n"}},
		{[]string{"review", "--agent", ""}, []string{"checks\n", "direct:box\n"}},
		{[]string{"review", "--model", ""}, []string{"acme/large-1\n"}},
		{[]string{"review", "--fail-on", ""}, []string{"warning\n"}},
		{[]string{"runs", "export", "latest", "--format", ""}, []string{"sarif\n"}},
		{[]string{"resume", ""}, []string{"latest\n", "\tdemo, 11 findings\n"}},
		{[]string{"publish", "latest", "--event", ""}, []string{"request-changes\n"}},
		{[]string{"personas", "show", ""}, []string{"security\t", "mine\t"}},
		{[]string{"keys", "--lang", ""}, []string{"zh\n"}},
		{[]string{"inbox", "resolve", "quality-1.1", ""}, []string{"fixed\n", "escalated\n"}},
		{[]string{"config", "theme", ""}, []string{"dark\n", "mono\n"}},
		{[]string{"help", ""}, []string{"tui\t", "exit-codes\t"}},
		{[]string{"help", "runs", ""}, []string{"export\t"}},
	} {
		r := p.run(append([]string{"__complete"}, c.typed...)...)
		for _, w := range c.words {
			if !strings.Contains(r.out, w) {
				t.Errorf("%q: %q is not in\n%s", c.typed, w, r.out)
			}
		}
	}
	if r := p.run("__complete", "tui", "--team", "quality:2,"); strings.Contains(r.out, ",quality\t") {
		t.Errorf("a persona is not offered twice:\n%s", r.out)
	}
}

func TestConfigSaysWhereFrom(t *testing.T) {
	p := newPlace(t)
	if r := p.run("config"); r.code != 0 || !strings.Contains(r.out, "mrv config init") {
		t.Errorf("without a file: exit %d, %s", r.code, r.out)
	}
	if r := p.run("config", "init"); r.code != 0 || !strings.Contains(r.out, "wrote config.yaml") {
		t.Errorf("exit %d, %s%s", r.code, r.out, r.err)
	}
	if r := p.run("config", "theme", "dark", "--as", "mine"); r.code != 0 || !strings.Contains(r.out, "themes/mine.yaml") {
		t.Errorf("exit %d, %s%s", r.code, r.out, r.err)
	}
	if r := p.run("config", "lint"); r.code != 0 || strings.Count(r.out, "ok  ") != 2 {
		t.Errorf("what was written is right: exit %d, %s%s", r.code, r.out, r.err)
	}
	p.config("lang: zh\ntheme: dark\n")
	p.env = append(p.env, "MRV_LANG=en")
	r := p.run("config")
	for _, w := range []string{"lang   en  (MRV_LANG, before zh in ", "theme  dark  (" + p.home} {
		if !strings.Contains(r.out, w) {
			t.Errorf("%q is not in\n%s", w, r.out)
		}
	}
}

// TestTheREADME: its commands are there, and its configuration is right; so is
// the example that has every key, once nothing of it is commented out.
func TestTheREADME(t *testing.T) {
	p := newPlace(t)
	raw, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	commands := regexp.MustCompile("(?m)(?:`|^    |cmd/)mrv ([a-z]+(?: [a-z][a-z-]*)?)(?:[ `;]|$)").FindAllStringSubmatch(string(raw), -1)
	if len(commands) < 30 {
		t.Errorf("only %d commands are in the README", len(commands))
	}
	seen := map[string]bool{}
	for _, c := range commands {
		name := strings.TrimPrefix(strings.TrimSuffix(c[1], " latest"), "help ")
		if seen[name] {
			continue
		}
		seen[name] = true
		if r := p.run(append([]string{"help"}, strings.Fields(name)...)...); r.code != 0 {
			t.Errorf("mrv %s: %s", name, r.err)
		}
	}
	_, block, _ := strings.Cut(string(raw), "```yaml\n")
	block, _, _ = strings.Cut(block, "```")
	all := regexp.MustCompile(`(?m)^#([a-z]|  )`).ReplaceAllString(config.PersonExample(), "$1")
	for name, text := range map[string]string{"README": block, "example": all} {
		p.config(text)
		if r := p.run("config", "lint"); r.code != 0 || !strings.Contains(r.out, "config.yaml") {
			t.Errorf("%s: exit %d, %s", name, r.code, r.err)
		}
	}
}

// TestConfigLint checks files before they are in force, all of them at once.
func TestConfigLint(t *testing.T) {
	p := newPlace(t)
	p.repository()
	if r := p.run("init"); r.code != 0 {
		t.Fatal(r.err)
	}
	if r := p.run("personas", "new", "mine", "--project"); r.code != 0 || !strings.Contains(r.out, ".mrv/personas/mine.yaml") {
		t.Fatalf("exit %d: %s%s", r.code, r.out, r.err)
	}
	if r := p.run("config", "lint"); r.code != 0 || strings.Count(r.out, "ok  ") != 2 || r.err != "" {
		t.Errorf("what mrv wrote is right: exit %d\n%s%s", r.code, r.out, r.err)
	}
	p.config("keys: {acept: [y]}\n")
	own := filepath.Join(p.home, ".config/mrv/themes/mine.yaml")
	if err := os.MkdirAll(filepath.Dir(own), 0o755); err != nil {
		t.Fatal(err)
	}
	dark := p.run("config", "theme", "dark").out
	if err := os.WriteFile(own, []byte(strings.Replace(dark, "accent:", "accnt:", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	p.write(".mrv/config.yaml", "team: quality\nexclude: ['[']\n")
	p.write(".mrv/coordinator.md", "no place for the reviews\n")
	r := p.run("config", "lint")
	for _, w := range []string{`"acept"`, "mine.yaml:", `"accnt"`, ".mrv/config.yaml:2: exclude", "coordinator.md: ", "{{REVIEWS}}"} {
		if !strings.Contains(r.err, w) {
			t.Errorf("%q is not in\n%s", w, r.err)
		}
	}
	if r.code != 2 || !strings.Contains(r.out, "mine.yaml") {
		t.Errorf("exit %d, and what is right is said too:\n%s", r.code, r.out)
	}
}

func mustAbs(t *testing.T, p string) string {
	t.Helper()
	abs, err := filepath.Abs(p)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}
