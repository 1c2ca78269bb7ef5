package diff

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// repo is a repository that a test makes trees in.
type repo struct {
	t   rapid.TB
	dir string
}

func newRepo(t *testing.T) *repo {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		if os.Getenv("MRV_REQUIRE_GIT") != "" {
			t.Fatal(err)
		}
		t.Skip("needs git on PATH")
	}
	r := &repo{t: t, dir: t.TempDir()}
	r.git(nil, "init", "-q")
	return r
}

// git runs git apart from anybody's configuration.
func (r *repo) git(stdin []byte, args ...string) []byte {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.invalid", "GIT_AUTHOR_DATE=2026-01-01T00:00:00Z",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.invalid", "GIT_COMMITTER_DATE=2026-01-01T00:00:00Z")
	cmd.Stdin = bytes.NewReader(stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		r.t.Fatalf("git %q: %v\n%s", args, err, &stderr)
	}
	return out
}

// entry is one file of a tree: git's mode and content; the content of a
// submodule is a commit's id.
type entry struct{ mode, content string }

// tree writes a tree object, without a working tree: names may be anything.
func (r *repo) tree(files map[string]entry) string {
	r.t.Helper()
	var index bytes.Buffer
	for name, e := range files {
		id := e.content
		if e.mode != gitlink {
			id = strings.TrimSpace(string(r.git([]byte(e.content), "hash-object", "-w", "--stdin")))
		}
		fmt.Fprintf(&index, "%s %s 0\t%s\x00", e.mode, id, name)
	}
	r.git(nil, "read-tree", "--empty")
	r.git(index.Bytes(), "update-index", "-z", "--index-info")
	return strings.TrimSpace(string(r.git(nil, "write-tree")))
}

// truth is what git says about a file without a diff.
type truth struct {
	status           byte
	oldMode, newMode string
	oldPath, newPath string
	add, del         int // -1 for binary, -2 where --numstat does not count the diff's lines
}

// truths asks git for --raw and --numstat. git writes a change of type as two
// files, so it is two here.
func (r *repo) truths(from, to string, flags ...string) []truth {
	r.t.Helper()
	var list []truth
	args := append([]string{"diff-tree", "-r", "--raw", "-z"}, append(slices.Clone(flags), from, to)...)
	parts := strings.Split(strings.TrimSuffix(string(r.git(nil, args...)), "\x00"), "\x00")
	for i := 0; i < len(parts) && parts[i] != ""; {
		f := strings.Fields(strings.TrimPrefix(parts[i], ":"))
		t := truth{status: f[4][0], oldMode: f[0], newMode: f[1], oldPath: parts[i+1], newPath: parts[i+1]}
		i += 2
		if t.status == 'R' || t.status == 'C' {
			t.newPath = parts[i]
			i++
		}
		list = append(list, t)
	}
	args[2] = "--numstat"
	parts = strings.Split(strings.TrimSuffix(string(r.git(nil, args...)), "\x00"), "\x00")
	for n, i := 0, 0; i < len(parts) && parts[i] != ""; n++ {
		f := strings.SplitN(parts[i], "\t", 3)
		list[n].add, list[n].del = count(f[0]), count(f[1])
		i++
		if f[2] == "" {
			i += 2
		}
	}
	return split(list)
}

func count(s string) int {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	return -1
}

// split makes two files of a change of type and clears absent sides.
func split(list []truth) []truth {
	var out []truth
	for _, t := range list {
		switch t.status {
		case 'T':
			gone, come := t, t
			gone.status, gone.newPath, gone.newMode, gone.add = 'D', "", "", -2
			come.status, come.oldPath, come.oldMode, come.add = 'A', "", "", -2
			out = append(out, gone, come)
			continue
		case 'A':
			t.oldPath, t.oldMode = "", ""
		case 'D':
			t.newPath, t.newMode = "", ""
		}
		out = append(out, t)
	}
	return out
}

// check compares a parsed diff with git's truths.
func check(t rapid.TB, set *Set, want []truth) {
	t.Helper()
	if len(set.Files) != len(want) {
		t.Fatalf("%d files, want %d", len(set.Files), len(want))
	}
	for i, f := range set.Files {
		w := want[i]
		if f.Unread != "" {
			t.Errorf("%q: not read: %s", f.Path(), f.Unread)
		}
		if statusOf[f.Status] != w.status || f.OldPath != w.oldPath || f.NewPath != w.newPath {
			t.Errorf("%c %q %q, want %c %q %q", statusOf[f.Status], f.OldPath, f.NewPath, w.status, w.oldPath, w.newPath)
		}
		// A pure rename or copy does not show its mode.
		if f.OldMode+f.NewMode != "" && (f.OldMode != w.oldMode || f.NewMode != w.newMode) {
			t.Errorf("%q: modes %s %s, want %s %s", f.Path(), f.OldMode, f.NewMode, w.oldMode, w.newMode)
		}
		if w.add >= 0 && (f.Additions != w.add || f.Deletions != w.del) || w.add == -1 && f.Additions+f.Deletions > 0 {
			t.Errorf("%q: +%d -%d, want +%d -%d", f.Path(), f.Additions, f.Deletions, w.add, w.del)
		}
	}
}

// applied is the old content with the file's hunks applied.
func applied(old string, f *File) (string, error) {
	lines := strings.SplitAfter(old, "\n")
	var b strings.Builder
	at := 0 // lines of old that were used
	for _, h := range f.Hunks {
		for ; at < first(h.OldStart, h.OldLines)-1; at++ {
			b.WriteString(lines[at])
		}
		for _, l := range h.Lines {
			text := l.Text + "\n"
			if l.NoEOL {
				text = l.Text
			}
			if l.Op != Add {
				if lines[at] != text {
					return "", fmt.Errorf("old line %d is %q, the diff says %q", at+1, lines[at], text)
				}
				at++
			}
			if l.Op != Delete {
				b.WriteString(text)
			}
		}
	}
	b.WriteString(strings.Join(lines[at:], ""))
	return b.String(), nil
}

// checkContent applies every file that has hunks to the old tree.
func checkContent(t rapid.TB, set *Set, before, after map[string]entry) {
	t.Helper()
	for _, f := range set.Files {
		if f.Submodule || f.Binary || len(f.Hunks) == 0 {
			continue
		}
		got, err := applied(before[f.OldPath].content, f)
		if err != nil || got != after[f.NewPath].content {
			t.Errorf("%q: applied to the old content the hunks give %.200q (%v), want %.200q",
				f.Path(), got, err, after[f.NewPath].content)
		}
	}
}

// same compares two changes file by file.
func same(t rapid.TB, got, want *Set) {
	t.Helper()
	if len(got.Files) != len(want.Files) {
		t.Fatalf("%d files, want %d", len(got.Files), len(want.Files))
	}
	for i := range got.Files {
		g, w := fmt.Sprintf("%+v", flat(got.Files[i])), fmt.Sprintf("%+v", flat(want.Files[i]))
		if g != w {
			t.Errorf("got  %.2000s\nwant %.2000s", g, w)
		}
	}
}

// flat is a file with its hunks as values.
func flat(f *File) any {
	c := *f
	c.Hunks = nil
	var hunks []Hunk
	for _, h := range f.Hunks {
		hunks = append(hunks, *h)
	}
	return struct {
		File  File
		Hunks []Hunk
	}{c, hunks}
}
