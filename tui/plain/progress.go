package plain

import (
	"fmt"
	"strings"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/tui/text"
)

// happened folds a batch of events and says what the person must hear.
func (s *session) happened(batch []event.Event) error {
	decided := false
	for _, e := range batch {
		if err := s.state.Apply(e); err != nil {
			return err
		}
		if !s.quiet {
			s.progress(e)
		}
		decided = decided || s.opened && e.Kind == event.Decided
	}
	s.quiet = false
	s.board.SetState(s.state) // its command would colour code
	switch {
	case decided:
		s.decided()
	case !s.opened && s.state.Phase == event.PhaseTriage, !s.opened && s.state.Phase == event.PhaseClosed:
		s.open()
	}
	return nil
}

// progress says what became of a reviewer or of the run.
func (s *session) progress(e event.Event) {
	switch e.Kind {
	case event.StatusChanged:
		if r := s.state.Reviewer(e.Reviewer); r != nil && r.Status != event.StatusStarting {
			s.status(r)
		}
	case event.Noticed:
		if n := len(s.state.Notices); n > 0 && e.Reviewer == "" {
			s.say(text.Line(s.words.Say(s.state.Notices[n-1].Text)))
		}
	}
}

// status says what a reviewer does, or how it has ended.
func (s *session) status(r *event.Reviewer) {
	parts := []string{text.Line(r.Name) + "  " + s.words.Live.Status[string(r.Status)]}
	if rep := r.Report; rep != nil && r.Status.Final() {
		if said := text.Line(rep.LabelText); said != "" {
			parts = append(parts, said)
		}
		switch n := len(rep.Findings); n {
		case 1:
			parts = append(parts, s.words.Live.OneFinding)
		default:
			parts = append(parts, fmt.Sprintf(s.words.Live.Findings, n))
		}
	}
	switch {
	case r.Failure != nil:
		parts = append(parts, s.words.Live.Failure[string(r.Failure.Kind)], text.Line(s.words.Say(r.Failure.Message)))
	case r.Text != "":
		parts = append(parts, text.Line(s.words.Say(r.Text)))
	}
	s.say(strings.Join(parts, "  "))
}

// alive says who is still at work, so that silence is no riddle.
func (s *session) alive() {
	if !s.atWork() {
		return
	}
	var names []string
	for _, r := range s.state.Reviewers {
		if !r.Status.Final() {
			names = append(names, text.Line(r.Name))
		}
	}
	s.say(fmt.Sprintf(s.words.Plain.AtWork, strings.Join(names, ", ")))
}

// open reads out the outcome and the findings, and asks for the first command.
func (s *session) open() {
	s.opened = true
	s.say("")
	if p := s.state.Plan; p != nil {
		s.say(text.Line(strings.TrimSpace(p.Change.Name() + "  " + p.Change.Title)))
		if p.Banner != "" {
			s.say(text.Line(s.words.Say(p.Banner)))
		}
	}
	s.say(fmt.Sprintf(s.words.Board.SoFar, s.words.Common.Verdict[string(s.state.Verdict())]))
	for _, h := range s.state.AllHolds() {
		s.say(s.words.Board.Holds + ": " + text.Line(s.words.Say(h.Text)))
	}
	if sum := strings.TrimSpace(s.state.Summary.Text); sum != "" {
		s.say(sum)
	}
	s.list()
	s.next(-1)
	s.ready()
}

// decided says what the last step did and goes on: after a decision to the next
// undecided finding, after undo to the one it is about.
func (s *session) decided() {
	s.waiting = false
	if c := s.state.Cursor; c != "" {
		s.at = c
	}
	for i, l := range s.board.Lines() {
		if l.Lead != s.at {
			continue
		}
		if !l.Decided {
			s.finding(i)
			break
		}
		s.say(fmt.Sprintf("%d  %s", i+1, l.Text))
		s.next(i)
		break
	}
	s.ready()
}

// next takes the undecided finding after row i, around the end, in hand and
// reads it out.
func (s *session) next(i int) {
	lines := s.board.Lines()
	for k := range lines {
		if n := (i + 1 + k) % len(lines); !lines[n].Decided {
			s.finding(n)
			return
		}
	}
	if len(lines) > 0 {
		s.say(s.words.Board.AllDecided)
	}
}

// finding takes a row in hand and reads it out.
func (s *session) finding(i int) {
	lines := s.board.Lines()
	s.at = lines[i].Lead
	s.say("")
	s.say(fmt.Sprintf(s.words.Plain.Finding, i+1, len(lines)))
	for _, l := range s.board.Read(s.at, width) {
		s.write(l + "\n")
	}
}

// list numbers the findings.
func (s *session) list() {
	lines := s.board.Lines()
	if len(lines) == 0 {
		s.say(s.words.Board.Empty)
	}
	for i, l := range lines {
		s.say(fmt.Sprintf("%d  %s", i+1, l.Text))
	}
}

// target says of one destination what would land there.
func (s *session) target(d event.Destination) string {
	w := s.words.Outbox
	parts := []string{w.Target(d.Target), text.Line(strings.Join(d.Where, ", "))}
	if !d.Ready {
		return strings.Join(append(parts, w.NotReady, text.Line(s.words.Say(d.Why))), "  ")
	}
	count := map[string]int{}
	for _, x := range d.Items {
		count[x.As]++
	}
	for _, as := range []string{"open", "escalated", "rejected", "inline", "file", "summary", "kept"} {
		if n := count[as]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", w.As(as), n))
		}
	}
	return strings.Join(parts, "  ")
}
