package live

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

func TestKeysAreOnlyThoseOfTheMoment(t *testing.T) {
	l := screen(t, &desk{}, review.English, "dark")
	show(l, atWork(), 120, 33)
	has := func(id string) bool { return strings.Contains(" "+strings.Join(l.Handles(), " ")+" ", " "+id+" ") }
	for _, c := range []struct {
		pane     string
		has, not string
	}{
		{"pane.1", "abort time model coordinate zoom", "retry follow back"},
		{"pane.2", "retry model", "abort time"},
		{"pane.4", "retry abort model", "follow"},
	} {
		l.Do(c.pane)
		for _, id := range strings.Fields(c.has) {
			if !has(id) {
				t.Errorf("%s: %s is missing in %v", c.pane, id, l.Handles())
			}
		}
		for _, id := range strings.Fields(c.not) {
			if has(id) {
				t.Errorf("%s: %s means nothing now", c.pane, id)
			}
		}
	}
}

// press gives keys to an open question.
func press(l *Live, names ...string) (cmd tea.Cmd) {
	for _, n := range names {
		k := tea.KeyPressMsg{Code: []rune(n)[0], Text: n}
		switch n {
		case "enter":
			k = tea.KeyPressMsg{Code: tea.KeyEnter}
		case "ctrl+u":
			k = tea.KeyPressMsg{Code: 'u', Mod: tea.ModCtrl}
		}
		cmd = l.Update(k)
	}
	return cmd
}

func TestSteering(t *testing.T) {
	for _, c := range []struct {
		name, pane, action string
		keys               []string
		want               event.Command
	}{
		{"abort asks", "pane.1", "abort", []string{"y"}, event.Command{Kind: event.CmdAbort, Reviewer: "quality-1"}},
		{"abort's default is no", "pane.1", "abort", []string{"enter"}, event.Command{}},
		{"retry of one that waits asks nothing", "pane.4", "retry", nil, event.Command{Kind: event.CmdRetry, Reviewer: "architecture-1"}},
		{"retry of one that is done asks", "pane.2", "retry", []string{"y"}, event.Command{Kind: event.CmdRetry, Reviewer: "security-1"}},
		{"another model", "pane.1", "model", []string{"ctrl+u", "a", "/", "b", "enter"}, event.Command{Kind: event.CmdModel, Reviewer: "quality-1", Text: "a/b"}},
		{"more time", "pane.3", "time", nil, event.Command{Kind: event.CmdTime, Reviewer: "performance-1", MS: moreTime}},
		{"coordinator now", "pane.1", "coordinate", nil, event.Command{Kind: event.CmdCoordinate}},
		{"one more of this persona", "pane.2", "add.reviewer", []string{"enter"}, event.Command{Kind: event.CmdAdd, Text: "security-1"}},
		{"one more reviewer", "pane.1", "add.reviewer", []string{"ctrl+u", "q", "enter"}, event.Command{Kind: event.CmdAdd, Text: "q"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := &desk{}
			l := screen(t, d, review.English, "dark")
			show(l, atWork(), 120, 33)
			l.Do(c.pane)
			cmd := l.Do(c.action)
			if c.keys != nil {
				if !l.Typing() {
					t.Fatal("nothing is asked")
				}
				cmd = press(l, c.keys...)
			}
			if l.Typing() {
				t.Error("the question is still open")
			}
			if cmd == nil {
				if c.want.Kind != "" {
					t.Fatal("nothing is sent")
				}
				return
			}
			l.Update(cmd())
			if len(d.asked) != 1 || fmt.Sprint(d.asked[0]) != fmt.Sprint(c.want) {
				t.Errorf("asked %+v, want %+v", d.asked, c.want)
			}
			if line, bad := l.Notice(); line == "" || bad {
				t.Errorf("the answer is %q, %v", line, bad)
			}
		})
	}
}

// A question that is answered with nothing stays open, and says what it wants.
func TestAnEmptyAnswerIsSaid(t *testing.T) {
	for _, lang := range []review.Lang{review.English, review.Chinese} {
		for action, want := range map[string]string{"add.reviewer": "quality-1, security-1, performance-1, architecture-1", "model": "provider/model"} {
			d := &desk{}
			l := screen(t, d, lang, "dark")
			show(l, atWork(), 120, 33)
			l.Do("pane.1")
			l.Do(action)
			for range 2 {
				if cmd := press(l, "ctrl+u", "enter"); cmd != nil || !l.Typing() {
					t.Fatalf("%s: an empty answer is taken", action)
				}
				if line, _ := l.Notice(); !strings.Contains(line, want) {
					t.Errorf("%s says %q", action, line)
				}
			}
			if action == "add.reviewer" && !strings.Contains(l.View(), "quality-1, security-1") {
				t.Errorf("the personas are not named:\n%s", l.View())
			}
		}
	}
}

func TestAFailedCommandIsSaid(t *testing.T) {
	l := screen(t, &desk{err: errors.New("the journal's disk is full; free some space")}, review.English, "dark")
	show(l, atWork(), 120, 33)
	l.Update(l.Do("time")())
	if line, bad := l.Notice(); !bad || !strings.Contains(line, "free some space") {
		t.Errorf("said %q, %v", line, bad)
	}
}

// What was asked of a reviewer stands in the foot of its own pane.
func TestThePaneSaysWhatWasAskedOfIt(t *testing.T) {
	for _, c := range []struct {
		command event.Command
		en, zh  string
	}{
		{event.Command{Kind: event.CmdAbort}, "you: abort", "你：中止"},
		{event.Command{Kind: event.CmdRetry}, "you: retry", "你：重试"},
		{event.Command{Kind: event.CmdTime, MS: moreTime}, "you: +5 min", "你：+5 分钟"},
		{event.Command{Kind: event.CmdModel, Text: "a/b"}, "you: a/b", "你：a/b"},
	} {
		for lang, want := range map[review.Lang]string{review.English: c.en, review.Chinese: c.zh} {
			c.command.Reviewer = "performance-1"
			l := screen(t, &desk{}, lang, "dark")
			view := ansi.Strip(show(l, atWork().Add(event.Commanded, "", c.command), 160, 40))
			if n := strings.Count(view, want); n != 1 {
				t.Errorf("%q stands %d times in\n%s", want, n, view)
			}
		}
	}
}
