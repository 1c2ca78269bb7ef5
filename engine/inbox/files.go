package inbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Dir is the inbox below the root of the clone.
const Dir = ".ai/reviews"

// sizeLimit is more than any document mrv writes.
const sizeLimit = 64 << 20

// box is an opened inbox. Every access goes through an os.Root, which no link
// and no race leads out of; that is why files are replaced here by hand and
// not with a library that takes paths.
type box struct {
	root *os.Root
	path string
}

// open opens the inbox below a root, which must exist. make makes the folders
// when they are missing.
func open(dir string, make bool) (*box, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("opening %s for the inbox: %w", dir, err)
	}
	b := &box{root: root, path: dir}
	for at := "."; at != Dir; {
		at = path.Join(at, strings.SplitN(strings.TrimPrefix(Dir, at+"/"), "/", 2)[0])
		if err := b.folder(at, make); err != nil {
			root.Close()
			return nil, err
		}
	}
	return b, nil
}

// existing opens an inbox that a command needs.
func existing(root string) (*box, error) {
	b, err := open(root, false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("no inbox in %s: what you accept in mrv tui is written to %s there", root, Dir)
	}
	if err != nil {
		return nil, fmt.Errorf("opening the inbox: %w", err)
	}
	return b, nil
}

// folder checks that one component is a real folder.
func (b *box) folder(name string, make bool) error {
	info, err := b.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) && make {
		if err := b.root.Mkdir(name, 0o700); err != nil {
			return fmt.Errorf("making %s: %w", b.full(name), err)
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("looking at %s: %w", b.full(name), err)
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a folder but %s: mrv does not go through it; move it away", b.full(name), kind(info.Mode()))
	}
	if make && name == Dir && info.Mode().Perm()&0o077 != 0 {
		if err := b.root.Chmod(name, 0o700); err != nil {
			return fmt.Errorf("making %s private: %w", b.full(name), err)
		}
	}
	return nil
}

func kind(m fs.FileMode) string {
	if m&fs.ModeSymlink != 0 {
		return "a symbolic link"
	}
	return "a file"
}

func (b *box) close() error { return b.root.Close() }

func (b *box) full(name string) string { return filepath.Join(b.path, filepath.FromSlash(name)) }

// regular checks that a name is a plain file or nothing yet.
func (b *box) regular(name string) (exists bool, err error) {
	info, err := b.root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("looking at %s: %w", b.full(name), err)
	case !info.Mode().IsRegular():
		return false, fmt.Errorf("%s is not a plain file: mrv does not go through it; move it away", b.full(name))
	case info.Size() > sizeLimit:
		return false, fmt.Errorf("%s is larger than any file mrv writes", b.full(name))
	}
	return true, nil
}

// read returns a file's bytes; a missing one is fs.ErrNotExist.
func (b *box) read(name string) ([]byte, error) {
	exists, err := b.regular(name)
	if err != nil {
		return nil, err
	}
	if !exists {
		return nil, fmt.Errorf("reading %s: %w", b.full(name), fs.ErrNotExist)
	}
	raw, err := b.root.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", b.full(name), err)
	}
	return raw, nil
}

// replace writes a file whole: a new file beside it, synced, then renamed over
// it. A reader sees the old one or the new one.
func (b *box) replace(name string, data []byte) (err error) {
	if _, err := b.regular(name); err != nil {
		return err
	}
	temp := fmt.Sprintf("%s.%d.tmp", name, os.Getpid())
	if err := b.root.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("clearing %s: %w", b.full(temp), err)
	}
	f, err := b.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("writing %s: %w", b.full(name), err)
	}
	_, werr := f.Write(data)
	if err := errors.Join(werr, f.Sync(), f.Close()); err != nil {
		return errors.Join(fmt.Errorf("writing %s: %w", b.full(name), err), b.root.Remove(temp))
	}
	if err := b.root.Rename(temp, name); err != nil {
		return errors.Join(fmt.Errorf("writing %s: %w", b.full(name), err), b.root.Remove(temp))
	}
	return nil
}

// add appends one line. A last line without its end gets it first, so that
// what was there before is not run together with what is new.
func (b *box) add(name string, line []byte) error {
	exists, err := b.regular(name)
	if err != nil {
		return err
	}
	if exists {
		old, err := b.read(name)
		if err != nil {
			return err
		}
		if len(old) > 0 && old[len(old)-1] != '\n' {
			line = append([]byte{'\n'}, line...)
		}
	}
	f, err := b.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("appending to %s: %w", b.full(name), err)
	}
	_, werr := f.Write(append(line, '\n'))
	if err := errors.Join(werr, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("appending to %s: %w", b.full(name), err)
	}
	return nil
}
