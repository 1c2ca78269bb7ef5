package board

import (
	"context"
	"slices"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/words"
)

// screen is a board and its run, driven as the program drives them.
type screen struct {
	tb    testing.TB
	b     *Board
	run   *journal
	count int // keys pressed
}

func open(tb testing.TB, lang review.Lang, claims []claim, w, h int) *screen {
	tb.Helper()
	j := newJournal(tb, lang)
	j.state.Diff = shop()
	j.merge(tb, claims)
	s := &screen{tb: tb, run: j, b: New(context.Background(), j, words.For(lang), styles(tb, "dark", colorprofile.TrueColor))}
	s.b.SetSize(w, h)
	s.settle(s.b.SetState(j.state))
	return s
}

// settle runs commands and what follows from them, and shows the new state.
func (s *screen) settle(cmd tea.Cmd) {
	for _, msg := range messages(cmd) {
		s.settle(s.b.Update(msg))
	}
	if s.b.state != nil {
		for _, msg := range messages(s.b.SetState(s.run.state)) {
			s.settle(s.b.Update(msg))
		}
	}
}

func messages(cmd tea.Cmd) []tea.Msg {
	if cmd == nil {
		return nil
	}
	switch m := cmd().(type) {
	case nil:
		return nil
	case tea.BatchMsg:
		var out []tea.Msg
		for _, c := range m {
			out = append(out, messages(c)...)
		}
		return out
	default:
		return []tea.Msg{m}
	}
}

// press presses keys, named as the key table names them.
func (s *screen) press(keys ...string) {
	s.tb.Helper()
	for _, k := range keys {
		s.count++
		if s.b.Typing() {
			s.settle(s.b.Update(keyPress(k)))
			continue
		}
		action, ok := keymap(s.tb).Match("board", k)
		if !ok || !slices.Contains(s.b.Handles(), action) {
			s.tb.Fatalf("the key %q means nothing on the board", k)
		}
		s.settle(s.b.Do(action))
	}
}

// write types a text, key by key.
func (s *screen) write(text string) {
	for _, r := range text {
		s.press(string(r))
	}
}

func keyPress(k string) tea.KeyPressMsg {
	switch k {
	case "enter":
		return tea.KeyPressMsg{Code: tea.KeyEnter}
	case "esc":
		return tea.KeyPressMsg{Code: tea.KeyEscape}
	case "space":
		return tea.KeyPressMsg{Code: ' ', Text: " "}
	case "backspace":
		return tea.KeyPressMsg{Code: tea.KeyBackspace}
	}
	return tea.KeyPressMsg{Code: []rune(k)[0], Text: k}
}

// title of the finding under the cursor.
func (s *screen) title() string {
	it, _ := s.b.current()
	return it.shown.Title
}
