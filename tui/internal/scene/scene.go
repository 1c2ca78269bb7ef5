// Package scene writes the events of a run by hand, for tests of the screen.
// The events are real ones, to be folded by the real State.
package scene

import (
	"fmt"
	"time"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

// Scene is a run being written: each call appends an event at its clock.
type Scene struct {
	ms     int64
	events []event.Event
	taken  int
}

// start is the wall clock at which every scene begins.
const start = "2026-11-30T09:00:00Z"

// New begins a run with a plan.
func New(p event.Plan) *Scene {
	s := &Scene{}
	return s.Add(event.Planned, "", p)
}

// Wait lets time pass.
func (s *Scene) Wait(ms int64) *Scene {
	s.ms += ms
	return s
}

// Now is the run's clock in milliseconds.
func (s *Scene) Now() int64 { return s.ms }

// Add appends an event of any kind. A scene is written by hand, so that data
// which cannot be written is a mistake in a test.
func (s *Scene) Add(kind event.Kind, reviewer string, data any) *Scene {
	e, err := event.New(kind, reviewer, 1, data)
	if err != nil {
		panic(err)
	}
	began, err := time.Parse(time.RFC3339, start)
	if err != nil {
		panic(err)
	}
	e.Seq = int64(len(s.events)) + 1
	e.TMS = s.ms
	e.Wall = event.Stamp(began.Add(time.Duration(s.ms) * time.Millisecond))
	s.events = append(s.events, e)
	return s
}

// Phase begins a phase.
func (s *Scene) Phase(p event.Phase) *Scene {
	return s.Add(event.PhaseChanged, "", event.PhaseData{Phase: p})
}

// Status sets what reviewers do.
func (s *Scene) Status(st event.Status, names ...string) *Scene {
	for _, n := range names {
		s.Add(event.StatusChanged, n, event.StatusData{Status: st})
	}
	return s
}

// Begin sends reviewers their prompt and has them run.
func (s *Scene) Begin(names ...string) *Scene {
	for _, n := range names {
		s.Add(event.TurnStarted, n, event.TurnData{Kind: event.TurnReview, Attempt: 1})
		s.Status(event.StatusRunning, n)
	}
	return s
}

// Say appends text of a reviewer to a part.
func (s *Scene) Say(name, part, text string) *Scene {
	return s.Add(event.TextAppended, name, event.TextData{Part: part, Text: text})
}

// Think appends thinking of a reviewer to a part.
func (s *Scene) Think(name, part, text string) *Scene {
	return s.Add(event.TextAppended, name, event.TextData{Part: part, Stream: "thinking", Text: text})
}

// Tool has a reviewer call a tool; status is running, completed or error.
func (s *Scene) Tool(name, id, tool, title, status string) *Scene {
	return s.Add(event.ToolCalled, name, review.Tool{ID: id, Name: tool, Title: title, Status: status})
}

// Spend adds tokens and dollars.
func (s *Scene) Spend(name string, in, out int64, usd float64) *Scene {
	return s.Add(event.UsageAdded, name, review.Usage{Input: in, Output: out, CostUSD: usd, Price: review.PriceKnown})
}

// Events is all that was written.
func (s *Scene) Events() []event.Event { return s.events }

// Next is what was written since the last call.
func (s *Scene) Next() []event.Event {
	out := s.events[s.taken:]
	s.taken = len(s.events)
	return out
}

// State folds all that was written.
func (s *Scene) State() *event.State {
	st, err := event.Fold(s.events)
	if err != nil {
		panic(err)
	}
	return st
}

// Team makes members named persona-n of one model.
func Team(m review.Model, effort review.Effort, names ...string) []event.Member {
	var team []event.Member
	for _, n := range names {
		team = append(team, event.Member{
			Name: n, Agent: "opencode", Models: []review.Model{m}, Effort: effort, Variant: string(effort),
			Persona: review.Persona{Name: n, Labels: map[review.Lang]review.LabelText{
				review.English: {Pass: "PASS", Concerns: "AT RISK", Block: "BLOCK"},
				review.Chinese: {Pass: "通过", Concerns: "有风险", Block: "阻塞"},
			}},
		})
	}
	return team
}

// Names makes n reviewers' names.
func Names(n int) []string {
	personas := []string{"quality", "security", "performance", "architecture", "documentation", "tests", "accessibility", "operations"}
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf("%s-%d", personas[i%len(personas)], i/len(personas)+1))
	}
	return out
}

// Plan is the plan of a pull request with a team.
func Plan(team []event.Member) event.Plan {
	return event.Plan{
		Run: "20261130-090000-acme-shop-123", Version: "1.0.0",
		Change: event.Change{
			Source: event.FromPR, Host: "github.com", Owner: "acme", Repo: "shop", Number: 123,
			Title: "Refund flow: idempotent capture", Author: "mara", BaseRef: "main", HeadRef: "refunds",
			BaseSHA: "3f9c2a1d0c5be1b7a8e9f00112233445566778899", HeadSHA: "8b1e07d2f4a6c8e0b2d4f6a8c0e2d4f6a8c0e2d4",
			Identity: "8b1e07d2f4a6c8e0b2d4f6a8c0e2d4f6a8c0e2d4", Visibility: "private",
		},
		Files: []event.PlanFile{
			{OldPath: "api/refund.go", NewPath: "api/refund.go", Status: "modified", Additions: 48, Deletions: 12, Hunks: 3, Reviewed: true},
			{OldPath: "store/postgres/ledger.go", NewPath: "store/postgres/ledger.go", Status: "modified", Additions: 19, Deletions: 2, Hunks: 2, Reviewed: true},
			{OldPath: "engine/retry.go", NewPath: "engine/retry.go", Status: "added", Additions: 17, Hunks: 1, Reviewed: true},
			{OldPath: "go.sum", NewPath: "go.sum", Status: "modified", Additions: 4, Deletions: 2, Reason: "lock file"},
			{OldPath: "api/refund.pb.go", NewPath: "api/refund.pb.go", Status: "modified", Additions: 210, Deletions: 90, Reason: "generated"},
			{OldPath: "web/logo.png", NewPath: "web/logo.png", Status: "modified", Binary: true, Reason: "binary"},
		},
		Tier: "lite", TierReason: "84 lines, 3 files, no sensitive path", Team: team, Agent: "opencode", Lang: review.English,
		Rules: event.Rules{Ref: "main", SHA: "3f9c2a1d0c5be1b7a8e9f00112233445566778899", Touched: []string{"AGENTS.md"}},
		Sends: []event.Send{
			{Provider: "zhipuai", Models: []string{"glm-5.1"}, Bytes: 38 << 10, Tokens: 9800, CostUSD: 0.4, Price: review.PriceKnown},
			{Provider: "moonshot", Models: []string{"kimi-k2"}, Bytes: 21 << 10, Tokens: 5400, CostUSD: 0.15, Price: review.PriceKnown},
		},
		Limits: event.Limits{RunMS: 1_800_000, ReviewerMS: 600_000, SilenceMS: 120_000, BudgetUSD: 2.5},
	}
}
