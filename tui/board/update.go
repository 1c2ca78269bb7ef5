package board

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/text"
)

// Handles lists the ids of the key table that Do acts on.
func (b *Board) Handles() []string {
	return []string{
		"move.down", "move.up", "top", "bottom", "half.down", "half.up", "next.undecided", "prev.undecided",
		"accept", "reject", "escalate", "undo", "redo", "repeat", "select", "accept.confirmed", "reject.all",
		"search", "search.next", "search.prev", "filter", "sort",
		"detail.down", "detail.up", "hunk.next", "hunk.prev", "context.more", "zoom", "back",
	}
}

// Typing reports whether every key belongs to an open question of the board:
// then keys go to Update as they are, and none is a command.
func (b *Board) Typing() bool { return b.ask != nil }

// Back reports whether Do("back") has something to close.
func (b *Board) Back() bool { return b.ask != nil || b.mode != modeList || len(b.selected) > 0 }

// Do acts on an action of the key table.
func (b *Board) Do(action string) tea.Cmd {
	if b.state == nil {
		return nil
	}
	b.notice = notice{}
	return tea.Batch(b.do(action), b.paint())
}

func (b *Board) do(action string) tea.Cmd {
	switch action {
	case "accept":
		return b.accept()
	case "reject":
		return b.reject()
	case "escalate":
		return b.escalate()
	case "undo":
		return b.undo()
	case "redo":
		return b.redo()
	case "repeat":
		return b.repeat()
	case "accept.confirmed":
		return b.acceptConfirmed()
	case "reject.all":
		return b.rejectAll()
	case "context.more":
		return b.moreContext()
	case "select":
		b.toggle()
	case "search":
		b.askSearch()
	case "search.next":
		b.find(1)
	case "search.prev":
		b.find(-1)
	case "filter":
		b.askFilter()
	case "sort":
		b.sort = (b.sort + 1) % sorts
		b.arrange()
	default:
		b.look(action)
	}
	return nil
}

// look moves the cursor or the detail.
func (b *Board) look(action string) {
	if b.mode == modeDetail && b.scrolls(action) {
		return
	}
	switch action {
	case "move.down":
		b.move(b.cursor + 1)
	case "move.up":
		b.move(b.cursor - 1)
	case "top":
		b.move(0)
	case "bottom":
		b.move(len(b.rows) - 1)
	case "half.down":
		b.move(b.cursor + b.page())
	case "half.up":
		b.move(b.cursor - b.page())
	case "next.undecided", "prev.undecided":
		step := 1
		if action == "prev.undecided" {
			step = -1
		}
		if !b.nextUndecided(step) && b.allDecided() {
			b.say(b.words.Board.AllDecided)
		}
	case "detail.down":
		b.detail.scroll(b.detailStep())
	case "detail.up":
		b.detail.scroll(-b.detailStep())
	case "hunk.next":
		b.turnHunk(1)
	case "hunk.prev":
		b.turnHunk(-1)
	case "zoom":
		if b.mode = modeDetail - b.mode; len(b.rows) == 0 {
			b.mode = modeList
		}
		b.detail.lines = nil
	case "back":
		b.back()
	}
}

// scrolls lets the moving keys scroll the detail when it stands alone.
func (b *Board) scrolls(action string) bool {
	half := max(b.h/2, 1)
	by, ok := map[string]int{"move.down": 1, "move.up": -1, "half.down": half, "half.up": -half, "top": -1 << 20, "bottom": 1 << 20}[action]
	if ok {
		b.detail.scroll(by)
	}
	return ok
}

// back closes what was opened last.
func (b *Board) back() {
	switch {
	case b.ask != nil:
		b.ask = nil
	case b.mode != modeList:
		b.mode = modeList
		b.detail.lines = nil
	default:
		clear(b.selected)
	}
}

