package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ErrNotARepository says that a directory is in no git repository with a
// working tree.
var ErrNotARepository = errors.New("not in a git repository; go into a clone, or name the change by its URL")

// Clone is the person's repository. It is only ever read.
type Clone struct {
	Root      string // of the working tree, without symbolic links
	GitDir    string // HEAD and the index are here
	CommonDir string // objects and configuration; GitDir but for a linked working tree
	Format    string // "sha1" or "sha256"
	Branch    string // checked out, "" on a detached HEAD
	Remotes   []Remote
	Shallow   bool // history is cut
	Partial   bool // objects may be missing until they are asked for
}

// Remote is one remote of a clone.
type Remote struct {
	Name string
	// URL is what git would use (insteadOf applied), Configured what the
	// configuration has.
	URL, Configured string
	// Resolved is gh's note which repository is the base: "base", or
	// "OWNER/NAME".
	Resolved string
}

// Discover finds the repository around dir.
func Discover(ctx context.Context, dir string) (*Clone, error) {
	read := func(args ...string) (string, error) {
		return command{doing: "looking for a repository in " + dir, dir: dir, args: args, reads: persons}.line(ctx)
	}
	c := &Clone{}
	for _, ask := range []struct {
		flag string
		into *string
	}{
		{"--show-toplevel", &c.Root}, {"--git-dir", &c.GitDir}, {"--git-common-dir", &c.CommonDir}, {"--show-object-format", &c.Format},
	} {
		out, err := read("rev-parse", "--path-format=absolute", ask.flag)
		if err != nil {
			return nil, notARepository(dir, err)
		}
		*ask.into = out
	}
	shallow, err := read("rev-parse", "--is-shallow-repository")
	if err != nil {
		return nil, err
	}
	c.Shallow = shallow == "true"
	if c.Root, err = filepath.EvalSymlinks(c.Root); err != nil {
		return nil, fmt.Errorf("looking for a repository in %s: %w", dir, err)
	}
	c.Branch, err = read("symbolic-ref", "--quiet", "--short", "HEAD")
	if err != nil && !exited(err, 1) {
		return nil, err
	}
	if err := c.readConfig(ctx); err != nil {
		return nil, err
	}
	return c, nil
}

func notARepository(dir string, err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	if strings.Contains(e.Stderr, "dubious ownership") {
		return fmt.Errorf("%s belongs to somebody else: git config --global --add safe.directory %s", dir, dir)
	}
	if e.Code < 0 {
		if _, err := os.Stat(dir); err != nil {
			return fmt.Errorf("looking for a repository: %w", err)
		}
		return err
	}
	if strings.Contains(e.Stderr, "not a git repository") || strings.Contains(e.Stderr, "work tree") {
		return fmt.Errorf("%s is %w", dir, ErrNotARepository)
	}
	return err
}

// readConfig reads the remotes, and whether objects may be missing.
func (c *Clone) readConfig(ctx context.Context) error {
	out, err := c.git(ctx, "reading the remotes", "config", "-z", "--get-regexp",
		`^(remote\..*\.(url|gh-resolved|promisor)|extensions\.partialclone)$`)
	if err != nil && !exited(err, 1) {
		return err
	}
	resolved := map[string]string{}
	var list []Remote
	for _, kv := range strings.Split(strings.TrimSuffix(out, "\x00"), "\x00") {
		key, value, _ := strings.Cut(kv, "\n")
		i, j := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
		switch {
		case strings.HasPrefix(key, "extensions."), strings.HasSuffix(key, ".promisor") && value == "true":
			c.Partial = true
		case i < 0 || i == j:
		case key[j+1:] == "gh-resolved":
			resolved[key[i+1:j]] = value
		case key[j+1:] == "url":
			list = append(list, Remote{Name: key[i+1 : j], Configured: value})
		}
	}
	for _, r := range list {
		if _, have := c.Remote(r.Name); have {
			continue // a second URL of the same remote, only pushed to
		}
		r.Resolved = resolved[r.Name]
		if r.URL, err = c.git(ctx, "reading the remote "+r.Name, "ls-remote", "--get-url", "--", r.Name); err != nil {
			return err
		}
		c.Remotes = append(c.Remotes, r)
	}
	return nil
}

