package opencode

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"time"
)

// spoken is what a program said of its version, and which file it was then: a
// program that is replaced is another file.
type spoken struct {
	Path     string `json:"path"`
	Inode    uint64 `json:"inode"`
	Size     int64  `json:"size"`
	Modified int64  `json:"modified"` // Unix time in nanoseconds
	Version  string `json:"version"`
}

// spokenFile is its name below FindOptions.CacheDir.
const spokenFile = "opencode-version.json"

// version is that of a program: what it said when it was asked last, else what
// it says now. A script may start another program at any time, so it is asked.
func (opt FindOptions) version(ctx context.Context, path string, getenv func(string) string) (string, error) {
	if opt.CacheDir == "" || isScript(path) {
		return versionOf(ctx, path, getenv, opt.Patience)
	}
	fi, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("OpenCode: %w", err)
	}
	now := spoken{Path: path, Size: fi.Size(), Modified: fi.ModTime().UnixNano()}
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		now.Inode = st.Ino
	}
	kept := filepath.Join(opt.CacheDir, spokenFile)
	var last spoken
	if b, err := os.ReadFile(kept); err == nil && json.Unmarshal(b, &last) == nil && last.Version != "" {
		if now.Version = last.Version; now == last {
			return last.Version, nil
		}
	}
	if now.Version, err = versionOf(ctx, path, getenv, opt.Patience); err != nil {
		return "", err
	}
	// Where it cannot be kept, the program is asked again next time.
	if b, err := json.Marshal(now); err == nil && os.MkdirAll(opt.CacheDir, 0o700) == nil {
		_ = os.WriteFile(kept, b, 0o600)
	}
	return now.Version, nil
}

var versionLine = regexp.MustCompile(`(?m)^v?(\d+\.\d+\.\d+\S*)\s*$`)

// versionOf asks a program for its version. OpenCode makes its directories
// even then, so it gets a home that is thrown away.
func versionOf(ctx context.Context, path string, getenv func(string) string, patience time.Duration) (string, error) {
	home, err := os.MkdirTemp("", "mrv-version-")
	if err != nil {
		return "", fmt.Errorf("ask OpenCode for its version: %w", err)
	}
	defer os.RemoveAll(home)
	if err := seedHome(home); err != nil {
		return "", err
	}
	patience = cmp.Or(patience, 60*time.Second)
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.Dir = home
	cmd.Env = append(homeEnv(home), "PATH="+getenv("PATH"))
	cmd.WaitDelay = time.Second
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("%s --version: not a program for this machine", path)
		}
		if ctx.Err() == context.DeadlineExceeded {
			return "", fmt.Errorf("%s --version: no answer within %v", path, patience)
		}
		return "", fmt.Errorf("%s --version: %w %s", path, err, words(stderr.String()))
	}
	m := versionLine.FindSubmatch(out)
	if m == nil {
		return "", fmt.Errorf("%s --version says %q: not OpenCode", path, words(string(out)))
	}
	return string(m[1]), nil
}
