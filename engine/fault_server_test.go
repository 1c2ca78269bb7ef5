package engine_test

import (
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mrv-dev/mrv/engine"
	"github.com/mrv-dev/mrv/engine/agent/opencode/scripted"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

// serverFaults are failures of the server, and of what lies between it and mrv.
func serverFaults() []faultGroup {
	const whole = "A new key each time"
	return []faultGroup{
		throughProxy("cut", fault{name: "event-stream-cut", status: done, verdict: blocked, keeps: whole}),
		throughProxy("late", fault{name: "event-stream-late", status: done, verdict: blocked, keeps: whole}),
		throughProxy("silent", fault{name: "event-stream-silent", status: done, verdict: blocked, keeps: whole}),
		throughProxy("busy", fault{name: "status-stuck-busy", status: done, verdict: blocked, keeps: whole}),
		throughProxy("swallow", fault{name: "prompt-without-turn", status: failed, kind: review.FailServer, words: "started no turn", verdict: human}),
		throughProxy("delete", fault{name: "session-deleted", status: failed, kind: review.FailServer, words: "deleted", verdict: human, keeps: said}),
		throughProxy("ask", fault{name: "permission-asked", status: failed, kind: review.FailOther, words: "permission", verdict: human, keeps: said}),
		killedOnce(), killedAgain(),
	}
}

// throughProxy is a run whose connection to its server does something.
func throughProxy(what string, f fault) faultGroup {
	f.model = "paced"
	if what == "delete" || what == "ask" {
		f.model = "begun"
	}
	return faultGroup{name: f.name, faults: []fault{f}, handle: func(_ *testing.T, p *scripted.Provider) {
		p.Handle("paced", func(r scripted.Request) scripted.Script {
			return scripted.Script{scripted.Pace(40, critical(r))}
		})
		p.Handle("begun", func(scripted.Request) scripted.Script {
			return scripted.Script{scripted.Say(said + " "), scripted.Hang()}
		})
	}, tune: func(t *testing.T, o *engine.Options) {
		o.OpenCode = proxied(t, o.OpenCode, what)
		switch what {
		case "silent":
			o.Timing.Quiet = 2 * time.Second
		case "swallow", "busy":
			o.Timing.Begin = 2 * time.Second
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
