package review

import (
	"fmt"
	"time"
)

// Model names a model of a provider.
type Model struct {
	Provider string `json:"provider"`
	ID       string `json:"id"`
}

// String is provider/id, or "" for no model.
func (m Model) String() string {
	if m.Provider == "" && m.ID == "" {
		return ""
	}
	return m.Provider + "/" + m.ID
}

// Usage counts tokens and money.
type Usage struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	Reasoning  int64 `json:"reasoning,omitempty"`
	CacheRead  int64 `json:"cache_read,omitempty"`
	CacheWrite int64 `json:"cache_write,omitempty"`
	// CostUSD is meaningful only if Price is PriceKnown.
	CostUSD float64 `json:"cost_usd,omitempty"`
	Price   Price   `json:"price,omitempty"`
}

// Price says how far a cost is known. Unknown is never shown as 0.
type Price string

// Price states.
const (
	PriceUnknown      Price = "unknown"
	PriceKnown        Price = "known"
	PriceSubscription Price = "subscription"
	PriceNone         Price = "none" // no model was asked
)

// Add returns the sum of two usages. An unknown price stays unknown.
func (u Usage) Add(v Usage) Usage {
	u.Input += v.Input
	u.Output += v.Output
	u.Reasoning += v.Reasoning
	u.CacheRead += v.CacheRead
	u.CacheWrite += v.CacheWrite
	u.CostUSD += v.CostUSD
	if u.Price == "" || u.Price == PriceNone {
		u.Price = v.Price
	} else if v.Price == PriceUnknown {
		u.Price = PriceUnknown
	}
	return u
}

// Tool is one call of a tool.
type Tool struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Title  string `json:"title,omitempty"`  // short words for the pane: "engine/x.go:40-80"
	Status string `json:"status"`           // pending, running, completed, error
	Input  string `json:"input,omitempty"`  // JSON
	Output string `json:"output,omitempty"` // may be long; the engine cuts it
	Error  string `json:"error,omitempty"`
	// Seen are the lines of files that a completed call showed.
	Seen []Seen `json:"seen,omitempty"`
}

// Seen is a stretch of a file, its lines 1-based and inclusive. The path is
// relative to the tree that reviewers read.
type Seen struct {
	Path string `json:"path"`
	From int    `json:"from"`
	To   int    `json:"to"`
}

// FailureKind classifies a failure for retry and for the words shown.
type FailureKind string

// Kinds of failure.
const (
	FailAuth      FailureKind = "auth"      // the provider refuses the key, payment or permission: 401, 402, 403
	FailModel     FailureKind = "model"     // unknown model or agent, bad request
	FailOverflow  FailureKind = "overflow"  // the prompt does not fit the context window
	FailFilter    FailureKind = "filter"    // content filter, refused by the provider
	FailRate      FailureKind = "rate"      // 429
	FailProvider  FailureKind = "provider"  // 5xx, 408
	FailTransport FailureKind = "transport" // connection to the provider
	FailSilent    FailureKind = "silent"    // a clock ran out
	FailEmpty     FailureKind = "empty"     // the answer has no text
	FailUnknown   FailureKind = "unknown"   // finish "unknown", again and again
	FailSteps     FailureKind = "steps"     // more steps than the limit
	FailServer    FailureKind = "server"    // the agent's own server died or refuses
	FailAborted   FailureKind = "aborted"   // by the person or the run's end
	FailNoChecks  FailureKind = "no checks" // the persona has none (skipped, not failed)
	FailOther     FailureKind = "other"
)

// Failure is why a turn failed, in the provider's own words.
type Failure struct {
	Kind       FailureKind   `json:"kind"`
	Message    string        `json:"message"`
	Status     int           `json:"status,omitempty"` // HTTP status, if any
	RetryAfter time.Duration `json:"retry_after,omitempty"`
}

// Error implements error.
func (f *Failure) Error() string {
	if f.Status != 0 {
		return fmt.Sprintf("%s (%d): %s", f.Kind, f.Status, f.Message)
	}
	if f.Kind == FailOther {
		return f.Message // "other" says nothing
	}
	return fmt.Sprintf("%s: %s", f.Kind, f.Message)
}

// Passing reports whether another try could succeed.
func (f *Failure) Passing() bool {
	switch f.Kind {
	case FailRate, FailProvider, FailTransport, FailEmpty, FailUnknown, FailSilent, FailServer:
		return true
	}
	return false
}
