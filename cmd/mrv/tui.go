package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/mrv-dev/mrv/engine"
	"github.com/mrv-dev/mrv/engine/config"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui"
)

// screenFlags say how the screen looks.
type screenFlags struct {
	theme string
	ascii bool
	plain bool
}

func (f *screenFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.theme, "theme", "", "auto, or a theme's name")
	c.Flags().BoolVar(&f.ascii, "ascii", false, "draw with ASCII only")
	c.Flags().BoolVar(&f.plain, "plain", false, "line by line, for screen readers and terminals that only print")
}

func tuiCommand(s streams) *cobra.Command {
	var f changeFlags
	var look screenFlags
	var yes, fromPR bool
	c := &cobra.Command{
		Use: "tui [PR|URL]", SuggestFor: []string{"demo", "start", "ui"},
		Short: "The screen: live reviewers, triage by keyboard, export",
		Long: "Shows a panel of reviewers over one change, live, and lets you triage what they found.\n" +
			"Without a pull request it is that of the branch you are on, else the branch itself; on the default\n" +
			"branch, outside of a clone, or with --repo alone you pick one: your review is requested, yours, recent.",
		Example: "  mrv tui\n  mrv tui --demo\n  mrv tui 123\n  mrv tui --base main --worktree\n  git diff main | mrv tui --diff -",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := look.ready(s); err != nil {
				return err
			}
			o, err := f.options(s, args, true)
			if err != nil {
				return err
			}
			if fromPR {
				path, err := engine.FetchRun(c.Context(), o.Source, o.Paths.Runs())
				if err != nil {
					return err
				}
				return openOnScreen(c.Context(), s, path, o, look, false)
			}
			if !o.Demo {
				if pick, err := o.Source.NamesNothing(c.Context()); err != nil {
					return err
				} else if pick {
					return pickOnScreen(c.Context(), s, o, look, yes)
				}
			}
			return planOnScreen(c.Context(), s, o, look, yes)
		},
	}
	f.add(c)
	look.add(c)
	c.Flags().BoolVar(&yes, "yes", false, "start at once, without the plan screen")
	c.Flags().BoolVar(&fromPR, "from-pr", false, "triage the review that a workflow kept for the pull request's head")
	return c
}

// planOnScreen plans the review of the change that was named, and shows it.
func planOnScreen(ctx context.Context, s streams, o engine.Options, look screenFlags, yes bool) error {
	p, err := planned(ctx, s, o)
	if errors.Is(err, engine.ErrNothingToReview) {
		complain(s, err)
		return nil
	}
	if err != nil {
		return err
	}
	if look.readsPlain(s) { // the screen asks under its plan
		if err := consent(s, p); err != nil {
			return errors.Join(err, p.Close())
		}
	}
	st := &starter{planned: p, fatal: make(chan error, 1)}
	err = showScreen(ctx, s, o, look, tui.Options{Starter: st, SkipPlan: yes || !p.AsksModel(), Lang: p.Plan().Lang, Fatal: st.fatal})
	return left(s.speaking(p.Plan().Lang), err, st.close(), st.id())
}

// needScreen refuses where no screen can be shown, and names the way without.
func needScreen(s streams) error {
	if !s.outTTY || os.Getenv("TERM") == "dumb" {
		return errors.New("the screen needs a terminal on standard output; --plain reads it line by line, mrv review runs the same panel without one")
	}
	if !s.inTTY {
		tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
		if err != nil {
			return errors.New("the screen needs a keyboard and there is no /dev/tty; mrv review runs the same panel without one")
		}
		return tty.Close()
	}
	return nil
}

// showScreen runs the screen with the person's looks and keys.
func showScreen(ctx context.Context, s streams, o engine.Options, look screenFlags, opt tui.Options) error {
	if opt.Lang == "" {
		opt.Lang = review.English
	}
	if look.readsPlain(s) {
		return showPlain(ctx, s, opt)
	}
	opt.Theme = config.First("theme", config.Choice{Text: look.theme, From: "flag"}, config.Env("MRV_THEME"),
		config.Choice{Text: o.Person.Theme, From: o.PersonFile}, config.Choice{Text: "auto", From: "built-in"}).Text
	opt.ASCII = look.ascii || o.Person.ASCII
	opt.ThemeDir = filepath.Join(o.Paths.Config, "themes")
	opt.Keys = remap(o.Person)
	opt.Bell = o.Person.Bell == nil || *o.Person.Bell
	// The screen watches signals itself, so that the terminal is restored first.
	err := tui.Main(context.WithoutCancel(ctx), opt)
	var e *tui.Exit
	if errors.As(err, &e) {
		return &exitError{code: e.Code, err: brokeDown(o.Paths, e.Err)}
	}
	return err
}

// left says, once the terminal is the shell's again, why the screen ended, and
// last where the run is: err is the screen's, closing the run's own.
func left(s streams, err, closing error, run string) error {
	var e *exitError
	if !errors.As(err, &e) {
		if run != "" && err == nil && closing == nil {
			s.note("the run is kept: mrv resume %s", run)
		}
		return errors.Join(err, closing)
	}
	for _, why := range []error{e.err, closing} {
		if why != nil {
			complain(s, why)
		}
	}
	if run != "" {
		s.note("what came in is kept: mrv resume %s", run)
	}
	return exit(e.code)
}
