package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// binary is the real program, built once for all tests that run it.
var binary string

func TestMain(m *testing.M) { os.Exit(buildAndRun(m)) }

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "mrv-binary-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "mrv")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building mrv: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// place is a person's machine: an empty home, and a directory to stand in.
type place struct {
	t    testing.TB
	home string
	dir  string
	env  []string // beside the plain ones
}

func newPlace(t testing.TB) *place {
	t.Helper()
	return &place{t: t, home: t.TempDir(), dir: t.TempDir()}
}

// command is mrv with the arguments, as that person would run it.
func (p *place) command(args ...string) *exec.Cmd {
	cmd := exec.Command(binary, args...)
	cmd.Dir = p.dir
	cmd.Env = append([]string{
		"HOME=" + p.home, "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8", "TMPDIR=" + p.t.TempDir(),
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "USER=ann",
	}, p.env...)
	return cmd
}

// result is what a command said and how it ended.
type result struct {
	out, err string
	code     int
}

func (p *place) run(args ...string) result {
	p.t.Helper()
	return p.feed("", args...)
}

// feed runs mrv with text on standard input.
func (p *place) feed(stdin string, args ...string) result {
	p.t.Helper()
	cmd := p.command(args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	err := cmd.Run()
	var e *exec.ExitError
	if err != nil && !errors.As(err, &e) {
		p.t.Fatalf("running mrv %v: %v", args, err)
	}
	return result{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// git runs git in the place's directory.
func (p *place) git(args ...string) string {
	p.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.com", "GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=ann@example.com")
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// write puts a file into the place's directory.
func (p *place) write(name, text string) {
	p.t.Helper()
	path := filepath.Join(p.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) read(name string) string {
	p.t.Helper()
	raw, err := os.ReadFile(filepath.Join(p.dir, filepath.FromSlash(name)))
	if err != nil {
		p.t.Fatal(err)
	}
	return string(raw)
}

// repository makes the place a clone with a branch that has something for the
// checks to find.
func (p *place) repository() {
	p.t.Helper()
	p.git("init", "-q", "-b", "main")
	p.write("pay.go", "package pay\n\nfunc Pay() error { return nil }\n")
	p.git("add", "-A")
	p.git("commit", "-q", "-m", "pay")
	p.git("checkout", "-q", "-b", "feature")
	p.write("pay.go", "package pay\n\nimport \"net/http\"\nimport \"crypto/tls\"\n\nfunc Pay() error { return nil }\n\nvar client = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}\n")
	p.git("add", "-A")
	p.git("commit", "-q", "-m", "client")
}

func decode[T any](t testing.TB, text string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("not JSON: %v\n%s", err, text)
	}
	return v
}
