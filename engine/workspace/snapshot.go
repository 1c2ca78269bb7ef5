package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/gofrs/flock"

	"github.com/mrv-dev/mrv/engine/git"
)

// Limits of a snapshot where Options give none.
const (
	MaxFile  = 2 << 20   // bytes of one file
	MaxTotal = 512 << 20 // bytes of all
	MaxFiles = 100_000
)

// Options say what a snapshot is made of.
type Options struct {
	CacheDir string // mrv's own cache directory
	Run      string // the run's id; names the directory
	// Store and Tree are where the files come from. Without a store the
	// snapshot is empty: a patch with no repository around.
	Store *git.Store
	Tree  string // hash of a commit or tree
	// First are the paths of the change: they are written before all others,
	// so that a limit cuts what matters least.
	First []string
	// Limits; 0 = the constants above.
	MaxFile, MaxTotal int64
	MaxFiles          int
}

// LeftOut is a file that is not in the snapshot.
type LeftOut struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
	Size   int64  `json:"size"` // bytes, 0 if unknown
}

// Snapshot is a directory that reviewers may read.
type Snapshot struct {
	Dir     string // the tree
	Files   int
	Bytes   int64
	LeftOut []LeftOut

	home string
	root *os.Root
	lock *flock.Flock
}

// Make writes the snapshot. Close removes it. Those that killed runs left are
// swept first; what can not be removed is tried again the next time.
func Make(ctx context.Context, o Options) (*Snapshot, error) {
	_, _ = Sweep(o.CacheDir)
	o.MaxFile, o.MaxTotal = or(o.MaxFile, MaxFile), or(o.MaxTotal, MaxTotal)
	o.MaxFiles = int(or(int64(o.MaxFiles), MaxFiles))
	s, err := claim(o.CacheDir, o.Run)
	if err != nil {
		return nil, fmt.Errorf("making the reviewers' snapshot: %w", err)
	}
	if err := s.fill(ctx, o); err != nil {
		return nil, errors.Join(fmt.Errorf("making the reviewers' snapshot: %w", err), s.Close())
	}
	return s, nil
}

func or(n, standard int64) int64 {
	if n > 0 {
		return n
	}
	return standard
}

// fill makes the tree a repository of its own and writes its files.
func (s *Snapshot) fill(ctx context.Context, o Options) error {
	s.Dir = filepath.Join(s.home, "tree")
	if err := os.Mkdir(s.Dir, 0o700); err != nil {
		return err
	}
	if err := git.Init(ctx, s.Dir); err != nil {
		return err
	}
	var err error
	if s.root, err = os.OpenRoot(s.Dir); err != nil {
		return err
	}
	if err := s.root.MkdirAll(ContextDir, 0o700); err != nil {
		return err
	}
	if o.Store == nil || o.Tree == "" {
		return nil
	}
	entries, err := o.Store.Tree(ctx, o.Tree)
	if err != nil {
		return err
	}
	blobs, err := o.Store.Blobs(ctx)
	if err != nil {
		return err
	}
	err = s.writeAll(ctx, changedFirst(entries, o.First), blobs, o)
	return errors.Join(err, blobs.Close())
}

// changedFirst moves the entries of the change to the front.
func changedFirst(entries []git.Entry, first []string) []git.Entry {
	changed := make(map[string]bool, len(first))
	for _, p := range first {
		changed[p] = true
	}
	slices.SortStableFunc(entries, func(a, b git.Entry) int {
		switch {
		case changed[a.Path] == changed[b.Path]:
			return 0
		case changed[a.Path]:
			return -1
		}
		return 1
	})
	return entries
}

func (s *Snapshot) writeAll(ctx context.Context, entries []git.Entry, blobs *git.Blobs, o Options) error {
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		reason := refuse(e)
		switch {
		case reason != "":
		case e.Size > o.MaxFile:
			reason = fmt.Sprintf("bigger than %d bytes", o.MaxFile)
		case s.Files >= o.MaxFiles:
			reason = fmt.Sprintf("the snapshot has its %d files", o.MaxFiles)
		case s.Bytes+e.Size > o.MaxTotal:
			reason = fmt.Sprintf("the snapshot has its %d bytes", o.MaxTotal)
		default:
			var err error
			if reason, err = s.write(e, blobs); err != nil {
				return err
			}
		}
		if reason != "" {
			s.LeftOut = append(s.LeftOut, LeftOut{Path: e.Path, Reason: reason, Size: max(e.Size, 0)})
		}
	}
	return nil
}

// refuse says why an entry is left out for what it is; "" if it is not.
func refuse(e git.Entry) string {
	if why := unsafe(e.Path); why != "" {
		return why
	}
	switch {
	case e.Link():
		return "symbolic link"
	case e.Submodule():
		return "submodule"
	case Steers(e.Path):
		return "steers agents or holds their settings"
	case matches(hiding, e.Path):
		return "would hide files from searches"
	}
	return ""
}

// write writes one file. A name that the file system refuses is a reason to
// leave the file out; a full disk is an error.
func (s *Snapshot) write(e git.Entry, blobs *git.Blobs) (reason string, err error) {
	data, err := blobs.Read(e.Hash)
	if err != nil {
		return "", err
	}
	if binary(data) {
		return "binary", nil
	}
	if err := s.put(e.Path, data); err != nil {
		if fatal(err) {
			return "", err
		}
		return "the file system refuses its name: " + cause(err), nil
	}
	s.Files++
	s.Bytes += int64(len(data))
	return "", nil
}

// put writes a new file below the tree, never through a link and never over
// another.
func (s *Snapshot) put(name string, data []byte) error {
	if dir := path.Dir(name); dir != "." {
		if err := s.root.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	f, err := s.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// binary is git's own rule: a NUL among the first 8000 bytes.
func binary(data []byte) bool {
	return bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0
}

// fatal reports whether nothing more can be written.
func fatal(err error) bool {
	for _, e := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EIO, syscall.EMFILE, syscall.ENFILE} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

func cause(err error) string {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// Close removes the snapshot and gives its lock back.
func (s *Snapshot) Close() error {
	if s.root != nil {
		_ = s.root.Close()
	}
	err := os.RemoveAll(s.home)
	if cerr := s.lock.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("removing the reviewers' snapshot: %w", err)
	}
	return nil
}
