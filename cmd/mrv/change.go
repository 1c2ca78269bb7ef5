package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mrv-dev/mrv/engine"
	"github.com/mrv-dev/mrv/engine/config"
	"github.com/mrv-dev/mrv/engine/review"
)

// changeFlags name a change the same way everywhere, and say how it is
// reviewed.
type changeFlags struct {
	repo, base, diff string
	worktree, demo   bool
	speed            float64

	team, tier, agent, model, lang, effort string
	noThinking                             bool
	budget                                 float64
	timeout                                time.Duration
	out, opencode                          string
	sarif                                  []string
	allow                                  []string
	trust                                  string
}

// add declares the flags that every command over a change has.
func (f *changeFlags) add(c *cobra.Command) {
	fl := c.Flags()
	fl.StringVar(&f.repo, "repo", "", "repository of the pull request, `[HOST/]OWNER/NAME`")
	fl.StringVar(&f.base, "base", "", "review this branch against `REF`")
	fl.BoolVar(&f.worktree, "worktree", false, "with the working tree as it is, uncommitted changes included")
	fl.StringVar(&f.diff, "diff", "", "review a patch `FILE`, or - for standard input")
	fl.BoolVar(&f.demo, "demo", false, "a recorded panel: no model, no network")
	fl.Float64Var(&f.speed, "speed", 1, "`PACE` of the demo: 2 is twice as fast, 0 does not wait")
	fl.StringVar(&f.team, "team", "", "`TEAM` of reviewers, such as quality:1,security:2")
	fl.StringVar(&f.tier, "tier", "", "`TIER` instead of what the change's size says: trivial, lite or full")
	fl.StringVar(&f.agent, "agent", "", "`WHO` answers: opencode, checks (no model), or your own direct:NAME, command:NAME")
	fl.StringVar(&f.model, "model", "", "`PROVIDER/MODEL` for every reviewer")
	fl.StringVar(&f.lang, "lang", "", "`LANG` of the reports and the screen: en or zh")
	fl.StringVar(&f.effort, "effort", "", "`LEVEL` at which the models think: low, medium, high or max")
	fl.BoolVar(&f.noThinking, "no-thinking", false, "ask the models not to think aloud")
	fl.Float64Var(&f.budget, "budget", 0, "stop at this many US `DOLLARS`")
	fl.DurationVar(&f.timeout, "timeout", 0, "stop the whole run after this `TIME`, such as 25m")
	fl.StringVar(&f.out, "out", "", "write the inbox under this `DIRECTORY`")
	fl.StringVar(&f.opencode, "opencode", "", "`PATH` of the OpenCode 1.x binary")
	fl.StringArrayVar(&f.sarif, "sarif", nil, "`FILE` an analyser wrote: its findings on changed lines become a reviewer's")
	fl.StringSliceVar(&f.allow, "allow-provider", nil, "`PROVIDER` that may see code that is not public")
	fl.StringVar(&f.trust, "trust-rules", "", "use the repository's .mrv/ rules: their `HASH`, or base")
}

// options gathers flags, environment and the person's file.
func (f *changeFlags) options(s streams, args []string, interactive bool) (engine.Options, error) {
	paths := config.Directories()
	person, file, err := config.LoadPerson(paths)
	if err != nil {
		return engine.Options{}, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return engine.Options{}, fmt.Errorf("finding the current directory: %w", err)
	}
	o := engine.Options{
		Demo: f.demo, Speed: f.speed, SARIF: f.sarif, Out: f.out, Timeout: f.timeout,
		AllowProviders: f.allow, TrustRules: f.trust, Interactive: interactive,
		Person: person, PersonFile: file, Paths: paths, Version: version, Stdin: s.in,
		Source: engine.SourceOptions{Repo: f.repo, Base: f.base, Worktree: f.worktree, Diff: f.diff, Stdin: s.in, Dir: dir, CacheDir: paths.Cache},
	}
	if len(args) > 0 {
		o.Source.Ref = args[0]
		if f.base != "" || f.diff != "" || f.demo {
			return o, fmt.Errorf("%q names a pull request; leave out --base, --diff and --demo, or the argument", args[0])
		}
	}
	if err := f.check(); err != nil {
		return o, err
	}
	var unknown []error
	first := func(key, flag, env, own string, known ...string) string {
		v := config.First(key, config.Choice{Text: flag, From: "--" + key}, config.Env(env), config.Choice{Text: own, From: file})
		if len(known) > 0 && v.Text != "" && !slices.Contains(known, v.Text) {
			unknown = append(unknown, fmt.Errorf("%s: %q is not known; use %s", v.From, v.Text, strings.Join(known, ", ")))
		}
		return v.Text
	}
	o.Team = first("team", f.team, "MRV_TEAM", person.Team)
	o.Tier = first("tier", f.tier, "MRV_TIER", "", "trivial", "lite", "full")
	o.Agent = first("agent", f.agent, "MRV_AGENT", person.Agent)
	o.Model = first("model", f.model, "MRV_MODEL", person.Model)
	o.Lang = review.Lang(first("lang", f.lang, "MRV_LANG", string(person.Lang), "en", "zh"))
	o.Effort = review.Effort(first("effort", f.effort, "MRV_EFFORT", string(person.Effort), "low", "medium", "high", "max"))
	o.OpenCode = first("opencode", f.opencode, "MRV_OPENCODE", person.OpenCode)
	o.Budget = f.budget
	if o.Budget == 0 {
		o.Budget = person.Budget
	}
	o.Thinking = person.Thinking
	if f.noThinking {
		off := false
		o.Thinking = &off
	}
	return o, errors.Join(unknown...)
}

// check refuses flags that contradict each other or have no effect.
func (f *changeFlags) check() error {
	switch {
	case f.speed < 0:
		return fmt.Errorf("--speed: %v is below zero", f.speed)
	case f.budget < 0:
		return fmt.Errorf("--budget: %v is below zero", f.budget)
	case f.timeout < 0:
		return fmt.Errorf("--timeout: %v is below zero", f.timeout)
	case f.base != "" && f.diff != "":
		return errors.New("--base and --diff name two changes: leave one out")
	case f.worktree && f.diff != "":
		return errors.New("--worktree goes with --base, not with --diff")
	case f.speed > 0 && f.speed != 1 && !f.demo:
		return errors.New("--speed is the pace of --demo; models take the time they take")
	}
	if !f.demo {
		return nil
	}
	for _, idle := range []struct {
		flag string
		set  bool
	}{
		{"base", f.base != ""}, {"diff", f.diff != ""}, {"repo", f.repo != ""}, {"worktree", f.worktree}, {"team", f.team != ""},
		{"tier", f.tier != ""}, {"agent", f.agent != ""}, {"model", f.model != ""}, {"effort", f.effort != ""}, {"sarif", len(f.sarif) > 0},
	} {
		if idle.set {
			return fmt.Errorf("--%s has no effect on --demo, which is a recording: leave one out", idle.flag)
		}
	}
	return nil
}

// slow is how long planning may take before a line says that it goes on.
const slow = 700 * time.Millisecond

// planned makes the plan, and tells a person who waits when it takes a while:
// a forge and a server are asked.
func planned(ctx context.Context, s streams, o engine.Options) (*engine.Planned, error) {
	if err := o.Paths.Ready(); err != nil {
		return nil, err
	}
	if !s.errTTY {
		return engine.NewPlan(ctx, o)
	}
	said := time.AfterFunc(slow, func() {
		s.note("planning: reading the change and asking OpenCode which models there are")
	})
	defer said.Stop()
	return engine.NewPlan(ctx, o)
}
