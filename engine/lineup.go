package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mrv-dev/mrv/engine/agent/opencode"
	"github.com/mrv-dev/mrv/engine/config"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

// lineup is which agent answers, and what is known of its models.
type lineup struct {
	agent   string
	banner  string
	person  *opencode.Person
	idle    *opencode.Idle      // the server that was asked, nil for none
	catalog []opencode.Provider // what it said
	model   review.Model        // for everybody, when one is named
	unknown bool                // a plan only, and nothing tells which models
}

// lineup chooses the agent: the one named, else OpenCode if it is installed and
// a model can be told, else the checks where a person is there to see it.
func (o Options) lineup(ctx context.Context, team []event.Member) (*lineup, error) {
	l := &lineup{agent: o.Agent}
	if o.Model != "" {
		var err error
		if l.model, err = config.ParseModel(o.Model); err != nil {
			return nil, &UsageError{err}
		}
	}
	switch o.Agent {
	case AgentChecks:
		l.banner = checksBanner("")
		return l, nil
	case "", AgentOpenCode:
	default:
		if isOwn(o.Agent) {
			return l, nil
		}
		return nil, usage("--agent: %q is not known; use %s, %s, %s:NAME or %s:NAME", o.Agent, AgentOpenCode, AgentChecks, AgentDirect, AgentCommand)
	}
	err := l.openCode(ctx, o, team)
	if err == nil {
		l.agent = AgentOpenCode
		return l, nil
	}
	if o.PlanOnly {
		return &lineup{agent: AgentOpenCode, banner: err.Error(), unknown: true}, nil
	}
	if o.Agent == AgentOpenCode {
		return nil, &UsageError{err}
	}
	if !o.Interactive {
		return nil, usage("%w; or run the deterministic checks with --agent checks", err)
	}
	return &lineup{agent: AgentChecks, banner: checksBanner(err.Error())}, nil
}

func checksBanner(why string) string {
	s := "checks only: no model reads this change"
	if why != "" {
		s += " (" + why + ")"
	}
	return s
}

// openCode finds the server and the models the person can use.
func (l *lineup) openCode(ctx context.Context, o Options, team []event.Member) error {
	binary, err := findOpenCode(ctx, o)
	if err != nil {
		return err
	}
	if l.person, err = opencode.ReadPerson(o.getenv); err != nil {
		return err
	}
	providers := l.person.Providers()
	one := l.model.ID == "" && len(o.Person.Tiers) == 0
	switch {
	case !one:
		providers = l.providers(team, o)
	case len(providers) != 1:
		return noModel(providers)
	}
	if !o.NoServer {
		if l.idle, err = o.listing(ctx, binary, l.person, providers); err != nil {
			return fmt.Errorf("asking OpenCode for its models: %w", err)
		}
		l.catalog = l.idle.Providers()
	}
	if one {
		if err := l.onlyProvider(providers[0]); err != nil && l.idle != nil {
			return errors.Join(err, l.idle.Close())
		} else if err != nil {
			return err
		}
	}
	return nil
}

// listing is a server that has listed the models of some providers: the one of
// an earlier plan of the same change, or a new one.
func (o Options) listing(ctx context.Context, binary opencode.Binary, person *opencode.Person, providers []string) (*opencode.Idle, error) {
	if o.idle != nil {
		if o.idle.Lists(providers) {
			return o.idle, nil
		}
		if err := o.idle.Close(); err != nil {
			return nil, err
		}
	}
	return opencode.Start(ctx, opencode.CatalogConfig{
		Binary: binary, RunRoot: filepath.Join(o.Paths.Cache, "opencode"), Person: person, Only: providers, Timing: o.Timing,
	})
}

// providers lists those that a model of the team or of the coordinator is of,
// none as long as nothing names a model. Naming one is what allows it, also
// when nothing is set up for it.
func (l *lineup) providers(team []event.Member, o Options) []string {
	var models []review.Model
	for _, m := range team {
		if m.Agent == "" {
			m.Agent = AgentOpenCode
		}
		// What is wrong is said when the plan is filled in.
		if m.Skip == "" && l.assign(&m, o) == nil && m.Agent == AgentOpenCode {
			models = append(models, m.Models...)
		}
	}
	if c, err := l.coordinator(o); err == nil {
		models = append(models, c.Models...)
	}
	return providersOf(models)
}

// onlyProvider takes the newest model of the only provider with a key.
func (l *lineup) onlyProvider(id string) error {
	for _, p := range l.catalog {
		if p.ID == id && len(p.Models) > 0 {
			l.model = p.Models[0].Model
			return nil
		}
	}
	return fmt.Errorf("%w: name one of %s with --model or in config.yaml", ErrNoModel, id)
}

func noModel(providers []string) error {
	if len(providers) == 0 {
		return fmt.Errorf("%w: OpenCode has no provider with a key; run opencode auth login, or set a provider's variable, such as OPENAI_API_KEY (mrv doctor)", ErrNoModel)
	}
	return fmt.Errorf("%w: several providers have keys (%s); choose with --model PROVIDER/MODEL or in config.yaml", ErrNoModel, strings.Join(providers, ", "))
}

