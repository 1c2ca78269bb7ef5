package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mrv-dev/mrv/engine"
	"github.com/mrv-dev/mrv/engine/config"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/journal"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui"
	"github.com/mrv-dev/mrv/tui/text"
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
		Use:     "tui [PR|URL]",
		Short:   "The screen: live reviewers, triage by keyboard, export",
		Example: "  mrv tui --demo\n  mrv tui 123\n  mrv tui --base main --worktree\n  git diff main | mrv tui --diff -",
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
			p, err := planned(c.Context(), s, o)
			if errors.Is(err, engine.ErrNothingToReview) {
				fmt.Fprintln(s.err, "mrv: "+text.Line(err.Error()))
				return nil
			}
			if err != nil {
				return err
			}
			if err := consent(s, p); err != nil {
				return errors.Join(err, p.Close())
			}
			st := &starter{planned: p, fatal: make(chan error, 1)}
			err = showScreen(c.Context(), s, o, look, tui.Options{Starter: st, SkipPlan: yes || !p.AsksModel(), Lang: p.Plan().Lang, Fatal: st.fatal})
			return left(s, err, st.close(), st.id())
		},
	}
	f.add(c)
	look.add(c)
	c.Flags().BoolVar(&yes, "yes", false, "start at once, without the plan screen")
	c.Flags().BoolVar(&fromPR, "from-pr", false, "triage the review that a workflow kept for the pull request's head")
	return c
}

// needScreen refuses where no screen can be shown, and names the way without.
func needScreen(s streams) error {
	if !s.outTTY || os.Getenv("TERM") == "dumb" {
		return errors.New("mrv tui needs a terminal on standard output; --plain reads it line by line, mrv review runs the same panel without one")
	}
	if !s.inTTY {
		tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
		if err != nil {
			return errors.New("mrv tui needs a keyboard and there is no /dev/tty; mrv review runs the same panel without one")
		}
		return tty.Close()
	}
	return nil
}

// consent asks what a person must answer before anything is sent, on the
// terminal, with No as the default.
func consent(s streams, p *engine.Planned) error {
	for _, q := range p.Questions() {
		yes, err := ask(s, q.Text)
		if err != nil {
			return err
		}
		if !yes {
			return fmt.Errorf("not allowed: %s", text.Line(q.Text))
		}
		if err := p.Allow(q); err != nil {
			return err
		}
	}
	return nil
}

// ask puts a yes or no question; what is typed comes from the terminal even
// when standard input is the diff.
func ask(s streams, question string) (bool, error) {
	in := s.in
	if !s.inTTY {
		tty, err := os.Open("/dev/tty")
		if err != nil {
			return false, fmt.Errorf("asking %q: %w", text.Line(question), err)
		}
		defer tty.Close()
		in = tty
	}
	fmt.Fprintf(s.err, "%s [y/N] ", text.Line(question))
	line, err := readLine(in)
	if err != nil && !errors.Is(err, io.EOF) {
		return false, fmt.Errorf("reading the answer: %w", err)
	}
	line = strings.ToLower(strings.TrimSpace(line))
	return line == "y" || line == "yes", nil
}

// readLine reads up to a newline, a byte at a time so that nothing behind it
// is taken from whoever reads next.
func readLine(r io.Reader) (string, error) {
	var b strings.Builder
	one := make([]byte, 1)
	for {
		n, err := r.Read(one)
		if n == 1 {
			if one[0] == '\n' {
				return b.String(), nil
			}
			b.WriteByte(one[0])
		}
		if err != nil {
			return b.String(), err
		}
	}
}

// starter begins the planned run when the screen asks for it.
type starter struct {
	planned *engine.Planned
	run     *screenRun // nil until it has begun
	fatal   chan error
}

func (s *starter) Plan() event.Plan { return s.planned.Plan() }

func (s *starter) Start(ctx context.Context) (tui.Run, error) {
	run, err := s.planned.Start(ctx)
	if err != nil {
		return nil, err
	}
	s.run = onScreen(run, s.fatal)
	return s.run, nil
}

// Replan plans anew with another team or without some files.
func (s *starter) Replan(ctx context.Context, team string, drop []string) error {
	again, err := s.planned.Again(ctx, team, drop)
	if err == nil {
		s.planned = again
	}
	return err
}

// id names the run, "" when it has not begun.
func (s *starter) id() string {
	if s.run == nil {
		return ""
	}
	return s.run.ID()
}

// close ends the run, or frees the plan that was never started.
func (s *starter) close() error {
	if s.run == nil {
		return s.planned.Close()
	}
	return s.run.close()
}

// screenRun is the run as the screen sees it. What ends the run before its
// time, such as a full disk, goes to fatal, so that the screen ends too.
type screenRun struct {
	*engine.Run
	fatal chan<- error
	stop  context.CancelFunc
	over  chan struct{} // the watch has ended
}

func onScreen(run *engine.Run, fatal chan<- error) *screenRun {
	ctx, stop := context.WithCancel(context.Background())
	r := &screenRun{run, fatal, stop, make(chan struct{})}
	go func() {
		defer close(r.over)
		if err := run.Settled(ctx); err != nil && ctx.Err() == nil {
			r.end(err)
		}
	}()
	return r
}

// end tells the screen to end; the first reason stands.
func (r *screenRun) end(err error) {
	select {
	case r.fatal <- err:
	default:
	}
}

// close ends the run; what came in is kept.
func (r *screenRun) close() error {
	r.stop()
	<-r.over
	return closeRun(r.Run)
}

// closeRun ends a run and waits for its servers to go.
func closeRun(run *engine.Run) error {
	const patience = 15 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return run.Close(ctx)
}

// Updates follows the run until it is closed.
func (r *screenRun) Updates() <-chan []event.Event {
	updates, err := r.Run.Updates(context.Background())
	if err != nil {
		r.end(err)
		closed := make(chan []event.Event)
		close(closed)
		return closed
	}
	return updates
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
		return &exitError{code: e.Code, err: e.Err}
	}
	return err
}

// left says, once the terminal is the shell's again, why the screen ended, and
// last where the run is: err is the screen's, closing the run's own.
func left(s streams, err, closing error, run string) error {
	var e *exitError
	if !errors.As(err, &e) {
		return errors.Join(err, closing)
	}
	for _, why := range []error{e.err, closing} {
		if why != nil {
			complain(s, why)
		}
	}
	if run != "" {
		fmt.Fprintf(s.err, "mrv: what came in is kept: mrv resume %s\n", run)
	}
	return exit(e.code)
}

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
	triage := false
	err = run.View(ctx, func(s *event.State) { triage = s.Phase == event.PhaseTriage || s.Phase == event.PhaseClosed })
	if err == nil {
		err = showScreen(ctx, s, o, look, tui.Options{Run: shown, Board: triage, Lang: lang, Fatal: fatal})
	}
	return left(s, err, shown.close(), run.ID())
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
