package scripted

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/mrv-dev/mrv/engine/review"
)

// ID is the provider's id in OpenCode's configuration, Key the key it wants.
const (
	ID  = "scripted"
	Key = "sk-scripted-0123456789"
)

// Scenario decides what a model says to a request.
type Scenario func(Request) Script

// Provider is a running provider.
type Provider struct {
	url    string
	server *http.Server
	done   chan struct{}

	mu        sync.Mutex
	scenarios map[string]Scenario
	requests  []Request
	tries     map[string]int
}

// TB is what Start needs of a *testing.T.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// Start runs a provider until the test ends.
func Start(t TB) *Provider {
	t.Helper()
	p, err := New()
	if err != nil {
		t.Fatalf("%v", err)
	}
	t.Cleanup(p.Close)
	return p
}

// New runs a provider on a free loopback port until Close.
func New() (*Provider, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start the scripted provider: %w", err)
	}
	p := &Provider{
		url: "http://" + l.Addr().String() + "/v1", done: make(chan struct{}),
		scenarios: builtin(), tries: map[string]int{},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", p.chat)
	// A request's context ends with the server: a hanging one does not hold
	// Close up.
	ctx, cancel := context.WithCancel(context.Background())
	p.server = &http.Server{Handler: mux, BaseContext: func(net.Listener) context.Context { return ctx }}
	p.server.RegisterOnShutdown(cancel)
	go func() {
		defer close(p.done)
		_ = p.server.Serve(l) // returns when closed
	}()
	return p, nil
}

// Close ends the provider and every answer that is still being given.
func (p *Provider) Close() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_ = p.server.Shutdown(ctx) // runs the hooks; nobody is waited for
	_ = p.server.Close()
	<-p.done
}

// URL is the base URL, http://127.0.0.1:PORT/v1.
func (p *Provider) URL() string { return p.url }

// Model names one of the provider's models.
func (p *Provider) Model(id string) review.Model { return review.Model{Provider: ID, ID: id} }

// Handle registers the scenario of a model, before the configuration is taken.
func (p *Provider) Handle(model string, s Scenario) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.scenarios[model] = s
}

// Models lists the ids of all models, sorted.
func (p *Provider) Models() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.scenarios))
}

// Requests returns what was asked so far, in order.
func (p *Provider) Requests() []Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.requests)
}

// Unpriced is a model without a price; it answers like "ok".
const Unpriced = "unpriced"

// ConfigJSON is an opencode.json with the provider's block: all models, with
// prices (1, 2 and 0.1 dollars for a million tokens in, out and cached), a
// context window of 128,000 tokens and the efforts low, high and max.
func (p *Provider) ConfigJSON() []byte {
	models := map[string]any{}
	for _, id := range p.Models() {
		m := map[string]any{
			"name": id, "tool_call": true, "reasoning": true,
			"limit": map[string]any{"context": 128000, "output": 8192},
			"cost":  map[string]any{"input": 1, "output": 2, "cache_read": 0.1},
			"variants": map[string]any{
				"low":  map[string]any{"reasoningEffort": "low"},
				"high": map[string]any{"reasoningEffort": "high"},
				"max":  map[string]any{"reasoningEffort": "max"},
				"off":  map[string]any{"thinking": map[string]any{"type": "disabled"}},
			},
		}
		if id == Unpriced {
			delete(m, "cost")
		}
		models[id] = m
	}
	b, err := json.MarshalIndent(map[string]any{"provider": map[string]any{ID: map[string]any{
		"npm": "@ai-sdk/openai-compatible", "name": "Scripted",
		"options": map[string]any{"baseURL": p.url, "apiKey": Key},
		"models":  models,
	}}}, "", "  ")
	if err != nil {
		panic("scripted: " + err.Error()) // plain maps always encode
	}
	return b
}

// Home writes the configuration where OpenCode's own stands below a person's
// home, and returns the home.
func (p *Provider) Home(home string) string {
	dir := filepath.Join(home, ".config", "opencode")
	err := errors.Join(
		os.MkdirAll(dir, 0o755),
		os.WriteFile(filepath.Join(dir, "opencode.json"), p.ConfigJSON(), 0o600),
	)
	if err != nil {
		panic("scripted: " + err.Error()) // a test's own directory
	}
	return home
}

// chat answers a request as its model's scenario says.
func (p *Provider) chat(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	if r.Header.Get("Authorization") != "Bearer "+Key {
		refuse(w, http.StatusUnauthorized, "invalid_api_key", "Incorrect API key provided.", nil)
		return
	}
	q, err := parse(body)
	if err != nil {
		refuse(w, http.StatusBadRequest, "invalid_request_error", err.Error(), nil)
		return
	}
	p.mu.Lock()
	p.tries[q.key]++
	q.Try = p.tries[q.key]
	p.requests = append(p.requests, q)
	s := p.scenarios[q.Model]
	p.mu.Unlock()
	if s == nil {
		refuse(w, http.StatusNotFound, "model_not_found", "The model `"+q.Model+"` does not exist", nil)
		return
	}
	out := &stream{w: w, ctx: r.Context(), model: q.Model, input: len(body) / 4}
	for _, step := range s(q) {
		if step(out); out.over {
			return
		}
	}
	out.finish("")
}
