package opencode

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func getenvOf(m map[string]string) func(string) string { return func(k string) string { return m[k] } }

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

const personConfig = `{
  // my providers
  "provider": {
    "local": { "npm": "@ai-sdk/openai-compatible", "options": { "baseURL": "http://127.0.0.1:11434/v1" }, "models": { "qwen": {} } },
    "corp": {
      "options": { "baseURL": "https://corp.example/v1", "apiKey": "{env:CORP_KEY}", /* literal: */ "headers": { "X-Key": "hunter\"2" }, "token": "{file:corp.txt}" },
      "models": { "big": { "limit": { "context": 1000, "output": 10, }, }, },
    },
    "off": { "options": { "apiKey": "x" } },
  },
  "disabled_providers": ["off"],
}`

func person(t *testing.T) *Person {
	t.Helper()
	home := t.TempDir()
	writeFile(t, filepath.Join(home, ".config/opencode/opencode.jsonc"), personConfig)
	writeFile(t, filepath.Join(home, ".config/opencode/corp.txt"), "from-file\n")
	now := time.Now()
	expires := func(d time.Duration) any { return now.Add(d).UnixMilli() }
	auth, err := json.Marshal(map[string]any{
		"deepseek":       map[string]any{"type": "api", "key": "sk-deep"},
		"github-copilot": map[string]any{"type": "oauth", "refresh": "r1", "access": "a1", "expires": expires(time.Minute)},
		"openai":         map[string]any{"type": "oauth", "refresh": "r2", "access": "a2", "expires": expires(24 * time.Hour)},
		"https://corp":   map[string]any{"type": "wellknown", "key": "K", "token": "t"},
	})
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(home, ".local/share/opencode/auth.json"), string(auth))
	p, err := ReadPerson(getenvOf(map[string]string{
		"HOME": home, "CORP_KEY": "sk-corp", "ANTHROPIC_API_KEY": "sk-ant", "AWS_PROFILE": "", "UNRELATED": "x",
	}))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPersonProviders(t *testing.T) {
	got := strings.Join(person(t).Providers(), " ")
	if want := "anthropic corp deepseek github-copilot https://corp local openai"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestHandover: only the named providers' things leave the person's set-up, no
// secret is in what is written to a file, and a login that could be renewed
// stays.
func TestHandover(t *testing.T) {
	p := person(t)
	h, err := p.For([]string{"corp", "openai", "github-copilot", "https://corp", "corp"}, time.Now().Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := h.names(), []string{"corp", "github-copilot", "https://corp", "openai"}; !reflect.DeepEqual(got, want) {
		t.Errorf("providers %v, want %v", got, want)
	}
	env := map[string]string{}
	for _, e := range h.Env {
		k, v, _ := strings.Cut(e, "=")
		env[k] = v
	}
	values := map[string]bool{}
	for _, v := range env {
		values[v] = true
	}
	for _, want := range []string{"sk-corp", `hunter\"2`, "from-file", "https://corp.example/v1"} {
		if !values[want] {
			t.Errorf("no variable holds %q: %v", want, h.Env)
		}
	}
	for _, foreign := range []string{"ANTHROPIC_API_KEY", "UNRELATED"} {
		if _, ok := env[foreign]; ok {
			t.Errorf("%s was handed over", foreign)
		}
	}
	written := mustJSON(h.Blocks)
	for _, secret := range []string{"hunter", "sk-", "from-file"} {
		if strings.Contains(written, secret) {
			t.Errorf("%q is in the blocks: %s", secret, written)
		}
	}
	if len(h.Auth) != 1 || h.Auth["openai"]["access"] != "a2" || h.Auth["openai"]["refresh"] != "" || !h.Plugins || !h.Subscription["openai"] {
		t.Errorf("auth %v, plugins %v, subscription %v", h.Auth, h.Plugins, h.Subscription)
	}
	if len(h.Left) != 2 || h.Left[0].Provider != "github-copilot" || h.Left[1].Provider != "https://corp" {
		t.Errorf("left with the person: %v", h.Left)
	}

	h, err = p.For([]string{"deepseek"}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if h.Auth["deepseek"]["key"] != "sk-deep" || len(h.Env) != 0 || len(h.Blocks) != 0 || h.Plugins {
		t.Errorf("handed over for deepseek: %+v", h)
	}
}

// TestHandoverTwice: handing over changes nothing of what was read.
func TestHandoverTwice(t *testing.T) {
	p := person(t)
	first, err := p.For([]string{"corp"}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	second, err := p.For([]string{"corp"}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if len(first.Env) != len(second.Env) {
		t.Errorf("first %d variables, then %d", len(first.Env), len(second.Env))
	}
}

func TestPersonErrors(t *testing.T) {
	for name, tt := range map[string]struct{ file, text, want string }{
		"broken auth":   {".local/share/opencode/auth.json", "{", "auth.json"},
		"broken config": {".config/opencode/opencode.json", `{"provider": [}`, "opencode.json"},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			writeFile(t, filepath.Join(home, tt.file), tt.text)
			_, err := ReadPerson(getenvOf(map[string]string{"HOME": home}))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one that names %s", err, tt.want)
			}
		})
	}
	if p, err := ReadPerson(getenvOf(map[string]string{"HOME": t.TempDir()})); err != nil || len(p.Providers()) != 0 {
		t.Errorf("a person with nothing: %v, %v", p.Providers(), err)
	}
}

func TestPlainJSON(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":1}`:                        `{"a":1}`,
		"{ // c\n \"a\": 1, }":           `{"a":1}`,
		`{"a": "// no /* comment */",}`:  `{"a":"// no /* comment */"}`,
		`{"a": [1, 2, /* x */ ], "b":2}`: `{"a":[1,2],"b":2}`,
		`{"a": "\"//"}`:                  `{"a":"\"//"}`,
		`{"a": "x,}"}`:                   `{"a":"x,}"}`,
		"{\"a\":1 /* open":               "",
		`{"a": 1,, }`:                    "",
	} {
		var v any
		got := ""
		if err := json.Unmarshal(plainJSON([]byte(in)), &v); err == nil {
			got = mustJSON(v)
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

func FuzzPlainJSON(f *testing.F) {
	for _, s := range []string{personConfig, `{"a":"\`, `/*`, `//`, `{"a":[1,],}`, `"`, `{"a":/`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		out := plainJSON(b)
		if len(out) != len(b) {
			t.Fatalf("%d bytes became %d", len(b), len(out))
		}
		if json.Valid(b) && string(out) != string(b) {
			t.Fatalf("JSON %q became %q", b, out)
		}
	})
}

// TestOwnOnly: the catalogue is left out only where each provider is described
// in whole and not in it.
func TestOwnOnly(t *testing.T) {
	whole := map[string]any{"npm": "@ai-sdk/openai-compatible", "models": map[string]any{"m": map[string]any{}}}
	for _, c := range []struct {
		name      string
		providers []string
		blocks    map[string]map[string]any
		want      bool
	}{
		{"none", nil, nil, false},
		{"an own one", []string{"mine"}, map[string]map[string]any{"mine": whole}, true},
		{"two own ones", []string{"mine", "ours"}, map[string]map[string]any{"mine": whole, "ours": whole}, true},
		{"one without models", []string{"mine"}, map[string]map[string]any{"mine": {"npm": "x"}}, false},
		{"one without a package", []string{"mine"}, map[string]map[string]any{"mine": {"models": whole["models"]}}, false},
		{"one without a block", []string{"mine", "ours"}, map[string]map[string]any{"mine": whole}, false},
		{"one of the catalogue", []string{"anthropic", "mine"}, map[string]map[string]any{"anthropic": whole, "mine": whole}, false},
	} {
		if got := (Handover{providers: c.providers, Blocks: c.blocks}).ownOnly(); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
