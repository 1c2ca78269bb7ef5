package opencode

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/mrv-dev/mrv/engine/agent/opencode/scripted"
	"github.com/mrv-dev/mrv/engine/review"
)

// bare starts a server that is told of no provider and kept from none.
func bare(t *testing.T) *server {
	t.Helper()
	b := binary(t)
	root := t.TempDir()
	dir, err := makeRunDir(filepath.Join(root, "runs"))
	if err != nil {
		t.Fatal(err)
	}
	tools, err := findTools(os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(dir, Timing{}.withDefaults())
	t.Cleanup(func() {
		if err := s.stop(); err != nil {
			t.Error(err)
		}
	})
	if err := seedHome(filepath.Join(dir.path, "home")); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir.path, "opencode.json"), "{}")
	c := Config{Binary: b, Snapshot: tree(t, root, nil), Timing: s.timing}
	base, err := s.launch(t.Context(), c, serverEnv(dir, c, tools, "secret", os.Getenv))
	if err != nil {
		t.Fatal(err)
	}
	s.client = newClient(base, "secret", c.Snapshot, nil, patient.Call)
	return s
}

// TestEnvironmentTable compares the embedded table with the catalogue of the
// pinned server.
func TestEnvironmentTable(t *testing.T) {
	s := bare(t)
	var list struct {
		All []catalogProvider `json:"all"`
	}
	if err := s.client.slow(t.Context(), http.MethodGet, "/provider", nil, &list); err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, p := range list.All {
		if len(p.Env) > 0 {
			got[p.ID] = p.Env
		}
	}
	if *update {
		b, err := json.MarshalIndent(got, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("environment.json", append(b, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if len(got) < 50 || !reflect.DeepEqual(got, environment()) {
		t.Errorf("environment.json is not what the server says of %d providers; run the test with -update", len(got))
	}
}

// TestCatalog lists what a person has: a block of their own, a key in the
// environment, an entry of auth.json; and nothing that needs no key.
func TestCatalog(t *testing.T) {
	b := binary(t)
	p := scripted.Start(t)
	root := t.TempDir()
	home := p.Home(filepath.Join(root, "home"))
	writeFile(t, filepath.Join(home, ".local/share/opencode/auth.json"),
		`{"deepseek":{"type":"api","key":"sk-x"},"github-copilot":{"type":"oauth","refresh":"r","access":"a","expires":0}}`)
	person, err := ReadPerson(getenvOf(map[string]string{"HOME": home, "ANTHROPIC_API_KEY": "sk-ant-x"}))
	if err != nil {
		t.Fatal(err)
	}
	list, err := Catalog(t.Context(), CatalogConfig{Binary: b, RunRoot: filepath.Join(root, "runs"), Person: person})
	if err != nil {
		t.Fatal(err)
	}
	sources := map[string]string{}
	for _, p := range list {
		sources[p.ID] = p.Source
	}
	if want := map[string]string{"anthropic": "env", "deepseek": "api", scripted.ID: "config"}; !reflect.DeepEqual(sources, want) {
		t.Fatalf("providers %v, want %v", sources, want)
	}
	i := slices.IndexFunc(list, func(p Provider) bool { return p.ID == scripted.ID })
	if !list[i].Loopback || list[0].Loopback {
		t.Errorf("loopback: scripted %v, anthropic %v", list[i].Loopback, list[0].Loopback)
	}
	byID := map[string]ModelInfo{}
	for _, m := range list[i].Models {
		byID[m.Model.ID] = m
	}
	got := byID["ok"]
	want := ModelInfo{
		Model: p.Model("ok"), Name: "ok", Context: 128000, Output: 8192, Input: 1, OutputPrice: 2, CacheRead: 0.1,
		Price: review.PriceKnown, Variants: []string{"off", "low", "medium", "high", "max"}, Reasoning: true, Tools: true,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("\n got %+v\nwant %+v", got, want)
	}
	if byID[scripted.Unpriced].Price != review.PriceUnknown {
		t.Errorf("a model without a price is %q", byID[scripted.Unpriced].Price)
	}
	if left := leftovers(root); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if n := len(p.Requests()); n > 0 {
		t.Errorf("the provider was asked %d times", n)
	}
}
