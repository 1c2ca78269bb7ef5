package board

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

// order is a command on its way. They go out one at a time and in the order
// of the keys: commands of the program run side by side, and an undo must not
// overtake the decision it is for.
type order struct {
	command event.Command
	sources []string // whose decision it is
}

// doneMsg says how the oldest order ended.
type doneMsg struct {
	board *Board // whose: a program may show more than one
	err   error
}

// send puts a command behind those on their way.
func (b *Board) send(c event.Command, sources ...string) tea.Cmd {
	b.queue = append(b.queue, order{c, sources})
	if len(b.queue) > 1 {
		return nil
	}
	return b.dispatch()
}

// dispatch carries the oldest order out, without waiting for it.
func (b *Board) dispatch() tea.Cmd {
	ctx, run, c := b.ctx, b.run, b.queue[0].command
	return func() tea.Msg { return doneMsg{board: b, err: run.Do(ctx, c)} }
}

// done takes the answer to the oldest order and sends the next. A command that
// failed takes those behind it along, which were made believing in it: the
// cursor goes back to where it was and the error is said.
func (b *Board) done(m doneMsg) tea.Cmd {
	oldest := b.queue[0]
	b.queue = b.queue[1:]
	if m.err == nil {
		if b.notice.text == "" {
			b.say(b.carriedOut(oldest.command))
		}
		if len(b.queue) > 0 {
			return b.dispatch()
		}
		return nil
	}
	b.queue = nil
	clear(b.pending)
	b.show(oldest.command.Cursor)
	b.fail(m.err)
	return nil
}

// carriedOut says what a command did whose effect may be out of sight; ""
// where the rows show it.
func (b *Board) carriedOut(c event.Command) string {
	w := b.words.Board
	switch {
	case c.Kind == event.CmdOwn:
		return w.AddedOwn
	case c.Kind == event.CmdNote && c.Text != "":
		return w.NoteWritten
	case c.Kind == event.CmdNote:
		return w.NoteTaken
	case c.Kind == event.CmdEdit && c.Wording != nil:
		return w.Edited
	case c.Kind == event.CmdEdit:
		return w.OriginalAgain
	case c.Kind == event.CmdChallenge:
		return w.Asking + "…"
	}
	return ""
}

// lead is the source by which the finding under the cursor is known.
func (b *Board) lead() string {
	it, _ := b.current()
	return it.Lead
}

// targets are the findings a decision is for: those selected, else the one
// under the cursor.
func (b *Board) targets() []item {
	var list []item
	for _, id := range b.rows {
		if b.isSelected(b.items[id]) {
			list = append(list, b.items[id])
		}
	}
	if len(list) > 0 {
		return list
	}
	if it, ok := b.current(); ok {
		return []item{it}
	}
	return nil
}

func (b *Board) isSelected(it item) bool {
	return slices.ContainsFunc(it.Sources, func(id string) bool { return b.selected[id] })
}

// toggle selects the finding under the cursor or takes it out, and goes on.
func (b *Board) toggle() tea.Cmd {
	it, ok := b.current()
	if !ok {
		return nil
	}
	on := !b.isSelected(it)
	for _, id := range it.Sources {
		delete(b.selected, id)
		if on {
			b.selected[id] = true
		}
	}
	b.move(b.cursor + 1)
	return nil
}

// decide sends one decision for findings as one step and goes to the next
// undecided one.
func (b *Board) decide(list []item, d review.Decision) tea.Cmd {
	if len(list) == 0 {
		return nil
	}
	c := event.Command{Kind: event.CmdDecide, Decision: &d, Cursor: b.lead()}
	var sources []string
	for _, it := range list {
		c.IDs = append(c.IDs, it.Lead)
		sources = append(sources, it.Sources...)
		for _, id := range it.Sources {
			b.pending[id] = d.Choice
		}
	}
	b.last = &d
	clear(b.selected)
	var said []string
	if len(list) > 1 {
		said = append(said, fmt.Sprintf(b.counted(d.Choice), len(list)))
	}
	if !b.nextUndecided(1) && b.allDecided() {
		said = append(said, b.words.Board.AllDecided)
	}
	b.say(strings.Join(said, " · "))
	return b.send(c, sources...)
}

func (b *Board) allDecided() bool {
	for _, it := range b.items {
		if b.open(it) {
			return false
		}
	}
	return true
}

