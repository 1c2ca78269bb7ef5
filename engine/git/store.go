package git

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"
)

// Store is a private bare repository that holds, or borrows from a clone, the
// objects of the changes under review. Several processes may use it at once.
type Store struct {
	Dir    string
	Clone  *Clone // whose objects are borrowed; nil if none are
	format string
}

// Place is where the store of a clone, or of a forge's repository when there
// is no clone, lies below the cache directory. The two never share one: a
// store without a clone holds cut history.
func Place(cacheDir string, clone *Clone, host, owner, repo string) string {
	if clone != nil {
		sum := sha256.Sum256([]byte(clone.CommonDir))
		return filepath.Join(cacheDir, "git", "clone", safe(filepath.Base(clone.Root))+"-"+hex.EncodeToString(sum[:6]))
	}
	return filepath.Join(cacheDir, "git", safe(host), safe(owner), safe(repo))
}

// safe makes one path component of a name; names that differ stay different.
func safe(name string) string {
	var b strings.Builder
	for _, c := range []byte(name) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_':
			b.WriteByte(c)
		case c == '.' && b.Len() > 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02x", c)
		}
	}
	if b.Len() == 0 {
		return "%"
	}
	return b.String()
}

// OpenStore makes the store if it is not there, and points it at the clone's
// objects. clone may be nil.
func OpenStore(ctx context.Context, dir string, clone *Clone) (*Store, error) {
	s := &Store{Dir: dir, Clone: clone, format: "sha1"}
	if clone != nil {
		s.format = clone.Format
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return nil, fmt.Errorf("making a store for objects: %w", err)
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := s.init(ctx); err != nil {
		return nil, err
	}
	if err := s.borrow(); err != nil {
		return nil, fmt.Errorf("making a store for objects: %w", err)
	}
	if err := s.cut(); err != nil {
		return nil, fmt.Errorf("making a store for objects: %w", err)
	}
	s.sweep()
	return s, nil
}

// leftOver is the age from which a temporary directory belongs to nobody.
const leftOver = 24 * time.Hour

// sweep removes temporary directories of processes that were killed. What can
// not be removed is tried again the next time.
func (s *Store) sweep() {
	for _, pattern := range []string{"worktree-*", "attributes-*"} {
		list, err := filepath.Glob(filepath.Join(escape(s.Dir), pattern))
		if err != nil {
			continue
		}
		for _, dir := range list {
			if info, err := os.Lstat(dir); err == nil && info.IsDir() && time.Since(info.ModTime()) > leftOver {
				_ = os.RemoveAll(dir)
			}
		}
	}
}

// OpenExisting opens a store that a run left, by its directory; nothing is
// written.
func OpenExisting(ctx context.Context, dir string) (*Store, error) {
	s := &Store{Dir: dir}
	format, err := s.cmd("opening the store "+dir, "rev-parse", "--show-object-format").line(ctx)
	if err != nil {
		return nil, err
	}
	s.format = format
	return s, nil
}

// lock waits for the store's lock; the function gives it back.
func (s *Store) lock(ctx context.Context) (func(), error) {
	l := flock.New(s.Dir+".lock", flock.SetPermissions(0o600))
	if _, err := l.TryLockContext(ctx, 50*time.Millisecond); err != nil {
		return nil, fmt.Errorf("waiting for the lock %s: %w", l.Path(), err)
	}
	return func() { _ = l.Close() }, nil
}

// unborn is what the store's HEAD names, and what never exists.
const unborn = "ref: refs/heads/mrv-never\n"

func (s *Store) init(ctx context.Context) error {
	if head, err := os.ReadFile(filepath.Join(s.Dir, "HEAD")); err == nil && string(head) == unborn {
		if got, err := s.cmd("opening the store", "rev-parse", "--show-object-format").line(ctx); err == nil && got == s.format {
			return nil
		}
	}
	// Half made, or of another format: it holds copies only.
	if err := os.RemoveAll(s.Dir); err != nil {
		return fmt.Errorf("making the store anew: %w", err)
	}
	if err := initBare(ctx, s.Dir, s.format); err != nil {
		return err
	}
	if err := os.Chmod(s.Dir, 0o700); err != nil {
		return fmt.Errorf("making a store for objects: %w", err)
	}
	// Written last: it marks the store as whole.
	if err := os.WriteFile(filepath.Join(s.Dir, "HEAD"), []byte(unborn), 0o600); err != nil {
		return fmt.Errorf("making a store for objects: %w", err)
	}
	return nil
}

func initBare(ctx context.Context, dir, format string) error {
	c := command{doing: "making a store for objects", args: []string{
		"init", "--quiet", "--bare", "--template=", "--object-format=" + format, dir}}
	_, err := c.run(ctx)
	return err
}

// worktreeObjects is where objects of working trees are written: a place
// without alternates. Where git writes an object that an alternate has, it
// renews the time of that one, which would be the clone's.
func (s *Store) worktreeObjects() string { return filepath.Join(s.Dir, "worktree") }

// borrow names the objects of working trees and the clone's as alternates.
func (s *Store) borrow() error {
	file := filepath.Join(s.Dir, "objects", "info", "alternates")
	if err := os.MkdirAll(filepath.Join(s.worktreeObjects(), "pack"), 0o700); err != nil {
		return err
	}
	want := []byte("../worktree\n")
	if s.Clone != nil {
		want = append(want, alternate(filepath.Join(s.Clone.CommonDir, "objects"))+"\n"...)
	}
	if have, err := os.ReadFile(file); err == nil && bytes.Equal(have, want) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return os.WriteFile(file, want, 0o600)
}

// ownCuts lists where fetches of the store itself cut the history; the file
// "shallow" has those of the clone too.
const ownCuts = "mrv-shallow"

// cut tells the store where the clone's history ends, so that git does not
// take a missing parent for damage.
func (s *Store) cut() error {
	clones, err := s.cloneCuts()
	if err != nil {
		return err
	}
	own, err := readLines(filepath.Join(s.Dir, ownCuts))
	if err != nil {
		return err
	}
	return writeLines(filepath.Join(s.Dir, "shallow"), append(clones, own...))
}

// keepCuts remembers the cuts that a fetch of the store added.
func (s *Store) keepCuts() error {
	clones, err := s.cloneCuts()
	if err != nil {
		return err
	}
	all, err := readLines(filepath.Join(s.Dir, "shallow"))
	if err != nil {
		return err
	}
	own := slices.DeleteFunc(all, func(sha string) bool { return slices.Contains(clones, sha) })
	return writeLines(filepath.Join(s.Dir, ownCuts), own)
}

func (s *Store) cloneCuts() ([]string, error) {
	if s.Clone == nil || !s.Clone.Shallow {
		return nil, nil
	}
	return readLines(filepath.Join(s.Clone.CommonDir, "shallow"))
}

// readLines reads a file of hashes; one that is not there has none.
func readLines(path string) ([]string, error) {
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	return strings.Fields(string(data)), nil
}

// writeLines writes a file of hashes; without any it removes the file.
func writeLines(path string, list []string) error {
	if len(list) == 0 {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil
	}
	slices.Sort(list)
	return renameio.WriteFile(path, []byte(strings.Join(slices.Compact(list), "\n")+"\n"), 0o600)
}

// alternate writes a path as a line of objects/info/alternates, quoted in
// git's way when it could be misread.
func alternate(path string) string {
	if !strings.ContainsAny(path, "\n\"\\") {
		return path
	}
	return strconv.Quote(path)
}

// emptyTree is the hash of the tree without entries, which git knows without
// having it.
func (s *Store) emptyTree() string {
	if s.format == "sha256" {
		return "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
	}
	return "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
}

// EmptyTree is the hash of the tree without entries: the base of a change
// that adds everything.
func (s *Store) EmptyTree() string { return s.emptyTree() }

// cmd makes a command that runs in the store.
func (s *Store) cmd(doing string, args ...string) command {
	c := command{doing: doing, dir: s.Dir, args: append([]string{"--git-dir=" + s.Dir}, args...)}
	if s.format != "" {
		// Where git can read attributes from a tree, it is the empty one.
		c.env = append(c.env, "GIT_ATTR_SOURCE="+s.emptyTree())
	}
	return c
}
