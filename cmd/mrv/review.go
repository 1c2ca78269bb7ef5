package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mrv-dev/mrv/engine"
	"github.com/mrv-dev/mrv/engine/document"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/text"
)

func reviewCommand(s streams) *cobra.Command {
	var f changeFlags
	var asJSON bool
	var failOn string
	c := &cobra.Command{
		Use:   "review [PR|URL]",
		Short: "Run the panel without a screen",
		Long: "Runs the same panel without a screen: progress on standard error, the result on standard\n" +
			"output. Nothing is posted or written to the inbox: what nobody triaged stays in the run,\n" +
			"and mrv resume RUN opens it.\n\n" +
			"Exit 0: nothing blocks, 1: findings at or above --fail-on, 2: nothing was started, 3: stale,\n" +
			"4: incomplete, or a person is needed, 130: interrupted (mrv help exit-codes).",
		Example: "  mrv review --demo --speed 0 --json\n  mrv review --base main --agent checks\n  mrv review 123 --model zhipuai/glm-5.1 --allow-provider zhipuai",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			switch failOn {
			case "", "none", "critical", "warning", "suggestion":
			default:
				return fmt.Errorf("--fail-on: %q is not known; use critical, warning, suggestion or none", failOn)
			}
			o, err := f.options(s, args, false)
			if err != nil {
				return err
			}
			return reviewOnce(c.Context(), s, o, asJSON, review.Severity(failOn))
		},
	}
	f.add(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	c.Flags().StringVar(&failOn, "fail-on", "", "exit 1 from this severity on: critical, warning, suggestion or none")
	return c
}

func reviewOnce(ctx context.Context, s streams, o engine.Options, asJSON bool, failOn review.Severity) error {
	p, err := planned(ctx, s, o)
	if errors.Is(err, engine.ErrNothingToReview) {
		complain(s, err)
		return nil
	}
	if err != nil {
		return err
	}
	if qs := p.Questions(); len(qs) > 0 {
		return errors.Join(fmt.Errorf("%s Answer with %s", qs[0].Text, qs[0].Flag), p.Close())
	}
	run, err := p.Start(ctx)
	if err != nil {
		return errors.Join(err, p.Close())
	}
	doc, code, err := follow(ctx, s, run, failOn)
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 15*time.Second)
	defer cancel()
	if err = errors.Join(err, run.Close(closing)); err != nil {
		return err
	}
	if asJSON {
		raw, err := document.JSON(doc)
		if err != nil {
			return err
		}
		if _, err := s.out.Write(append(raw, '\n')); err != nil {
			return fmt.Errorf("writing the result: %w", err)
		}
		return exit(code)
	}
	printResult(s, doc)
	return exit(code)
}

// follow prints progress until the panel has settled or is interrupted, and
// returns the result as it then stands.
func follow(ctx context.Context, s streams, run *engine.Run, failOn review.Severity) (document.Document, review.Exit, error) {
	watch, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	printed := make(chan error, 1)
	go func() { printed <- progress(watch, s.err, run) }()
	err := run.Settled(ctx)
	if errors.Is(err, context.Canceled) {
		s.note("interrupted; what came in is kept")
		err = run.Interrupt(context.WithoutCancel(ctx))
	}
	if err != nil {
		stop()
	}
	err = errors.Join(err, <-printed)
	stop()
	if err != nil {
		return document.Document{}, review.ExitUsage, err
	}
	after := context.WithoutCancel(ctx)
	code, err := run.Exit(after, failOn)
	if err != nil {
		return document.Document{}, code, err
	}
	doc, err := run.Document(after)
	doc.Exit = code
	return doc, code, err
}

// printResult is the result for a person: the verdict and a line a finding.
func printResult(s streams, d document.Document) {
	fmt.Fprintf(s.out, "%s  %s  %s\n", s.say(string(d.Verdict)), text.Line(d.Change.Name), s.say(review.Count(len(d.Findings), "finding")))
	for _, f := range d.Findings {
		fmt.Fprintf(s.out, "[%s] %s  %s  (%s)\n", s.say(string(f.Severity)), text.Line(f.Where), text.Line(f.Title), text.Line(strings.Join(f.Sources, ", ")))
	}
	for _, h := range d.Holds {
		s.tell("a person is needed: %s", text.Line(h.Text))
	}
	s.tell("run %s: mrv resume %s opens it for triage", d.Run, d.Run)
}
