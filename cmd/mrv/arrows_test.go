package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/mrv-dev/mrv/"

// arrows says, for each part of the house, what it may import of the house. A
// trailing /... stands for a package and what is below it.
var arrows = []struct {
	from string
	to   []string
}{
	{"engine/review", nil},
	{"engine/diff", nil},
	{"engine/event", []string{"engine/review", "engine/diff"}},
	{"engine/agent", room()},
	{"engine/agent/...", room("engine/agent", "engine/secret", "engine/agent/opencode/...")},
	{"engine/workspace", room("engine/git")},
	{"engine/document", room("engine/secret")},
	{"engine/inbox", room("engine/document")},
	{"engine/publish", room("engine/forge", "engine/document")},
	{"engine/forge/double", room("engine/forge", "engine/git/gittest")},
	{"engine/git/gittest", nil},
	{"engine/journal", room()}, {"engine/config", room()}, {"engine/git", room()}, {"engine/forge", room()},
	{"engine/merge", room()}, {"engine/secret", room()}, {"engine/gate", room()},
	{"engine", []string{"engine/...", "personas"}},
	{"personas", []string{"engine/review"}},
	{"themes", nil},
	{"tui/...", []string{"tui/...", "themes", "engine/review", "engine/event", "engine/diff"}},
	{"cmd/mrv", []string{"engine/...", "engine", "tui/...", "personas"}},
}

// room lists what every room of the engine may import, and more.
func room(more ...string) []string {
	return append([]string{"engine/review", "engine/diff", "engine/event"}, more...)
}

func matches(pattern, pkg string) bool {
	if base, ok := strings.CutSuffix(pattern, "/..."); ok {
		return pkg == base || strings.HasPrefix(pkg, base+"/")
	}
	return pkg == pattern
}

type goPackage struct {
	ImportPath string
	Imports    []string
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", module+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var list []goPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
}

func TestArrowsRunDown(t *testing.T) {
	for _, p := range packages(t) {
		from := strings.TrimPrefix(p.ImportPath, module)
		i := slices.IndexFunc(arrows, func(a struct {
			from string
			to   []string
		}) bool {
			return matches(a.from, from)
		})
		if i < 0 {
			t.Errorf("%s has no place in the house: add it to the table or move it", from)
			continue
		}
		for _, imp := range p.Imports {
			to, ours := strings.CutPrefix(imp, module)
			if ours && !slices.ContainsFunc(arrows[i].to, func(pattern string) bool { return matches(pattern, to) }) {
				t.Errorf("%s may not import %s", from, to)
			}
		}
	}
}

// TestOnlyPublishWrites: a model never has write power.
func TestOnlyPublishWrites(t *testing.T) {
	for _, p := range packages(t) {
		from := strings.TrimPrefix(p.ImportPath, module)
		if from != "engine/publish" && from != "engine/gate" {
			continue
		}
		for _, imp := range p.Imports {
			if strings.HasPrefix(imp, module+"engine/agent") {
				t.Errorf("%s imports an agent: %s", from, imp)
			}
		}
	}
}

// TestTestSupportIsNotLinked: what only tests need is not in the program.
func TestTestSupportIsNotLinked(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	linked := strings.Fields(string(out))
	for _, p := range []string{"testing", module + "tui/window", module + "engine/forge/double", module + "engine/agent/opencode/scripted", "github.com/charmbracelet/x/vt"} {
		if slices.Contains(linked, p) {
			t.Errorf("%s is linked into mrv", p)
		}
	}
}