// Update takes the messages that are the board's: the answers of its commands
// and, while it asks something, keys and pastes.
func (b *Board) Update(msg tea.Msg) tea.Cmd {
	switch m := msg.(type) {
	case doneMsg:
		if m.board == b {
			return tea.Batch(b.done(m), b.paint())
		}
	case paintMsg:
		if m.board == b {
			b.painted(m)
		}
	case contextMsg:
		if m.board == b {
			b.contextCame(m)
		}
	case tea.PasteMsg:
		if b.ask != nil {
			b.ask.paste(m.Content)
		}
	case tea.KeyPressMsg:
		return tea.Batch(b.answer(m), b.paint())
	}
	return nil
}

// answer gives a key to the open question.
func (b *Board) answer(k tea.KeyPressMsg) tea.Cmd {
	asked := b.ask
	if asked == nil {
		return nil
	}
	cmd, open := asked.key(k)
	if !open && b.ask == asked { // an answer may have asked the next question
		b.ask = nil
	}
	return cmd
}

// say answers a key in a line.
func (b *Board) say(s string) { b.notice = notice{text: s} }

// fail says an error, which may hold foreign text.
func (b *Board) fail(err error) { b.notice = notice{text: text.Line(err.Error()), bad: true} }

func (b *Board) askSearch() {
	b.ask = &ask{title: b.words.Board.SearchTitle, fields: []*input{{label: "/", offer: b.search}}, done: func(a []string) (tea.Cmd, string) {
		b.search = a[0]
		b.find(1)
		return nil, ""
	}}
}

// askFilter asks what to show; each answer changes one part of the filter, and
// the same answer again takes it back.
func (b *Board) askFilter() {
	w := b.words.Board
	a := &ask{title: w.FilterTitle}
	add := func(key, label string, change func(*Filter)) {
		a.choices = append(a.choices, choice{key, label, func() tea.Cmd {
			change(&b.filter)
			b.arrange()
			return nil
		}})
	}
	add("u", w.FilterUndecided, func(f *Filter) { f.Undecided = !f.Undecided })
	for i, s := range review.Severities() {
		add([]string{"c", "w", "s"}[i], w.Short(s), func(f *Filter) {
			if f.Severity == s {
				s = ""
			}
			f.Severity = s
		})
	}
	for _, x := range []struct {
		key, label, offer string
		part              *string
	}{
		{"r", w.FilterReviewer, b.offerReviewer(), &b.filter.Reviewer},
		{"f", w.FilterFile, b.offerFile(), &b.filter.File},
		{"t", w.FilterText, b.search, &b.filter.Text},
	} {
		a.choices = append(a.choices, choice{x.key, x.label, func() tea.Cmd {
			b.askPart(x.label, x.offer, x.part)
			return nil
		}})
	}
	add("x", w.FilterClear, func(f *Filter) { *f = Filter{} })
	b.ask = a
}

// askPart asks for one text of the filter; an empty answer clears it.
func (b *Board) askPart(label, offer string, part *string) {
	f := &input{label: label}
	if *part != "" {
		f.Set(*part)
	} else {
		f.offer = offer
	}
	b.ask = &ask{title: b.words.Board.FilterTitle, fields: []*input{f}, done: func(a []string) (tea.Cmd, string) {
		*part = a[0]
		b.arrange()
		return nil, ""
	}}
}

func (b *Board) offerReviewer() string {
	it, _ := b.current()
	return b.state.Findings[it.Lead].Reviewer
}

func (b *Board) offerFile() string {
	it, _ := b.current()
	return it.file()
}

// describe says what the filter lets through, in words.
func (b *Board) describe() string {
	w, f := b.words.Board, b.filter
	var parts []string
	if f.Undecided {
		parts = append(parts, w.FilterUndecided)
	}
	if f.Severity != "" {
		parts = append(parts, w.Short(f.Severity))
	}
	for _, x := range []string{f.Reviewer, f.File, f.Text} {
		if x != "" {
			parts = append(parts, fmt.Sprintf("%q", text.Line(x)))
		}
	}
	return join(slices.Values(parts), " ")
}
