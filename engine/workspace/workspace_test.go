package workspace_test

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine/git"
	"github.com/mrv-dev/mrv/engine/git/gittest"
	"github.com/mrv-dev/mrv/engine/workspace"
)

// hostile is a repository that tries to run, to be read as rules, to hide or
// to reach out.
func hostile(t *testing.T) (r *gittest.Repo, head string, kept []string, left map[string]string) {
	t.Helper()
	r = gittest.New(t)
	steers, hides := "steers agents or holds their settings", "would hide files from searches"
	left = map[string]string{
		"link": "symbolic link", "deep/er/out": "symbolic link",
		"image.png": "binary", "huge.txt": "bigger than 100000 bytes",
		"mrv-context/diff/001-a.go.patch": "the name is reserved for mrv",
		"MRV-Context/x":                   "the name is reserved for mrv",
		"sub":                             "submodule",
		".gitignore":                      hides, "deep/.rgignore": hides, "deep/.ignore": hides,
	}
	for _, dir := range []string{"", "deep/", "deep/er/"} {
		for _, name := range []string{
			".opencode/plugin/p.ts", ".OpenCode/plugin/p.ts", ".openCODE/x", ".claude/settings.json", ".agents/skills/s/SKILL.md",
			".cursor/rules/r.mdc", ".codex/config.toml", ".gemini/settings.json", ".windsurfrules", ".clinerules/x.md",
			".roo/rules/x.md", ".kiro/steering/x.md", ".continue/config.json", ".aider.conf.yml", ".github/copilot-instructions.md",
			".ai/reviews/latest.md", "opencode.json", "OpenCode.JSONC", "AGENTS.md", "agents.MD", "CLAUDE.md", "CLAUDE.local.md",
			"CONTEXT.md", "GEMINI.md", ".mcp.json", ".env", ".env.production", ".npmrc", ".envrc", ".mrv/config.yaml",
			".open\u200ccode/plugin/p.ts", "AGENT\u017f.md",
		} {
			left[dir+name] = steers
		}
	}
	if foldsCase(t) {
		// Names that differ in case alone are one file here.
		for _, dir := range []string{"", "deep/", "deep/er/"} {
			for _, name := range []string{".OpenCode/plugin/p.ts", ".openCODE/x", "agents.MD"} {
				delete(left, dir+name)
			}
		}
		delete(left, "MRV-Context/x")
	}
	for path := range left {
		switch left[path] {
		case "symbolic link":
			r.Link(path, "../../../../../../etc/passwd")
		case "binary":
			r.Write(path, "PNG\x00\x01")
		case "submodule":
		case "bigger than 100000 bytes":
			r.Write(path, strings.Repeat("x", 100_001))
		default:
			r.Write(path, "*\n")
		}
	}
	kept = []string{"a.go", "evil.go", "deep/er/b.go", "deep/agents.go", "AGENTS.md.txt", "docs/agents/x.md", ".github/workflows/ci.yml",
		"latin-\xe9.txt", "tab\tname", "-rf", "filtered.go", "subst.go", "opencode.json.go"}
	for _, path := range kept {
		r.Write(path, "text of "+path+" $Format:%H$\n")
	}
	r.Write(".gitattributes", "evil.go export-ignore\nsubst.go export-subst\nfiltered.go filter=evil\n*.go -diff ident eol=crlf\n")
	kept = append(kept, ".gitattributes")
	sub := gittest.Init(t, filepath.Join(r.Dir, "sub"))
	sub.Commit("sub")
	head = r.Commit("hostile")
	slices.Sort(kept)
	return r, head, kept, left
}

// foldsCase reports whether the file system takes names that differ in case
// for one.
func foldsCase(t *testing.T) bool {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := os.Stat(filepath.Join(dir, "A"))
	return err == nil
}

