package board

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/mrv-dev/mrv/tui/field"
)

// ask is a question at the foot of the board. It has choices, of which one key
// picks one, or fields, which are filled in one after the other. While it is
// open every key is its own.
type ask struct {
	title   string
	choices []choice
	// no is shown as the answer that any other key gives.
	no     string
	fields []*input
	at     int
	// done gets the fields' values; problem, if not "", keeps the question
	// open and is shown.
	done    func(answers []string) (cmd tea.Cmd, problem string)
	problem string
}

// input is one thing to type.
type input struct {
	label string
	// offer is what enter takes while nothing is typed, and what tab puts in.
	offer string
	field.Field
}

// choice is one answer of a question.
type choice struct {
	key, label string
	pick       func() tea.Cmd
}

// key gives a key press to the question; open says that it is not answered yet.
func (a *ask) key(k tea.KeyPressMsg) (cmd tea.Cmd, open bool) {
	if k.String() == "esc" || k.String() == "ctrl+g" {
		return nil, false
	}
	if len(a.fields) == 0 {
		for _, c := range a.choices {
			if k.String() == c.key {
				return c.pick(), false
			}
		}
		return nil, a.no == ""
	}
	in := a.fields[a.at]
	switch k.String() {
	case "enter":
		return a.enter(in)
	case "tab":
		if in.String() == "" {
			in.Set(in.offer)
		}
	case "up", "shift+tab":
		a.at = max(a.at-1, 0)
	case "down":
		a.at = min(a.at+1, len(a.fields)-1)
	default:
		a.problem = ""
		in.Key(k)
	}
	return nil, true
}

// enter goes to the next field, or hands the answers over after the last.
func (a *ask) enter(in *input) (tea.Cmd, bool) {
	if in.String() == "" {
		in.Set(in.offer)
	}
	if a.at+1 < len(a.fields) {
		a.at++
		return nil, true
	}
	answers := make([]string, len(a.fields))
	for i, f := range a.fields {
		answers[i] = strings.TrimSpace(f.String())
	}
	cmd, problem := a.done(answers)
	a.problem = problem
	return cmd, problem != ""
}

// paste puts clipboard text into the field in hand.
func (a *ask) paste(s string) {
	if len(a.fields) > 0 {
		a.fields[a.at].Insert(s)
	}
}
