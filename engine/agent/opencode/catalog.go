package opencode

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mrv-dev/mrv/engine/agent"
	"github.com/mrv-dev/mrv/engine/review"
)

// Provider is a provider that the person has credentials for.
type Provider struct {
	ID   string
	Name string
	// Source is where its credentials are: "env", "api" (auth.json) or
	// "config" (opencode.json).
	Source       string
	Subscription bool
	// Loopback says that it runs on this machine, BaseURL where.
	Loopback bool
	BaseURL  string      `json:",omitempty"`
	Models   []ModelInfo // newest first
}

// ModelInfo is what is known about a model. Prices are US dollars for a
// million tokens.
type ModelInfo struct {
	Model        review.Model
	Name         string
	Context      int64 // tokens; 0 = unknown
	Output       int64
	Input        float64
	OutputPrice  float64
	CacheRead    float64
	CacheWrite   float64
	Price        review.Price // whether the four above mean anything
	Variants     []string     // efforts it can be asked for
	Reasoning    bool
	Tools        bool
	Released     string // 2026-03-17, or ""
	Discontinued bool
}

// catalogProvider is a provider as GET /config/providers has it.
type catalogProvider struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Source  string   `json:"source"`
	Env     []string `json:"env"`
	Options struct {
		BaseURL string `json:"baseURL"`
	} `json:"options"`
	Models map[string]catalogModel `json:"models"`
}

type catalogModel struct {
	ID           string `json:"id"`
	Name         string `json:"name"`
	Status       string `json:"status"`
	ReleaseDate  string `json:"release_date"`
	Capabilities struct {
		Reasoning bool `json:"reasoning"`
		ToolCall  bool `json:"toolcall"`
	} `json:"capabilities"`
	API struct {
		URL string `json:"url"`
	} `json:"api"`
	Cost struct {
		Input  float64 `json:"input"`
		Output float64 `json:"output"`
		Cache  struct {
			Read  float64 `json:"read"`
			Write float64 `json:"write"`
		} `json:"cache"`
	} `json:"cost"`
	Limit struct {
		Context int64 `json:"context"`
		Output  int64 `json:"output"`
	} `json:"limit"`
	Variants map[string]any `json:"variants"`
}

type catalog []catalogProvider

// find looks a model up; the failure names what there is instead.
func (c catalog) find(m review.Model) (catalogModel, *review.Failure) {
	for _, p := range c {
		if p.ID != m.Provider {
			continue
		}
		if found, ok := p.Models[m.ID]; ok {
			return found, nil
		}
		ids := make([]string, 0, len(p.Models))
		for id := range p.Models {
			ids = append(ids, id)
		}
		slices.Sort(ids)
		return catalogModel{}, &review.Failure{Kind: review.FailModel,
			Message: fmt.Sprintf("provider %s has no model %q; it has: %s", p.ID, m.ID, strings.Join(ids, ", "))}
	}
	return catalogModel{}, &review.Failure{Kind: review.FailModel,
		Message: fmt.Sprintf("there are no credentials for provider %q (model %s)", m.Provider, m)}
}

// price says whether the model's cost is known. A model without a price in the
// catalogue has zeros there; whether it is free, nobody said.
func (m catalogModel) price(subscription bool) review.Price {
	switch {
	case subscription:
		return review.PriceSubscription
	case m.Cost.Input == 0 && m.Cost.Output == 0:
		return review.PriceUnknown
	}
	return review.PriceKnown
}

func (m catalogModel) variants() []string {
	keys := make([]string, 0, len(m.Variants))
	for k := range m.Variants {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(cmp.Compare(effortRank(a), effortRank(b)), cmp.Compare(a, b)) })
	return keys
}

// CatalogConfig is what Catalog and Start need.
type CatalogConfig struct {
	Binary  Binary
	RunRoot string
	Person  *Person
	// Only names the providers to list; none = all that the person has
	// something for. Naming one lists it although there is nothing for it, such
	// as OpenCode's own free models.
	Only   []string
	Timing Timing
}

// Catalog lists the providers that the person can use and their models. It
// starts a server with all that the person has, asks it, and ends it; no
// provider is contacted.
func Catalog(ctx context.Context, c CatalogConfig) ([]Provider, error) {
	i, err := Start(ctx, c)
	if err != nil {
		return nil, err
	}
	return i.Providers(), i.Close()
}

// public is the catalogue in the words of this package, sorted by provider.
func (c catalog) public(h Handover) []Provider {
	var out []Provider
	for _, p := range c {
		pub := Provider{
			ID: p.ID, Name: p.Name, Source: p.Source, Subscription: h.Subscription[p.ID],
		}
		if agent.Loopback(p.Options.BaseURL) {
			pub.Loopback, pub.BaseURL = true, p.Options.BaseURL
		}
		for id, m := range p.Models {
			if !pub.Loopback && agent.Loopback(m.API.URL) {
				pub.Loopback, pub.BaseURL = true, m.API.URL
			}
			pub.Models = append(pub.Models, ModelInfo{
				Model: review.Model{Provider: p.ID, ID: id}, Name: m.Name,
				Context: m.Limit.Context, Output: m.Limit.Output,
				Input: m.Cost.Input, OutputPrice: m.Cost.Output, CacheRead: m.Cost.Cache.Read, CacheWrite: m.Cost.Cache.Write,
				Price: m.price(pub.Subscription), Variants: m.variants(),
				Reasoning: m.Capabilities.Reasoning, Tools: m.Capabilities.ToolCall,
				Released: m.ReleaseDate, Discontinued: m.Status == "deprecated",
			})
		}
		slices.SortFunc(pub.Models, func(a, b ModelInfo) int {
			return cmp.Or(cmp.Compare(b.Released, a.Released), cmp.Compare(a.Model.ID, b.Model.ID))
		})
		out = append(out, pub)
	}
	slices.SortFunc(out, func(a, b Provider) int { return cmp.Compare(a.ID, b.ID) })
	return out
}
