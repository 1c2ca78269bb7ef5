package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

// Question is something a person must answer before a run may begin.
type Question struct {
	Key  string // "provider:NAME" or "rules"
	Text string // what is asked, in a sentence
	Flag string // the flag that answers it without a terminal
	id   string // what is remembered
}

// consents are the answers that were given before, in the state directory.
type consents struct {
	path  string
	given []string
}

func loadConsents(state string) (*consents, error) {
	c := &consents{path: filepath.Join(state, "consents.json")}
	raw, err := os.ReadFile(c.path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, &c.given)
	}
	if err != nil {
		return nil, fmt.Errorf("reading what was allowed before: %w", err)
	}
	return c, nil
}

func (c *consents) has(id string) bool { return slices.Contains(c.given, id) }

func (c *consents) add(id string) error {
	if c.has(id) {
		return nil
	}
	c.given = append(c.given, id)
	raw, err := json.MarshalIndent(c.given, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(c.path), 0o700); err != nil {
		return fmt.Errorf("remembering what is allowed: %w", err)
	}
	if err := renameio.WriteFile(c.path, raw, 0o600); err != nil {
		return fmt.Errorf("remembering what is allowed: %w", err)
	}
	return nil
}

// questions lists what must be asked: once per repository and provider for
// code that is not public, and once per hash for a repository's own rules.
func (c *consents) questions(p event.Plan, o Options) ([]Question, error) {
	repo := repoKey(p.Change)
	var out []Question
	for _, s := range p.Sends {
		if s.Loopback || p.Change.Visibility == "public" {
			continue
		}
		if allow := o.Person.PrivateProviders; allow != nil && !slices.Contains(allow, s.Provider) {
			return nil, fmt.Errorf("%s is not among private_providers, and %s is not known to be public: choose another model, or add it in your config.yaml", s.Provider, repo)
		}
		id := "provider " + s.Provider + " " + repo
		if !slices.Contains(o.AllowProviders, s.Provider) && !c.has(id) {
			out = append(out, Question{Key: "provider:" + s.Provider, id: id, Flag: "--allow-provider " + s.Provider,
				Text: fmt.Sprintf("Send %s of %s to %s (%s)?", amount(s, p), repo, s.Provider, strings.Join(s.Models, ", "))})
		}
	}
	if h := p.Rules.Hash; h != "" && o.TrustRules != h && !(o.TrustRules == "base" && p.Rules.SHA != "") {
		id := "rules " + repo + " " + h
		if !c.has(id) {
			out = append(out, Question{Key: "rules", id: id, Flag: "--trust-rules " + h,
				Text: fmt.Sprintf("Use the review rules in .mrv/ of %s (%s@%s, hash %s)?", repo, p.Rules.Ref, event.Short(p.Rules.SHA), h[:12])})
		}
	}
	return out, nil
}

// amount says how much goes to a provider, and how much more should another
// one fail. What goes only to the coordinator is not known before.
func amount(s event.Send, p event.Plan) string {
	reserve := fmt.Sprintf("up to %d KB, should another provider fail,", kilobytes(s.Reserve))
	switch {
	case s.Bytes > 0 && s.Reserve > 0:
		return fmt.Sprintf("about %d KB, and %s", kilobytes(s.Bytes), reserve)
	case s.Bytes > 0:
		return fmt.Sprintf("about %d KB", kilobytes(s.Bytes))
	case s.Reserve > 0:
		return reserve
	}
	if p.Coordinator != nil && slices.ContainsFunc(p.Coordinator.Models, func(m review.Model) bool { return m.Provider == s.Provider }) {
		return "what the reviewers find, with its code,"
	}
	return "as much as another provider was to get, should that one fail,"
}

// repoKey names a repository for what is remembered about it. A patch without
// one is asked about by itself.
func repoKey(c event.Change) string {
	switch {
	case c.Owner != "":
		return strings.Join([]string{c.Host, c.Owner, c.Repo}, "/")
	case c.Dir != "":
		return c.Dir
	}
	return "patch " + c.Identity
}
