package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/review"
)

// Person is what the person's own file may hold.
type Person struct {
	Agent    string        `yaml:"agent"`    // opencode, checks, direct:NAME, command:NAME
	Model    string        `yaml:"model"`    // provider/model
	Team     string        `yaml:"team"`     // quality:1,security:2
	Lang     review.Lang   `yaml:"lang"`     // en, zh
	Theme    string        `yaml:"theme"`    // auto, or a theme's name
	Effort   review.Effort `yaml:"effort"`   // low, medium, high, max
	Thinking *bool         `yaml:"thinking"` // default on
	Budget   float64       `yaml:"budget"`   // USD a run, 0 = none
	OpenCode string        `yaml:"opencode"` // path of the binary

	// Tiers maps strong, standard and light to models, tried in order.
	Tiers map[string]Models `yaml:"tiers"`
	// Coordinator is the coordinator's model chain.
	Coordinator Models `yaml:"coordinator"`
	// Personas sets a persona's model chain, effort or thinking.
	Personas map[string]Routing `yaml:"personas"`
	// PrivateProviders, when set, are the only ones that may see private code.
	PrivateProviders []string `yaml:"private_providers"`
	// Concurrency is how many sessions a provider takes at a time.
	Concurrency map[string]int `yaml:"concurrency"`
	// SameFamilyFirst prefers models of the same family in a chain.
	SameFamilyFirst bool              `yaml:"same_family_first"`
	Commands        map[string]CLI    `yaml:"commands"`
	Endpoints       map[string]Direct `yaml:"endpoints"`
	SARIF           []string          `yaml:"sarif"`
	Clocks          Clocks            `yaml:"clocks"`
	Keys            map[string]Models `yaml:"keys"` // action: keys
	ASCII           bool              `yaml:"ascii"`
	Bell            *bool             `yaml:"bell"`
}

// Routing is how one persona is answered.
type Routing struct {
	Model    Models        `yaml:"model"`
	Effort   review.Effort `yaml:"effort"`
	Thinking *bool         `yaml:"thinking"`
	Agent    string        `yaml:"agent"`
}

// CLI is a command that reads a prompt on stdin and answers on stdout.
type CLI struct {
	Run     []string `yaml:"run"`     // argv
	Env     []string `yaml:"env"`     // names of variables it may see
	Home    []string `yaml:"home"`    // paths under HOME it needs for its login
	Format  string   `yaml:"format"`  // text or jsonl
	Windows int      `yaml:"context"` // tokens it can read, 0 = unknown
}

// Direct is an OpenAI-compatible endpoint.
type Direct struct {
	BaseURL string `yaml:"base_url"`
	KeyEnv  string `yaml:"key_env"` // name of the variable that holds the key
	Model   string `yaml:"model"`
	Context int    `yaml:"context"` // tokens, 0 = unknown
	Output  int    `yaml:"output"`
}

// Clocks are limits in time; zero means the built-in.
type Clocks struct {
	Run       Duration `yaml:"run"`
	Reviewer  Duration `yaml:"reviewer"`
	FirstByte Duration `yaml:"first_byte"`
	Silence   Duration `yaml:"silence"`
}

// Project is what a project's file may hold.
type Project struct {
	Team      string          `yaml:"team"`
	Lang      review.Lang     `yaml:"lang"`
	Sensitive []string        `yaml:"sensitive"` // globs, beside the built-in ones
	Exclude   []string        `yaml:"exclude"`   // globs that are not reviewed
	Include   []string        `yaml:"include"`   // globs that are, whatever the filters say
	MaxFileKB int             `yaml:"max_file_kb"`
	Contracts []string        `yaml:"contracts"` // globs of files a judgment can rest on
	Rules     []string        `yaml:"rules"`     // the same, as text
	Blocking  review.Severity `yaml:"blocking"`
	// Publishers are the logins whose marked comments count.
	Publishers []string `yaml:"publishers"`
	Gate       Gate     `yaml:"gate"`
}

// Gate is the project's gate, read from the default branch.
type Gate struct {
	Branches     []string `yaml:"branches"`       // allowed target branches, globs
	Checks       []string `yaml:"checks"`         // required checks, beside the branch's own
	AllowAuthor  bool     `yaml:"allow_author"`   // the author may have triaged
	TaskPath     string   `yaml:"task_path"`      // the task card's path, with {pr}, {branch} or {id}
	TaskField    string   `yaml:"task_field"`     // front matter field with its state; default "status"
	TaskStates   []string `yaml:"task_states"`    // states in which it may be merged; empty = no card is asked for
	NoBreakGlass bool     `yaml:"no_break_glass"` // a "break glass" comment does not count
}

// Models is one or more strings, written as a scalar or a list.
type Models []string

// UnmarshalYAML accepts both forms.
func (m *Models) UnmarshalYAML(decode func(any) error) error {
	var one string
	if err := decode(&one); err == nil {
		*m = nil
		if one != "" {
			*m = Models{one}
		}
		return nil
	}
	var many []string
	if err := decode(&many); err != nil {
		return err
	}
	*m = many
	return nil
}

// Duration is a time written as "5m" or "90s".
type Duration time.Duration

// UnmarshalYAML reads a duration.
func (d *Duration) UnmarshalYAML(decode func(any) error) error {
	var s string
	if err := decode(&s); err != nil {
		return err
	}
	x, err := time.ParseDuration(s)
	if err != nil || x < 0 {
		return fmt.Errorf("%q is no duration; write it like 5m or 90s", s)
	}
	*d = Duration(x)
	return nil
}

