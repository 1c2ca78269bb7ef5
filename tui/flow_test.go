package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"
	"go.uber.org/goleak"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/internal/scene"
	"github.com/mrv-dev/mrv/tui/window"
)

// Every goroutine of ours ends with Main. The toolkit's own clock command, and
// after a panic its reader, outlive the program by design.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("charm.land/bubbletea/v2.(*Program).execBatchMsg"), // waits for the ticks
		goleak.IgnoreAnyFunction("charm.land/bubbletea/v2.Tick.func1"),
		goleak.IgnoreAnyFunction("charm.land/bubbletea/v2.(*Program).readLoop"),
		goleak.IgnoreAnyFunction("github.com/charmbracelet/ultraviolet.(*TerminalReader).StreamEvents.func1"),
	)
}

// session is the real program in a window, with a person before it.
type session struct {
	*window.Window
	t     *testing.T
	ended chan error
	state *term.State
}

// begin runs the program in a window.
func begin(t *testing.T, w, h int, o Options) *session {
	t.Helper()
	s := &session{Window: window.Open(t, w, h), t: t, ended: make(chan error, 1)}
	s.state = s.terminal()
	o.In, o.Out, o.Env = s.TTY(), s.TTY(), s.Env()
	go func() { s.ended <- Main(t.Context(), o) }()
	return s
}

func (s *session) terminal() *term.State {
	s.t.Helper()
	st, err := term.GetState(s.TTY().Fd())
	if err != nil {
		s.t.Fatalf("reading the terminal's state: %v", err)
	}
	return st
}

// end waits until the program has ended and fails if it left the terminal
// other than it was.
func (s *session) end() error {
	s.t.Helper()
	err := <-s.ended
	if after := s.terminal(); *after != *s.state {
		s.t.Error("the terminal's mode is not what it was")
	}
	s.Until("the alternate screen to go", func(string) bool { return !s.AltScreen() })
	return err
}

func TestFromPlanToQuit(t *testing.T) {
	d := newDesk()
	story := scene.New(plan(4))
	d.updates <- story.Phase(event.PhaseReviewing).Begin(scene.Names(4)...).Next()
	s := begin(t, 80, 24, Options{Starter: starter{plan: plan(4), run: d}})
	s.See("Before a model is asked", "38 KB to zhipuai", "enter start")
	s.Press("enter")
	s.See("1 quality-1", "4 architecture-1", "0/4 done")
	d.updates <- story.Say("security-1", "p", "退款金额直接取自请求体。").Next()
	s.See("退款金额直接取自请求体。")
	s.Press("2", "enter")
	s.Gone("1 quality-1")
	s.Press("esc")
	s.See("1 quality-1", "2 security-1")
	s.Press("?")
	s.See("any key closes")
	s.Press("x")
	s.Gone("any key closes")
	s.Press("tab", "tab", "shift+tab", "shift+tab")
	s.See("2 security-1")
	s.Press("q")
	s.See("Reviewers still at work: 4", "y yes")
	s.Press("n")
	s.Gone("Reviewers still at work")
	if got := s.Title(); got != "mrv 0/4" {
		t.Errorf("the window is titled %q", got)
	}
	d.updates <- story.Status(event.StatusDone, scene.Names(4)...).Phase(event.PhaseTriage).Next()
	s.See("4/4 done")
	s.Press("q")
	if err := s.end(); err != nil {
		t.Errorf("a normal quit is %v", err)
	}
}

// Text that comes in pieces of a character or of an escape sequence is shown
// whole, and nothing of the sequence.
func TestTextInPieces(t *testing.T) {
	d := newDesk()
	story := scene.New(plan(1))
	d.updates <- story.Phase(event.PhaseReviewing).Begin("quality-1").Next()
	s := begin(t, 80, 24, Options{Run: d})
	for _, piece := range []string{"before \x1b]52;c;", "ZXZpbA==", "\x07after ", "👨", "\u200d👩", "\u200d👧 and \x1b[", "2Jend"} {
		d.updates <- story.Say("quality-1", "p", piece).Next()
	}
	s.See("before after 👨 and end")
	d.updates <- story.Status(event.StatusDone, "quality-1").Phase(event.PhaseTriage).Next()
	s.See("1/1 done")
	s.Press("q")
	if err := s.end(); err != nil {
		t.Error(err)
	}
}

// A decision is on the screen only once its event has come back.
func TestCtrlCStopsThenLeaves(t *testing.T) {
	d := newDesk()
	story := scene.New(plan(2))
	d.updates <- story.Phase(event.PhaseReviewing).Begin(scene.Names(2)...).Next()
	d.do = func(c event.Command) error {
		if c.Kind != event.CmdStop {
			return fmt.Errorf("asked for %s", c.Kind)
		}
		d.updates <- story.Status(event.StatusAborted, scene.Names(2)...).Phase(event.PhaseTriage).Next()
		return nil
	}
	s := begin(t, 80, 24, Options{Run: d})
	s.See("2 security-1  ● running")
	s.Press("ctrl+c")
	s.See("2 security-1  ■ aborted", "2/2 done")
	s.Press("ctrl+c")
	var exit *Exit
	if err := s.end(); !errors.As(err, &exit) || exit.Code != review.ExitInterrupted {
		t.Errorf("ends with %v", err)
	}
}

