package git

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// FetchOptions say what to bring into a store.
type FetchOptions struct {
	URL      string
	Refspecs []string // "+refs/pull/7/head:refs/mrv/pull/7/head", "+SHA:refs/mrv/keep/SHA"
	// Depth cuts the history, 0 = all of it. In a store that borrows from a
	// whole clone it would hide history that is there, and is ignored.
	Depth int
	// Token is tried first for an https URL, by environment; then the
	// person's own git decides.
	Token string
}

// Fetch brings objects from a remote into the store, with the credentials of
// the person's own git or with the token. It never asks on the terminal.
func (s *Store) Fetch(ctx context.Context, o FetchOptions) error {
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	config, err := s.networkConfig(ctx)
	if err != nil {
		return err
	}
	err = nil
	if o.Token != "" && strings.HasPrefix(o.URL, "https://") {
		if err = s.fetch(ctx, o, append(config, tokenHelper...), "MRV_GIT_TOKEN="+o.Token); err == nil || ctx.Err() != nil {
			return err
		}
	}
	if own := s.fetch(ctx, o, config); own != nil {
		if err != nil {
			return err
		}
		return own
	}
	return nil
}

func (s *Store) fetch(ctx context.Context, o FetchOptions, config []setting, env ...string) error {
	args := []string{"fetch", "--quiet", "--force", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance",
		"--no-recurse-submodules", "--no-write-commit-graph", "--refmap="}
	depth := o.Depth > 0 && (s.Clone == nil || s.Clone.Shallow)
	if depth {
		args = append(args, "--depth="+strconv.Itoa(o.Depth))
	}
	args = append(args, "--end-of-options", o.URL)
	c := s.cmd("fetching from "+withoutPassword(o.URL), append(args, o.Refspecs...)...)
	c.reads = network
	c.env = append(append(c.env, env...), settingsEnv(config)...)
	if os.Getenv("GIT_SSH_COMMAND") == "" && os.Getenv("GIT_SSH") == "" && !has(config, "core.sshcommand") {
		// Nobody is there to answer ssh.
		c.env = append(c.env, "GIT_SSH_COMMAND=ssh -o BatchMode=yes")
	}
	if _, err := c.run(ctx); err != nil {
		return err
	}
	if !depth {
		return nil
	}
	if err := s.keepCuts(); err != nil {
		return fmt.Errorf("fetching from %s: %w", withoutPassword(o.URL), err)
	}
	return nil
}

// setting is one value of git's configuration.
type setting struct{ key, value string }

// tokenHelper answers git's question for a password with the token, which
// only the environment holds. The empty helper before it clears the list.
var tokenHelper = []setting{
	{"credential.helper", ""},
	{"credential.helper", `!f() { test "$1" = get && printf 'username=x-access-token\npassword=%s\n' "$MRV_GIT_TOKEN"; }; f`},
}

// networkConfig collects what the person's configuration says about reaching
// remotes, as seen from the clone if there is one, and nothing else of it.
func (s *Store) networkConfig(ctx context.Context) ([]setting, error) {
	dir := s.Dir
	if s.Clone != nil {
		dir = s.Clone.Root
	}
	list, err := readSettings(ctx, dir, `^(credential|http|url|ssh|protocol)\.|^core\.(sshcommand|gitproxy|askpass)$`)
	if err != nil {
		return nil, err
	}
	own := []setting{
		// A remote that says nothing for a minute is given up.
		{"http.lowSpeedLimit", "1"}, {"http.lowSpeedTime", "60"},
		// Unpacking would renew the time of objects that the clone has too.
		{"fetch.unpackLimit", "1"},
	}
	return append(own, list...), nil
}

// readSettings reads the person's settings whose key matches.
func readSettings(ctx context.Context, dir, pattern string) ([]setting, error) {
	c := command{doing: "reading git's configuration", dir: dir, reads: persons,
		args: []string{"config", "-z", "--get-regexp", pattern}}
	out, err := c.run(ctx)
	if err != nil && !exited(err, 1) {
		return nil, err
	}
	var list []setting
	f := fields{rest: out}
	for len(f.rest) > 0 {
		key, value, ok := strings.Cut(f.next(), "\n")
		if !ok {
			value = "true" // "key" alone on its line
		}
		list = append(list, setting{key, value})
	}
	return list, nil
}

// settingsEnv hands settings to git by environment.
func settingsEnv(list []setting) []string {
	env := []string{"GIT_CONFIG_COUNT=" + strconv.Itoa(len(list))}
	for i, s := range list {
		n := strconv.Itoa(i)
		env = append(env, "GIT_CONFIG_KEY_"+n+"="+s.key, "GIT_CONFIG_VALUE_"+n+"="+s.value)
	}
	return env
}

func has(list []setting, key string) bool {
	for _, s := range list {
		if strings.EqualFold(s.key, key) {
			return true
		}
	}
	return false
}

// withoutPassword drops the user part of a URL, which may hold a token.
func withoutPassword(url string) string {
	scheme, rest, ok := strings.Cut(url, "://")
	if !ok {
		return url
	}
	host, path, _ := strings.Cut(rest, "/")
	return scheme + "://" + host[strings.LastIndexByte(host, '@')+1:] + "/" + path
}
