package plain

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/charmbracelet/colorprofile"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/themes"
	"github.com/mrv-dev/mrv/tui"
	"github.com/mrv-dev/mrv/tui/board"
	"github.com/mrv-dev/mrv/tui/style"
	"github.com/mrv-dev/mrv/tui/text"
	"github.com/mrv-dev/mrv/tui/words"
)

// width is what lines are wrapped to, in cells.
const width = 78

// heartbeat is how often a panel at work says so.
const heartbeat = 30 * time.Second

// session is one sitting.
type session struct {
	ctx   context.Context
	out   io.Writer
	words *words.Words
	run   tui.Run
	state *event.State
	board *board.Board
	desk  *counted

	// answer takes the next line; nil when it is a command or the board's.
	answer  func(line string)
	acted   string            // the finding that was in hand when the last command went out
	told    map[string]string // each finding's line then, by the id of its lead
	quiet   bool              // what happens is not told: it was, in another sitting
	opened  bool              // the findings were listed
	waiting bool              // for the event of the last command
	helped  bool              // what the commands are
	err     error             // of writing
	over    bool
}

// counted is the run as the board has it: it counts what was carried out, because
// a line is taken only when what the last one did is known.
type counted struct {
	run  tui.Run
	done int
}

func (c *counted) Do(ctx context.Context, asked event.Command) error {
	err := c.run.Do(ctx, asked)
	if err == nil {
		c.done++
	}
	return err
}

func (c *counted) Context(ctx context.Context, path string, side diff.Side, from, to int) ([]string, error) {
	return c.run.Context(ctx, path, side, from, to)
}

// Main runs until the person leaves or the input ends, which is nil. When ctx
// ends, as by ctrl-c, the reviewers are stopped and the error is a *tui.Exit.
// Options of the screen's looks and keys are not used. The one goroutine that
// reads o.In ends with it: a read from a terminal cannot be called off.
func Main(ctx context.Context, o tui.Options) error {
	if o.In == nil {
		o.In = os.Stdin
	}
	if o.Out == nil {
		o.Out = os.Stdout
	}
	s, err := newSession(ctx, o)
	if err != nil {
		return err
	}
	lines := read(ctx, o.In)
	if o.Starter != nil {
		if run, err := s.start(o, lines); run == nil || err != nil {
			return err
		}
	}
	return s.sit(lines, o.Fatal)
}

func newSession(ctx context.Context, o tui.Options) (*session, error) {
	mono, err := themes.Load("mono", "")
	if err != nil {
		return nil, err
	}
	st, err := style.New(mono, colorprofile.ASCII, style.ChooseGlyphs(true, nil))
	if err != nil {
		return nil, err
	}
	s := &session{ctx: ctx, out: o.Out, words: words.For(o.Lang), run: o.Run, desk: &counted{run: o.Run}, state: event.NewState(), quiet: o.Starter == nil}
	s.board = board.New(ctx, s.desk, s.words, st)
	s.board.Linear()
	s.board.SetSize(width, 24)
	return s, nil
}

// read hands over the input line by line, and closes the channel at its end.
func read(ctx context.Context, in io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		r := bufio.NewReader(in)
		for {
			line, err := r.ReadString('\n')
			if line != "" || err == nil {
				select {
				case lines <- strings.TrimSpace(line):
				case <-ctx.Done():
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	return lines
}

// start reads the plan out and begins the run once the person has said yes; a
// nil run means no.
func (s *session) start(o tui.Options, lines <-chan string) (tui.Run, error) {
	p := o.Starter.Plan()
	for _, l := range tui.PlanLines(&p, s.words.Lang, width) {
		s.say(l)
	}
	if !o.SkipPlan && len(p.Sends) > 0 {
		s.prompt(s.words.Plain.Start + "  " + s.words.Common.Quit.Answers + ": ")
		select {
		case line := <-lines:
			if !yes(line) {
				return nil, s.err
			}
		case <-s.ctx.Done():
			return nil, s.interrupted()
		}
	}
	run, err := o.Starter.Start(s.ctx)
	if err != nil {
		return nil, err
	}
	s.run, s.desk.run = run, run
	return run, nil
}

// sit is the sitting: events and lines as they come.
func (s *session) sit(lines <-chan string, fatal <-chan error) error {
	updates := s.run.Updates()
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	for !s.over && s.err == nil {
		in := lines
		if !s.opened || s.waiting { // a line is about what is known then
			in = nil
		}
		select {
		case batch, ok := <-updates:
			if !ok {
				updates, s.waiting = nil, false
				continue
			}
			if err := s.happened(batch); err != nil {
				return err
			}
		case line, ok := <-in:
			if !ok {
				return s.err
			}
			s.took(line)
		case err := <-fatal:
			return &tui.Exit{Code: review.ExitUsage, Err: err}
		case <-tick.C:
			s.alive()
		case <-s.ctx.Done():
			return s.interrupted()
		}
	}
	return s.err
}

// interrupted stops what is at work; what came in is kept.
func (s *session) interrupted() error {
	if s.run != nil && s.atWork() {
		if err := s.run.Do(context.WithoutCancel(s.ctx), event.Command{Kind: event.CmdStop}); err != nil {
			s.fail(err)
		}
	}
	return &tui.Exit{Code: review.ExitInterrupted}
}

func (s *session) atWork() bool {
	done, of := s.state.Done()
	return done < of && (s.state.Phase == event.PhaseReviewing || s.state.Phase == event.PhaseMerging)
}

// say writes a text as lines.
func (s *session) say(t string) {
	for _, l := range text.Wrap(text.Clean(t), width) {
		s.write(l + "\n")
	}
}

// prompt asks for a line; the cursor stays behind it.
func (s *session) prompt(t string) { s.write(text.Clean(t)) }

func (s *session) write(t string) {
	if _, err := io.WriteString(s.out, t); err != nil && s.err == nil {
		s.err = fmt.Errorf("writing to the terminal: %w", err)
	}
}

func (s *session) fail(err error) { s.say("! " + text.Line(s.words.Say(err.Error()))) }

func yes(line string) bool { return strings.EqualFold(line, "y") || strings.EqualFold(line, "yes") }
