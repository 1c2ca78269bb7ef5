package board

import (
	"errors"
	"fmt"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/tui/text"
)

// note asks for whom and what; an empty text takes a note back.
func (b *Board) note() tea.Cmd {
	it, ok := b.current()
	if !ok {
		return nil
	}
	w := b.words.Board
	had := event.Note{}
	for _, id := range it.Sources {
		if n := b.state.Notes[id]; n != nil {
			had = *n
		}
	}
	a := &ask{title: w.NoteFor}
	for _, x := range []struct{ key, to, label string }{{"a", "author", w.Author}, {"b", "builder", w.Builder}} {
		a.choices = append(a.choices, choice{x.key, x.label, func() tea.Cmd {
			in := &input{label: w.NoteLabel}
			if had.To == x.to {
				in.Set(had.Text)
			}
			b.ask = &ask{title: w.NoteFor + " " + x.label, fields: []*input{in}, done: func(v []string) (tea.Cmd, string) {
				return b.send(event.Command{Kind: event.CmdNote, IDs: []string{it.Lead}, Text: v[0], To: x.to, Cursor: it.Lead}), ""
			}}
			return nil
		}})
	}
	b.ask = a
	return nil
}

// challenge asks which reviewer, if several report it, and why it is wrong.
func (b *Board) challenge() tea.Cmd {
	it, ok := b.current()
	if !ok {
		return nil
	}
	w := b.words.Board
	var sources []string
	for _, id := range it.Sources {
		if f := b.state.Findings[id]; f.Reviewer != event.Own && f.Rule == "" {
			sources = append(sources, id)
		}
	}
	if len(sources) == 0 {
		b.fail(errors.New(w.NoReviewer))
		return nil
	}
	return b.pickSource(w.ChallengeWhom, sources, func(id string) tea.Cmd {
		who := text.Line(b.state.Findings[id].Reviewer)
		b.ask = &ask{title: fmt.Sprintf(w.ChallengeTitle, who), fields: []*input{{label: w.ChallengeLabel}}, done: func(v []string) (tea.Cmd, string) {
			if v[0] == "" {
				return nil, w.NoteNeeded
			}
			return b.send(event.Command{Kind: event.CmdChallenge, IDs: []string{id}, Text: v[0], Cursor: it.Lead}), ""
		}}
		return nil
	})
}

// pickSource asks which of several sources is meant; one is meant at once.
func (b *Board) pickSource(title string, sources []string, picked func(id string) tea.Cmd) tea.Cmd {
	if len(sources) == 1 {
		return picked(sources[0])
	}
	a := &ask{title: title}
	for i, id := range sources {
		if i == 9 { // keys are digits
			break
		}
		a.choices = append(a.choices, choice{strconv.Itoa(i + 1), text.Line(b.state.Findings[id].Reviewer), func() tea.Cmd { return picked(id) }})
	}
	b.ask = a
	return nil
}

// split takes a source out of the entry under the cursor.
func (b *Board) split() tea.Cmd {
	it, ok := b.current()
	switch {
	case !ok:
	case len(it.Sources) < 2:
		b.say(b.words.Board.SplitAlone)
	default:
		return b.pickSource(b.words.Board.SplitTitle, it.Sources, func(id string) tea.Cmd {
			return b.send(event.Command{Kind: event.CmdSplit, IDs: []string{id}, Cursor: it.Lead})
		})
	}
	return nil
}

// join makes one entry of those selected.
func (b *Board) join() tea.Cmd {
	var ids []string
	for _, id := range b.rows {
		if it := b.items[id]; b.isSelected(it) {
			ids = append(ids, it.Lead)
		}
	}
	if len(ids) < 2 {
		b.say(b.words.Board.JoinNeeds)
		return nil
	}
	clear(b.selected)
	return b.send(event.Command{Kind: event.CmdJoin, IDs: ids, Cursor: b.lead()})
}
