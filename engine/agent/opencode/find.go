package opencode

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// Version is the version of OpenCode that mrv is tested with and installs.
const Version = "1.18.33"

// ErrNotFound says that there is no OpenCode on this machine.
var ErrNotFound = errors.New("OpenCode is not installed; run: mrv setup opencode")

// FindOptions says where to look for the server's program.
type FindOptions struct {
	Path    string              // named by the person; nothing else is tried then
	Getenv  func(string) string // for MRV_OPENCODE and PATH; nil = os.Getenv
	DataDir string              // mrv's, usually $XDG_DATA_HOME/mrv: holds the private copy
	// CacheDir is mrv's, usually $XDG_CACHE_HOME/mrv: what the program said of
	// its version is kept there, as asking takes a second. "" = it is asked.
	CacheDir string
	// Patience is how long the program may take to say its version; 0 = 60 s,
	// as a cold one takes 11.
	Patience time.Duration
}

// Binary is an OpenCode 1.x program.
type Binary struct {
	Path    string
	Version string
	Source  string // "--opencode", "MRV_OPENCODE", "private copy" or "PATH"
	// Warning is for the person, or "".
	Warning string
}

// Find looks for OpenCode: the path named, $MRV_OPENCODE, the private copy,
// PATH. It asks the first it finds for its version, unless that is known, and
// refuses it if it is not 1.x. ErrNotFound is returned when there is none.
func Find(ctx context.Context, opt FindOptions) (Binary, error) {
	getenv := opt.Getenv
	if getenv == nil {
		getenv = os.Getenv
	}
	b := Binary{}
	switch {
	case opt.Path != "":
		b.Path, b.Source = opt.Path, "--opencode"
	case getenv("MRV_OPENCODE") != "":
		b.Path, b.Source = getenv("MRV_OPENCODE"), "MRV_OPENCODE"
	case opt.DataDir != "" && executable(PrivateCopy(opt.DataDir)):
		b.Path, b.Source = PrivateCopy(opt.DataDir), "private copy"
	default:
		b.Path, b.Source = lookPath("opencode", getenv("PATH")), "PATH"
		if b.Path == "" {
			return Binary{}, ErrNotFound
		}
	}
	if err := b.resolve(); err != nil {
		return Binary{}, err
	}
	var err error
	if b.Version, err = opt.version(ctx, b.Path, getenv); err != nil {
		return Binary{}, err
	}
	return b, b.check()
}

// check refuses another major version and warns of an old one.
func (b *Binary) check() error {
	n := numbers(b.Version)
	switch {
	case n[0] >= 2:
		return fmt.Errorf("OpenCode %d.x has another server API (%s is %s); run: mrv setup opencode", n[0], b.Path, b.Version)
	case n[0] != 1:
		return fmt.Errorf("%s is OpenCode %q, not 1.x; run: mrv setup opencode", b.Path, b.Version)
	case n[1] < 2:
		b.warn("OpenCode " + b.Version + " is older than 1.2.0: its text comes late; run: mrv setup opencode")
	}
	return nil
}

func (b *Binary) warn(s string) { b.Warning = strings.TrimSpace(b.Warning + "\n" + s) }

// resolve finds the program behind a link or behind npm's wrapper script: a
// server under a wrapper would not die with mrv.
func (b *Binary) resolve() error {
	path, err := filepath.EvalSymlinks(b.Path)
	if err != nil {
		return fmt.Errorf("OpenCode (%s): %w", b.Source, err)
	}
	if path, err = filepath.Abs(path); err != nil {
		return fmt.Errorf("OpenCode (%s): %w", b.Source, err)
	}
	if !executable(path) {
		return fmt.Errorf("OpenCode (%s): %s is not an executable file", b.Source, path)
	}
	b.Path = path
	if !isScript(path) {
		return nil
	}
	for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		for _, name := range packagesFor(runtime.GOOS, runtime.GOARCH, true) {
			for _, at := range []string{"node_modules", ".."} {
				if p := filepath.Join(dir, at, name, "bin", "opencode"); executable(p) && !isScript(p) {
					b.Path = p
					return nil
				}
			}
		}
	}
	b.warn(path + " is a wrapper script: should mrv be killed, its server lives on until the next start")
	return nil
}

func executable(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.Mode().IsRegular() && fi.Mode()&0o111 != 0
}

func isScript(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var b [2]byte
	_, err = f.Read(b[:])
	return err == nil && string(b[:]) == "#!"
}

// lookPath looks for a program in the absolute directories of a PATH, so that
// nothing below the working directory is ever run.
func lookPath(name, path string) string {
	for _, dir := range filepath.SplitList(path) {
		if p := filepath.Join(dir, name); filepath.IsAbs(dir) && executable(p) {
			return p
		}
	}
	return ""
}

// numbers are the first two numbers of a version, -1 where there are none.
func numbers(version string) [2]int {
	n := [2]int{-1, -1}
	for i, s := range strings.SplitN(version, ".", 3) {
		if v, err := strconv.Atoi(s); err == nil && i < 2 {
			n[i] = v
		}
	}
	return n
}
