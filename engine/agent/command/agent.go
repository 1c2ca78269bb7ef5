package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/mrv-dev/mrv/engine/agent"
	"github.com/mrv-dev/mrv/engine/review"
)

// Config is one program of the person's.
type Config struct {
	Run      []string            // argv
	Env      []string            // names of variables it may see
	Home     []string            // paths below HOME that its login needs
	JSONL    bool                // it answers in JSON lines
	Snapshot string              // the directory it may read, and starts in
	Root     string              // where private homes are made
	Getenv   func(string) string // the person's environment; nil = os.Getenv
}

// Agent runs a program, once a turn.
type Agent struct {
	config Config
	argv   []string // with an absolute program
	home   string   // the private one
	bwrap  string   // "" = none
	env    []string

	once sync.Once
}

var _ agent.Agent = (*Agent)(nil)

// OpenHome is what the person must know of a program that is not enclosed.
const OpenHome = "this agent can read your home: bubblewrap (bwrap) is not installed"

// Enclosed reports whether programs can be kept out of the person's home here.
func Enclosed(getenv func(string) string) bool { return lookPath("bwrap", getenv("PATH")) != "" }

// New finds the program and makes its private home.
func New(c Config) (*Agent, error) {
	if c.Getenv == nil {
		c.Getenv = os.Getenv
	}
	if len(c.Run) == 0 {
		return nil, errors.New("the command is empty")
	}
	program := lookPath(c.Run[0], c.Getenv("PATH"))
	if program == "" {
		return nil, fmt.Errorf("%s is not installed: it is not on your PATH", c.Run[0])
	}
	if err := os.MkdirAll(c.Root, 0o700); err != nil {
		return nil, fmt.Errorf("making a private home: %w", err)
	}
	home, err := os.MkdirTemp(c.Root, "home-") // 0700
	if err != nil {
		return nil, fmt.Errorf("making a private home: %w", err)
	}
	a := &Agent{config: c, argv: append([]string{program}, c.Run[1:]...), home: home, bwrap: lookPath("bwrap", c.Getenv("PATH"))}
	if err := a.furnish(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(home))
	}
	return a, nil
}

// Open makes a conversation; nothing runs before it is asked.
func (a *Agent) Open(ctx context.Context, s agent.Spec) (agent.Session, error) {
	if ctx.Err() != nil {
		return nil, &review.Failure{Kind: review.FailAborted, Message: context.Cause(ctx).Error()}
	}
	return &session{agent: a, spec: s}, nil
}

// Close removes the private home. What its login paths stand for stays.
func (a *Agent) Close(context.Context) error {
	if err := os.RemoveAll(a.home); err != nil {
		return fmt.Errorf("removing the private home: %w", err)
	}
	return nil
}

// furnish sets up the environment, and the home with the login paths: links to
// the person's own, so that a token that is renewed is kept.
func (a *Agent) furnish() error {
	real := a.config.Getenv("HOME")
	a.env = []string{"HOME=" + a.home, "TMPDIR=" + filepath.Join(a.home, ".tmp"), "TERM=dumb", "PATH=" + a.config.Getenv("PATH")}
	for _, name := range append([]string{"LANG", "LC_ALL", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"}, a.config.Env...) {
		if v := a.config.Getenv(name); v != "" {
			a.env = append(a.env, name+"="+v)
		}
	}
	if err := os.Mkdir(filepath.Join(a.home, ".tmp"), 0o700); err != nil {
		return fmt.Errorf("making a private home: %w", err)
	}
	for _, rel := range a.config.Home {
		if !filepath.IsLocal(rel) {
			return fmt.Errorf("home: %q is not a path below your home", rel)
		}
		from, to := filepath.Join(real, rel), filepath.Join(a.home, rel)
		if _, err := os.Stat(from); err != nil {
			return fmt.Errorf("the login that the command needs: %w", err)
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return fmt.Errorf("making a private home: %w", err)
		}
		if err := os.Symlink(from, to); err != nil {
			return fmt.Errorf("making a private home: %w", err)
		}
	}
	return nil
}

// enclosed is the argv of the program, behind bubblewrap where it is there: the
// system read-only, the person's home away but for the login paths and the
// program's own directory, the private home and nothing else to write to.
func (a *Agent) enclosed() []string {
	if a.bwrap == "" {
		return a.argv
	}
	real := a.config.Getenv("HOME")
	argv := []string{a.bwrap, "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-pid", "--tmpfs", "/tmp"}
	if real != "" {
		argv = append(argv, "--tmpfs", real)
	}
	bind := func(how, path string) {
		if _, err := os.Lstat(path); err == nil {
			argv = append(argv, how, path, path)
		}
	}
	bind("--ro-bind", filepath.Dir(a.argv[0]))
	if target, err := filepath.EvalSymlinks(a.argv[0]); err == nil {
		bind("--ro-bind", filepath.Dir(target))
	}
	for _, rel := range a.config.Home {
		bind("--bind", filepath.Join(real, rel))
	}
	bind("--bind", a.home)
	bind("--ro-bind", a.config.Snapshot)
	return append(append(argv, "--chdir", a.config.Snapshot, "--"), a.argv...)
}

// tellOnce tells the person once that the program is not enclosed.
func (a *Agent) tellOnce(emit func(agent.Update)) {
	if a.bwrap != "" {
		return
	}
	a.once.Do(func() { emit(agent.Update{Kind: agent.UpNotice, Text: OpenHome}) })
}

// lookPath finds a program on a PATH; a name with a slash is a path.
func lookPath(name, path string) string {
	if strings.Contains(name, "/") {
		if p, err := exec.LookPath(name); err == nil {
			if abs, err := filepath.Abs(p); err == nil {
				return abs
			}
		}
		return ""
	}
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if p, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return p
		}
	}
	return ""
}
