package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/style"
)

// frameRate is the renderer's clock. Views are made once a message; a high
// rate only shortens the way from a key to the screen.
const frameRate = 120

// Main shows the screen until the person leaves it. A normal quit is nil; an
// interruption, a signal or a panic is an *Exit. In every case the terminal is
// as it was before. The run itself is left as it is: whoever made it closes it.
func Main(ctx context.Context, o Options) error {
	_, err := show(ctx, o)
	return err
}

// show is Main; it returns the model too, as it was at the end.
func show(outer context.Context, o Options) (*model, error) {
	o = o.filled()
	ctx, cancel := context.WithCancel(outer)
	defer cancel()
	profile := style.Profile(colorprofile.Detect(o.Out, o.Env), o.Env)
	m, err := newModel(ctx, o, profile)
	if err != nil {
		return nil, err
	}
	p := tea.NewProgram(m, tea.WithInput(o.In), tea.WithOutput(o.Out), tea.WithEnvironment(o.Env),
		tea.WithColorProfile(profile), tea.WithFPS(frameRate), tea.WithWindowSize(o.Width, o.Height), tea.WithoutSignalHandler())

	var own sync.WaitGroup
	spawn := func(what string, f func()) {
		own.Go(func() {
			defer func() {
				if r := recover(); r != nil {
					p.Send(fatalMsg{panicked(what, r)})
				}
			}()
			f()
		})
	}
	m.feed = func(r Run, attached int) {
		spawn("reading the run", func() { pump(ctx, r.Updates(), func(msg tea.Msg) { p.Send(fromRun{attached, msg}) }) })
	}
	ended := make(chan struct{})
	spawn("waiting for signals", func() { watch(outer.Done(), ended, p, o.Fatal, m.broken) })

	_, err = p.Run()
	close(ended)
	cancel()
	own.Wait()
	if err == nil {
		err = outer.Err()
	}
	return m, m.outcome(err)
}

func (o Options) filled() Options {
	if o.In == nil {
		o.In = os.Stdin
	}
	if o.Out == nil {
		o.Out = os.Stdout
	}
	if o.Env == nil {
		o.Env = os.Environ()
	}
	if o.Lang == "" {
		o.Lang = review.English
	}
	return o
}

// watch ends the program on a signal, a fatal error from elsewhere or a panic
// in drawing, or when stop is closed, until the program has ended. A second
// signal does not wait for the program's own loop.
func watch(stop, ended <-chan struct{}, p *tea.Program, fatal, broken <-chan error) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGTERM, syscall.SIGINT)
	defer signal.Stop(signals)
	for seen := 0; ; {
		select {
		case <-ended:
			return
		case <-stop:
			// Not tea.WithContext: a program that is killed closes the input
			// which it still reads.
			stop = nil
			p.Quit()
		case err, ok := <-fatal:
			if !ok {
				fatal = nil
				continue
			}
			p.Send(fatalMsg{err})
		case err := <-broken:
			p.Send(fatalMsg{err})
		case s := <-signals:
			if seen++; seen > 1 {
				p.Kill()
				return
			}
			p.Send(signalMsg{s})
		}
	}
}

// outcome turns how the program ended into what Main returns.
func (m *model) outcome(err error) error {
	switch {
	case m.fatal != nil:
		return &Exit{Code: review.ExitUsage, Err: m.fatal}
	case errors.Is(err, tea.ErrProgramPanic):
		return &Exit{Code: review.ExitUsage, Err: fmt.Errorf("drawing the screen: %w", err)}
	case m.interrupted != nil:
		return m.interrupted
	case errors.Is(err, tea.ErrInterrupted), errors.Is(err, tea.ErrProgramKilled), errors.Is(err, context.Canceled):
		return &Exit{Code: review.ExitInterrupted, Err: fmt.Errorf("the screen was stopped: %w", err)}
	case err != nil:
		return &Exit{Code: review.ExitUsage, Err: fmt.Errorf("running the screen: %w", err)}
	}
	return nil
}