// counted is the format that says how many findings were decided.
func (b *Board) counted(c review.Choice) string {
	switch c {
	case review.Accepted:
		return b.words.Board.AcceptN
	case review.Rejected:
		return b.words.Board.RejectN
	}
	return b.words.Board.EscalateN
}

// title is the wording for one finding, or the format for several.
func (b *Board) title(one, many string, n int) string {
	if n == 1 {
		return one
	}
	return fmt.Sprintf(many, n)
}

func (b *Board) accept() tea.Cmd {
	return b.decide(b.targets(), review.Decision{Choice: review.Accepted})
}

// reject asks for the reason: one key.
func (b *Board) reject() tea.Cmd {
	if list := b.targets(); len(list) > 0 {
		b.ask = b.reasons(b.title(b.words.Board.RejectTitle, b.words.Board.RejectTitleN, len(list)), list)
	}
	return nil
}

// reasons is the question why findings are rejected.
func (b *Board) reasons(title string, list []item) *ask {
	a := &ask{title: title}
	for _, r := range review.Reasons() {
		pick := func() tea.Cmd { return b.decide(list, review.Decision{Choice: review.Rejected, Reason: r}) }
		if r == review.ReasonOther {
			pick = func() tea.Cmd { b.askNote(title, list); return nil }
		}
		a.choices = append(a.choices, choice{ReasonKey(r), b.words.Board.Reason(r), pick})
	}
	return a
}

// ReasonKey is the one key for a reason.
func ReasonKey(r review.Reason) string {
	switch r {
	case review.FalsePositive:
		return "f"
	case review.WontFix:
		return "w"
	case review.AcceptedRisk:
		return "k"
	case review.Duplicate:
		return "d"
	case review.OutOfScope:
		return "o"
	}
	return "x"
}

// askNote asks for the words that the reason "other" needs.
func (b *Board) askNote(title string, list []item) {
	b.ask = &ask{title: title, fields: []*input{{label: b.words.Board.WhyLabel}}, done: func(a []string) (tea.Cmd, string) {
		d := review.Decision{Choice: review.Rejected, Reason: review.ReasonOther, Note: a[0]}
		if a[0] == "" {
			return nil, b.words.Board.NoteNeeded
		}
		return b.decide(list, d), ""
	}}
}

// escalate asks to whom and why.
func (b *Board) escalate() tea.Cmd {
	list := b.targets()
	if len(list) == 0 {
		return nil
	}
	w := b.words.Board
	b.ask = &ask{
		title:  b.title(w.EscalateTitle, w.EscTitleN, len(list)),
		fields: []*input{{label: w.ToLabel, offer: b.lastEscalation()}, {label: w.WhyLabel}},
		done: func(a []string) (tea.Cmd, string) {
			if a[0] == "" || a[1] == "" {
				return nil, w.EscalateNeeds
			}
			return b.decide(list, review.Decision{Choice: review.Escalated, To: a[0], Note: a[1]}), ""
		},
	}
	return nil
}

// lastEscalation is to whom the newest escalation of the run is, "" if none.
func (b *Board) lastEscalation() string {
	to, at := "", ""
	for _, d := range b.state.Decisions {
		if d.Choice == review.Escalated && (d.At > at || d.At == at && d.To > to) {
			to, at = d.To, d.At
		}
	}
	return to
}

// repeat makes the last decision again, with its reason.
func (b *Board) repeat() tea.Cmd {
	if b.last == nil {
		b.say(b.words.Board.NothingToRepeat)
		return nil
	}
	return b.decide(b.targets(), *b.last)
}

func (b *Board) undo() tea.Cmd {
	if len(b.state.UndoStack) == 0 && len(b.pending) == 0 {
		b.say(b.words.Board.NothingToUndo)
		return nil
	}
	clear(b.pending)
	b.say("")
	return b.send(event.Command{Kind: event.CmdUndo})
}

func (b *Board) redo() tea.Cmd {
	if len(b.state.RedoStack) == 0 {
		b.say(b.words.Board.NothingToRedo)
		return nil
	}
	b.say("")
	return b.send(event.Command{Kind: event.CmdRedo})
}

// Busy reports whether a command has not been answered yet.
func (b *Board) Busy() bool { return len(b.queue) > 0 }
