package engine

import (
	"context"
	"maps"
	"slices"

	"github.com/mrv-dev/mrv/engine/agent/local"
	"github.com/mrv-dev/mrv/engine/agent/opencode"
	"github.com/mrv-dev/mrv/engine/config"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

// typical is about how many tokens a reviewer of a change of the largest size
// that is sent whole needs, its answer included.
func typical() int64 { return Tokens(inlineCap) + answerTokens }

// served notes what the model servers on this machine serve their reviewers,
// against what these need.
func (l *lineup) served(ctx context.Context, p *event.Plan, o Options) {
	need := map[review.Model]int64{}
	var models []review.Model
	for _, m := range p.Team {
		if model := m.Model(); m.Skip == "" && m.Parts > 0 {
			if need[model] == 0 {
				models = append(models, model)
			}
			need[model] = max(need[model], Tokens(m.Bytes/int64(m.Parts))+answerTokens)
		}
	}
	for _, m := range models {
		if w, ok := local.Ask(ctx, baseURL(m, l.catalog, o.Person), m.ID); ok {
			p.Notes = append(p.Notes, w.Against(m.ID, need[m]))
		}
	}
}

// Served says for each model of the person's on this machine what its server
// serves, against what a typical change needs; ok where that is enough.
func Served(ctx context.Context, providers []opencode.Provider, p config.Person) (lines []string, enough []bool) {
	say := func(base, model string) {
		if w, ok := local.Ask(ctx, base, model); ok {
			lines, enough = append(lines, w.Against(model, typical())), append(enough, w.Tokens >= typical())
		}
	}
	for _, provider := range providers {
		if provider.Loopback {
			for _, m := range provider.Models {
				say(provider.BaseURL, m.Model.ID)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Endpoints)) {
		say(p.Endpoints[name].BaseURL, p.Endpoints[name].Model)
	}
	return lines, enough
}

// baseURL is where a model on this machine is asked, "" for any other.
func baseURL(m review.Model, catalog []opencode.Provider, p config.Person) string {
	if kind, name := agentKind(m.Provider); kind == AgentDirect {
		return p.Endpoints[name].BaseURL
	}
	for _, provider := range catalog {
		if provider.ID == m.Provider {
			return provider.BaseURL
		}
	}
	return ""
}
