package opencode

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sys/cpu"
)

// integrity is the checksum of each platform package of Version, in the form
// npm writes it. Those of linux-x64 and its baseline are the registry's own
// dist.integrity; the others are published SHA-256 sums of the same release.
var integrity = map[string]string{
	"opencode-linux-x64":          "sha512-q/t/3p2CTxOT9y2kvjesb/LZab2+1eqlhhWA02Be6mjTtmYtNBcBsrI5yDo4Fw7ZSPBW2oyMIGMNRqiKQjiAWw==",
	"opencode-linux-x64-baseline": "sha512-1KQGBiiDDeL/VHHbHkOvvFo8Jr97WT5+C1tear+p7IcDTnXgVHXqIjU4O4jM4mHQzykTP2i884FCnW5LDa+zCA==",
	"opencode-linux-arm64":        "sha256-GW0MrxwFU/zRLvFf8UQ56n5rx6TofqUji8tXu+blS5M=",
	"opencode-darwin-arm64":       "sha256-zSxwStZTE3timSvKKzI4P42qMbPJRi5WYnjh77oHsx0=",
	"opencode-darwin-x64":         "sha256-4jzzbU20YhTb+Ue3t4usY9Lwqebph8XW5HxXPYu2/zI=",
}

// PrivateCopy is where Setup puts OpenCode below mrv's data directory.
func PrivateCopy(dataDir string) string { return filepath.Join(dataDir, "opencode", "bin", "opencode") }

// Package names the npm package that Setup installs on this machine, with its
// version, for the question asked before.
func Package() (string, error) {
	names := packagesFor(runtime.GOOS, runtime.GOARCH, cpu.X86.HasAVX2)
	if len(names) == 0 {
		return "", fmt.Errorf("OpenCode %s has no package for %s/%s; install OpenCode 1.x by hand and name it with MRV_OPENCODE", Version, runtime.GOOS, runtime.GOARCH)
	}
	return names[0] + "@" + Version, nil
}

// packagesFor lists the packages that run on a platform, the best first. The
// plain x64 one needs AVX2.
func packagesFor(goos, goarch string, avx2 bool) []string {
	switch goos + "/" + goarch {
	case "linux/amd64":
		if avx2 {
			return []string{"opencode-linux-x64", "opencode-linux-x64-baseline"}
		}
		return []string{"opencode-linux-x64-baseline"}
	case "linux/arm64":
		return []string{"opencode-linux-arm64"}
	case "darwin/arm64":
		return []string{"opencode-darwin-arm64"}
	case "darwin/amd64":
		if avx2 {
			return []string{"opencode-darwin-x64"}
		}
	}
	return nil
}

// SetupOptions says where Setup installs to, and with what.
type SetupOptions struct {
	DataDir string              // mrv's, usually $XDG_DATA_HOME/mrv
	Getenv  func(string) string // nil = os.Getenv
	// Progress is told each step in a few words; may be nil.
	Progress func(string)
}

