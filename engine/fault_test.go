package engine_test

import (
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mrv-dev/mrv/engine"
	"github.com/mrv-dev/mrv/engine/agent/opencode"
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
var control = fault{name: "fine", model: "fine", status: done, verdict: clean}

// said is what a broken answer said before it broke.
const said = "I looked at the retry loop first."

// faultGroups are all rows of the matrix.
func faultGroups() []faultGroup {
	return []faultGroup{refusals(), brokenAnswers(), retries(), silences(), byHand(), sevenOfEight(),
		throughProxy("cut", fault{name: "event-stream-cut", model: "paced", status: done, verdict: blocked, keeps: "A new key each time"}),
		throughProxy("silent", fault{name: "event-stream-silent", model: "paced", status: done, verdict: blocked, keeps: "A new key each time"}),
		throughProxy("busy", fault{name: "status-stuck-busy", model: "paced", status: failed, kind: review.FailSilent, words: "nothing came", verdict: blocked, keeps: "A new key each time"}),
		throughProxy("swallow", fault{name: "prompt-without-turn", model: "paced", status: failed, kind: review.FailServer, words: "started no turn", verdict: human}),
		killedOnce(), killedAgain(),
	}
}

// refusals are answers of a provider that no retry helps.
func refusals() faultGroup {
	row := func(name string, kind review.FailureKind, words string) fault {
		return fault{name: name, status: failed, kind: kind, words: words, verdict: human}
	}
	quota := row("quota", review.FailAuth, "quota")
	quota.persona = "timeout: 20s"
	filter := row("filter", review.FailFilter, "refused by provider")
	filter.keeps = "x"
	nope := row("unknown-model", review.FailModel, "nope")
	nope.model = "nope"
	return faultGroup{name: "refused", faults: []fault{
		row("bad-request", review.FailModel, "bad request"), row("wrong-key", review.FailAuth, "Incorrect API key"),
		row("no-money", review.FailAuth, "balance"), row("forbidden", review.FailAuth, "not allowed"),
		row("not-found", review.FailModel, "does not exist"), row("too-large", review.FailOverflow, "too large"),
		row("overflow", review.FailOverflow, "context length"), filter, nope, control,
	}, handle: func(_ *testing.T, p *scripted.Provider) {
		for name, s := range map[string]scripted.Step{
			"bad-request": scripted.Refuse(400, "invalid_request_error", "bad request"),
			"wrong-key":   scripted.Refuse(401, "invalid_api_key", "Incorrect API key provided."),
			"no-money":    scripted.Refuse(402, "insufficient_balance", "balance is not enough"),
			"forbidden":   scripted.Refuse(403, "forbidden", "not allowed"),
			"not-found":   scripted.Refuse(404, "model_not_found", "The model does not exist"),
			"too-large":   scripted.Refuse(413, "request_too_large", "request too large"),
		} {
			p.Handle(name, func(scripted.Request) scripted.Script { return scripted.Script{s} })
		}
	}}
}

// brokenAnswers are answers that come and are no report, or not a whole one.
func brokenAnswers() faultGroup {
	script := func(f func(scripted.Request) scripted.Script) scripted.Scenario { return f }
	quick := func(_ *testing.T, o *engine.Options) { o.Person.Clocks.Reviewer = config.Duration(time.Minute) }
	return faultGroup{name: "answers", tune: quick, faults: []fault{
		{name: "empty", status: failed, kind: review.FailEmpty, words: "no text", verdict: human},
		{name: "garbage", status: failed, kind: review.FailTransport, words: "JSON", keeps: "before ", verdict: human},
		{name: "no-reason", model: "cutclean", status: failed, kind: review.FailUnknown, words: "without saying why", keeps: "part0 part1 part2", verdict: human},
		{name: "prose", status: violated, words: "label", keeps: said, verdict: human},
		{name: "no-findings-section", status: violated, words: "no section", keeps: "Scripted", verdict: human},
		{name: "truncated", model: "length", status: violated, words: "cut", keeps: "cut by le", verdict: human},
		{name: "truncated-report", status: violated, words: "cut", keeps: "A new key each time", verdict: blocked},
		{name: "endless-steps", persona: "steps: 2", status: failed, kind: review.FailSteps, words: "more than 2 steps", keeps: "again", verdict: human},
		{name: "endless-text", persona: "timeout: 3s", status: failed, kind: review.FailAborted, words: "out of time, 3s after", keeps: said, verdict: human},
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
		p.Handle("endless-steps", script(func(r scripted.Request) scripted.Script {
			return scripted.Script{scripted.Say("again "), scripted.Call("read", map[string]any{"filePath": "retry/retry.go"})}
		}))
		p.Handle("endless-text", script(func(scripted.Request) scripted.Script {
			return scripted.Script{scripted.Say(said), scripted.Pace(20, strings.Repeat(" and on", 2000))}
		}))
		p.Handle("prompt-cut", script(func(r scripted.Request) scripted.Script {
			return scripted.Script{scripted.Usage(200, 20, 0), scripted.Say(r.Report(review.Pass))}
		}))
		p.Handle("no-marker", script(func(r scripted.Request) scripted.Script {
			return scripted.Script{scripted.Say(strings.Replace(r.Report(review.Pass), "Read: "+r.Marker()+"\n", "", 1))}
		}))
	}}
}

// retries are failures that the server tries again by itself, longer than the
// run lasts.
func retries() faultGroup {
	row := func(name, model string, words string) fault {
		return fault{name: name, model: model, status: failed, words: words, verdict: human}
	}
	cut := row("connection-cut", "cut", "reset")
	cut.keeps = "part0 part1 part2"
	mid := row("error-in-stream", "sseerr", "upstream died")
	mid.keeps = "before "
	long := row("rate-limit-long", "ratelong", "too late")
	long.kind = review.FailProvider
	return faultGroup{name: "retried", faults: []fault{
		row("rate-limit", "err429", "Rate limit"), long, row("quota", "quota", "quota"), row("server-error", "err500", "had an error"),
		row("overloaded", "err503", "verloaded"), row("html-page", "html", "Bad Gateway"),
		row("connection-reset", "closed", "Cannot connect|Connection reset"), // by the moment of the break
		cut, mid, control,
	}, handle: func(_ *testing.T, p *scripted.Provider) {
		p.Handle("closed", func(scripted.Request) scripted.Script { return scripted.Script{scripted.Cut()} })
	}, tune: func(_ *testing.T, o *engine.Options) {
		o.Person.Clocks = config.Clocks{Run: config.Duration(30 * time.Second), Reviewer: config.Duration(25 * time.Second)}
	}}
}

// silences are providers that say nothing, or no more.
func silences() faultGroup {
	return faultGroup{name: "silent", faults: []fault{
		{name: "no-answer", model: "hang", status: failed, kind: review.FailSilent, words: "waiting for the first byte", verdict: human},
		{name: "stall", model: "hangmid", status: failed, kind: review.FailSilent, words: "waiting for the next byte", keeps: "one two three", verdict: human},
		control,
	}, tune: func(_ *testing.T, o *engine.Options) {
		o.Person.Clocks = config.Clocks{FirstByte: config.Duration(5 * time.Second), Silence: config.Duration(3 * time.Second), Reviewer: config.Duration(time.Minute)}
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

// throughProxy is a run whose connection to its server does something.
func throughProxy(what string, f fault) faultGroup {
	return faultGroup{name: f.name, faults: []fault{f}, handle: func(_ *testing.T, p *scripted.Provider) {
		p.Handle("paced", func(r scripted.Request) scripted.Script {
			return scripted.Script{scripted.Pace(40, critical(r))}
		})
	}, tune: func(t *testing.T, o *engine.Options) {
		o.OpenCode = proxied(t, o.OpenCode, what)
		o.Timing = opencode.Timing{Quiet: 2 * time.Second, Poll: 500 * time.Millisecond, Begin: 2 * time.Second}
		if what == "busy" {
			o.Person.Clocks = config.Clocks{FirstByte: config.Duration(20 * time.Second), Reviewer: config.Duration(30 * time.Second)}
		}
	}}
}

// killedOnce: the server dies while one reviewer is done and one at work. It
// is started again once: who was done stands, who was not starts again.
func killedOnce() faultGroup {
	return faultGroup{name: "server killed", faults: []fault{
		{name: "killed-when-done", model: "quick", status: done, verdict: blocked, keeps: "A new key each time"},
		{name: "killed-at-work", status: done, verdict: blocked, keeps: said},
	}, handle: func(_ *testing.T, p *scripted.Provider) {
		p.Handle("quick", func(r scripted.Request) scripted.Script { return scripted.Script{scripted.Say(critical(r))} })
		p.Handle("killed-at-work", func(r scripted.Request) scripted.Script {
			if r.Try == 1 {
				return scripted.Script{scripted.Say(said + " "), scripted.Hang()}
			}
			return scripted.Script{scripted.Say(critical(r))}
		})
	}, during: func(t *testing.T, run *engine.Run, o engine.Options) {
		waitFor(t, run, func(s *event.State) bool {
			return s.Reviewer("killed-when-done-1").Status == done && s.Reviewer("killed-at-work-1").TextBytes > 0
		})
		killServers(t, o)
	}}
}

// killedAgain: a server that dies each time is not started for ever.
func killedAgain() faultGroup {
	return faultGroup{name: "server killed again", faults: []fault{
		{name: "killed-twice", status: failed, kind: review.FailServer, words: "server is gone", keeps: said, verdict: human},
	}, handle: func(_ *testing.T, p *scripted.Provider) {
		p.Handle("killed-twice", func(scripted.Request) scripted.Script {
			return scripted.Script{scripted.Say(said + " "), scripted.Hang()}
		})
	}, during: func(t *testing.T, run *engine.Run, o engine.Options) {
		for turn := 1; turn <= 2; turn++ {
			waitFor(t, run, func(s *event.State) bool {
				r := s.Reviewer("killed-twice-1")
				return r.Turn == turn && slices.ContainsFunc(r.Blocks, func(b event.Block) bool {
					return b.Kind == "text" && strings.HasPrefix(b.ID, strconv.Itoa(turn)+"/")
				})
			})
			killServers(t, o)
		}
	}}
}

// critical is a report with one blocking finding in the demo's change.
func critical(r scripted.Request) string {
	return r.Report(review.Block, review.Finding{
		Severity: review.Critical, Title: "A new key each time", Location: review.Location{Path: "retry/retry.go", Start: 14},
		Observation: "The key is made in the loop.", Inference: "Payments can be made twice.", Judgment: "Must be fixed; docs/payments.md rule 3.",
		Verification: "Count the keys.", Quote: "\t\tif err = f(newKey()); err == nil {",
	})
}

// killServers kills every process of the run's server.
func killServers(t *testing.T, o engine.Options) {
	t.Helper()
	for _, pid := range below(t, o.Paths.Cache) {
		n, err := strconv.Atoi(pid)
		if err != nil {
			t.Fatal(err)
		}
		_ = syscall.Kill(n, syscall.SIGKILL) // it may be gone
	}
}
