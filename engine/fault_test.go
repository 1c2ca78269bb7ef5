package engine_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mrv-dev/mrv/engine"
	"github.com/mrv-dev/mrv/engine/agent/opencode/scripted"
	"github.com/mrv-dev/mrv/engine/config"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

// fault is one way for a reviewer to fail, and how it must end. Its name is
// its persona's, so that it has a reviewer of its own.
type fault struct {
	name    string
	model   string // scripted; "" = one named like the fault
	persona string // more lines of the persona's file
	status  event.Status
	kind    review.FailureKind
	words   string // part of what the pane says; with | any of several
	keeps   string // text that came in before, found in the journal
	verdict review.Verdict
}

// faultGroup is a run whose reviewers fail side by side on one real server,
// with clocks that are scaled down.
type faultGroup struct {
	name   string
	handle func(*testing.T, *scripted.Provider)
	tune   func(*testing.T, *engine.Options)
	during func(*testing.T, *engine.Run, engine.Options)
	faults []fault
}

const (
	failed   = event.StatusFailed
	violated = event.StatusViolated
	aborted  = event.StatusAborted
	done     = event.StatusDone
	human    = review.HumanCheckNeeded
	blocked  = review.ChangesNeeded
	clean    = review.NoBlockingFindings
)

// control is a reviewer that reports nothing: alone it ends clean, which shows
// that a row which does not end clean fails for its own reason.
var control = fault{name: "fine", model: "fine", persona: "timeout: 10m", status: done, verdict: clean}

// said is what a broken answer said before it broke: one word, so that it
// arrives whole or not at all.
const said = "Looking."

// faultGroups are all rows of the matrix.
func faultGroups() []faultGroup {
	return append([]faultGroup{refusals(), brokenAnswers(), withoutEnd(), retries(), brokenOff(), noAnswer(), stall(), byHand(), sevenOfEight()}, serverFaults()...)
}

// refusals are answers of a provider that no retry helps.
func refusals() faultGroup {
	row := func(name string, kind review.FailureKind, words string) fault {
		return fault{name: name, status: failed, kind: kind, words: words, verdict: human}
	}
	filter := row("filter", review.FailFilter, "refused by provider")
	filter.keeps = "x"
	nope := row("unknown-model", review.FailModel, "nope")
	nope.model = "nope"
	return faultGroup{name: "refused", faults: []fault{
		row("bad-request", review.FailModel, "bad request"), row("wrong-key", review.FailAuth, "Incorrect API key"),
		row("no-money", review.FailAuth, "balance"), row("forbidden", review.FailAuth, "not allowed"),
		row("not-found", review.FailModel, "does not exist"), row("too-large", review.FailOverflow, "too large"),
		row("overflow", review.FailOverflow, "context length"), row("quota", review.FailAuth, "quota"),
		row("quota-behind-retry", review.FailAuth, "billing"), filter, nope, control,
	}, handle: func(_ *testing.T, p *scripted.Provider) {
		for name, s := range map[string]scripted.Step{
			"bad-request": scripted.Refuse(400, "invalid_request_error", "bad request"),
			"wrong-key":   scripted.Refuse(401, "invalid_api_key", "Incorrect API key provided."),
			"no-money":    scripted.Refuse(402, "insufficient_balance", "balance is not enough"),
			"forbidden":   scripted.Refuse(403, "forbidden", "not allowed"),
			"not-found":   scripted.Refuse(404, "model_not_found", "The model does not exist"),
			"too-large":   scripted.Refuse(413, "request_too_large", "request too large"),
			// The server would wait an hour for what no hour mends.
			"quota-behind-retry": scripted.Refuse(429, "insufficient_quota", "Check your plan and billing.", "Retry-After", "3600"),
		} {
			p.Handle(name, func(scripted.Request) scripted.Script { return scripted.Script{s} })
		}
	}}
}