// assign gives a member its models, effort and what the model makes of it.
func (l *lineup) assign(m *event.Member, o Options) error {
	route := o.Person.Personas[m.Persona.Name]
	if route.Agent != "" {
		m.Agent = route.Agent
	}
	if isOwn(m.Agent) {
		return o.enlist(m)
	}
	if m.Agent != AgentOpenCode || l.unknown {
		return nil
	}
	chain := []string(route.Model)
	if len(chain) == 0 {
		chain = m.Persona.Model
	}
	var err error
	if m.Models, err = l.chain(chain, o); err != nil {
		return fmt.Errorf("%s: %w", m.Name, err)
	}
	m.Effort = firstOf(o.Effort, route.Effort, m.Persona.Effort, review.EffortMax)
	m.Thinking = true
	for _, t := range []*bool{m.Persona.Thinking, route.Thinking, o.Thinking} {
		if t != nil {
			m.Thinking = *t
		}
	}
	m.Variant = l.variant(m.Model(), m.Effort, m.Thinking)
	m.Window = l.window(m.Models)
	return nil
}

// window is the smallest context window of some models, 0 if none is known.
func (l *lineup) window(models []review.Model) (least int64) {
	for _, m := range models {
		if _, info, ok := l.info(m); ok && info.Context > 0 && (least == 0 || info.Context < least) {
			least = info.Context
		}
	}
	return least
}

func firstOf(efforts ...review.Effort) review.Effort {
	for _, e := range efforts {
		if e != "" {
			return e
		}
	}
	return ""
}

// chain turns tiers and names into models; --model goes before all.
func (l *lineup) chain(names []string, o Options) ([]review.Model, error) {
	if l.model.ID != "" {
		return []review.Model{l.model}, nil
	}
	if len(names) == 0 {
		names = []string{"standard"}
	}
	var out []review.Model
	for _, n := range names {
		list := []string{n}
		if slices.Contains(config.Tiers(), n) {
			if list = tier(o.Person.Tiers, n); len(list) == 0 {
				return nil, usage("no model for the tier %s: set tiers in your config.yaml", n)
			}
		}
		for _, s := range list {
			m, err := config.ParseModel(s)
			if err != nil {
				return nil, err
			}
			if !slices.Contains(out, m) {
				out = append(out, m)
			}
		}
	}
	if o.Person.SameFamilyFirst {
		familyFirst(out)
	}
	return out, nil
}

// familyFirst moves the models of the first one's family up, so that a chain
// stays within it as long as it can (Cloudflare walks within a family only).
func familyFirst(chain []review.Model) {
	if len(chain) < 3 {
		return
	}
	kin := family(chain[0])
	slices.SortStableFunc(chain[1:], func(a, b review.Model) int {
		switch ka, kb := family(a) == kin, family(b) == kin; {
		case ka && !kb:
			return -1
		case kb && !ka:
			return 1
		}
		return 0
	})
}

// family is a model's name without its version: glm of glm-5.1, claude-opus of
// claude-opus-4-7.
func family(m review.Model) string {
	name := m.ID[strings.LastIndexByte(m.ID, '/')+1:]
	if i := strings.IndexAny(name, "0123456789"); i > 0 {
		name = name[:i]
	}
	return strings.ToLower(strings.Trim(name, "-._"))
}

// tier is the person's models of a tier; a tier that is not set takes the
// nearest that is.
func tier(tiers map[string]config.Models, name string) []string {
	order := map[string][]string{
		"strong": {"strong", "standard", "light"}, "standard": {"standard", "strong", "light"}, "light": {"light", "standard", "strong"},
	}
	for _, n := range order[name] {
		if len(tiers[n]) > 0 {
			return tiers[n]
		}
	}
	return nil
}

// coordinator is the strongest model, without tools.
func (l *lineup) coordinator(o Options) (*event.Member, error) {
	names := []string(o.Person.Coordinator)
	if len(names) == 0 {
		names = []string{"strong"}
	}
	models, err := l.chain(names, o)
	if err != nil {
		return nil, fmt.Errorf("the coordinator: %w", err)
	}
	m := &event.Member{Name: event.Coordinator, Agent: AgentOpenCode, Models: models, Effort: firstOf(o.Effort, review.EffortMax), Thinking: true}
	if o.Thinking != nil {
		m.Thinking = *o.Thinking
	}
	m.Variant = l.variant(m.Model(), m.Effort, m.Thinking)
	return m, nil
}

func (l *lineup) info(m review.Model) (opencode.Provider, opencode.ModelInfo, bool) {
	for _, p := range l.catalog {
		for _, i := range p.Models {
			if i.Model == m {
				return p, i, true
			}
		}
	}
	return opencode.Provider{}, opencode.ModelInfo{}, false
}

func (l *lineup) variant(m review.Model, e review.Effort, thinking bool) string {
	_, info, ok := l.info(m)
	if !ok {
		return ""
	}
	return opencode.Variant(info.Variants, e, thinking)
}
