package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mrv-dev/mrv/engine"
	"github.com/mrv-dev/mrv/engine/journal"
	"github.com/mrv-dev/mrv/tui"
)

// openOnScreen takes a run up again and shows it.
func openOnScreen(ctx context.Context, s streams, path string, o engine.Options, look screenFlags, finish bool) error {
	run, err := engine.Open(ctx, path, o, finish)
	if err != nil {
		return err
	}
	lang := run.Plan().Lang
	if o.Lang != "" {
		lang = o.Lang
	}
	fatal := make(chan error, 1)
	shown := onScreen(run, fatal)
	triage, err := inTriage(ctx, run)
	if err == nil {
		err = showScreen(ctx, s, o, look, tui.Options{Run: shown, Board: triage, Lang: lang, Fatal: fatal})
	}
	return left(s.speaking(lang), err, shown.close(), shown.id())
}

func resumeCommand(s streams) *cobra.Command {
	var f changeFlags
	var look screenFlags
	var finish bool
	c := &cobra.Command{
		Use: "resume RUN", Short: "Open a run again: triage goes on where it was", Args: cobra.ExactArgs(1), ValidArgsFunction: completeRuns,
		Example: "  mrv resume latest\n  mrv resume 20261130-2105 --finish",
		RunE: func(c *cobra.Command, args []string) error {
			if err := look.ready(s); err != nil {
				return err
			}
			o, err := f.options(s, nil, true)
			if err != nil {
				return err
			}
			path, err := journal.Find(o.Paths.Runs(), args[0])
			if err != nil {
				return err
			}
			return openOnScreen(c.Context(), s, path, o, look, finish)
		},
	}
	c.Flags().StringVar(&f.lang, "lang", "", "language of the screen: en or zh")
	c.Flags().StringVar(&f.opencode, "opencode", "", "`PATH` of the OpenCode 1.x binary")
	c.Flags().BoolVar(&finish, "finish", false, "start the reviewers that had not finished again")
	look.add(c)
	return c
}

func replayCommand(s streams) *cobra.Command {
	var speed float64
	var look screenFlags
	c := &cobra.Command{
		Use: "replay RUN", Short: "Watch a run again, read-only", Args: cobra.ExactArgs(1), ValidArgsFunction: completeRuns,
		RunE: func(c *cobra.Command, args []string) error {
			if err := look.ready(s); err != nil {
				return err
			}
			if speed < 0 {
				return fmt.Errorf("--speed: %v is below zero", speed)
			}
			var f changeFlags
			o, err := f.options(s, nil, true)
			if err != nil {
				return err
			}
			path, err := journal.Find(o.Paths.Runs(), args[0])
			if err != nil {
				return err
			}
			ctx, cancel := context.WithCancel(c.Context())
			defer cancel()
			updates, plan, err := engine.Replay(ctx, path, speed)
			if err != nil {
				return err
			}
			return showScreen(ctx, s, o, look, tui.Options{Run: playedRun{updates}, Lang: plan.Lang})
		},
	}
	c.Flags().Float64Var(&speed, "speed", 1, "pace: 2 is twice as fast, 0 shows the end")
	look.add(c)
	return c
}
