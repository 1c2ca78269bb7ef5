package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/gofrs/flock"
)

const (
	ownerFile = "owner.json"
	lockFile  = "lock"
	// mark tells a directory of ours from any other.
	mark = "mrv reviewers' snapshot"
)

// owner is the content of the mark.
type owner struct {
	What string `json:"what"`
	Run  string `json:"run"`
	PID  int    `json:"pid"`
}

// claim makes the run's directory and takes its lock.
func claim(cacheDir, run string) (*Snapshot, error) {
	if run == "" || run != filepath.Base(run) || strings.HasPrefix(run, ".") {
		return nil, fmt.Errorf("%q can not name a directory", run)
	}
	base, err := place(cacheDir)
	if err != nil {
		return nil, err
	}
	home := filepath.Join(base, run)
	if err := os.Mkdir(home, 0o700); errors.Is(err, fs.ErrExist) {
		// Left by an earlier life of the same run, or in use.
		if _, err := sweepOne(home); err != nil {
			return nil, err
		}
		if err := os.Mkdir(home, 0o700); err != nil {
			return nil, fmt.Errorf("%w: another mrv is using it", err)
		}
	} else if err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(home, lockFile), flock.SetPermissions(0o600))
	if ok, err := lock.TryLock(); err != nil || !ok {
		return nil, errors.Join(fmt.Errorf("locking %s", lock.Path()), err)
	}
	text, err := json.Marshal(owner{What: mark, Run: run, PID: os.Getpid()})
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	// The mark comes behind the lock: what has a mark and no lock is left over.
	if err := os.WriteFile(filepath.Join(home, ownerFile), text, 0o600); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return &Snapshot{home: home, lock: lock}, nil
}

// place finds where snapshots go: below the cache directory or, where that is
// inside a repository, below the directory for temporary files.
func place(cacheDir string) (string, error) {
	for _, base := range bases(cacheDir) {
		if err := os.MkdirAll(base, 0o700); err != nil {
			return "", err
		}
		real, err := filepath.EvalSymlinks(base)
		if err != nil {
			return "", err
		}
		if inRepository(real) {
			continue
		}
		// Whoever owns the directory above could put another in its place.
		for _, dir := range []string{filepath.Dir(real), real} {
			if err := private(dir); err != nil {
				return "", err
			}
		}
		return real, nil
	}
	return "", fmt.Errorf("both %s and %s are inside a git repository: set XDG_CACHE_HOME to a place outside", cacheDir, os.TempDir())
}

func bases(cacheDir string) []string {
	return []string{
		filepath.Join(cacheDir, "work"),
		filepath.Join(os.TempDir(), "mrv-"+strconv.Itoa(os.Getuid()), "work"),
	}
}

// inRepository reports whether a directory or one above it is a repository.
func inRepository(dir string) bool {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return false
		}
		dir = up
	}
}

// private makes sure that a directory is the person's and nobody else's.
func private(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() || !ours(info) {
		return fmt.Errorf("%s is not a directory of yours", dir)
	}
	if info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	return os.Chmod(dir, 0o700)
}

func ours(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid()
}

// Sweep removes snapshots that ended runs left behind and returns their run
// ids. A directory is removed only if it is the person's own and no link, has
// mrv's mark, and nobody holds its lock.
func Sweep(cacheDir string) ([]string, error) {
	var swept []string
	var errs []error
	for _, base := range bases(cacheDir) {
		list, err := os.ReadDir(base)
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				errs = append(errs, fmt.Errorf("sweeping old snapshots: %w", err))
			}
			continue
		}
		for _, d := range list {
			done, err := sweepOne(filepath.Join(base, d.Name()))
			if err != nil {
				errs = append(errs, fmt.Errorf("sweeping old snapshots: %w", err))
			}
			if done {
				swept = append(swept, d.Name())
			}
		}
	}
	return swept, errors.Join(errs...)
}

// sweepOne removes one directory if it is ours and free.
func sweepOne(home string) (bool, error) {
	info, err := os.Lstat(home)
	if err != nil || !info.IsDir() || !ours(info) {
		return false, nil
	}
	for _, name := range []string{ownerFile, lockFile} {
		info, err := os.Lstat(filepath.Join(home, name))
		if err != nil || !info.Mode().IsRegular() || !ours(info) {
			return false, nil
		}
	}
	text, err := os.ReadFile(filepath.Join(home, ownerFile))
	if err != nil {
		return false, err
	}
	var o owner
	if json.Unmarshal(text, &o) != nil || o.What != mark || o.Run != filepath.Base(home) {
		return false, nil
	}
	lock := flock.New(filepath.Join(home, lockFile), flock.SetFlag(os.O_RDWR))
	if ok, err := lock.TryLock(); err != nil || !ok {
		return false, err
	}
	err = os.RemoveAll(home)
	return err == nil, errors.Join(err, lock.Close())
}
