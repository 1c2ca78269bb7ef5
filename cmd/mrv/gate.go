package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mrv-dev/mrv/engine"
	"github.com/mrv-dev/mrv/engine/publish"
	"github.com/mrv-dev/mrv/tui/text"
)

func gateCommand(s streams) *cobra.Command {
	var repo, run, label string
	var asJSON, approve, request bool
	c := &cobra.Command{
		Use: "gate [PR|URL]", Short: "May this pull request go on? A table of conditions, each with its evidence", Args: cobra.MaximumNArgs(1),
		Long: "No model is asked. The conditions are set by the gate block of the default branch's .mrv/config.yaml.\n" +
			"Exit 0 when the gate holds, 1 when it does not (a stale review included), 2 when it can not be evaluated.\n" +
			"Nothing is written unless asked for, and merging is never offered. A person with write access who is not\n" +
			"the author opens it with a comment whose first line is: break glass <40-digit head>",
		Example: "  mrv gate 123\n  mrv gate 123 --json\n  mrv gate 123 --label ready-to-merge",
		RunE: func(c *cobra.Command, args []string) error {
			src, err := sourceOf(repo, args)
			if err != nil {
				return err
			}
			g, err := engine.Gate(c.Context(), src, run)
			if err != nil {
				return err
			}
			if asJSON {
				err = writeJSON(s, g)
			} else {
				printGate(s, g)
			}
			if err == nil {
				err = act(c.Context(), s, g, approve, request, label)
			}
			if err != nil {
				return err
			}
			return exit(g.Result.Exit)
		},
	}
	fl := c.Flags()
	fl.StringVar(&repo, "repo", "", "repository of the pull request, [HOST/]OWNER/NAME")
	fl.StringVar(&run, "run", "", "`RUN` that vouches for a review posted by a workflow")
	fl.BoolVar(&asJSON, "json", false, "print JSON")
	fl.BoolVar(&approve, "approve", false, "approve the pull request if the gate holds")
	fl.StringVar(&label, "label", "", "put this `LABEL` on it, such as ready-to-merge, if the gate holds")
	fl.BoolVar(&request, "request-changes", false, "request changes if the gate does not hold")
	return c
}

// act does what was asked for and fits the outcome; what does not fit is left
// out, because the exit code says which it was.
func act(ctx context.Context, s streams, g engine.Gated, approve, request bool, label string) error {
	var errs []error
	do := func(asked bool, a publish.Act) {
		if !asked || (a == publish.RequestChanges) == g.Result.Holds {
			return
		}
		if err := g.Act(ctx, a, label); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", a, err))
			return
		}
		s.note("done: %s", a)
	}
	do(approve, publish.Approve)
	do(label != "", publish.Label)
	// What is unknown is no reason to ask the author for changes.
	do(request && g.Result.Exit == 1, publish.RequestChanges)
	return errors.Join(errs...)
}

func printGate(s streams, g engine.Gated) {
	state := "the gate holds"
	if !g.Result.Holds {
		state = "the gate does not hold"
	}
	fmt.Fprintf(s.out, "%s  %s  %s\n", text.Line(g.Name), g.Result.Head, s.say(state))
	for _, c := range g.Result.Conditions {
		fmt.Fprintf(s.out, "%s %s: %s\n", text.Pad(s.say(string(c.Outcome)), 13), s.say(c.Text), text.Line(s.say(c.Evidence)))
	}
	if b := g.Result.Glass; b != nil {
		s.tell("glass broken by %s at %s: %s", text.Line(b.By), text.Line(b.At), text.Line(b.URL))
	}
	for _, r := range g.Result.Refused {
		s.tell("glass not broken: %s", text.Line(r))
	}
	for _, n := range g.Notes {
		s.note("%s", n)
	}
}
