package board

import (
	"maps"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/mrv-dev/mrv/tui/text"
)

// actions are what keys ask of the board, by their ids in the key table. What
// they return is to be run by the program.
func (b *Board) actions() map[string]func() tea.Cmd {
	return map[string]func() tea.Cmd{
		"accept": b.accept, "reject": b.reject, "escalate": b.escalate, "undo": b.undo, "redo": b.redo, "repeat": b.repeat,
		"accept.confirmed": b.acceptConfirmed, "reject.all": b.rejectAll, "select": b.toggle,
		"edit": b.edit, "own": b.own, "note": b.note, "challenge": b.challenge, "split": b.split, "join": b.join,
		"open.editor": b.openEditor, "open.browser": b.openBrowser, "copy": b.copyFinding,
		"search": b.askSearch, "search.next": func() tea.Cmd { return b.find(1) }, "search.prev": func() tea.Cmd { return b.find(-1) },
		"filter": b.askFilter, "sort": b.nextSort, "context.more": b.moreContext,
	}
}

// looking are the actions that only move the cursor or the detail.
func looking() []string {
	return []string{
		"move.down", "move.up", "top", "bottom", "half.down", "half.up", "next.undecided", "prev.undecided",
		"detail.down", "detail.up", "hunk.next", "hunk.prev", "zoom", "back",
	}
}

// Handles lists the ids of the key table that Do acts on.
func (b *Board) Handles() []string {
	return append(slices.Sorted(maps.Keys(b.actions())), looking()...)
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
	var cmd tea.Cmd
	if act := b.actions()[action]; act != nil {
		cmd = act()
	} else {
		b.look(action)
	}
	return tea.Batch(cmd, b.paint())
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
	case editMsg:
		if m.board == b {
			return b.edited(m)
		}
	case viewMsg:
		if m.board == b {
			return b.viewed(m)
		}
	case browseMsg:
		if m.board == b {
			b.fail(m.err)
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