// git reads something of the clone that is no content.
func (c *Clone) git(ctx context.Context, doing string, args ...string) (string, error) {
	return command{doing: doing, dir: c.Root, args: args, reads: persons}.line(ctx)
}

// Remote finds a remote by name.
func (c *Clone) Remote(name string) (Remote, bool) {
	for _, r := range c.Remotes {
		if r.Name == name {
			return r, true
		}
	}
	return Remote{}, false
}

// NoSuchRef is a reference or revision that a repository does not have.
type NoSuchRef struct{ Ref string }

// Error names it.
func (e *NoSuchRef) Error() string { return fmt.Sprintf("there is no commit called %q here", e.Ref) }

// Resolve finds the full hash of the commit that a revision names.
func (c *Clone) Resolve(ctx context.Context, rev string) (string, error) {
	if rev == "" || strings.ContainsAny(rev, "\n\x00") {
		return "", &NoSuchRef{Ref: rev}
	}
	sha, err := c.git(ctx, "resolving "+rev, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if exited(err, 1) || exited(err, 128) {
		return "", &NoSuchRef{Ref: rev}
	}
	if err != nil {
		return "", err
	}
	// In a version that prints --end-of-options, it comes first.
	return sha[strings.LastIndexByte(sha, '\n')+1:], nil
}

// FullName is the full name of the reference that a revision names, such as
// refs/heads/main; "" for a hash, HEAD~1 and whatever else is no reference.
func (c *Clone) FullName(ctx context.Context, rev string) (string, error) {
	full, err := c.git(ctx, "resolving "+rev, "rev-parse", "--verify", "--quiet", "--symbolic-full-name", "--end-of-options", rev)
	if exited(err, 1) || exited(err, 128) {
		return "", nil
	}
	return full[strings.LastIndexByte(full, '\n')+1:], err
}

// Head is the full hash of the commit that is checked out.
func (c *Clone) Head(ctx context.Context) (string, error) { return c.Resolve(ctx, "HEAD") }

// DefaultBranch finds the full name of the default branch's reference as this
// clone knows it: where the remote's HEAD points, else a remote-tracking or
// local branch of the usual name. It does not ask the network. "" if none is
// known.
func (c *Clone) DefaultBranch(ctx context.Context, remote string) (string, error) {
	const doing = "looking for the default branch"
	if remote != "" {
		ref, err := c.git(ctx, doing, "symbolic-ref", "--quiet", "refs/remotes/"+remote+"/HEAD")
		if err == nil {
			return ref, nil
		}
		if !exited(err, 1) && !exited(err, 128) {
			return "", err
		}
	}
	names := []string{"main", "master"}
	if name, err := c.git(ctx, doing, "config", "--get", "init.defaultBranch"); err == nil && name != "" {
		names = append(names, name)
	}
	prefixes := []string{"refs/heads/"}
	if remote != "" {
		prefixes = []string{"refs/remotes/" + remote + "/", "refs/heads/"}
	}
	for _, prefix := range prefixes {
		for _, name := range names {
			_, err := c.Resolve(ctx, prefix+name)
			if err == nil {
				return prefix + name, nil
			}
			if !errors.As(err, new(*NoSuchRef)) {
				return "", err
			}
		}
	}
	return "", nil
}

// ShortRef is a reference as people say it: main, origin/main.
func ShortRef(ref string) string {
	for _, prefix := range []string{"refs/heads/", "refs/remotes/", "refs/tags/"} {
		if short, ok := strings.CutPrefix(ref, prefix); ok {
			return short
		}
	}
	return ref
}

// Tracking is the remote and the name there of the branch that a local branch
// follows; empty if it follows none. With branch.X.remote "." it is local.
func (c *Clone) Tracking(ctx context.Context, branch string) (remote, name string, err error) {
	if branch == "" {
		return "", "", nil
	}
	remote, err = c.git(ctx, "reading what "+branch+" follows", "config", "--get", "branch."+branch+".remote")
	if err != nil {
		if exited(err, 1) {
			return "", "", nil
		}
		return "", "", err
	}
	name, err = c.git(ctx, "reading what "+branch+" follows", "config", "--get", "branch."+branch+".merge")
	if err != nil && !exited(err, 1) {
		return "", "", err
	}
	return remote, strings.TrimPrefix(name, "refs/heads/"), nil
}