// Setup installs a private OpenCode: the pinned platform package, fetched with
// the person's own npm and configuration, its checksum compared with the one
// in this program, no script of it run. An older private copy is replaced in
// one step. The person was asked before.
func Setup(ctx context.Context, opt SetupOptions) (Binary, error) {
	getenv := opt.Getenv
	if getenv == nil {
		getenv = os.Getenv
	}
	say := opt.Progress
	if say == nil {
		say = func(string) {}
	}
	spec, err := Package()
	if err != nil {
		return Binary{}, err
	}
	npm := lookPath("npm", getenv("PATH"))
	if npm == "" {
		return Binary{}, byHand(spec, opt.DataDir)
	}
	bin := filepath.Dir(PrivateCopy(opt.DataDir))
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return Binary{}, fmt.Errorf("install OpenCode: %w", err)
	}
	tmp, err := os.MkdirTemp(filepath.Dir(bin), "setup-") // beside it, so that the last step is a rename
	if err != nil {
		return Binary{}, fmt.Errorf("install OpenCode: %w", err)
	}
	defer os.RemoveAll(tmp)

	say("fetching " + spec + " with " + npm)
	tarball, err := pack(ctx, npm, spec, tmp)
	if err != nil {
		return Binary{}, err
	}
	say("checking it")
	name, _, _ := strings.Cut(spec, "@")
	if err := verify(tarball, integrity[name]); err != nil {
		return Binary{}, fmt.Errorf("install OpenCode: %s: %w", spec, err)
	}
	fresh := filepath.Join(tmp, "opencode")
	if err := extract(tarball, "package/bin/opencode", fresh); err != nil {
		return Binary{}, fmt.Errorf("install OpenCode: %s: %w", spec, err)
	}
	b := Binary{Path: fresh, Source: "private copy"}
	if b.Version, err = versionOf(ctx, fresh, getenv, 0); err != nil {
		return Binary{}, fmt.Errorf("install OpenCode: %w", err)
	}
	if b.Version != Version {
		return Binary{}, fmt.Errorf("install OpenCode: the package says it is %s, not %s", b.Version, Version)
	}
	if err := os.Rename(fresh, PrivateCopy(opt.DataDir)); err != nil {
		return Binary{}, fmt.Errorf("install OpenCode: %w", err)
	}
	b.Path = PrivateCopy(opt.DataDir)
	say("installed " + b.Path)
	return b, nil
}

// byHand says what Setup would do, for a person without npm.
func byHand(spec, dataDir string) error {
	name, _, _ := strings.Cut(spec, "@")
	return fmt.Errorf("npm is not on PATH, so OpenCode cannot be fetched.\n"+
		"By hand: get the npm package %s (its checksum is %s),\n"+
		"unpack package/bin/opencode from it to %s and make it executable;\n"+
		"or install OpenCode 1.x another way and name it with MRV_OPENCODE", spec, integrity[name], PrivateCopy(dataDir))
}

// pack has npm fetch a package into dir, without running anything of it, and
// returns the file. It works in dir, so that no project's settings apply.
func pack(ctx context.Context, npm, spec, dir string) (string, error) {
	cmd := exec.CommandContext(ctx, npm, "pack", spec, "--ignore-scripts", "--silent", "--pack-destination", dir)
	cmd.Dir = dir
	var stderr tail
	stderr.max = 10
	cmd.Stderr = &stderr
	if _, err := cmd.Output(); err != nil {
		return "", fmt.Errorf("install OpenCode: npm pack %s: %w\n%s", spec, err, stderr.last(10))
	}
	found, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(found) != 1 {
		return "", fmt.Errorf("install OpenCode: npm pack %s left %d files", spec, len(found))
	}
	return found[0], nil
}

// verify compares a file with a checksum as npm writes it.
func verify(path, want string) error {
	algorithm, sum, _ := strings.Cut(want, "-")
	var h hash.Hash
	switch algorithm {
	case "sha512":
		h = sha512.New()
	case "sha256":
		h = sha256.New()
	default:
		return errors.New("mrv has no checksum for it")
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := io.Copy(h, f); err != nil {
		return err
	}
	got := base64.StdEncoding.EncodeToString(h.Sum(nil))
	if subtle.ConstantTimeCompare([]byte(got), []byte(sum)) != 1 {
		return fmt.Errorf("its checksum is %s-%s, not %s: it is not what mrv was tested with", algorithm, got, want)
	}
	return nil
}

// extract writes one regular file of a package to path, executable.
func extract(tarball, name, path string) error {
	f, err := os.Open(tarball)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("there is no %s in it", name)
		}
		if err != nil {
			return err
		}
		if h.Name != name || h.Typeflag != tar.TypeReg {
			continue
		}
		out, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
		if err != nil {
			return err
		}
		_, err = io.Copy(out, r)
		return errors.Join(err, out.Close())
	}
}
