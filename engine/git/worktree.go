package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Worktree is the state of a working tree, as a commit of all of it would
// have it.
type Worktree struct {
	Tree string // hash of the tree
	// Unread are git's words about what it could not read.
	Unread []string
}

// MaxUntracked is the size in bytes above which an untracked file is left out
// of a working tree, and said to be unread.
const MaxUntracked = 64 << 20

// WorktreeTree hashes the clone's working tree, untracked files that are not
// ignored included, into the store. The index it works on is a copy and the
// git directory a temporary one, so that the person's are not touched. Line
// ends are converted as a commit would; no filter program is run.
func (s *Store) WorktreeTree(ctx context.Context) (Worktree, error) {
	if s.Clone == nil {
		return Worktree{}, errors.New("reading the working tree: there is no clone")
	}
	tmp, err := os.MkdirTemp(s.Dir, "worktree-")
	if err != nil {
		return Worktree{}, fmt.Errorf("reading the working tree: %w", err)
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	if err := initBare(ctx, tmp, s.format); err != nil {
		return Worktree{}, err
	}
	sparse, err := s.Clone.copyState(tmp)
	if err != nil {
		return Worktree{}, fmt.Errorf("reading the working tree: %w", err)
	}
	r := reading{store: s, dir: tmp}
	if r.env, err = s.worktreeEnv(ctx); err != nil {
		return Worktree{}, err
	}
	return r.hash(ctx, sparse)
}

// reading is a working tree that is being read by way of a temporary git
// directory.
type reading struct {
	store *Store
	dir   string
	env   []string
}

func (r reading) git(args ...string) command {
	root := r.store.Clone.Root
	return command{doing: "reading the working tree", dir: root,
		args: append([]string{"--git-dir=" + r.dir, "--work-tree=" + root}, args...),
		env:  append(slices.Clone(r.env), "GIT_OBJECT_DIRECTORY="+r.store.worktreeObjects())}
}

func (r reading) hash(ctx context.Context, sparse bool) (Worktree, error) {
	if sparse {
		if err := r.lendTrees(ctx); err != nil {
			return Worktree{}, err
		}
	}
	changed, err := r.changed(ctx)
	if err != nil {
		return Worktree{}, err
	}
	if err := r.lend(ctx, changed); err != nil {
		return Worktree{}, err
	}
	var w Worktree
	if w.Unread, err = r.leaveOutHuge(ctx); err != nil {
		return Worktree{}, err
	}
	if _, err := r.git("add", "--all", "--ignore-errors").run(ctx); err != nil {
		var e *Error
		if !errors.As(err, &e) || e.Code < 1 {
			return Worktree{}, err
		}
		w.Unread = append(w.Unread, strings.Split(e.Stderr, "\n")...)
	}
	if err := r.restorePointers(ctx, changed); err != nil {
		return Worktree{}, err
	}
	w.Tree, err = r.git("write-tree", "--missing-ok").line(ctx)
	return w, err
}

// leaveOutHuge has git ignore untracked files that are too big to be source,
// such as a data set that nobody thought of ignoring: each would be copied.
func (r reading) leaveOutHuge(ctx context.Context) (left []string, err error) {
	out, err := r.git("ls-files", "--others", "--exclude-standard", "-z").run(ctx)
	if err != nil {
		return nil, err
	}
	var patterns strings.Builder
	f := fields{rest: out}
	for len(f.rest) > 0 {
		name := f.next()
		info, err := os.Lstat(filepath.Join(r.store.Clone.Root, name))
		if err != nil || !info.Mode().IsRegular() || info.Size() <= MaxUntracked || strings.Contains(name, "\n") {
			continue
		}
		patterns.WriteString("\n/" + strings.ReplaceAll(escape(name), " ", `\ `))
		left = append(left, fmt.Sprintf("%s: untracked and bigger than %d MB (%d bytes)", name, MaxUntracked>>20, info.Size()))
	}
	if len(left) == 0 {
		return nil, nil
	}
	file, err := os.OpenFile(filepath.Join(r.dir, "info", "exclude"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("reading the working tree: %w", err)
	}
	_, err = file.WriteString(patterns.String() + "\n")
	return left, errors.Join(err, file.Close())
}

// changed lists the tracked files that may have changed, by what the index
// says about them, as far as the store has what they were.
func (r reading) changed(ctx context.Context) ([]FileChange, error) {
	out, err := r.git("diff-files", "-z", "--raw", "--no-abbrev", "--no-renames", "--ignore-submodules=all").run(ctx)
	if err != nil {
		return nil, err
	}
	var list []FileChange
	var blobs []string
	f := fields{rest: out}
	for len(f.rest) > 0 {
		c, err := parseRaw(&f)
		if err != nil {
			return nil, err
		}
		if c.OldBlob != "" && c.OldMode != "160000" {
			list, blobs = append(list, c), append(blobs, c.OldBlob)
		}
	}
	present, err := r.store.present(ctx, blobs)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(list, func(c FileChange) bool { _, ok := present[c.OldBlob]; return !ok }), nil
}

// lend copies what changed files were to where the new ones go: git looks at
// it to tell whether a file with CR LF was committed like that.
func (r reading) lend(ctx context.Context, changed []FileChange) error {
	hashes := make([]string, len(changed))
	for i, c := range changed {
		hashes[i] = c.OldBlob
	}
	return r.copy(ctx, hashes)
}

// lendTrees copies the trees of the directories that a sparse index has in
// place of their files.
func (r reading) lendTrees(ctx context.Context) error {
	out, err := r.git("-c", "index.sparse=true", "ls-files", "--sparse", "--stage", "-z").run(ctx)
	if err != nil {
		return err
	}
	args := []string{"rev-list", "--objects", "--no-object-names", "--filter=blob:none"}
	roots := len(args)
	f := fields{rest: out}
	for len(f.rest) > 0 {
		if p := strings.Fields(f.next()); len(p) > 1 && p[0] == "040000" {
			args = append(args, p[1])
		}
	}
	if len(args) == roots {
		return nil
	}
	trees, err := r.store.cmd("reading the working tree", args...).run(ctx)
	if err != nil {
		return err
	}
	return r.copy(ctx, strings.Fields(string(trees)))
}

// copy copies objects of the store to where those of working trees go.
func (r reading) copy(ctx context.Context, hashes []string) error {
	if len(hashes) == 0 {
		return nil
	}
	pack := r.store.cmd("reading the working tree", "pack-objects", "--quiet", filepath.Join(r.store.worktreeObjects(), "pack", "pack"))
	pack.stdin = strings.NewReader(strings.Join(hashes, "\n") + "\n")
	_, err := pack.run(ctx)
	return err
}

// worktreeEnv hands over those of the clone's settings that say how its files
// lie on disk.
func (s *Store) worktreeEnv(ctx context.Context) ([]string, error) {
	list, err := readSettings(ctx, s.Clone.Root, `^core\.(autocrlf|eol|filemode|symlinks|ignorecase|precomposeunicode|`+
		`excludesfile|trustctime|checkstat|sparsecheckout|sparsecheckoutcone|protecthfs|protectntfs)$`)
	if err != nil {
		return nil, err
	}
	list = append(list, setting{"core.bare", "false"}, setting{"core.safecrlf", "false"}, setting{"core.untrackedCache", "false"})
	return settingsEnv(list), nil
}

// copyState copies the index, with the parts it may be split into, and the
// clone's own list of ignored files. The index keeps its time: git uses it to
// tell which files may have changed after they were looked at. sparse is set
// if the index may have directories in it.
func (c *Clone) copyState(dir string) (sparse bool, err error) {
	shared, err := filepath.Glob(filepath.Join(escape(c.GitDir), "sharedindex.*"))
	if err != nil {
		return false, err
	}
	index := filepath.Join(dir, "index")
	for _, from := range append(shared, filepath.Join(c.GitDir, "index")) {
		if err := copyFile(from, filepath.Join(dir, filepath.Base(from))); err != nil {
			return false, err
		}
	}
	data, err := os.ReadFile(index)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return false, err
	}
	sparse = bytes.Contains(data, []byte("sdir")) // the name of git's extension
	if err := os.MkdirAll(filepath.Join(dir, "info"), 0o700); err != nil {
		return false, err
	}
	for _, name := range []string{"exclude", "sparse-checkout"} {
		from := filepath.Join(c.CommonDir, "info", name)
		if name == "sparse-checkout" {
			from = filepath.Join(c.GitDir, "info", name)
		}
		if err := copyFile(from, filepath.Join(dir, "info", name)); err != nil {
			return false, err
		}
	}
	return sparse, nil
}

// escape makes a path that a glob takes literally.
func escape(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// copyFile copies a file with its time; one that is not there is left out.
func copyFile(from, to string) error {
	in, err := os.Open(from)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		_ = out.Close()
		return err
	}
	if err := out.Close(); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}

// Init makes dir a repository of its own, with no hook and no commit, so that
// nothing that looks for a project's root goes above it.
func Init(ctx context.Context, dir string) error {
	c := command{doing: "making a repository in " + dir, args: []string{
		"init", "--quiet", "--template=", "--initial-branch=snapshot", dir}}
	_, err := c.run(ctx)
	return err
}
