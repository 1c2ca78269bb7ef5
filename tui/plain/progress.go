package plain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/tui/board"
	"github.com/mrv-dev/mrv/tui/text"
)

// happened folds a batch of events and says what the person must hear.
func (s *session) happened(batch []event.Event) error {
	known := s.state.FindingsSeq
	for _, e := range batch {
		if err := s.state.Apply(e); err != nil {
			return err
		}
		if !s.quiet {
			s.progress(e)
		}
	}
	s.quiet = false
	s.board.SetState(s.state)
	switch {
	case s.waiting && s.state.FindingsSeq != known:
		s.settled()
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
	case event.Exported:
		x := s.state.Exports[len(s.state.Exports)-1]
		s.say(fmt.Sprintf(s.words.Outbox.Written, s.words.Outbox.Target(x.Target)+"  "+text.Line(strings.Join(x.Where, ", "))))
	case event.Challenged:
		var c event.ChallengeData
		if e.Decode(&c) == nil && c.Outcome+c.Error != "" {
			s.say(text.Line(s.state.Findings[c.Finding].Reviewer) + ": " + s.board.Outcome(c))
			s.say(c.Answer)
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
	for _, h := range s.state.AllHolds() {
		s.say(s.words.Board.Holds + ": " + text.Line(s.words.Say(h.Text)))
	}
	if sum := strings.TrimSpace(s.state.Summary.Text); sum != "" {
		s.say(sum)
	}
	s.list()
	if i := s.row(); i >= 0 && s.board.Lines()[i].Decided {
		s.follow(s.board.Do("next.undecided"))
	}
	s.read()
	s.ready()
}

// remember notes how the findings stand before a command.
func (s *session) remember(inHand string) {
	s.acted, s.told = inHand, map[string]string{}
	for _, l := range s.board.Lines() {
		s.told[l.Lead] = l.Text
	}
}

// aFew is how many changed findings are said one by one.
const aFew = 9

// settled says what the last command changed, and reads out the finding that
// is in hand now, where it is another one or waits again.
func (s *session) settled() {
	s.waiting = false
	lines := s.board.Lines()
	var changed []string
	for i, l := range lines {
		if was, known := s.told[l.Lead]; !known || was != l.Text {
			changed = append(changed, fmt.Sprintf("%d  %s", i+1, l.Text))
		}
	}
	if len(changed) <= aFew {
		for _, l := range changed {
			s.say(l)
		}
	}
	if i := s.row(); i >= 0 && (lines[i].Lead != s.acted || !lines[i].Decided) {
		s.read()
	}
	s.ready()
}

// row is where the finding in hand stands; -1 when there is none.
func (s *session) row() int {
	lead := s.board.Lead()
	return slices.IndexFunc(s.board.Lines(), func(l board.Line) bool { return l.Lead == lead })
}

// read reads out the finding in hand.
func (s *session) read() {
	i := s.row()
	if i < 0 {
		return
	}
	s.say("")
	s.say(fmt.Sprintf(s.words.Plain.Finding, i+1, len(s.board.Lines())))
	s.print(s.board.Read(width))
}

// print writes lines as they are.
func (s *session) print(lines []string) {
	for _, l := range lines {
		s.write(l + "\n")
	}
}

// list says how things stand and numbers the findings.
func (s *session) list() {
	s.say(s.board.Standing())
	lines := s.board.Lines()
	if len(lines) == 0 {
		s.say(s.words.Board.Empty)
	}
	for i, l := range lines {
		s.say(fmt.Sprintf("%d  %s", i+1, l.Text))
	}
}
