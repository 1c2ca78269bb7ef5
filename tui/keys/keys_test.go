package keys

import (
	"slices"
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/tui/words"
)

func TestTableHasNoConflict(t *testing.T) {
	if _, err := New(nil); err != nil {
		t.Fatal(err)
	}
}

func TestEveryActionHasWordsAndTheOtherWayRound(t *testing.T) {
	for _, w := range []*words.Words{words.English(), words.Chinese()} {
		used := map[string]bool{}
		for _, b := range Table() {
			used[b.ID] = true
			if a := w.Keys[b.ID]; a.Short == "" || a.Long == "" {
				t.Errorf("%s: action %s has no words", w.Lang, b.ID)
			}
		}
		for id := range w.Keys {
			if !used[id] {
				t.Errorf("%s: words for %s, which is no action", w.Lang, id)
			}
		}
		for _, s := range Screens()[1:] {
			if w.Help.Screens[s] == "" {
				t.Errorf("%s: screen %s has no title", w.Lang, s)
			}
		}
	}
}

func TestMatch(t *testing.T) {
	m, err := New(map[string][]string{"accept": {"y", "ctrl-a"}, "copy": {"Y"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ screen, key, want string }{
		{Board, "y", "accept"}, {Board, "ctrl+a", "accept"}, {Board, "a", ""}, {Board, "Y", "copy"},
		{Live, "enter", "zoom"}, {Outbox, "enter", "send"}, {Plan, "enter", "start"},
		{Live, "?", "help"}, {Board, "tab", "tab.next"}, {Live, "j", "pane.down"}, {Zoom, "j", "move.down"},
		{Board, "space", "select"}, {Outbox, "space", "tick"}, {Live, "a", ""},
	} {
		if got, ok := m.Match(c.screen, c.key); got != c.want || ok != (c.want != "") {
			t.Errorf("%s %q is %q, want %q", c.screen, c.key, got, c.want)
		}
	}
}

func TestMistakesInAPersonsKeys(t *testing.T) {
	for _, c := range []struct {
		remap map[string][]string
		want  string
	}{
		{map[string][]string{"accept": {"r"}}, "keys: r on the screen board is bound to both accept and reject; give one of them another key"},
		{map[string][]string{"accept": {"q"}}, "keys: q on the screen board is bound to both accept and quit"},
		{map[string][]string{"quit": {"tab"}}, "keys: tab is bound to both quit and tab.next"},
		{map[string][]string{"acept": {"y"}}, `keys: there is no action "acept"`},
		{map[string][]string{"undecided": {"y"}}, `did you mean "next.undecided"?`},
		{map[string][]string{"accept": {"return"}}, `keys: accept: "return" is not a key`},
		{map[string][]string{"accept": {""}}, `keys: accept: "" is not a key`},
	} {
		if _, err := New(c.remap); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: error %v, want %q", c.remap, err, c.want)
		}
	}
}

func TestKeyNames(t *testing.T) {
	for in, want := range map[string]string{
		"a": "a", "A": "A", " ": "space", "space": "space", "ctrl-d": "ctrl+d", "Ctrl+D": "ctrl+d", "shift-tab": "shift+tab",
		"ENTER": "enter", "-": "-", "+": "+", "ctrl--": "ctrl+-", "ctrl-alt-x": "ctrl+alt+x", "é": "é",
	} {
		if got, err := normal(in); err != nil || got != want {
			t.Errorf("%q is %q, %v; want %q", in, got, err, want)
		}
	}
}

func TestOnlyWhatAScreenHandlesIsShown(t *testing.T) {
	m, err := New(nil)
	if err != nil {
		t.Fatal(err)
	}
	w := words.English()
	got := m.Footer(Board, []string{"accept", "search.next", "help"}, w)
	if want := []Hint{{"a", "accept"}, {"?", "help"}}; !slices.Equal(got, want) {
		t.Errorf("footer is %v, want %v", got, want)
	}
	help := m.Help(Board, []string{"accept", "search.next", "help"}, w)
	if len(help) != 2 || len(help[0].Rows) != 2 || len(help[1].Rows) != 1 {
		t.Errorf("help is %v", help)
	}
	panes := m.Help(Live, []string{"pane.1", "pane.2", "pane.9", "zoom"}, w)[0].Rows
	if want := []Row{{"zoom", "enter", w.Keys["zoom"].Long}, {"pane.1", "1…9", w.Keys["pane.1"].Long}}; !slices.Equal(panes, want) {
		t.Errorf("the numbered panes are %v, want %v", panes, want)
	}
	if got, want := m.Footer(Live, []string{"pane.left", "pane.right"}, w), []Hint{{"←→", "pane"}}; !slices.Equal(got, want) {
		t.Errorf("the arrows are %v, want %v", got, want)
	}
	var b strings.Builder
	if err := m.Markdown(&b, map[string][]string{Board: {"redo"}, Everywhere: {"tab.prev"}}, w); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"| `U` `ctrl-r` | redo | `redo` |", "| `shift-tab` | previous screen | `tab.prev` |"} {
		if !strings.Contains(b.String(), line) {
			t.Errorf("the table lacks %q:\n%s", line, b.String())
		}
	}
	if strings.Contains(b.String(), "accept") && !strings.Contains(b.String(), "keys: {accept") {
		t.Errorf("the table lists what no screen handles:\n%s", b.String())
	}
}
