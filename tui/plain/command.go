package plain

import (
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/mrv-dev/mrv/tui/text"
	"github.com/mrv-dev/mrv/tui/words"
)

// command is a line that begins with one of its names.
type command struct {
	name string
	// action is the board's, by its id in the key table: the letter is the
	// board's too. Numbers behind it say which findings it is for.
	action string
	// does is what else it does.
	does func(s *session, rest string)
	text func(w *words.Words) string
}

// commands are all there are, in the order of the help.
func commands() []command {
	said := func(id string) func(*words.Words) string {
		return func(w *words.Words) string { return w.Keys[id].Long }
	}
	act := func(name, id string) command { return command{name: name, action: id, text: said(id)} }
	return []command{
		act("a", "accept"), act("r", "reject"), act("e", "escalate"), act("u", "undo"), act("U", "redo"), act(".", "repeat"),
		act("A", "accept.confirmed"), act("R", "reject.all"),
		{name: "E", action: "edit", text: func(w *words.Words) string { return w.Plain.Keys.Edit }}, act("i", "note"), act("+", "own"), act("c", "challenge"), act("s", "split"), act("m", "join"),
		{name: "}", action: "next.undecided", text: func(w *words.Words) string { return w.Plain.Keys.Next }},
		{name: "{", action: "prev.undecided", text: func(w *words.Words) string { return w.Plain.Keys.Previous }},
		act("/", "search"), act("n", "search.next"), act("N", "search.prev"), act("f", "filter"), act("S", "sort"),
		{name: "x", does: (*session).more, text: said("context.more")},
		{name: "d", does: (*session).file, text: func(w *words.Words) string { return w.Plain.Keys.File }},
		{name: "v", does: func(s *session, _ string) { s.print(s.board.ReadCoverage(width)); s.ready() }, text: said("coverage")},
		{name: "D", does: func(s *session, _ string) { s.print(s.board.ReadAsides(width)); s.ready() }, text: said("decided.before")},
		{name: "z", does: (*session).restore, text: func(w *words.Words) string { return w.Plain.Keys.Restore }},
		{name: "l", does: func(s *session, _ string) { s.list(); s.ready() }, text: func(w *words.Words) string { return w.Plain.Keys.List }},
		{name: "o", does: func(s *session, _ string) { s.send() }, text: func(w *words.Words) string { return w.Plain.Keys.Send }},
		{name: "q", does: func(s *session, _ string) { s.quit() }, text: func(w *words.Words) string { return w.Plain.Keys.Quit }},
		{name: "?", does: func(s *session, _ string) { s.helped = false; s.ready() }, text: func(w *words.Words) string { return w.Plain.Keys.Help }},
	}
}

// ready asks for the next command; the first time it says which there are.
func (s *session) ready() {
	s.say("")
	if !s.helped {
		s.help()
	}
	t := s.state.Tally()
	s.prompt(fmt.Sprintf(s.words.Plain.Commands, t.Undecided, t.Total) + "> ")
}

func (s *session) help() {
	s.say(s.words.Plain.Keys.Number)
	for _, c := range commands() {
		s.say(c.name + "  " + c.text(s.words))
	}
	s.helped = true
}

// took gives a line to the open question, or carries it out as a command.
func (s *session) took(line string) {
	if answer := s.answer; answer != nil {
		s.answer = nil
		answer(line)
		return
	}
	if _, open := s.board.Question(); open {
		s.carry(func() tea.Cmd { return s.board.Reply(line) })
		return
	}
	if n, err := strconv.Atoi(line); err == nil {
		if rows, ok := s.rows([]string{line}); ok {
			s.board.Go(rows[0])
			s.read()
		} else {
			s.say(fmt.Sprintf(s.words.Plain.NoFinding, n))
		}
		s.ready()
		return
	}
	name, rest := line, ""
	if head, tail, ok := strings.Cut(line, " "); ok {
		name, rest = head, strings.TrimSpace(tail)
	}
	for _, c := range commands() {
		switch {
		case c.name != name:
		case c.does != nil:
			c.does(s, rest)
			return
		default:
			s.act(c.action, rest)
			return
		}
	}
	if line != "" {
		s.say(fmt.Sprintf(s.words.Plain.Unknown, text.Line(line)))
	}
	s.ready()
}