func store(t *testing.T, r *gittest.Repo) *git.Store {
	t.Helper()
	ctx := context.Background()
	clone, err := git.Discover(ctx, r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := git.OpenStore(ctx, git.Place(t.TempDir(), clone, "", "", ""), clone)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// files lists what is below a directory, without git's own.
func files(t *testing.T, dir string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == ".git" && filepath.Dir(path) == dir {
			return filepath.SkipDir
		}
		if !d.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			list = append(list, rel)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(list)
	return list
}

func TestHostileRepository(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "ran")
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", home)
	config := "[filter \"evil\"]\n\tsmudge = \"touch " + mark + "; cat\"\n\trequired = true\n[init]\n\ttemplateDir = " + home + "/template\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	r, head, kept, left := hostile(t)
	s := store(t, r)
	before := gittest.State(t, r.Dir)

	cache := t.TempDir()
	snap, err := workspace.Make(context.Background(), workspace.Options{CacheDir: cache, Run: "run-1", Store: s, Tree: head, MaxFile: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	if got := files(t, snap.Dir); !slices.Equal(got, kept) {
		t.Errorf("the snapshot has\n%q\nwant\n%q", got, kept)
	}
	for _, path := range kept[1:] {
		want := "text of " + path + " $Format:%H$\n"
		if path == ".gitattributes" {
			continue
		}
		if got, err := os.ReadFile(filepath.Join(snap.Dir, path)); err != nil || string(got) != want {
			t.Errorf("%q reads %q, %v", path, got, err)
		}
	}
	got := map[string]string{}
	for _, l := range snap.LeftOut {
		got[l.Path] = l.Reason
	}
	for path, reason := range left {
		if got[path] != reason {
			t.Errorf("%q is left out because %q, want %q", path, got[path], reason)
		}
	}
	if len(got) != len(left) {
		t.Errorf("%d files are left out, want %d: %v", len(got), len(left), got)
	}
	if snap.Files != len(kept) {
		t.Errorf("%d files counted, want %d", snap.Files, len(kept))
	}
	if info, err := os.Stat(snap.Dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	top, err := exec.Command("git", "-C", filepath.Join(snap.Dir, "deep"), "rev-parse", "--show-toplevel").Output()
	if err != nil || strings.TrimSpace(string(top)) != snap.Dir {
		t.Errorf("the project's root is %s, %v", top, err)
	}
	if hooks, _ := filepath.Glob(filepath.Join(snap.Dir, ".git", "hooks", "*")); len(hooks) > 0 {
		t.Errorf("hooks: %v", hooks)
	}
	if after := gittest.State(t, r.Dir); after != before {
		t.Error("the repository was touched")
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("a filter ran")
	}
	if err := snap.Close(); err != nil {
		t.Error(err)
	}
	if left := files(t, cache); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Trees that no git command makes, but that an object can hold.
func TestHostileTree(t *testing.T) {
	r := gittest.New(t)
	r.Write("f", "x\n")
	r.Commit("one")
	blob := r.Git("hash-object", "-w", "f")
	raw := func(names ...string) string {
		var tree strings.Builder
		for _, name := range names {
			var id []byte
			for i := 0; i < len(blob); i += 2 {
				id = append(id, unhex(blob[i])<<4|unhex(blob[i+1]))
			}
			tree.WriteString("100644 " + name + "\x00" + string(id))
		}
		r.Write(".git/tree", tree.String())
		return r.Git("hash-object", "-w", "-t", "tree", "--literally", ".git/tree")
	}
	long := strings.Repeat("n", 300)
	tree := raw("..", "../out", ".git", ".GIT", "/abs", "a//b", "dup", "dup", "ok", "x/../../y", long)
	snap, err := workspace.Make(context.Background(), workspace.Options{CacheDir: t.TempDir(), Run: "r", Store: store(t, r), Tree: tree})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = snap.Close() }()
	if got := files(t, snap.Dir); !slices.Equal(got, []string{"dup", "ok"}) {
		t.Errorf("written: %q", got)
	}
	if len(snap.LeftOut) != 9 {
		t.Errorf("%d left out, want 9: %v", len(snap.LeftOut), snap.LeftOut)
	}
	if got := files(t, filepath.Dir(filepath.Dir(snap.Dir))); len(got) != 6 { // lock, mark, two of git's, two files
		t.Errorf("around the snapshot: %q", got)
	}
}

func unhex(c byte) byte {
	if c >= 'a' {
		return c - 'a' + 10
	}
	return c - '0'
}

func TestLimitsKeepTheChangeFirst(t *testing.T) {
	r := gittest.New(t)
	for _, name := range []string{"a", "b", "c", "z"} {
		r.Write(name, "12345\n")
	}
	head := r.Commit("one")
	snap, err := workspace.Make(context.Background(), workspace.Options{
		CacheDir: t.TempDir(), Run: "r", Store: store(t, r), Tree: head, First: []string{"z"}, MaxTotal: 12})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = snap.Close() }()
	if got := files(t, snap.Dir); !slices.Equal(got, []string{"a", "z"}) {
		t.Errorf("kept %q", got)
	}
	if len(snap.LeftOut) != 2 || snap.LeftOut[0].Size != 6 || !strings.Contains(snap.LeftOut[0].Reason, "12 bytes") {
		t.Errorf("left out: %v", snap.LeftOut)
	}
}

func TestPatchWithoutRepository(t *testing.T) {
	snap, err := workspace.Make(context.Background(), workspace.Options{CacheDir: t.TempDir(), Run: "r"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = snap.Close() }()
	names, err := snap.WritePatches([]workspace.Patch{
		{Path: "src/a b.go", Text: []byte("one")}, {Path: "../../etc/passwd", Text: []byte("two")},
		{Path: "src/a b.go", Text: []byte("three")}, {Path: strings.Repeat("d/", 300) + "end.go"}, {Path: "名前"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"mrv-context/diff/001-src-a-b.go.patch", "mrv-context/diff/002-etc-passwd.patch", "mrv-context/diff/003-src-a-b.go.patch"}
	if !slices.Equal(names[:3], want) {
		t.Errorf("names: %q", names)
	}
	if got := files(t, snap.Dir); len(got) != 5 {
		t.Errorf("written: %q", got)
	}
	if got, _ := os.ReadFile(filepath.Join(snap.Dir, want[2])); string(got) != "three" {
		t.Errorf("third patch reads %q", got)
	}
}

func TestSweepTakesOnlyWhatIsOurs(t *testing.T) {
	cache := t.TempDir()
	work := filepath.Join(cache, "work")
	ctx := context.Background()
	live, err := workspace.Make(ctx, workspace.Options{CacheDir: cache, Run: "live"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = live.Close() }()
	if _, err := workspace.Make(ctx, workspace.Options{CacheDir: cache, Run: "live"}); err == nil {
		t.Error("two runs share a snapshot")
	}
	leave := func(dir, mark string) {
		if err := os.MkdirAll(filepath.Join(dir, "tree"), 0o700); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{"owner.json": mark, "lock": "", "tree/f": "x"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	ours := func(run string) string { return `{"what":"mrv reviewers' snapshot","run":"` + run + `"}` }
	precious := filepath.Join(t.TempDir(), "precious")
	leave(precious, ours("link"))
	leave(filepath.Join(work, "dead"), ours("dead"))
	if err := os.Symlink(precious, filepath.Join(work, "dead", "tree", "out")); err != nil {
		t.Fatal(err)
	}
	leave(filepath.Join(work, "foreign"), `{"what":"something else","run":"foreign"}`)
	leave(filepath.Join(work, "moved"), ours("other"))
	if err := os.Symlink(precious, filepath.Join(work, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(work, "unmarked"), 0o700); err != nil {
		t.Fatal(err)
	}

	swept, err := workspace.Sweep(cache)
	if err != nil || !slices.Equal(swept, []string{"dead"}) {
		t.Errorf("swept %v, %v", swept, err)
	}
	leave(filepath.Join(work, "killed"), ours("killed"))
	other, err := workspace.Make(ctx, workspace.Options{CacheDir: cache, Run: "other"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	if _, err := os.Lstat(filepath.Join(work, "killed")); err == nil {
		t.Error("a new run leaves what a killed one left")
	}
	for _, path := range []string{"live/tree", "foreign/tree/f", "moved/tree/f", "link", "unmarked"} {
		if _, err := os.Lstat(filepath.Join(work, path)); err != nil {
			t.Errorf("%s is gone", path)
		}
	}
	if got := files(t, precious); len(got) != 3 {
		t.Errorf("swept through a link: %v", got)
	}
	again, err := workspace.Make(ctx, workspace.Options{CacheDir: cache, Run: "dead"})
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

func TestNeverInsideARepository(t *testing.T) {
	r := gittest.New(t)
	t.Setenv("TMPDIR", t.TempDir())
	snap, err := workspace.Make(context.Background(), workspace.Options{CacheDir: filepath.Join(r.Dir, "cache"), Run: "r"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = snap.Close() }()
	if strings.HasPrefix(snap.Dir, r.Dir) {
		t.Errorf("the snapshot is in %s", snap.Dir)
	}
	t.Setenv("TMPDIR", r.Dir)
	if _, err := workspace.Make(context.Background(), workspace.Options{CacheDir: r.Dir, Run: "r2"}); err == nil || !strings.Contains(err.Error(), "XDG_CACHE_HOME") {
		t.Errorf("%v", err)
	}
}

// The directory for temporary files is everybody's: what lies there under our
// name is used only if it is ours.
func TestForeignDirectoryIsRefused(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give a directory to somebody else")
	}
	r := gittest.New(t)
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	foreign := filepath.Join(tmp, "mrv-0")
	if err := os.Mkdir(foreign, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(foreign, 12345, 12345); err != nil {
		t.Fatal(err)
	}
	_, err := workspace.Make(context.Background(), workspace.Options{CacheDir: filepath.Join(r.Dir, "cache"), Run: "r"})
	if err == nil || !strings.Contains(err.Error(), "not a directory of yours") {
		t.Errorf("%v", err)
	}
}
