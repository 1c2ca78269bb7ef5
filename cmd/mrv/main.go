// Command mrv lets one person drive a panel of AI reviewers over one change,
// from the terminal. Each command is one small file: flags in, engine calls,
// exit code out.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/mrv-dev/mrv/engine/review"
)

// version is the version of this build; releases set it by -ldflags.
var version = "0.1.0-dev"

func main() {
	os.Exit(int(run(os.Args[1:], terminal())))
}

// streams are where a command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
	inTTY    bool
	outTTY   bool
	errTTY   bool
	lang     review.Lang // in which a person is told things
}

func terminal() streams {
	return streams{
		in: os.Stdin, out: os.Stdout, err: os.Stderr,
		inTTY: term.IsTerminal(int(os.Stdin.Fd())), outTTY: term.IsTerminal(int(os.Stdout.Fd())), errTTY: term.IsTerminal(int(os.Stderr.Fd())),
	}
}

// exitError carries an exit code, with an error to print or without one.
type exitError struct {
	code review.Exit
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// exit ends a command with a code and nothing to say.
func exit(code review.Exit) error {
	if code == review.ExitOK {
		return nil
	}
	return &exitError{code: code}
}

// run is the whole program but for the process around it.
func run(args []string, s streams) review.Exit {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	s.lang = spoken(args)
	root := rootCommand(s)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	var e *exitError
	switch {
	case err == nil:
		return review.ExitOK
	case errors.As(err, &e):
		if e.err != nil {
			complain(s, e.err)
		}
		return e.code
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		return review.ExitInterrupted
	}
	complain(s, err)
	return review.ExitUsage
}

func rootCommand(s streams) *cobra.Command {
	root := &cobra.Command{
		Use:           "mrv",
		Short:         "A panel of AI reviewers over one change, triaged by keyboard",
		Long:          "mrv runs several AI reviewers over one change at once, shows them live, merges what\nthey found, and lets you accept, reject or escalate each finding by keyboard before\nanything is written or posted.",
		Version:       version,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		Example:       "  mrv tui --demo          a recorded panel: no model, no network\n  mrv tui 123             a pull request\n  mrv tui --base main     this branch",
	}
	root.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	root.SetVersionTemplate("mrv {{.Version}}\n")
	speaks(root)
	addCommands(root, s)
	return root
}
