package opencode

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"
)

// TestServerContract compares what this package uses of the server with the
// server's own description of itself.
func TestServerContract(t *testing.T) {
	a, _ := shared(t)
	type schema struct {
		Properties map[string]json.RawMessage
	}
	var doc struct {
		Paths      map[string]map[string]json.RawMessage
		Components struct{ Schemas map[string]schema }
	}
	if err := a.server.client.call(t.Context(), http.MethodGet, "/doc", nil, &doc); err != nil {
		t.Fatal(err)
	}
	for path, methods := range map[string][]string{
		"/event":                                   {"get"},
		"/config/providers":                        {"get"},
		"/api/model":                               {"get"},
		"/session":                                 {"post"},
		"/session/status":                          {"get"},
		"/session/{sessionID}":                     {"delete"},
		"/session/{sessionID}/abort":               {"post"},
		"/session/{sessionID}/prompt_async":        {"post"},
		"/session/{sessionID}/message":             {"get"},
		"/session/{sessionID}/message/{messageID}": {"get"},
	} {
		for _, m := range methods {
			if doc.Paths[path][m] == nil {
				t.Errorf("the server has no %s %s", m, path)
			}
		}
	}
	for name, fields := range map[string][]string{
		"AssistantMessage":   {"id", "sessionID", "role", "providerID", "modelID", "summary", "finish", "error", "structured"},
		"TextPart":           {"id", "sessionID", "messageID", "type", "text", "time"},
		"ReasoningPart":      {"id", "type", "text", "time"},
		"ToolPart":           {"id", "type", "tool", "state"},
		"ToolStateCompleted": {"status", "input", "title", "output"},
		"ToolStateError":     {"status", "input", "error"},
		"StepFinishPart":     {"id", "type", "reason", "cost", "tokens"},
		"Provider":           {"id", "name", "source", "env", "options", "models"},
		"Model":              {"id", "name", "status", "release_date", "capabilities", "api", "cost", "limit", "variants"},
	} {
		s, ok := doc.Components.Schemas[name]
		if !ok {
			t.Errorf("the server has no %s", name)
			continue
		}
		for _, f := range fields {
			if s.Properties[f] == nil {
				t.Errorf("%s has no %s", name, f)
			}
		}
	}
	var body struct {
		RequestBody struct {
			Content map[string]struct{ Schema schema }
		}
	}
	if err := json.Unmarshal(doc.Paths["/session/{sessionID}/prompt_async"]["post"], &body); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{"agent", "model", "variant", "format", "parts"} {
		if body.RequestBody.Content["application/json"].Schema.Properties[f] == nil {
			t.Errorf("a prompt has no %s", f)
		}
	}
	var agents []struct{ Name string }
	if err := a.server.client.call(t.Context(), http.MethodGet, "/agent", nil, &agents); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{reviewerAgent, coordinatorAgent} {
		if !slices.ContainsFunc(agents, func(a struct{ Name string }) bool { return a.Name == want }) {
			t.Errorf("there is no agent %s", want)
		}
	}
}