// brokenAnswers are answers that come and are no report, or not a whole one.
func brokenAnswers() faultGroup {
	script := func(f func(scripted.Request) scripted.Script) scripted.Scenario { return f }
	return faultGroup{name: "answers", faults: []fault{
		{name: "empty", status: failed, kind: review.FailEmpty, words: "no text", verdict: human},
		{name: "garbage", status: failed, kind: review.FailTransport, words: "JSON", keeps: "before ", verdict: human},
		{name: "no-reason", model: "cutclean", status: failed, kind: review.FailUnknown, words: "without saying why", keeps: "part0 part1 part2", verdict: human},
		{name: "prose", status: violated, words: "label", keeps: said, verdict: human},
		{name: "no-findings-section", status: violated, words: "no section", keeps: "Scripted", verdict: human},
		{name: "truncated", model: "length", status: violated, words: "cut", keeps: "cut by le", verdict: human},
		{name: "truncated-report", status: violated, words: "cut", keeps: "A new key each time", verdict: blocked},
		{name: "prompt-cut", status: done, verdict: human, keeps: "Scripted"},
		{name: "no-marker", status: done, verdict: human, keeps: "Scripted"},
		control,
	}, handle: func(_ *testing.T, p *scripted.Provider) {
		p.Handle("prose", script(func(scripted.Request) scripted.Script { return scripted.Script{scripted.Say(said + " It is fine.")} }))
		p.Handle("no-findings-section", script(func(r scripted.Request) scripted.Script {
			text, _, _ := strings.Cut(r.Report(review.Pass), "## Findings")
			return scripted.Script{scripted.Say(text)}
		}))
		p.Handle("truncated-report", script(func(r scripted.Request) scripted.Script {
			text := critical(r)
			return scripted.Script{scripted.Say(text[:strings.Index(text, "## Validation")]), scripted.Finish("length")}
		}))
		p.Handle("prompt-cut", script(func(r scripted.Request) scripted.Script {
			return scripted.Script{scripted.Usage(200, 20, 0), scripted.Say(r.Report(review.Pass))}
		}))
		p.Handle("no-marker", script(func(r scripted.Request) scripted.Script {
			return scripted.Script{scripted.Say(strings.Replace(r.Report(review.Pass), "Read: "+r.Marker()+"\n", "", 1))}
		}))
	}}
}

// withoutEnd are models, and a server, that would go on for ever.
func withoutEnd() faultGroup {
	return faultGroup{name: "without end", faults: []fault{
		{name: "endless-steps", persona: "steps: 2", status: failed, kind: review.FailSteps, words: "more than 2 steps", keeps: "again", verdict: human},
		{name: "endless-text", persona: "timeout: 3s", status: failed, kind: review.FailAborted, words: "out of time, 3s after", keeps: said, verdict: human},
		{name: "window-full", status: done, verdict: blocked, keeps: "A new key each time"},
		control,
	}, handle: func(_ *testing.T, p *scripted.Provider) {
		p.Handle("endless-steps", func(r scripted.Request) scripted.Script {
			return scripted.Script{scripted.Say("again "), scripted.Call("read", map[string]any{"filePath": "retry/retry.go"})}
		})
		p.Handle("endless-text", func(scripted.Request) scripted.Script {
			return scripted.Script{scripted.Say(said), scripted.Pace(20, strings.Repeat(" and on", 2000))}
		})
		p.Handle("window-full", func(r scripted.Request) scripted.Script { // the server would sum up and go on
			return scripted.Script{scripted.Usage(127_000, 8000, 0), scripted.Say(critical(r))}
		})
	}}
}

// retries are failures that the server tries again by itself, and waits longer
// each time: soon longer than the reviewer has. No clock runs before the first
// byte, so that what a reviewer has left does not depend on the machine.
func retries() faultGroup {
	row := func(name, model string, words string) fault {
		return fault{name: name, model: model, status: failed, words: words, verdict: human}
	}
	long := row("rate-limit-long", "ratelong", "too late")
	long.kind = review.FailProvider
	refused := row("connection-refused", "gone/fine", "Cannot connect|Unable to connect")
	return faultGroup{name: "retried", faults: []fault{
		row("rate-limit", "err429", "Rate limit"), row("rate-limit-bare", "", "Slow down"), long, row("server-error", "err500", "had an error"),
		row("overloaded", "err503", "verloaded"), row("html-page", "html", "Bad Gateway"), refused,
		row("connection-reset", "closed", "Cannot connect|Connection reset"), // by the moment of the break
		control,
	}, handle: func(_ *testing.T, p *scripted.Provider) {
		p.Handle("closed", func(scripted.Request) scripted.Script { return scripted.Script{scripted.Cut()} })
		p.Handle("rate-limit-bare", func(scripted.Request) scripted.Script {
			return scripted.Script{scripted.Refuse(429, "rate_limit_exceeded", "Slow down")}
		})
	}, tune: func(t *testing.T, o *engine.Options) {
		addDeadProvider(t, *o)
		o.Person.Clocks.Reviewer, o.Cooldown = config.Duration(3*time.Second), time.Second
	}}
}

