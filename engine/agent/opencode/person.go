package opencode

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Person is what the person at the keyboard has set up for their own OpenCode,
// as far as it is about providers. It is read, never written.
type Person struct {
	auth     map[string]authEntry
	blocks   map[string]map[string]any // of opencode.json(c)
	files    map[string]string         // block -> directory its {file:...} are relative to
	disabled map[string]bool
	only     []string            // enabled_providers, nil = all
	reads    map[string][]string // provider -> environment variables
	lookup   func(string) string
	home     string
}

// authEntry is an entry of auth.json, with what decides about it.
type authEntry struct {
	Type    string `json:"type"` // api, oauth, wellknown
	Expires int64  `json:"expires"`
	raw     map[string]any
}

// ReadPerson reads the person's auth.json and provider blocks. lookup is
// os.Getenv, or a test's. Files that are not there are no error.
func ReadPerson(lookup func(string) string) (*Person, error) {
	p := &Person{
		auth: map[string]authEntry{}, blocks: map[string]map[string]any{}, files: map[string]string{},
		disabled: map[string]bool{}, reads: environment(), lookup: lookup, home: lookup("HOME"),
	}
	if err := p.readAuth(filepath.Join(p.dir("XDG_DATA_HOME", ".local/share"), "opencode", "auth.json")); err != nil {
		return nil, err
	}
	conf := filepath.Join(p.dir("XDG_CONFIG_HOME", ".config"), "opencode")
	paths := []string{
		filepath.Join(conf, "config.json"), filepath.Join(conf, "opencode.json"), filepath.Join(conf, "opencode.jsonc"),
	}
	if own := lookup("OPENCODE_CONFIG"); own != "" {
		paths = append(paths, own)
	}
	for _, path := range paths { // the later ones win, as in OpenCode itself
		if err := p.readConfig(path); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// dir is an XDG directory; OpenCode uses the Linux defaults on macOS as well.
func (p *Person) dir(env, fallback string) string {
	if d := p.lookup(env); filepath.IsAbs(d) {
		return d
	}
	return filepath.Join(p.home, fallback)
}

func (p *Person) readAuth(path string) error {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read OpenCode's credentials: %w", err)
	}
	var raw map[string]map[string]any
	if err := json.Unmarshal(b, &raw); err != nil {
		return fmt.Errorf("read OpenCode's credentials: %s: %w", path, err)
	}
	for id, m := range raw {
		e := authEntry{raw: m}
		e.Type, _ = m["type"].(string)
		if f, ok := m["expires"].(float64); ok {
			e.Expires = int64(f)
		}
		p.auth[id] = e
	}
	return nil
}

func (p *Person) readConfig(path string) error {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read OpenCode's configuration: %w", err)
	}
	var c struct {
		Provider map[string]map[string]any `json:"provider"`
		Disabled []string                  `json:"disabled_providers"`
		Enabled  []string                  `json:"enabled_providers"`
	}
	if err := json.Unmarshal(plainJSON(b), &c); err != nil {
		return fmt.Errorf("read OpenCode's configuration: %s: %w", path, err)
	}
	for id, block := range c.Provider {
		p.blocks[id] = merge(p.blocks[id], block)
		p.files[id] = filepath.Dir(path)
	}
	for _, id := range c.Disabled {
		p.disabled[id] = true
	}
	if c.Enabled != nil {
		p.only = c.Enabled
	}
	return nil
}

// Providers lists, sorted, the providers that the person has something for: a
// key in auth.json, a block, or an environment variable that the provider
// reads. Whether it is enough only the server can say: see Catalog.
func (p *Person) Providers() []string {
	ids := map[string]bool{}
	for id := range p.auth {
		ids[id] = true
	}
	for id := range p.blocks {
		ids[id] = true
	}
	for id, names := range p.reads {
		for _, n := range names {
			if p.lookup(n) != "" {
				ids[id] = true
			}
		}
	}
	maps.DeleteFunc(ids, func(id string, _ bool) bool {
		return p.disabled[id] || p.only != nil && !slices.Contains(p.only, id)
	})
	return slices.Sorted(maps.Keys(ids))
}

// Handover is what a server gets of the person's set-up: what the named
// providers need and nothing else.
type Handover struct {
	// Auth is the content of the server's auth.json, by provider.
	Auth map[string]map[string]any
	// Blocks are the provider blocks, with every value of their options
	// replaced by the name of an environment variable.
	Blocks map[string]map[string]any
	// Env are the environment variables, NAME=VALUE.
	Env []string
	// Plugins says that the server needs its built-in plugins, which log in
	// by OAuth.
	Plugins bool
	// Subscription holds the providers that are paid by subscription.
	Subscription map[string]bool
	// Left says what was not handed over, and why.
	Left []Left

	providers []string
	missing   map[string]bool
}

// Left is a credential that stays with the person.
type Left struct {
	Provider string
	Reason   string
}

func (h Handover) names() []string { return h.providers }

// nothing reports whether the person has nothing at all for a provider.
func (h Handover) nothing(provider string) bool { return h.missing[provider] }