// ParseModel reads provider/model; the model may contain slashes.
func ParseModel(s string) (review.Model, error) {
	p, id, ok := strings.Cut(strings.TrimSpace(s), "/")
	if !ok || p == "" || id == "" {
		return review.Model{}, fmt.Errorf("%q is no model: write it as provider/model", s)
	}
	return review.Model{Provider: p, ID: id}, nil
}

// Tiers lists the model tiers a persona may name.
func Tiers() []string { return []string{"strong", "standard", "light"} }

// Efforts lists the efforts.
func Efforts() []review.Effort {
	return []review.Effort{review.EffortLow, review.EffortMedium, review.EffortHigh, review.EffortMax}
}

// Models lists every model that the file names, each once.
func (p Person) Models() []string {
	all := append([]string{p.Model}, p.Coordinator...)
	for _, tier := range Tiers() {
		all = append(all, p.Tiers[tier]...)
	}
	for _, name := range slices.Sorted(maps.Keys(p.Personas)) {
		all = append(all, p.Personas[name].Model...)
	}
	var out []string
	for _, m := range all {
		if strings.Contains(m, "/") && !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	return out
}

// check validates what the YAML types can not.
func (p *Person) check() error {
	if p.Lang != "" && p.Lang != review.English && p.Lang != review.Chinese {
		return fmt.Errorf("lang: %q is not known; use en or zh", p.Lang)
	}
	if p.Effort != "" && !slices.Contains(Efforts(), p.Effort) {
		return fmt.Errorf("effort: %q is not known; use one of %v", p.Effort, Efforts())
	}
	if p.Budget < 0 {
		return fmt.Errorf("budget: %s is below zero", strconv.FormatFloat(p.Budget, 'g', -1, 64))
	}
	if err := p.checkModels(); err != nil {
		return err
	}
	if err := p.checkAgents(); err != nil {
		return err
	}
	for name, c := range p.Commands {
		if len(c.Run) == 0 {
			return fmt.Errorf("commands.%s: run is empty", name)
		}
		if c.Format != "" && c.Format != "text" && c.Format != "jsonl" {
			return fmt.Errorf("commands.%s.format: %q is not known; use text or jsonl", name, c.Format)
		}
	}
	for name, e := range p.Endpoints {
		if e.BaseURL == "" || e.Model == "" {
			return fmt.Errorf("endpoints.%s: base_url and model are needed", name)
		}
	}
	for provider, n := range p.Concurrency {
		if n < 1 {
			return fmt.Errorf("concurrency.%s: %d is below one", provider, n)
		}
	}
	return nil
}

// checkAgents looks at every place that names who answers.
func (p *Person) checkAgents() error {
	agents := map[string]string{"agent": p.Agent}
	for name, r := range p.Personas {
		agents["personas."+name+".agent"] = r.Agent
	}
	for _, key := range slices.Sorted(maps.Keys(agents)) {
		kind, name, _ := strings.Cut(agents[key], ":")
		_, endpoint := p.Endpoints[name]
		_, command := p.Commands[name]
		switch {
		case agents[key] == "", agents[key] == "opencode", agents[key] == "checks", kind == "direct" && endpoint, kind == "command" && command:
		case kind == "direct":
			return fmt.Errorf("%s: there is no %q among the endpoints of this file", key, name)
		case kind == "command":
			return fmt.Errorf("%s: there is no %q among the commands of this file", key, name)
		default:
			return fmt.Errorf("%s: %q is not known; use opencode, checks, direct:NAME or command:NAME", key, agents[key])
		}
	}
	return nil
}

// checkModels looks at every place that names a model.
func (p *Person) checkModels() error {
	chains := map[string]Models{"model": {p.Model}, "coordinator": p.Coordinator}
	for name, chain := range p.Tiers {
		if !slices.Contains(Tiers(), name) {
			return fmt.Errorf("tiers.%s: %[1]q is not a tier; use one of %v", name, Tiers())
		}
		chains["tiers."+name] = chain
	}
	for name, r := range p.Personas {
		if r.Effort != "" && !slices.Contains(Efforts(), r.Effort) {
			return fmt.Errorf("personas.%s.effort: %q is not known; use one of %v", name, r.Effort, Efforts())
		}
		chains["personas."+name+".model"] = r.Model
	}
	for _, key := range slices.Sorted(maps.Keys(chains)) {
		for _, m := range chains[key] {
			if m == "" || slices.Contains(Tiers(), m) && strings.HasPrefix(key, "personas.") {
				continue
			}
			if _, err := ParseModel(m); err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
		}
	}
	return nil
}

func (p *Project) check() error {
	if p.Lang != "" && p.Lang != review.English && p.Lang != review.Chinese {
		return fmt.Errorf("lang: %q is not known; use en or zh", p.Lang)
	}
	if p.Blocking != "" && p.Blocking.Rank() == 0 {
		return fmt.Errorf("blocking: %q is not a severity; use one of %v", p.Blocking, review.Severities())
	}
	if p.MaxFileKB < 0 {
		return fmt.Errorf("max_file_kb: %d is below zero", p.MaxFileKB)
	}
	for _, g := range []struct {
		key   string
		globs []string
	}{{"exclude", p.Exclude}, {"include", p.Include}, {"sensitive", p.Sensitive}, {"contracts", p.Contracts}} {
		if _, err := diff.CompileGlobs(g.globs); err != nil {
			return fmt.Errorf("%s: %w", g.key, err)
		}
	}
	return nil
}
