package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// maxOutput is how much one git command may print, in bytes. A diff above it
// could be neither shown nor sent to anybody.
const maxOutput = 1 << 30

// Error is a git command that failed.
type Error struct {
	Doing  string // "comparing main with topic"
	Args   []string
	Code   int    // exit code, -1 if git did not run
	Stderr string // what git said, trimmed
	Err    error
}

// Error says what was being done and what git said about it, in one line.
func (e *Error) Error() string {
	said := e.Stderr
	if i := strings.LastIndex(said, "fatal: "); i >= 0 {
		said = said[i+len("fatal: "):]
	}
	said = strings.Join(strings.Fields(said), " ")
	if said == "" {
		said = e.Err.Error()
	}
	return fmt.Sprintf("%s: git %s: %s", e.Doing, e.verb(), said)
}

// Unwrap gives the error of the process.
func (e *Error) Unwrap() error { return e.Err }

func (e *Error) verb() string {
	for i := 0; i < len(e.Args); i++ {
		if e.Args[i] == "-c" || e.Args[i] == "-C" {
			i++
			continue
		}
		if !strings.HasPrefix(e.Args[i], "-") {
			return e.Args[i]
		}
	}
	return ""
}

// ErrNoGit says that there is no git to run.
var ErrNoGit = errors.New("git is not installed or not in PATH")

// command is one call of git.
type command struct {
	doing string
	dir   string
	args  []string
	env   []string // added to the environment
	stdin io.Reader
	reads reads
}

// reads says whose configuration git reads.
type reads int

const (
	nobodys reads = iota // where content is looked at: only the store's own
	persons              // where the person's references and settings are looked up
	network              // what is needed to reach a remote, and nothing else
)

// settings are the values that must not come from any configuration.
var settings = []string{
	"-c", "core.quotePath=false",
	"-c", "core.attributesFile=/dev/null",
	"-c", "core.hooksPath=/dev/null",
	"-c", "core.fsmonitor=false",
	"-c", "diff.autoRefreshIndex=false",
	"-c", "diff.orderFile=/dev/null",
	"-c", "gc.auto=0",
	"-c", "maintenance.auto=false",
	"-c", "submodule.recurse=false",
	"-c", "fetch.recurseSubmodules=false",
	"-c", "core.pager=cat",
	"-c", "color.ui=never",
	"-c", "advice.detachedHead=false",
}

// environment is the process's own, without any variable by which git can be
// steered, and with those that keep it from writing, asking and converting.
func environment(r reads) []string {
	var env []string
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		switch {
		case name == "LC_ALL", name == "LANGUAGE":
		case !strings.HasPrefix(name, "GIT_"),
			r == persons && (strings.HasPrefix(name, "GIT_CONFIG") || discovery[name]),
			r == network && transport[name]:
			env = append(env, kv)
		}
	}
	env = append(env,
		"LC_ALL=C",
		"GIT_OPTIONAL_LOCKS=0",
		"GIT_TERMINAL_PROMPT=0",
		"GIT_ATTR_NOSYSTEM=1",
		"GIT_NO_REPLACE_OBJECTS=1",
		"GIT_NO_LAZY_FETCH=1",
		"GIT_LITERAL_PATHSPECS=1",
		"GIT_PAGER=cat",
		"GIT_EDITOR=false",
	)
	if r != persons {
		env = append(env, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null")
	}
	return env
}

// discovery are the variables that say how far a repository is looked for.
var discovery = map[string]bool{"GIT_CEILING_DIRECTORIES": true, "GIT_DISCOVERY_ACROSS_FILESYSTEM": true}

// transport are the variables with which a person tells git how to reach
// others.
var transport = map[string]bool{
	"GIT_SSH": true, "GIT_SSH_COMMAND": true, "GIT_SSH_VARIANT": true, "GIT_ASKPASS": true,
	"GIT_PROXY_COMMAND": true, "GIT_SSL_CAINFO": true, "GIT_SSL_CAPATH": true,
	"GIT_SSL_CERT": true, "GIT_SSL_KEY": true, "GIT_SSL_NO_VERIFY": true,
	"GIT_HTTP_PROXY_AUTHMETHOD": true, "GIT_ALLOW_PROTOCOL": true,
}

// build makes the process; it is started by the caller.
func (c command) build(ctx context.Context) *exec.Cmd {
	args := append([]string{"--no-pager"}, settings...)
	cmd := exec.CommandContext(ctx, "git", append(args, c.args...)...)
	cmd.Dir = c.dir
	cmd.Env = append(environment(c.reads), c.env...)
	cmd.Stdin = c.stdin
	alone(cmd)
	cmd.WaitDelay = 2 * time.Second
	return cmd
}

// run runs git and returns what it printed.
func (c command) run(ctx context.Context) ([]byte, error) {
	cmd := c.build(ctx)
	out, said := &capped{left: maxOutput}, &capped{left: 64 << 10, drop: true}
	cmd.Stdout, cmd.Stderr = out, said
	if err := cmd.Run(); err != nil {
		return out.Bytes(), c.failed(ctx, err, said.String())
	}
	return out.Bytes(), nil
}

func (c command) failed(ctx context.Context, err error, said string) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", c.doing, context.Cause(ctx))
	}
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("%s: %w", c.doing, ErrNoGit)
	}
	e := &Error{Doing: c.doing, Args: c.args, Code: -1, Stderr: strings.TrimSpace(said), Err: err}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		e.Code = exit.ExitCode()
	}
	return e
}

// line runs git and returns its output without the final newline.
func (c command) line(ctx context.Context) (string, error) {
	out, err := c.run(ctx)
	return strings.TrimSuffix(string(out), "\n"), err
}

// exited reports whether the error is git leaving with that code.
func exited(err error, code int) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}

// errTooMuch is a command that printed more than was asked for.
var errTooMuch = errors.New("git printed more than " + strconv.Itoa(maxOutput>>20) + " MB")

// capped is a buffer with an end; behind it writes fail or, with drop, are
// thrown away.
type capped struct {
	bytes.Buffer
	left int
	drop bool
}

func (c *capped) Write(p []byte) (int, error) {
	n := len(p)
	if n > c.left {
		if !c.drop {
			return 0, errTooMuch
		}
		p = p[:c.left]
	}
	c.left -= len(p)
	_, err := c.Buffer.Write(p)
	return n, err
}

// Version returns the version of the git in PATH, such as "2.39.5".
func Version(ctx context.Context) (string, error) {
	out, err := command{doing: "asking git for its version", args: []string{"version"}}.line(ctx)
	if err != nil {
		return "", err
	}
	return strings.TrimPrefix(out, "git version "), nil
}
