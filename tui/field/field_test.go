package field

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/mrv-dev/mrv/tui/text"
)

// press types into a field: names in <> are keys, the rest is text.
func press(f *Field, script string) {
	for script != "" {
		if script[0] == '<' {
			name, rest, _ := strings.Cut(script[1:], ">")
			f.Key(named[name])
			script = rest
			continue
		}
		r := []rune(script)[0]
		f.Key(tea.KeyPressMsg{Code: r, Text: string(r)})
		script = script[len(string(r)):]
	}
}

var named = map[string]tea.KeyPressMsg{
	"left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight}, "home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd},
	"bs": {Code: tea.KeyBackspace}, "del": {Code: tea.KeyDelete},
	"c-w": {Code: 'w', Mod: tea.ModCtrl}, "c-u": {Code: 'u', Mod: tea.ModCtrl}, "c-k": {Code: 'k', Mod: tea.ModCtrl},
}

func TestEditing(t *testing.T) {
	for script, want := range map[string]string{
		"abc": "abc", "ab<left>c": "acb", "abc<home>x": "xabc", "abc<home><end>x": "abcx", "abc<bs>": "ab", "<bs>a": "a",
		"abc<left><del>": "ab", "abc<del>": "abc", "one two<c-w>": "one ", "one <c-w>": "", "abc<left><c-u>": "c",
		"abc<left><c-k>": "ab", "a<left><left><left>b<right><right><right>c": "bac", "中文<left>字": "中字文",
	} {
		var f Field
		press(&f, script)
		if f.String() != want {
			t.Errorf("%q gives %q, want %q", script, f.String(), want)
		}
	}
}

func TestWhatIsPastedIsCleanedAndBounded(t *testing.T) {
	var f Field
	f.Insert("a\x1b]52;c;x\x07b\nc")
	if f.String() != "ab c" {
		t.Errorf("pasted %q", f.String())
	}
	f.Insert(strings.Repeat("x", 2*Max))
	if n := len([]rune(f.String())); n != Max {
		t.Errorf("%d characters, want %d", n, Max)
	}
}

func TestWindowKeepsTheCursorInSight(t *testing.T) {
	var f Field
	press(&f, "abc中文defghi")
	for w := range 20 {
		shown, at := f.Window(w)
		if text.Width(shown) > max(w, 1) || at >= max(w, 1) {
			t.Errorf("in %d cells: %q with the cursor at %d", w, shown, at)
		}
	}
}