// addDeadProvider gives the person a provider that nobody answers for.
func addDeadProvider(t *testing.T, o engine.Options) {
	t.Helper()
	path := filepath.Join(o.Getenv("HOME"), ".config", "opencode", "opencode.json")
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var c struct {
		Provider map[string]json.RawMessage `json:"provider"`
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		t.Fatal(err)
	}
	c.Provider["gone"] = json.RawMessage(`{"npm": "@ai-sdk/openai-compatible", "name": "Gone",
		"options": {"baseURL": "http://127.0.0.1:1/v1", "apiKey": "none"}, "models": {"fine": {"name": "fine"}}}`)
	if raw, err = json.Marshal(c); err == nil {
		err = os.WriteFile(path, raw, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// brokenOff are answers that break off each time, after their first words: the
// server tries again until the reviewer's time is up.
func brokenOff() faultGroup {
	row := func(name, words string) fault {
		return fault{name: name, persona: "timeout: 30s", status: failed, words: words, keeps: said, verdict: human}
	}
	broken := map[string]scripted.Step{
		"connection-cut":  scripted.Cut(),
		"error-in-stream": scripted.Raw(`data: {"error":{"message":"upstream died mid-stream","type":"server_error","code":"server_error"}}`),
	}
	read := map[string]chan struct{}{} // closed when the first words are there: a reset would swallow them
	for name := range broken {
		read[name] = make(chan struct{})
	}
	return faultGroup{name: "broken off", faults: []fault{
		row("connection-cut", "reset|closed unexpectedly"), row("error-in-stream", "upstream died"), control,
	}, handle: func(_ *testing.T, p *scripted.Provider) {
		for name, how := range broken {
			c := read[name]
			p.Handle(name, func(scripted.Request) scripted.Script {
				return scripted.Script{scripted.Say(said + " "), scripted.Until(c), how}
			})
		}
	}, during: func(t *testing.T, run *engine.Run, _ engine.Options) {
		for len(read) > 0 {
			waitFor(t, run, func(s *event.State) bool {
				for name, c := range read {
					if s.Reviewer(name+"-1").TextBytes > 0 {
						close(c)
						delete(read, name)
						return true
					}
				}
				return false
			})
		}
	}}
}

// noAnswer is a provider that says nothing at all.
func noAnswer() faultGroup {
	return faultGroup{name: "no answer", faults: []fault{
		{name: "no-answer", model: "hang", status: failed, kind: review.FailSilent, words: "waiting for the first byte", verdict: human},
	}, tune: func(_ *testing.T, o *engine.Options) { o.Person.Clocks.FirstByte = config.Duration(5 * time.Second) }}
}

// stall is a provider that says no more.
func stall() faultGroup {
	return faultGroup{name: "stall", faults: []fault{
		{name: "stall", model: "hangmid", status: failed, kind: review.FailSilent, words: "waiting for the next byte", keeps: "one two three", verdict: human},
	}, tune: func(_ *testing.T, o *engine.Options) {
		o.Person.Clocks.Silence, o.Person.Clocks.Reviewer = config.Duration(20*time.Second), config.Duration(35*time.Second)
	}}
}

// byHand are reviewers that the person ends.
func byHand() faultGroup {
	return faultGroup{name: "by hand", faults: []fault{
		{name: "aborted-midway", status: aborted, kind: review.FailAborted, words: "aborted by you", keeps: said, verdict: human},
		{name: "aborted-in-retry", model: "err503", status: aborted, kind: review.FailAborted, words: "aborted by you", verdict: human},
		control,
	}, handle: func(_ *testing.T, p *scripted.Provider) {
		p.Handle("aborted-midway", func(scripted.Request) scripted.Script {
			return scripted.Script{scripted.Say(said + " "), scripted.Hang()}
		})
	}, during: func(t *testing.T, run *engine.Run, _ engine.Options) {
		waitFor(t, run, func(s *event.State) bool {
			return s.Reviewer("aborted-midway-1").TextBytes > 0 && s.Reviewer("aborted-in-retry-1").Status == event.StatusRetrying
		})
		do(t, run, event.Command{Kind: event.CmdAbort, Reviewer: "aborted-midway-1"})
		do(t, run, event.Command{Kind: event.CmdAbort, Reviewer: "aborted-in-retry-1"})
	}}
}

// sevenOfEight is a panel of one persona of which seven fail.
func sevenOfEight() faultGroup {
	g := faultGroup{name: "seven of eight", handle: func(_ *testing.T, p *scripted.Provider) {
		p.Handle("fine-once", func(r scripted.Request) scripted.Script {
			if r.Try == 1 { // the eight prompts are the same
				return scripted.Script{scripted.Say(critical(r))}
			}
			return scripted.Script{scripted.Refuse(401, "invalid_api_key", "Incorrect API key provided.")}
		})
	}}
	g.faults = []fault{{name: "seven-fail", model: "fine-once"}}
	g.tune = func(_ *testing.T, o *engine.Options) { o.Team = "seven-fail:8" }
	return g
}

// critical is a report with one blocking finding in the demo's change.
func critical(r scripted.Request) string {
	return r.Report(review.Block, review.Finding{
		Severity: review.Critical, Title: "A new key each time", Location: review.Location{Path: "retry/retry.go", Start: 14},
		Observation: "The key is made in the loop.", Inference: "Payments can be made twice.", Judgment: "Must be fixed; docs/payments.md rule 3.",
		Verification: "Count the keys.", Quote: "\t\tif err = f(newKey()); err == nil {",
	})
}