// ownOnly reports whether every provider is one that the person describes in
// whole and the server's catalogue does not have: then nothing of it is used.
func (h Handover) ownOnly() bool {
	known := environment()
	return len(h.providers) > 0 && !slices.ContainsFunc(h.providers, func(id string) bool {
		block := h.Blocks[id]
		return known[id] != nil || block["npm"] == nil || block["models"] == nil
	})
}

// For selects what the named providers need. An OAuth login is handed over
// only if it lasts until then: a refresh in the server's copy could log the
// person out.
func (p *Person) For(providers []string, until time.Time) (Handover, error) {
	h := Handover{
		Auth: map[string]map[string]any{}, Blocks: map[string]map[string]any{}, Subscription: map[string]bool{},
		providers: slices.Compact(slices.Sorted(slices.Values(providers))), missing: map[string]bool{},
	}
	env := map[string]string{}
	has := p.Providers()
	for _, id := range h.providers {
		if !slices.Contains(has, id) {
			h.missing[id] = true
			h.Left = append(h.Left, Left{id, p.noCredentials(id)})
			continue
		}
		p.handAuth(&h, id, until)
		for _, n := range p.reads[id] {
			if v := p.lookup(n); v != "" {
				env[n] = v
			}
		}
		if block := p.blocks[id]; block != nil {
			b, err := p.handBlock(block, p.files[id], env)
			if err != nil {
				return Handover{}, fmt.Errorf("provider %s in OpenCode's configuration: %w", id, err)
			}
			h.Blocks[id] = b
		}
	}
	for _, n := range slices.Sorted(maps.Keys(env)) {
		h.Env = append(h.Env, n+"="+env[n])
	}
	return h, nil
}

// noCredentials says what is missing for a provider, and how to get it.
func (p *Person) noCredentials(id string) string {
	how := "log in with OpenCode (opencode auth login)"
	if names := p.reads[id]; len(names) > 0 {
		how = "set " + strings.Join(names, " or ") + ", or " + how
	}
	return "there are no credentials for it; " + how
}

func (p *Person) handAuth(h *Handover, id string, until time.Time) {
	e, ok := p.auth[id]
	if !ok {
		return
	}
	switch e.Type {
	case "api":
		h.Auth[id] = e.raw
	case "oauth":
		if time.UnixMilli(e.Expires).Before(until) {
			h.Left = append(h.Left, Left{id, "its login ends before the run does; log in again with OpenCode first"})
			return
		}
		login := clone(e.raw)
		login["refresh"] = "" // the copy must not be able to renew it
		h.Auth[id], h.Plugins, h.Subscription[id] = login, true, true
	default:
		h.Left = append(h.Left, Left{id, "a login of type " + strconv.Quote(e.Type) + " is not handed over"})
	}
}

// secretPrefix begins the names of the environment variables that carry the
// values of provider blocks.
const secretPrefix = "MRV_PROVIDER_"

var (
	envRef  = regexp.MustCompile(`\{env:([^}]+)\}`)
	fileRef = regexp.MustCompile(`^\{file:([^}]+)\}$`)
)

// handBlock copies a provider block. Every text in its options travels by
// environment, so that no key is ever in a file; the variables that the block
// itself names are handed over by name.
func (p *Person) handBlock(block map[string]any, dir string, env map[string]string) (map[string]any, error) {
	out := clone(block)
	for _, m := range envRef.FindAllStringSubmatch(mustJSON(out), -1) {
		if v := p.lookup(m[1]); v != "" {
			env[m[1]] = v
		}
	}
	options, ok := out["options"].(map[string]any)
	if !ok {
		return out, nil
	}
	moved, err := p.moveTexts(options, dir, env)
	out["options"] = moved
	return out, err
}

func (p *Person) moveTexts(v any, dir string, env map[string]string) (any, error) {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) { // two hand-overs of the same are equal
			m, err := p.moveTexts(v[k], dir, env)
			if err != nil {
				return nil, err
			}
			v[k] = m
		}
	case []any:
		for i, e := range v {
			m, err := p.moveTexts(e, dir, env)
			if err != nil {
				return nil, err
			}
			v[i] = m
		}
	case string:
		if m := fileRef.FindStringSubmatch(v); m != nil {
			text, err := p.readRef(m[1], dir)
			if err != nil {
				return nil, err
			}
			v = text
		} else if envRef.MatchString(v) {
			return v, nil
		}
		// The server puts the value into the text of its configuration.
		quoted, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		name := secretPrefix + strconv.Itoa(len(env))
		env[name] = string(quoted[1 : len(quoted)-1])
		return "{env:" + name + "}", nil
	}
	return v, nil
}

// readRef reads the file of a {file:...}: absolute, from home, or beside the
// configuration.
func (p *Person) readRef(path, dir string) (string, error) {
	switch {
	case strings.HasPrefix(path, "~/"):
		path = filepath.Join(p.home, path[2:])
	case !filepath.IsAbs(path):
		path = filepath.Join(dir, path)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read the file it names: %w", err)
	}
	return strings.TrimSpace(string(b)), nil
}
