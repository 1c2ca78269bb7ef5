package engine

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/mrv-dev/mrv/engine/agent/opencode"
	"github.com/mrv-dev/mrv/engine/config"
	"github.com/mrv-dev/mrv/engine/review"
)

// Options say what is to be reviewed, by whom, and within which limits. Zero
// values mean "as configured, else as built in".
type Options struct {
	Source SourceOptions
	Demo   bool    // the embedded recording instead of a change
	Speed  float64 // of a recording; 1 as it was, 0 without waiting

	Team     string // quality:1,security:2
	Tier     string // trivial, lite, full
	Agent    string // opencode, checks
	Model    string // provider/model, for everybody
	Lang     review.Lang
	Effort   review.Effort
	Thinking *bool
	Budget   float64       // USD, 0 = none
	Timeout  time.Duration // of the run
	Out      string        // directory under which .ai/reviews is written
	OpenCode string        // path of the binary

	// Drop are paths of files that the person does not want read.
	Drop []string

	AllowProviders []string // may see code that is not public
	TrustRules     string   // hash of the project's rules, or "base"

	// Interactive says that a person can be asked, so that without a model
	// the checks are a sensible default.
	Interactive bool
	// NoServer asks no OpenCode for its models: prices and efforts are unknown.
	NoServer bool
	// PlanOnly never fails for want of a model or of OpenCode.
	PlanOnly   bool
	Person     config.Person
	PersonFile string
	Paths      config.Paths
	Version    string
	Stdin      io.Reader

	// SARIF are reports of analysers whose findings become a reviewer's,
	// beside the person's own.
	SARIF []string
	// Getenv reads the person's environment; nil is the process's own.
	Getenv func(string) string
	// Timing is how patient mrv is with OpenCode; zero values are the usual
	// ones. For tests that cannot wait.
	Timing opencode.Timing
	// Cooldown is how long a model is left alone after too many retries; zero
	// is the usual time. For tests that cannot wait.
	Cooldown time.Duration

	idle *opencode.Idle // a server that has listed the models for a plan, nil for none
}

// Defaults of the clocks (Cloudflare's measured limits: 5 minutes a reviewer,
// 25 a run, no retry under 2) and of the rest.
const (
	defaultRun         = 25 * time.Minute
	defaultReviewer    = 5 * time.Minute
	coordinatorReserve = 2 * time.Minute
	defaultFirstByte   = 180 * time.Second
	loopbackFirstByte  = 600 * time.Second
	defaultSilence     = 120 * time.Second
	hardSilence        = 180 * time.Second // at effort high or max
	defaultSteps       = 40
	defaultRetries     = 2
	maxTeam            = 12
)

// getenv reads a variable of the person's environment.
func (o Options) getenv(name string) string {
	if o.Getenv != nil {
		return o.Getenv(name)
	}
	return os.Getenv(name)
}

// UsageError is a mistake of whoever called mrv: nothing was started.
type UsageError struct{ Err error }

// Error implements error.
func (e *UsageError) Error() string { return e.Err.Error() }

// Unwrap implements errors.Unwrap.
func (e *UsageError) Unwrap() error { return e.Err }

func usage(format string, args ...any) error { return &UsageError{fmt.Errorf(format, args...)} }

// ErrNoModel says that nothing tells which model to ask.
var ErrNoModel = errors.New("no model to ask")