func TestASignalRestoresTheTerminal(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			d := newDesk()
			d.updates <- scene.New(plan(1)).Events()
			s := begin(t, 80, 24, Options{Run: d})
			s.See("1 quality-1")
			if err := syscall.Kill(syscall.Getpid(), sig); err != nil {
				t.Fatal(err)
			}
			var exit *Exit
			if err := s.end(); !errors.As(err, &exit) || exit.Code != review.ExitInterrupted || !strings.Contains(err.Error(), sig.String()) {
				t.Errorf("ends with %v", err)
			}
		})
	}
}

// broken is a run that panics where it is told to.
type broken struct {
	*desk
	updatesPanic bool
}

func (b broken) Updates() <-chan []event.Event {
	if b.updatesPanic {
		panic("the run's own mistake")
	}
	return b.desk.Updates()
}

func TestAPanicRestoresTheTerminal(t *testing.T) {
	for name, b := range map[string]broken{
		"in a goroutine": {desk: newDesk(), updatesPanic: true},
		"in a command":   {desk: &desk{updates: make(chan []event.Event, 1), do: func(event.Command) error { panic("the run's own mistake") }}},
	} {
		t.Run(name, func(t *testing.T) {
			b.updates <- scene.New(plan(1)).Phase(event.PhaseReviewing).Begin("quality-1").Events()
			s := begin(t, 80, 24, Options{Run: b})
			if !b.updatesPanic {
				s.See("1 quality-1  ● running")
				s.Press("T")
			}
			var exit *Exit
			err := s.end()
			if !errors.As(err, &exit) || exit.Code != review.ExitUsage || !strings.Contains(err.Error(), "panic") {
				t.Errorf("ends with %v", err)
			}
		})
	}
}

// brokenPlan panics when it is looked at again, in the screen's own loop.
type brokenPlan struct {
	starter
	looked *int
}

func (b brokenPlan) Plan() event.Plan {
	if *b.looked++; *b.looked > 1 {
		panic("the plan's own mistake")
	}
	return b.starter.Plan()
}

func TestAPanicInUpdateRestoresTheTerminal(t *testing.T) {
	s := begin(t, 80, 24, Options{Starter: brokenPlan{starter{plan: plan(2), run: newDesk()}, new(int)}})
	s.See("Before a model is asked")
	s.Press("t", "enter")
	var exit *Exit
	if err := s.end(); !errors.As(err, &exit) || exit.Code != review.ExitUsage || !strings.Contains(err.Error(), "the screen: panic: the plan's own mistake") {
		t.Errorf("ends with %v", err)
	}
}

// TestAPanicInDrawing: the window stays the program's until its loop has heard
// of it, and the first one is told.
func TestAPanicInDrawing(t *testing.T) {
	m := &model{broken: make(chan error, 1)}
	for range 3 { // it is drawn again until the program's loop has heard of it
		if v := m.drawn(func() tea.View { panic("a place that is not there") }); v.Content != "" || !v.AltScreen {
			t.Errorf("drawn as %+v", v)
		}
	}
	err := <-m.broken
	var p *Panic
	if !errors.As(err, &p) || err.Error() != "drawing the screen: panic: a place that is not there" || !strings.Contains(string(p.Stack), "TestAPanicInDrawing") {
		t.Errorf("it is told as %v", err)
	}
}

func TestAFatalErrorFromElsewhere(t *testing.T) {
	fatal := make(chan error, 1)
	d := newDesk()
	d.updates <- scene.New(plan(1)).Events()
	s := begin(t, 80, 24, Options{Run: d, Fatal: fatal})
	s.See("1 quality-1")
	fatal <- errors.New("writing the journal: no space left")
	var exit *Exit
	if err := s.end(); !errors.As(err, &exit) || exit.Code == review.ExitOK || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("ends with %v", err)
	}
}

func TestTheContextEndsTheScreen(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	d := newDesk()
	d.updates <- scene.New(plan(1)).Events()
	w := window.Open(t, 80, 24)
	ended := make(chan error, 1)
	go func() { ended <- Main(ctx, Options{Run: d, In: w.TTY(), Out: w.TTY(), Env: w.Env()}) }()
	w.See("1 quality-1")
	cancel()
	var exit *Exit
	if err := <-ended; !errors.As(err, &exit) || exit.Code != review.ExitInterrupted {
		t.Errorf("ends with %v", err)
	}
}

// A frame in which only the clocks move costs less than a kilobyte, with
// Chinese text in every row: over a slow line this is what a screen costs that
// nobody touches.
func TestQuietFrameIsSmall(t *testing.T) {
	d := newDesk()
	story := scene.New(plan(8)).Phase(event.PhaseReviewing).Begin(scene.Names(8)...)
	for _, n := range scene.Names(8) {
		story.Say(n, "p", strings.Repeat("每次退款都会读取余额两次，没有索引 the handler copies the amount。", 30))
	}
	d.updates <- story.Next()
	s := begin(t, 160, 48, Options{Run: d})
	s.See("8 operations-1  ● running 1 s")
	before, _ := s.Written()
	s.See("8 operations-1  ● running 2 s")
	after, _ := s.Written()
	if n := after - before; n >= 1000 {
		t.Errorf("a frame of moving clocks is %d bytes, want less than 1000", n)
	} else {
		t.Logf("a frame of moving clocks: %d bytes", n)
	}
	s.Press("q", "y")
	if err := s.end(); err != nil {
		t.Error(err)
	}
}
