package opencode

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// A run dir is the private place of one server, 0700 below Config.RunRoot:
//
//	server-*/
//	  owner          who made it, and the server's pid; locked by mrv
//	  server.lock    locked by the server itself: it inherited the open file
//	  opencode.json  no secret in it
//	  home/          HOME and the four XDG directories
//
// A free `owner` is a dead mrv. If `server.lock` is busy then, its server
// lives on and is killed; the lock says that the pid is still its own.
const (
	dirPrefix  = "server-"
	ownerFile  = "owner"
	serverFile = "server.lock"
)

type runDir struct {
	path   string
	owner  *os.File
	server *os.File
}

// ownership is what stands in the owner file.
type ownership struct {
	Made   string `json:"made"` // "mrv opencode": the mark Sweep looks for
	PID    int    `json:"pid"`
	Server int    `json:"server,omitempty"`
}

const mark = "mrv opencode"

// makeRunDir makes a run dir below root, which it makes too.
func makeRunDir(root string) (*runDir, error) {
	if err := privateDir(root); err != nil {
		return nil, err
	}
	path, err := os.MkdirTemp(root, dirPrefix) // 0700
	if err != nil {
		return nil, fmt.Errorf("make a private directory for OpenCode: %w", err)
	}
	d := &runDir{path: path}
	if err := d.claim(); err != nil {
		return nil, errors.Join(err, d.remove())
	}
	return d, nil
}

func (d *runDir) claim() error {
	var err error
	for _, f := range []struct {
		name string
		file **os.File
	}{{ownerFile, &d.owner}, {serverFile, &d.server}} {
		*f.file, err = os.OpenFile(filepath.Join(d.path, f.name), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
		if err != nil {
			return fmt.Errorf("mark the private directory for OpenCode: %w", err)
		}
	}
	// Another mrv's sweep may just be looking whether the file is locked.
	if err := syscall.Flock(int(d.owner.Fd()), syscall.LOCK_EX); err != nil {
		return fmt.Errorf("lock %s: %w", d.owner.Name(), err)
	}
	return d.write(ownership{Made: mark, PID: os.Getpid()})
}

// handOver locks the server's file; the server inherits the open file and with
// it the lock. The caller closes its own copy by started.
func (d *runDir) handOver() (*os.File, error) {
	if ok, err := lock(d.server); !ok {
		return nil, fmt.Errorf("lock %s: busy (%w)", d.server.Name(), err)
	}
	return d.server, nil
}

// started notes the server's pid and leaves the lock to it alone.
func (d *runDir) started(pid int) error {
	err := d.write(ownership{Made: mark, PID: os.Getpid(), Server: pid})
	return errors.Join(err, d.server.Close())
}

func (d *runDir) write(o ownership) error {
	b, err := json.Marshal(o)
	if err != nil {
		return err
	}
	if _, err := d.owner.WriteAt(b, 0); err != nil {
		return fmt.Errorf("write %s: %w", d.owner.Name(), err)
	}
	return nil
}

func (d *runDir) remove() error {
	err := os.RemoveAll(d.path)
	if d.owner != nil {
		d.owner.Close()
	}
	if d.server != nil {
		d.server.Close() // may be closed already
	}
	if err != nil {
		return fmt.Errorf("remove OpenCode's private directory: %w", err)
	}
	return nil
}

// privateDir makes a directory that only its owner may enter, or checks that
// an existing one is: no link, ours, and closed to others.
func privateDir(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return fmt.Errorf("make a private directory: %w", err)
	}
	fi, err := os.Lstat(path)
	if err != nil {
		return fmt.Errorf("check a private directory: %w", err)
	}
	if !fi.IsDir() || !ours(fi) {
		return fmt.Errorf("%s is not a directory of yours; remove it", path)
	}
	if fi.Mode().Perm()&0o077 != 0 {
		if err := os.Chmod(path, 0o700); err != nil {
			return fmt.Errorf("close %s to others: %w", path, err)
		}
	}
	return nil
}

func ours(fi fs.FileInfo) bool {
	st, ok := fi.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid()
}

// Sweep ends the servers and removes the run dirs that killed mrv processes
// left below root. It follows no link, touches nothing without the mark, and
// leaves those of living processes alone. A root that is not there is no error.
func Sweep(root string) error {
	fi, err := os.Lstat(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("sweep old OpenCode servers: %w", err)
	}
	if !fi.IsDir() || !ours(fi) {
		return fmt.Errorf("sweep old OpenCode servers: %s is not a directory of yours", root)
	}
	r, err := os.OpenRoot(root)
	if err != nil {
		return fmt.Errorf("sweep old OpenCode servers: %w", err)
	}
	defer r.Close()
	entries, err := fs.ReadDir(r.FS(), ".")
	if err != nil {
		return fmt.Errorf("sweep old OpenCode servers: %w", err)
	}
	var errs []error
	for _, e := range entries {
		if e.IsDir() && strings.HasPrefix(e.Name(), dirPrefix) {
			errs = append(errs, sweepDir(r, e.Name()))
		}
	}
	return errors.Join(errs...)
}

func sweepDir(r *os.Root, name string) error {
	owner, err := r.OpenFile(filepath.Join(name, ownerFile), os.O_RDWR|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil // not one of ours, or just being made or removed
	}
	defer owner.Close()
	if free, err := lock(owner); err != nil || !free {
		return err
	}
	var o ownership
	if json.NewDecoder(owner).Decode(&o) != nil || o.Made != mark {
		return nil
	}
	endServer(r, name, o.Server)
	if err := r.RemoveAll(name); err != nil {
		return fmt.Errorf("sweep old OpenCode servers: %w", err)
	}
	return nil
}

// endServer kills the server of a run dir whose mrv is dead, if it still holds
// its lock, and waits until the lock is free.
func endServer(r *os.Root, name string, pid int) {
	f, err := r.OpenFile(filepath.Join(name, serverFile), os.O_RDWR|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return
	}
	defer f.Close()
	for range 100 {
		if free, err := lock(f); free || err != nil || pid <= 1 {
			return
		}
		_ = syscall.Kill(-pid, syscall.SIGKILL)
		time.Sleep(20 * time.Millisecond)
	}
}

// lock takes the lock on an open file without waiting. It is held by everyone
// who has the open file, children that inherited it included, until the last
// of them is gone. ok is false while another holds it.
func lock(f *os.File) (ok bool, err error) {
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}
