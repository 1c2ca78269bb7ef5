package keys

import (
	"fmt"
	"io"
	"strings"

	"github.com/mrv-dev/mrv/tui/words"
)

// arrows shortens the names of keys where they are shown.
var shown = strings.NewReplacer("left", "←", "right", "→", "up", "↑", "down", "↓", "pgup", "pgup", "pgdown", "pgdn", "shift+", "shift-", "ctrl+", "ctrl-", "alt+", "alt-")

// Show is a key as the screen names it: ctrl-d, ←.
func Show(key string) string { return shown.Replace(key) }

// ShowAll is the keys of a binding as the help names them.
func ShowAll(keys []string) string {
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = Show(k)
	}
	return strings.Join(out, " ")
}

// Hint is one action in the line of keys at the bottom.
type Hint struct {
	Key, Text string
}

// Footer lists the keys of the moment: the short bindings of the screen among
// the handled ids, then those that hold everywhere.
func (m *Map) Footer(screen string, handles []string, w *words.Words) []Hint {
	var out []Hint
	for _, at := range []string{screen, Everywhere} {
		if at == Everywhere && screen == Everywhere && len(out) > 0 {
			break
		}
		for _, b := range m.Of(at, handles) {
			if !b.Short {
				continue
			}
			key := Show(b.Keys[0])
			if with := m.Keys(at, b.With); b.With != "" && len(with) > 0 {
				key += Show(with[0])
			}
			out = append(out, Hint{Key: key, Text: w.Keys[b.ID].Short})
		}
	}
	return out
}

// Section is a screen's part of the help.
type Section struct {
	Title string
	Rows  []Row
}

// Row is one action in the help.
type Row struct {
	ID, Keys, Text string
}

// Help lists what the handled ids do on a screen, then everywhere.
func (m *Map) Help(screen string, handles []string, w *words.Words) []Section {
	var out []Section
	for _, at := range []string{screen, Everywhere} {
		s := Section{Title: title(at, w)}
		for _, b := range m.Of(at, handles) {
			row := Row{ID: b.ID, Keys: ShowAll(b.Keys), Text: w.Keys[b.ID].Long}
			if n := len(s.Rows); n > 0 && s.Rows[n-1].Text == row.Text { // pane 1 to 9
				first, _, _ := strings.Cut(s.Rows[n-1].Keys, "…")
				s.Rows[n-1].Keys = first + "…" + row.Keys
				continue
			}
			s.Rows = append(s.Rows, row)
		}
		if len(s.Rows) > 0 {
			out = append(out, s)
		}
		if screen == Everywhere {
			break
		}
	}
	return out
}

func title(screen string, w *words.Words) string {
	if screen == Everywhere {
		return w.Help.Everywhere
	}
	return w.Help.Screens[screen]
}

// Markdown writes the table for people to read. handles gives the ids that
// each screen acts on, and others are left out; nil leaves none out.
func (m *Map) Markdown(out io.Writer, handles map[string][]string, w *words.Words) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s `%s`\n", w.Help.Title, w.Help.Remap, w.Help.RemapSample)
	for _, screen := range Screens() {
		rows := m.Of(screen, handles[screen])
		if handles == nil {
			rows = m.bound(screen)
		}
		if len(rows) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n\n| %s | %s | %s |\n|---|---|---|\n", title(screen, w), w.Help.KeyColumn, w.Help.DoesColumn, w.Help.IDColumn)
		for _, r := range rows {
			fmt.Fprintf(&b, "| %s | %s | `%s` |\n", code(r.Keys), w.Keys[r.ID].Long, r.ID)
		}
	}
	if _, err := io.WriteString(out, b.String()); err != nil {
		return fmt.Errorf("printing the key table: %w", err)
	}
	return nil
}

// bound lists every binding of a screen that has a key.
func (m *Map) bound(screen string) []Binding {
	var out []Binding
	for _, b := range m.bindings {
		if b.Screen == screen && len(b.Keys) > 0 {
			out = append(out, b)
		}
	}
	return out
}

// code sets keys in Markdown: a bar would end the table's cell.
func code(keys []string) string {
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = "`" + strings.ReplaceAll(Show(k), "|", `\|`) + "`"
	}
	return strings.Join(out, " ")
}
