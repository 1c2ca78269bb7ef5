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

// arrow says what a part of the house may import of the house, and what its
// tests may besides. A trailing /... stands for a package and what is below it.
type arrow struct {
	from      string
	to, tests []string
}

// Real parts that only tests need: a forge, a provider of models, and git's
// repositories. They import no room but the one they are the other side of.
const (
	forgeDouble = "engine/forge/double"
	models      = "engine/agent/opencode/scripted"
	gitTest     = "engine/git/gittest"
)

var arrows = []arrow{
	{"engine/review", nil, nil},
	{"engine/diff", nil, nil},
	{"engine/event", []string{"engine/review", "engine/diff"}, nil},
	{"engine/agent", room(), nil},
	{models, room(), nil},
	{"engine/agent/opencode", room("engine/agent", "engine/secret"), []string{models}},
	{"engine/agent/direct", room("engine/agent", "engine/secret"), []string{models}},
	// The built-in personas name checks: each they name is there.
	{"engine/agent/checks", room("engine/agent", "engine/secret"), []string{"personas"}},
	{"engine/agent/...", room("engine/agent", "engine/secret"), nil},
	{"engine/workspace", room("engine/git"), []string{gitTest}},
	{"engine/document", room("engine/secret"), nil},
	{"engine/inbox", room("engine/document"), nil},
	{"engine/publish", room("engine/forge", "engine/document"), []string{forgeDouble, gitTest}},
	{"engine/forge", room(), []string{forgeDouble, gitTest}},
	{forgeDouble, room("engine/forge"), []string{gitTest}},
	{"engine/git", room(), []string{gitTest}},
	{gitTest, nil, nil},
	{"engine/journal", room(), nil}, {"engine/config", room(), nil},
	{"engine/merge", room(), nil}, {"engine/secret", room(), nil}, {"engine/gate", room(), nil},
	{"engine", []string{"engine/...", "personas"}, nil},
	{"personas", []string{"engine/review"}, nil},
	{"themes", nil, nil},
	{"tui/...", []string{"tui/...", "themes", "engine/review", "engine/event", "engine/diff"}, nil},
	{"cmd/mrv", []string{"engine/...", "engine", "tui/...", "personas"}, nil},
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
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", module+"...").Output()
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

// against lists what runs against the arrows.
func against(list []goPackage) (all []string) {
	for _, p := range list {
		from := strings.TrimPrefix(p.ImportPath, module)
		i := slices.IndexFunc(arrows, func(a arrow) bool { return matches(a.from, from) })
		if i < 0 {
			all = append(all, from+" has no place in the house: add it to the table or move it")
			continue
		}
		check := func(who string, imports, may []string) {
			for _, imp := range imports {
				to, ours := strings.CutPrefix(imp, module)
				if ours && !slices.ContainsFunc(may, func(pattern string) bool { return matches(pattern, to) }) {
					all = append(all, who+" may not import "+to)
				}
			}
		}
		check(from, p.Imports, arrows[i].to)
		check("a test of "+from, slices.Concat(p.TestImports, p.XTestImports), slices.Concat(arrows[i].to, arrows[i].tests, []string{from}))
	}
	return all
}

func TestArrowsRunDown(t *testing.T) {
	for _, wrong := range against(packages(t)) {
		t.Error(wrong)
	}
}

// TestAnArrowThatRunsUpIsFound: what TestArrowsRunDown is there for.
func TestAnArrowThatRunsUpIsFound(t *testing.T) {
	for _, c := range []struct {
		p    goPackage
		want string // "" = nothing is wrong
	}{
		{goPackage{ImportPath: "engine/review", Imports: []string{"engine/event"}}, "engine/review may not import engine/event"},
		{goPackage{ImportPath: "engine/merge", Imports: []string{"engine/document"}}, "engine/merge may not import engine/document"},
		{goPackage{ImportPath: "engine/agent/direct", Imports: []string{models}}, "engine/agent/direct may not import " + models},
		{goPackage{ImportPath: "engine", XTestImports: []string{"engine", "tui/window"}}, "a test of engine may not import tui/window"},
		{goPackage{ImportPath: "tui", TestImports: []string{"engine/journal"}}, "a test of tui may not import engine/journal"},
		{goPackage{ImportPath: "tui/board", Imports: []string{"engine"}}, "tui/board may not import engine"},
		{goPackage{ImportPath: "common"}, "common has no place in the house: add it to the table or move it"},
		{goPackage{ImportPath: "engine/agent/direct", XTestImports: []string{models}}, ""},
		{goPackage{ImportPath: "engine/event", Imports: []string{"engine/diff"}, TestImports: []string{"engine/review"}}, ""},
	} {
		c.p.ImportPath = module + c.p.ImportPath
		for _, imports := range [][]string{c.p.Imports, c.p.TestImports, c.p.XTestImports} {
			for i := range imports {
				imports[i] = module + imports[i]
			}
		}
		if got := strings.Join(against([]goPackage{c.p}), "; "); got != c.want {
			t.Errorf("%+v: %q, want %q", c.p, got, c.want)
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
	for _, p := range []string{"testing", module + "tui/window", module + forgeDouble, module + models, module + gitTest, "github.com/charmbracelet/x/vt"} {
		if slices.Contains(linked, p) {
			t.Errorf("%s is linked into mrv", p)
		}
	}
}
