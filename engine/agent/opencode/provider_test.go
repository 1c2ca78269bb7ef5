package opencode

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/mrv-dev/mrv/engine/agent"
	"github.com/mrv-dev/mrv/engine/agent/opencode/scripted"
	"github.com/mrv-dev/mrv/engine/review"
)

// TestBuiltInProviders: providers of the server's own catalogue, one with a key
// in the environment and one in auth.json, answer with the catalogue's prices.
// Of the person's other things nothing is there.
func TestBuiltInProviders(t *testing.T) {
	binary(t)
	p := scripted.Start(t)
	answer := func(scripted.Request) scripted.Script {
		return scripted.Script{scripted.Usage(1000, 100, 0), scripted.Say("hello")}
	}
	p.Handle("deepseek-flash", answer)
	p.Handle("glm-5", answer)
	root := t.TempDir()
	home := filepath.Join(root, "home")
	block := func(url string) map[string]any { return map[string]any{"options": map[string]any{"baseURL": url}} }
	config, err := json.Marshal(map[string]any{"provider": map[string]any{"deepseek": block(p.URL()), "zhipuai": block(p.URL())}})
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(home, ".config/opencode/opencode.json"), string(config))
	writeFile(t, filepath.Join(home, ".local/share/opencode/auth.json"),
		`{"zhipuai":{"type":"api","key":"`+scripted.Key+`"},"groq":{"type":"api","key":"foreign"}}`)
	person, err := ReadPerson(getenvOf(map[string]string{
		"HOME": home, "DEEPSEEK_API_KEY": scripted.Key, "OPENAI_API_KEY": "foreign",
	}))
	if err != nil {
		t.Fatal(err)
	}
	hand, err := person.For([]string{"deepseek", "zhipuai", "mistral"}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	a, err := New(t.Context(), Config{
		Binary: binary(t), Snapshot: tree(t, root, snapshotFiles), RunRoot: filepath.Join(root, "runs"), Hand: hand,
		FirstByte: time.Minute, Silence: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close(t.Context())
	var ids []string
	for _, p := range a.Providers() {
		ids = append(ids, p.ID)
	}
	if want := []string{"deepseek", "zhipuai"}; !slices.Equal(ids, want) {
		t.Errorf("providers %q, want %q", ids, want)
	}
	for provider, model := range map[string]string{"deepseek": "deepseek-flash", "zhipuai": "glm-5"} {
		sp := spec("")
		sp.Model = review.Model{Provider: provider, ID: model}
		got := once(t, a, sp, "go")
		if got.failure != nil || got.Text != "hello" || got.Usage.Price != review.PriceKnown || got.Usage.CostUSD <= 0 {
			t.Errorf("%s: %q, %v, usage %+v", provider, got.Text, got.failure, got.Usage)
		}
	}
}

// TestWithoutRipgrep: no grep and no glob are offered, and every session says
// so as a gap, once.
func TestWithoutRipgrep(t *testing.T) {
	binary(t)
	git := lookPath("git", os.Getenv("PATH"))
	bin := t.TempDir()
	if err := os.Symlink(git, filepath.Join(bin, "git")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	t.Setenv("HOME", bin)
	t.Setenv("XDG_CACHE_HOME", "")
	a, p := own(t, func(*Config, *scripted.Provider) {})
	s, err := a.Open(t.Context(), spec("second"))
	if err != nil {
		t.Fatal(err)
	}
	gaps := 0
	for range 2 {
		got := ask(t, t.Context(), s, agent.Turn{Text: "go"})
		for _, u := range got.updates {
			if u.Kind == agent.UpGap && u.Text == a.Gap() && u.Text != "" {
				gaps++
			}
		}
	}
	if gaps != 1 {
		t.Errorf("the gap was told %d times", gaps)
	}
	for _, r := range p.Requests() {
		if !slices.Equal(r.Tools, []string{"read"}) {
			t.Errorf("tools offered: %q", r.Tools)
		}
	}
}

// TestFindTools: ripgrep of the person's own OpenCode is used when there is
// none on PATH, and a directory of PATH that is relative never is.
func TestFindTools(t *testing.T) {
	dir := t.TempDir()
	git := program(t, filepath.Join(dir, "bin/git"), "")
	rg := program(t, filepath.Join(dir, "bin2/rg"), "")
	cached := program(t, filepath.Join(dir, "home/.cache/opencode/bin/rg"), "")
	moved := program(t, filepath.Join(dir, "cache/opencode/bin/rg"), "")
	home, bin := filepath.Join(dir, "home"), filepath.Join(dir, "bin")
	for _, tt := range []struct {
		env  map[string]string
		want tools
	}{
		{map[string]string{"HOME": home, "PATH": bin + ":" + filepath.Dir(rg)}, tools{git, rg}},
		{map[string]string{"HOME": home, "PATH": "bin2:" + bin}, tools{git, cached}},
		{map[string]string{"HOME": home, "PATH": bin, "XDG_CACHE_HOME": filepath.Join(dir, "cache")}, tools{git, moved}},
		{map[string]string{"HOME": dir, "PATH": bin}, tools{git, ""}},
	} {
		got, err := findTools(getenvOf(tt.env))
		if err != nil || got != tt.want {
			t.Errorf("%v: got %+v, %v, want %+v", tt.env, got, err, tt.want)
		}
	}
	if _, err := findTools(getenvOf(map[string]string{"PATH": "/nowhere"})); err == nil {
		t.Error("no git is no error")
	}
}
