package main

import (
	"context"
	"errors"
	"os"

	"github.com/mrv-dev/mrv/tui"
	"github.com/mrv-dev/mrv/tui/plain"
)

// readsPlain reports whether the screen is read line by line: because it was
// asked for, or because the terminal can do nothing but print.
func (f *screenFlags) readsPlain(s streams) bool {
	return f.plain || s.outTTY && s.inTTY && os.Getenv("TERM") == "dumb"
}

// ready refuses where the screen cannot be shown. Line by line it can be shown
// everywhere.
func (f *screenFlags) ready(s streams) error {
	if f.readsPlain(s) {
		return nil
	}
	return needScreen(s)
}

// showPlain reads the run line by line. Signals come by ctx: there is no
// terminal to restore.
func showPlain(ctx context.Context, s streams, o tui.Options) error {
	o.In, o.Out = s.in, s.out
	err := plain.Main(ctx, o)
	var e *tui.Exit
	if errors.As(err, &e) {
		return &exitError{code: e.Code, err: e.Err}
	}
	return err
}
