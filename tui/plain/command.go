package plain

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/board"
	"github.com/mrv-dev/mrv/tui/text"
)

// ready asks for the next command; the first time it says which there are.
func (s *session) ready() {
	s.say("")
	if !s.told {
		s.help()
	}
	t := s.state.Tally()
	s.prompt(fmt.Sprintf(s.words.Plain.Commands, t.Undecided, t.Total) + "> ")
}

func (s *session) help() {
	k := s.words.Plain.Keys
	s.say(strings.Join([]string{
		k.Number, "a " + k.Accept, "r " + k.Reject, "e " + k.Escalate, "u " + k.Undo, "n " + k.Next, "l " + k.List,
		"x " + k.Send, "q " + k.Quit, "? " + k.Help,
	}, ", "))
	s.told = true
}

// took gives a line to the open question, or carries it out as a command.
func (s *session) took(line string) {
	if answer := s.answer; answer != nil {
		s.answer = nil
		answer(line)
		return
	}
	if n, err := strconv.Atoi(line); err == nil {
		if lines := s.board.Lines(); n < 1 || n > len(lines) {
			s.say(fmt.Sprintf(s.words.Plain.NoFinding, n))
		} else {
			s.finding(n - 1)
		}
		s.ready()
		return
	}
	switch line {
	case "a":
		s.decide(review.Decision{Choice: review.Accepted})
	case "r":
		s.reject()
	case "e":
		s.escalate()
	case "u":
		s.do(event.Command{Kind: event.CmdUndo})
	case "x":
		s.send()
	case "q":
		s.quit()
	case "n":
		s.next(s.row())
		s.ready()
	case "l":
		s.list()
		s.ready()
	case "?":
		s.told = false
		s.ready()
	case "":
		s.ready()
	default:
		s.say(fmt.Sprintf(s.words.Plain.Unknown, text.Line(line)))
		s.ready()
	}
}

// row is where the finding in hand stands; -1 when there is none.
func (s *session) row() int {
	for i, l := range s.board.Lines() {
		if l.Lead == s.at {
			return i
		}
	}
	return -1
}

// ask puts a question whose answer is the next line.
func (s *session) ask(question string, answer func(line string)) {
	s.prompt(question + " ")
	s.answer = answer
}

// do carries a command out. What came of it is said when its event has come.
func (s *session) do(c event.Command) {
	if err := s.run.Do(s.ctx, c); err != nil {
		s.fail(err)
		s.ready()
		return
	}
	s.waiting = true
}

func (s *session) decide(d review.Decision) {
	if s.row() < 0 {
		s.say(s.words.Board.Empty)
		s.ready()
		return
	}
	s.do(event.Command{Kind: event.CmdDecide, IDs: []string{s.at}, Decision: &d, Cursor: s.at})
}

// reject asks for the reason, by the same letters as on the board.
func (s *session) reject() {
	var reasons []string
	for _, r := range review.Reasons() {
		reasons = append(reasons, board.ReasonKey(r)+" "+s.words.Board.Reason(r))
	}
	s.ask(s.words.Plain.Reason+" "+strings.Join(reasons, ", ")+":", func(line string) {
		for _, r := range review.Reasons() {
			switch {
			case line != board.ReasonKey(r):
			case r == review.ReasonOther:
				s.ask(s.words.Board.WhyLabel+":", func(why string) {
					s.decide(review.Decision{Choice: review.Rejected, Reason: r, Note: why})
				})
				return
			default:
				s.decide(review.Decision{Choice: review.Rejected, Reason: r})
				return
			}
		}
		s.ready()
	})
}

// escalate asks to whom and why.
func (s *session) escalate() {
	w := s.words.Board
	s.ask(w.ToLabel+":", func(to string) {
		s.ask(w.WhyLabel+":", func(why string) {
			if to == "" || why == "" {
				s.say(w.EscalateNeeds)
				s.ready()
				return
			}
			s.decide(review.Decision{Choice: review.Escalated, To: to, Note: why})
		})
	})
}

// send says what would land where, asks of each destination that is ready, and
// sends to those that were allowed.
func (s *session) send() {
	landing, err := s.run.Landing(s.ctx)
	if err != nil {
		s.fail(err)
		s.ready()
		return
	}
	if landing.Moved {
		s.say(fmt.Sprintf(s.words.Outbox.Moved, event.Short(landing.Current)))
	}
	s.allow(landing.Destinations, nil)
}

// allow asks of one destination after the other.
func (s *session) allow(rest []event.Destination, allowed []string) {
	if len(rest) > 0 {
		d := rest[0]
		s.say(s.target(d))
		if !d.Ready {
			s.allow(rest[1:], allowed)
			return
		}
		s.ask(fmt.Sprintf(s.words.Plain.Send, s.words.Outbox.Target(d.Target))+"  "+s.words.Common.Quit.Answers+":", func(line string) {
			if yes(line) {
				allowed = append(allowed, d.Target)
			}
			s.allow(rest[1:], allowed)
		})
		return
	}
	if len(allowed) == 0 {
		s.say(s.words.Outbox.NothingTicked)
	} else if err := s.run.Do(s.ctx, event.Command{Kind: event.CmdExport, Targets: allowed}); err != nil {
		s.fail(err)
	} else {
		s.say(fmt.Sprintf(s.words.Outbox.Written, strings.Join(allowed, ", ")))
	}
	s.ready()
}

// quit leaves, after a question when findings would be left undecided.
func (s *session) quit() {
	n := s.state.Tally().Undecided
	if n == 0 {
		s.over = true
		return
	}
	s.ask(fmt.Sprintf(s.words.Common.Quit.Undecided, n)+"  "+s.words.Common.Quit.Answers+":", func(line string) {
		if s.over = yes(line); !s.over {
			s.ready()
		}
	})
}
