package opencode

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mrv-dev/mrv/engine/agent"
	"github.com/mrv-dev/mrv/engine/agent/opencode/scripted"
	"github.com/mrv-dev/mrv/engine/review"
)

// TestOneServerManySessions: eight reviewers and a coordinator at once on one
// server; each gets its own answer.
func TestOneServerManySessions(t *testing.T) {
	a, p := shared(t)
	p.Requests()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			sp := spec("second")
			sp.Reviewer = fmt.Sprintf("quality-%d", i)
			got := once(t, a, sp, fmt.Sprintf("reviewer %d", i))
			if got.failure != nil || got.Text != fmt.Sprintf("turn 1 of %q", fmt.Sprintf("reviewer %d", i)) {
				t.Errorf("reviewer %d: %q, %v", i, got.Text, got.failure)
			}
		})
	}
	all.Wait()
}

// TestTurn is a whole turn: what is sent, what is told, what comes back.
func TestTurn(t *testing.T) {
	a, p := shared(t)
	s, err := a.Open(t.Context(), spec("reader"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	got := ask(t, t.Context(), s, agent.Turn{Prefix: "the change\n", Text: "the persona"})
	if got.failure != nil {
		t.Fatal(got.failure)
	}
	if want := (review.Model{Provider: scripted.ID, ID: "reader"}); got.Model != want || got.Finish != "stop" || got.Steps != 4 {
		t.Errorf("model %v, finish %q, steps %d", got.Model, got.Finish, got.Steps)
	}
	if got.Usage.Price != review.PriceKnown || got.Usage.CostUSD == 0 || got.Usage.Input == 0 || got.Usage.Output == 0 {
		t.Errorf("usage %+v", got.Usage)
	}
	for _, want := range []string{"return a - b", "pkg/add.go"} {
		if !strings.Contains(got.Text, want) {
			t.Errorf("the tools' results lack %q:\n%s", want, got.Text)
		}
	}
	var titles []string
	for _, tool := range got.tools() {
		titles = append(titles, tool.Name+" "+tool.Title)
	}
	if want := []string{"read pkg/add.go:1-3", "grep func Add in pkg", "glob **/*.go"}; !slices.Equal(titles, want) {
		t.Errorf("tools %q, want %q", titles, want)
	}
	if i := slices.IndexFunc(got.updates, func(u agent.Update) bool { return u.Kind == agent.UpModel }); i < 0 || got.updates[i].Variant != "max" {
		t.Errorf("no update told the model at effort max: %v", got.kinds())
	}
	for _, r := range p.Requests() {
		if r.Model != "reader" {
			continue
		}
		if r.Prompt != "the change\n\nthe persona" || r.Effort != "max" {
			t.Errorf("the provider got prompt %q at effort %q", r.Prompt, r.Effort)
		}
		slices.Sort(r.Tools)
		if want := []string{"glob", "grep", "read"}; !slices.Equal(r.Tools, want) {
			t.Errorf("tools offered: %q, want %q", r.Tools, want)
		}
		if !strings.HasPrefix(r.System, reviewerSystem) {
			t.Errorf("system text %q", r.System)
		}
	}
}

// TestSecondTurn: a second prompt in the same session goes on where the first
// ended, and is not taken for it.
func TestSecondTurn(t *testing.T) {
	a, _ := shared(t)
	s, err := a.Open(t.Context(), spec("second"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	for i, text := range []string{"first", "second", "third"} {
		got := ask(t, t.Context(), s, agent.Turn{Text: text})
		if want := fmt.Sprintf("turn %d of %q", i+1, text); got.Text != want || got.failure != nil {
			t.Fatalf("got %q, %v, want %q", got.Text, got.failure, want)
		}
	}
}

// TestStructured: the judge gets its JSON, in a session without other tools.
func TestStructured(t *testing.T) {
	a, p := shared(t)
	sp := spec("structured")
	sp.Reviewer, sp.ReadOnlyTools = "coordinator", false
	s, err := a.Open(t.Context(), sp)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	schema := `{"type":"object","properties":{"summary":{"type":"string"},"groups":{"type":"array","items":{"type":"string"}}},"required":["summary","groups"]}`
	got := ask(t, t.Context(), s, agent.Turn{Text: "judge", Schema: []byte(schema)})
	var out struct {
		Summary string
		Groups  []string
	}
	if err := json.Unmarshal(got.Structured, &out); err != nil || out.Summary != "scripted" || got.failure != nil {
		t.Fatalf("structured %q (%v), failure %v", got.Structured, err, got.failure)
	}
	for _, r := range p.Requests() {
		if r.Model == "structured" && !slices.Equal(r.Tools, []string{structuredTool}) {
			t.Errorf("tools offered to the judge: %q", r.Tools)
		}
	}
}
