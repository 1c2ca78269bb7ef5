package tui

import (
	"context"
	"io"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

// Run is what the screen needs of a run. Its methods may be called from
// several goroutines.
type Run interface {
	// Updates brings the run's events in order. The first batch is all there
	// are so far; the channel is closed when the run is.
	Updates() <-chan []event.Event
	// Do carries a command out and returns once its event is on disk. An error
	// says in words why nothing was done.
	Do(ctx context.Context, c event.Command) error
	// Landing says what would be written where. It writes nothing.
	Landing(ctx context.Context) (event.Landing, error)
	// Context returns the lines from..to, 1-based and inclusive, of a file of
	// the change on a side; fewer when the file ends before.
	Context(ctx context.Context, path string, side diff.Side, from, to int) ([]string, error)
	// Transcript is all that a reviewer has said, from the journal.
	Transcript(ctx context.Context, reviewer string) (string, error)
}

// Starter begins a run once the person has seen its plan.
type Starter interface {
	Plan() event.Plan
	// Replan makes the plan anew: team as --team has it, "" for the one the
	// change has by itself, and paths that are not to be read. After an error
	// the plan is as it was.
	Replan(ctx context.Context, team string, drop []string) error
	// Start begins the run. When ctx ends before it returns, nothing may be
	// left running.
	Start(ctx context.Context) (Run, error)
}

// Options is what the screen is given.
type Options struct {
	// Starter begins the run, Run is one that goes on already (a resume, a
	// replay), Picker leads to one of both. One of them is set.
	Starter Starter
	Run     Run
	Picker  Picker
	// SkipPlan starts at once, without the page that shows the plan.
	SkipPlan bool
	// Board opens on the findings instead of the panes.
	Board bool

	Lang review.Lang
	// Theme is a theme's name or "auto" (the default): dark or light, as the
	// terminal's background is. ThemeDir holds the person's own themes.
	Theme, ThemeDir string
	// ASCII draws with ASCII signs only.
	ASCII bool
	// Keys are the person's own keys, by action id.
	Keys map[string][]string
	// Bell rings when the panel is done.
	Bell bool
	// Fatal brings errors of goroutines outside of the screen after which the
	// program must end; the terminal is restored first. May be nil.
	Fatal <-chan error

	// In and Out are the terminal, by default stdin and stdout; Env its
	// environment, by default the process's.
	In  io.Reader
	Out io.Writer
	Env []string
	// Width and Height are the size until the terminal says its own.
	Width, Height int
}

// Exit is how Main ends other than by a normal quit.
type Exit struct {
	Code review.Exit
	Err  error // why; nil when the person left with ctrl-c
}

// Error implements error.
func (e *Exit) Error() string {
	if e.Err == nil {
		return "interrupted"
	}
	return e.Err.Error()
}

// Unwrap gives the reason.
func (e *Exit) Unwrap() error { return e.Err }
