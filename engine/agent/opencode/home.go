package opencode

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// homeEnv points everything that OpenCode keeps below one directory.
func homeEnv(home string) []string {
	return []string{
		"HOME=" + home,
		"XDG_CONFIG_HOME=" + filepath.Join(home, "config"),
		"XDG_DATA_HOME=" + filepath.Join(home, "data"),
		"XDG_CACHE_HOME=" + filepath.Join(home, "cache"),
		"XDG_STATE_HOME=" + filepath.Join(home, "state"),
		"TMPDIR=" + filepath.Join(home, "tmp"),
	}
}

// seedHome makes a home in which OpenCode finds its plugin package declared
// and locked, so that it installs nothing.
func seedHome(home string) error {
	conf := filepath.Join(home, "config", "opencode")
	for _, d := range []string{filepath.Join(conf, "node_modules"), filepath.Join(home, "data"),
		filepath.Join(home, "cache"), filepath.Join(home, "state"), filepath.Join(home, "tmp")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return fmt.Errorf("make a home for OpenCode: %w", err)
		}
	}
	for name, text := range map[string]string{
		"package.json":      `{"dependencies":{"@opencode-ai/plugin":"*"}}`,
		"package-lock.json": `{"lockfileVersion":3,"packages":{"":{"dependencies":{"@opencode-ai/plugin":"*"}}}}`,
		".gitignore":        "*\n",
	} {
		if err := os.WriteFile(filepath.Join(conf, name), []byte(text), 0o600); err != nil {
			return fmt.Errorf("make a home for OpenCode: %w", err)
		}
	}
	return nil
}

// switches turn off all that the server would do by itself: load what the
// directory says, fetch, install, update, share, keep. Not every hole has a
// switch; the snapshot closes the rest.
var switches = []string{
	"OPENCODE_DISABLE_PROJECT_CONFIG=1",
	"OPENCODE_PURE=1",
	"OPENCODE_DISABLE_EXTERNAL_SKILLS=1",
	"OPENCODE_DISABLE_CLAUDE_CODE=1",
	"OPENCODE_DISABLE_MODELS_FETCH=1",
	"OPENCODE_DISABLE_AUTOUPDATE=1",
	"OPENCODE_DISABLE_SHARE=1",
	"OPENCODE_DISABLE_LSP_DOWNLOAD=1",
	"OPENCODE_DISABLE_EMBEDDED_WEB_UI=1",
	"OPENCODE_DISABLE_AUTOCOMPACT=1",
	"OPENCODE_DISABLE_PRUNE=1",
	"OPENCODE_DISABLE_FFF=1", // an index of all files, for a search box
	"OPENCODE_EXPERIMENTAL_DISABLE_FILEWATCHER=1",
	"OPENCODE_DB=:memory:",
	"OPENCODE_CLIENT=mrv",
	"npm_config_offline=true",
	"GIT_CONFIG_NOSYSTEM=1",
	"GIT_CONFIG_GLOBAL=/dev/null",
}

// passed are the person's own variables that a provider's connection needs.
var passed = []string{
	"LANG", "LC_ALL", "TZ",
	"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
}

// tools are the programs that the server runs, as absolute paths.
type tools struct {
	git string
	rg  string // "" = grep and glob do not work
}

// findTools looks for git and ripgrep on the person's PATH; ripgrep also where
// the person's own OpenCode keeps one.
func findTools(lookup func(string) string) (tools, error) {
	t := tools{git: lookPath("git", lookup("PATH")), rg: lookPath("rg", lookup("PATH"))}
	if t.git == "" {
		return t, fmt.Errorf("OpenCode needs git: %w", exec.ErrNotFound)
	}
	if t.rg == "" {
		cache := lookup("XDG_CACHE_HOME")
		if !filepath.IsAbs(cache) {
			cache = filepath.Join(lookup("HOME"), ".cache")
		}
		if p := filepath.Join(cache, "opencode", "bin", "rg"); executable(p) {
			t.rg = p
		}
	}
	return t, nil
}

// path is the server's PATH: the directories of its tools and the system's.
func (t tools) path() string {
	dirs := []string{filepath.Dir(t.git)}
	if t.rg != "" {
		dirs = append(dirs, filepath.Dir(t.rg))
	}
	for _, d := range []string{"/usr/local/bin", "/usr/bin", "/bin"} {
		if !slices.Contains(dirs, d) {
			dirs = append(dirs, d)
		}
	}
	return strings.Join(dirs, string(filepath.ListSeparator))
}

// serverEnv is the whole environment of a server.
func serverEnv(d *runDir, c Config, t tools, password string, lookup func(string) string) []string {
	// What the person names comes first: none of it may undo what follows.
	env := append(slices.Clone(c.Hand.Env), homeEnv(filepath.Join(d.path, "home"))...)
	env = append(env, switches...)
	if !c.Hand.Plugins {
		env = append(env, "OPENCODE_DISABLE_DEFAULT_PLUGINS=1")
	}
	env = append(env,
		"PATH="+t.path(),
		"OPENCODE_CONFIG="+filepath.Join(d.path, "opencode.json"),
		"OPENCODE_SERVER_PASSWORD="+password,
	)
	if len(c.Hand.Auth) > 0 {
		env = append(env, "OPENCODE_AUTH_CONTENT="+mustJSON(c.Hand.Auth))
	}
	if c.Hand.ownOnly() {
		env = append(env, "OPENCODE_MODELS_PATH="+filepath.Join(d.path, modelsFile))
	}
	for _, n := range passed {
		if v := lookup(n); v != "" {
			env = append(env, n+"="+v)
		}
	}
	return env
}

// modelsFile is an empty catalogue, for a server whose providers are all the
// person's own: it spares the server more than a second of processor time over
// models that it does not use.
const modelsFile = "models.json"
