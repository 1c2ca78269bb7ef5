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
		"diff.whole": b.toggleChange, "decided.before": b.toggleLists, "coverage": b.toggleCoverage, "restore": b.restore,
	}
}

// looking are the actions that only move the cursor or the detail.
func looking() []string {
	return []string{
		"move.down", "move.up", "top", "bottom", "half.down", "half.up", "next.undecided", "prev.undecided",
		"detail.down", "detail.up", "hunk.next", "hunk.prev", "zoom", "back",
	}
}

// Handles lists the ids of the key table that mean something at this moment.
func (b *Board) Handles() []string {
	switch {
	case b.mode == modeLists:
		return []string{"move.down", "move.up", "top", "bottom", "half.down", "half.up", "restore", "decided.before", "back"}
	case b.mode == modeCoverage:
		return []string{"move.down", "move.up", "top", "bottom", "half.down", "half.up", "coverage", "back"}
	case b.mode == modeChange && !b.onFinding():
		return append([]string{"undo", "redo", "diff.whole", "own"}, looking()...)
	}
	return slices.DeleteFunc(append(slices.Sorted(maps.Keys(b.actions())), looking()...), func(id string) bool { return id == "restore" })
}

// Typing reports whether every key belongs to an open question of the board:
// then keys go to Update as they are, and none is a command.
func (b *Board) Typing() bool { return b.ask != nil }

// Back reports whether Do("back") has something to close.
func (b *Board) Back() bool {
	return b.ask != nil || b.mode != modeList || len(b.selected) > 0 || b.search != ""
}

// Do acts on an action of the key table.
func (b *Board) Do(action string) tea.Cmd {
	if b.state == nil {
		return nil
	}
	b.notice, b.touched = notice{}, true
	var cmd tea.Cmd
	lead := b.lead()
	if act := b.actions()[action]; act != nil {
		cmd = act()
	} else {
		b.look(action)
	}
	b.followChange(lead)
	return tea.Batch(cmd, b.paint())
}

// followChange lets the cursor of the whole change go where the board's went.
func (b *Board) followChange(lead string) {
	if b.mode == modeChange && b.lead() != lead {
		b.change.line = b.lineOf(b.lead())
	}
}

// look moves the cursor or the detail.
func (b *Board) look(action string) {
	switch {
	case b.mode == modeDetail && b.scrolls(action):
		return
	case b.mode == modeChange && action != "zoom":
		b.lookChange(action)
		return
	case b.mode == modeCoverage && action != "back":
		b.lists.top = max(b.lists.top+b.steps(action), 0)
		return
	case b.mode == modeLists && action != "back":
		b.moveLists(b.steps(action))
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
		b.zoom()
	case "back":
		b.back()
	}
}

// zoom gives the detail the whole place, or takes it back.
func (b *Board) zoom() {
	if b.mode == modeDetail || len(b.rows) == 0 {
		b.mode = modeList
	} else {
		b.mode = modeDetail
	}
	b.detail.lines = nil
}

// scrolls lets the moving keys scroll the detail when it stands alone.
func (b *Board) scrolls(action string) bool {
	by := b.steps(action)
	b.detail.scroll(by)
	return by != 0
}

// steps is how many lines a moving key moves; 0 for any other.
func (b *Board) steps(action string) int {
	half := max(b.h/2, 1)
	return map[string]int{"move.down": 1, "move.up": -1, "half.down": half, "half.up": -half, "top": -1 << 20, "bottom": 1 << 20}[action]
}

// back closes what was opened last.
func (b *Board) back() {
	switch {
	case b.ask != nil:
		b.ask = nil
	case b.mode != modeList:
		b.mode = modeList
		b.detail.lines = nil
	case len(b.selected) > 0:
		clear(b.selected)
	default:
		b.search, b.detail.lines = "", nil
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
	lead := b.lead()
	cmd, open := asked.key(k)
	b.followChange(lead)
	if !open && b.ask == asked { // an answer may have asked the next question
		b.ask = nil
	}
	return cmd
}

// say answers a key in a line.
func (b *Board) say(s string) { b.notice = notice{text: s} }

// fail says an error, which may hold foreign text.
func (b *Board) fail(err error) {
	b.notice = notice{text: text.Line(b.words.Say(err.Error())), bad: true}
}