// act has the board act, on the findings whose numbers are given.
func (s *session) act(action, numbers string) {
	rows, ok := s.rows(strings.Fields(numbers))
	if !ok {
		s.say(fmt.Sprintf(s.words.Plain.BadNumbers, text.Line(numbers)))
		s.ready()
		return
	}
	if len(rows) == 1 {
		s.board.Go(rows[0])
		rows = nil
	}
	s.board.Select(rows)
	s.carry(func() tea.Cmd { return s.board.Do(action) })
}

// rows reads numbers and spans of them, "2 5-7", as the list has them.
func (s *session) rows(numbers []string) (rows []int, ok bool) {
	n := len(s.board.Lines())
	for _, x := range numbers {
		first, last, span := strings.Cut(x, "-")
		if !span {
			last = first
		}
		from, err := strconv.Atoi(first)
		to, err2 := strconv.Atoi(last)
		if err != nil || err2 != nil || from < 1 || to < from || to > n {
			return nil, false
		}
		for i := from; i <= to; i++ {
			rows = append(rows, i-1)
		}
	}
	return rows, true
}

// carry has the board do something, runs what it asks for and says what came of it: a question, an
// answer, or, once its event is there, what was done.
func (s *session) carry(do func() tea.Cmd) {
	before, done, stood := s.board.Lead(), s.desk.done, s.board.Standing()
	s.remember(before)
	s.follow(do())
	s.said()
	if q, open := s.board.Question(); open {
		s.prompt(question(q.Title, q.Choices, q.Label, q.Offer) + " ")
		return
	}
	if s.desk.done > done {
		s.waiting = true
		return
	}
	if now := s.board.Standing(); now != stood { // another filter or order
		s.say(now)
	}
	if s.board.Lead() != before {
		s.read()
	}
	s.ready()
}

// said says what the board answers, if it does.
func (s *session) said() bool {
	line, bad := s.board.Said()
	if bad {
		line = "! " + line
	}
	if line != "" {
		s.say(text.Line(line))
	}
	return line != ""
}

// follow runs a command and what follows from it, here and now.
func (s *session) follow(cmd tea.Cmd) {
	for queue := []tea.Cmd{cmd}; len(queue) > 0; {
		next := queue[0]
		queue = queue[1:]
		if next == nil {
			continue
		}
		switch msg := next().(type) {
		case nil:
		case tea.BatchMsg:
			queue = append(queue, msg...)
		default:
			queue = append(queue, s.board.Update(msg))
		}
	}
}

// question is a question in a line.
func question(title string, choices []string, label, offer string) string {
	parts := []string{}
	for _, p := range []string{title, strings.Join(choices, ", "), label} {
		if p != "" {
			parts = append(parts, text.Line(p))
		}
	}
	q := strings.Join(parts, "  ")
	if offer != "" {
		q += " [" + text.Line(offer) + "]"
	}
	if strings.HasSuffix(q, "?") || strings.HasSuffix(q, ":") {
		return q
	}
	return q + ":"
}

// ask puts a question whose answer is the next line.
func (s *session) ask(q string, answer func(line string)) {
	s.prompt(question(q, nil, "", "") + " ")
	s.answer = answer
}

// more reads the finding in hand with more lines of its file.
func (s *session) more(string) {
	s.follow(s.board.Do("context.more"))
	if !s.said() {
		s.read()
	}
	s.ready()
}

// file reads the change of the file in hand, with the findings in place.
func (s *session) file(string) {
	lines := s.board.ReadFile()
	if lines == nil {
		s.say(s.words.Board.NoFile)
	}
	s.print(lines)
	s.ready()
}

// restore brings back what is not on the board, by its number in that list.
func (s *session) restore(number string) {
	n, err := strconv.Atoi(number)
	if err != nil {
		n = 0
	}
	s.carry(func() tea.Cmd {
		cmd := s.board.Restore(n)
		if said, _ := s.board.Said(); cmd == nil && said == "" {
			s.say(fmt.Sprintf(s.words.Plain.NoFinding, n))
		}
		return cmd
	})
}

// quit leaves, after a question when findings would be left undecided.
func (s *session) quit() {
	n := s.state.Tally().Undecided
	if n == 0 {
		s.over = true
		return
	}
	s.ask(fmt.Sprintf(s.words.Common.Quit.Undecided, n)+"  "+s.words.Common.Quit.Answers, func(line string) {
		if s.over = yes(line); !s.over {
			s.ready()
		}
	})
}
