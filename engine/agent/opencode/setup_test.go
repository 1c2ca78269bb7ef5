package opencode

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// packed writes a package with one file, and returns its path and checksum.
func packed(t *testing.T, name, text string) (path, sum string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "p.tgz")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(f)
	w := tar.NewWriter(z)
	if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(text)), Typeflag: tar.TypeReg}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []interface{ Close() error }{w, z, f} {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	h := sha512.Sum512(b)
	return path, "sha512-" + base64.StdEncoding.EncodeToString(h[:])
}

func TestVerify(t *testing.T) {
	path, sum := packed(t, "package/bin/opencode", "x")
	if err := verify(path, sum); err != nil {
		t.Errorf("the right checksum: %v", err)
	}
	for _, wrong := range []string{integrity["opencode-linux-x64"], integrity["opencode-darwin-arm64"], "", "sha1-abc", "sha512-"} {
		if err := verify(path, wrong); err == nil {
			t.Errorf("checksum %q was accepted", wrong)
		}
	}
}

func TestExtract(t *testing.T) {
	path, _ := packed(t, "package/bin/opencode", "the program")
	to := filepath.Join(t.TempDir(), "opencode")
	if err := extract(path, "package/bin/opencode", to); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(to); err != nil || string(b) != "the program" || !executable(to) {
		t.Errorf("extracted %q, %v", b, err)
	}
	if err := extract(path, "package/bin/other", to+"2"); err == nil {
		t.Error("a file that is not in it was extracted")
	}
}

// TestPackages: every platform has a package, every package a checksum, and a
// machine without AVX2 never gets one that needs it.
func TestPackages(t *testing.T) {
	for _, tt := range []struct {
		goos, goarch string
		avx2         bool
		want         []string
	}{
		{"linux", "amd64", true, []string{"opencode-linux-x64", "opencode-linux-x64-baseline"}},
		{"linux", "amd64", false, []string{"opencode-linux-x64-baseline"}},
		{"linux", "arm64", false, []string{"opencode-linux-arm64"}},
		{"darwin", "arm64", false, []string{"opencode-darwin-arm64"}},
		{"darwin", "amd64", true, []string{"opencode-darwin-x64"}},
		{"darwin", "amd64", false, nil},
		{"freebsd", "amd64", true, nil},
	} {
		got := packagesFor(tt.goos, tt.goarch, tt.avx2)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s/%s avx2=%v: %q, want %q", tt.goos, tt.goarch, tt.avx2, got, tt.want)
		}
		for _, name := range got {
			if integrity[name] == "" {
				t.Errorf("%s has no checksum", name)
			}
		}
	}
}

// TestLockAgrees: the checksum that Setup insists on is the one in the lock
// file that the tests' own server is installed by.
func TestLockAgrees(t *testing.T) {
	b, err := os.ReadFile("../../../testdata/opencode/package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(b), integrity["opencode-linux-x64-baseline"]) || !strings.Contains(string(b), Version) {
		t.Error("the lock file pins another package than Setup installs")
	}
}

func TestSetupWithoutNPM(t *testing.T) {
	dir := t.TempDir()
	_, err := Setup(t.Context(), SetupOptions{DataDir: dir, Getenv: getenvOf(map[string]string{"PATH": "/nowhere"})})
	if err == nil {
		t.Fatal("installed without npm")
	}
	for _, want := range []string{"npm is not on PATH", "By hand", "sha512-", PrivateCopy(dir), "MRV_OPENCODE"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q: %v", want, err)
		}
	}
	if left := names(t, dir); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// TestSetupForged: a package that is not the pinned one is refused and leaves
// the private copy as it was.
func TestSetupForged(t *testing.T) {
	forged, _ := packed(t, "package/bin/opencode", "#!/bin/sh\necho "+Version+"\n")
	bin := t.TempDir()
	npm := filepath.Join(bin, "npm")
	writeFile(t, npm, "#!/bin/sh\nwhile [ $# -gt 1 ]; do shift; done\ncp "+forged+" $1/forged.tgz\n")
	if err := os.Chmod(npm, 0o755); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	program(t, PrivateCopy(dir), "1.2.3")
	_, err := Setup(t.Context(), SetupOptions{DataDir: dir, Getenv: getenvOf(map[string]string{"PATH": bin + ":/usr/bin:/bin"})})
	if err == nil || !strings.Contains(err.Error(), "checksum") {
		t.Errorf("error %v", err)
	}
	b, err := Find(t.Context(), FindOptions{DataDir: dir, Getenv: getenvOf(map[string]string{"PATH": "/usr/bin:/bin"})})
	if err != nil || b.Version != "1.2.3" {
		t.Errorf("the private copy is %+v, %v", b, err)
	}
	if left := names(t, filepath.Join(dir, "opencode")); !slices.Equal(left, []string{"bin"}) {
		t.Errorf("left behind: %q", left)
	}
}

// TestSetup installs the real package with the real npm.
func TestSetup(t *testing.T) {
	if os.Getenv("MRV_TEST_NETWORK") == "" {
		t.Skip("fetches 60 MB from the npm registry; set MRV_TEST_NETWORK=1 to run it")
	}
	dir := t.TempDir()
	var said []string
	b, err := Setup(t.Context(), SetupOptions{DataDir: dir, Progress: func(s string) { said = append(said, s) }})
	if err != nil {
		t.Fatal(err)
	}
	found, err := Find(t.Context(), FindOptions{DataDir: dir, Getenv: getenvOf(map[string]string{"PATH": os.Getenv("PATH")})})
	if err != nil || found.Path != b.Path || found.Source != "private copy" || found.Version != Version {
		t.Errorf("found %+v, %v", found, err)
	}
	if len(said) == 0 {
		t.Error("no progress was told")
	}
}
