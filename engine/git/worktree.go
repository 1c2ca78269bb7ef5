package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Worktree is the state of a working tree, as a commit of all of it would
// have it.
type Worktree struct {
	Tree string // hash of the tree
	// Unread are git's words about what it could not read.
	Unread []string
}

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
	init := command{doing: "reading the working tree", args: []string{
		"init", "--quiet", "--bare", "--template=", "--object-format=" + s.format, tmp}}
	if _, err := init.run(ctx); err != nil {
		return Worktree{}, err
	}
	if err := s.Clone.copyState(tmp); err != nil {
		return Worktree{}, fmt.Errorf("reading the working tree: %w", err)
	}
	env, err := s.worktreeEnv(ctx)
	if err != nil {
		return Worktree{}, err
	}
	at := func(args ...string) command {
		return command{doing: "reading the working tree", dir: s.Clone.Root, env: env,
			args: append([]string{"--git-dir=" + tmp, "--work-tree=" + s.Clone.Root}, args...)}
	}
	if err := s.lendChanged(ctx, at("diff-files", "-z", "--raw", "--no-abbrev", "--no-renames", "--ignore-submodules=all")); err != nil {
		return Worktree{}, err
	}
	var w Worktree
	if _, err := at("add", "--all", "--ignore-errors").run(ctx); err != nil {
		var e *Error
		if !errors.As(err, &e) || e.Code < 1 {
			return Worktree{}, err
		}
		w.Unread = strings.Split(e.Stderr, "\n")
	}
	w.Tree, err = at("write-tree", "--missing-ok").line(ctx)
	return w, err
}

// lendChanged copies the blobs before the change of every changed file to
// where the new ones go: git looks at them to tell whether a file with CR LF
// was committed like that.
func (s *Store) lendChanged(ctx context.Context, list command) error {
	out, err := list.run(ctx)
	if err != nil {
		return err
	}
	var blobs []string
	f := fields{rest: out}
	for len(f.rest) > 0 {
		c, err := parseRaw(&f)
		if err != nil {
			return err
		}
		if c.OldBlob != "" && c.OldMode != "160000" {
			blobs = append(blobs, c.OldBlob)
		}
	}
	if blobs, err = s.present(ctx, blobs); err != nil || len(blobs) == 0 {
		return err
	}
	pack := s.cmd("reading the working tree", "pack-objects", "--quiet", filepath.Join(s.worktreeObjects(), "pack", "pack"))
	pack.stdin = strings.NewReader(strings.Join(blobs, "\n") + "\n")
	_, err = pack.run(ctx)
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
	return append(settingsEnv(list), "GIT_OBJECT_DIRECTORY="+s.worktreeObjects()), nil
}

// copyState copies the index, with the parts it may be split into, and the
// clone's own list of ignored files. The index keeps its time: git uses it to
// tell which files may have changed after they were looked at.
func (c *Clone) copyState(dir string) error {
	shared, err := filepath.Glob(filepath.Join(escape(c.GitDir), "sharedindex.*"))
	if err != nil {
		return err
	}
	for _, from := range append(shared, filepath.Join(c.GitDir, "index")) {
		if err := copyFile(from, filepath.Join(dir, filepath.Base(from))); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "info"), 0o700); err != nil {
		return err
	}
	for _, name := range []string{"exclude", "sparse-checkout"} {
		from := filepath.Join(c.CommonDir, "info", name)
		if name == "sparse-checkout" {
			from = filepath.Join(c.GitDir, "info", name)
		}
		if err := copyFile(from, filepath.Join(dir, "info", name)); err != nil {
			return err
		}
	}
	return nil
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
