// Package keys is the one table of what the keys do. The screens match keys
// with it, and the line of keys, the help, the printed table and the checks of
// a person's own keys are all made from it.
//
//	Table + a person's keys --New--> Map --Match(screen, key)--> action id
//
// A screen says which ids it handles; only those are shown or matched.
package keys

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"charm.land/bubbles/v2/key"
)

// Screens that bindings belong to. Everywhere holds for all of them.
const (
	Everywhere = ""
	Live       = "live"
	Zoom       = "zoom" // one reviewer on the whole screen
	Board      = "board"
	Outbox     = "outbox"
	Plan       = "plan"
	Pick       = "pick"
)

// Screens lists the screens in the order of the help.
func Screens() []string { return []string{Everywhere, Pick, Plan, Live, Zoom, Board, Outbox} }

// Binding is one action of a screen and the keys for it, named as Bubble Tea
// names them: "a", "A", "ctrl+d", "enter", "space", "shift+tab". What it does
// is said by words.Keys[ID].
type Binding struct {
	ID     string
	Screen string
	Keys   []string
	// Short puts it into the line of keys at the bottom.
	Short bool
	// With is an action whose key stands beside this one's there: ←→ pane.
	With string
}

// Map is the table with a person's own keys in it.
type Map struct {
	bindings []Binding
	matchers map[string][]matcher // by screen, in the table's order
}

// matcher is an action's keys as Bubbles matches them.
type matcher struct {
	id  string
	key key.Binding
}

// pressed is a key by its name.
type pressed string

func (p pressed) String() string { return string(p) }

// New makes a Map; remap gives the keys of actions by id and replaces the
// table's. An id that does not exist, a key that is not one, or two actions of
// one screen on one key are errors that say what to do.
func New(remap map[string][]string) (*Map, error) {
	m := &Map{bindings: Table(), matchers: map[string][]matcher{}}
	index := map[string]map[string]string{} // screen, key -> id
	ids := make([]string, 0, len(remap))
	for id := range remap {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	for _, id := range ids {
		if err := m.rebind(id, remap[id]); err != nil {
			return nil, err
		}
	}
	for _, b := range m.bindings {
		if index[b.Screen] == nil {
			index[b.Screen] = map[string]string{}
		}
		for _, k := range b.Keys {
			if other, ok := index[b.Screen][k]; ok && other != b.ID {
				return nil, conflict(b.Screen, k, other, b.ID)
			}
			index[b.Screen][k] = b.ID
		}
		m.matchers[b.Screen] = append(m.matchers[b.Screen], matcher{b.ID, key.NewBinding(key.WithKeys(b.Keys...))})
	}
	for k, id := range index[Everywhere] {
		for _, screen := range Screens()[1:] {
			if other, ok := index[screen][k]; ok && other != id {
				return nil, conflict(screen, k, other, id)
			}
		}
	}
	return m, nil
}

func conflict(screen, name, a, b string) error {
	if a > b {
		a, b = b, a
	}
	where := ""
	if screen != Everywhere {
		where = " on the screen " + screen
	}
	return fmt.Errorf("keys: %s%s is bound to both %s and %s; give one of them another key", name, where, a, b)
}

func (m *Map) rebind(id string, to []string) error {
	var keys []string
	for _, k := range to {
		name, err := normal(k)
		if err != nil {
			return fmt.Errorf("keys: %s: %w", id, err)
		}
		keys = append(keys, name)
	}
	found := false
	for i := range m.bindings {
		if m.bindings[i].ID == id {
			m.bindings[i].Keys, found = keys, true
		}
	}
	if !found {
		return fmt.Errorf("keys: there is no action %q%s; mrv keys prints them all", id, m.near(id))
	}
	return nil
}

// near names an action that was perhaps meant.
func (m *Map) near(id string) string {
	for _, b := range m.bindings {
		if strings.Contains(b.ID, id) || strings.Contains(id, b.ID) {
			return fmt.Sprintf(" (did you mean %q?)", b.ID)
		}
	}
	return ""
}

// named are the keys with a name of several letters.
var named = []string{
	"enter", "esc", "tab", "space", "backspace", "delete", "insert", "up", "down", "left", "right",
	"home", "end", "pgup", "pgdown", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12",
}

// normal brings a key as a person writes it ("ctrl-d", " ", "C-d" is not one)
// to Bubble Tea's name.
func normal(written string) (string, error) {
	if written == " " {
		return "space", nil
	}
	rest, mods := strings.TrimSpace(written), ""
	for _, mod := range []string{"ctrl", "alt", "shift"} {
		for _, sep := range []string{"+", "-"} {
			if after, ok := strings.CutPrefix(strings.ToLower(rest), mod+sep); ok && after != "" {
				rest = rest[len(mod)+1:]
				mods += mod + "+"
			}
		}
	}
	if len([]rune(rest)) == 1 {
		if mods != "" {
			rest = strings.ToLower(rest)
		}
		return mods + rest, nil
	}
	if slices.Contains(named, strings.ToLower(rest)) {
		return mods + strings.ToLower(rest), nil
	}
	return "", fmt.Errorf("%q is not a key; write a character, ctrl+x, or one of %s", written, strings.Join(named, " "))
}

// Match finds the action of a key on a screen: the screen's own first, then
// those that hold everywhere.
func (m *Map) Match(screen, name string) (id string, ok bool) {
	for _, at := range []string{screen, Everywhere} {
		for _, b := range m.matchers[at] {
			if key.Matches(pressed(name), b.key) {
				return b.id, true
			}
		}
	}
	return "", false
}

// Keys lists the keys of an action on a screen, or everywhere.
func (m *Map) Keys(screen, id string) []string {
	for _, at := range []string{screen, Everywhere} {
		for _, b := range m.bindings {
			if b.Screen == at && b.ID == id {
				return b.Keys
			}
		}
	}
	return nil
}

// Of lists the bindings of a screen that are among the handled ids, in the
// table's order.
func (m *Map) Of(screen string, handles []string) []Binding {
	var out []Binding
	for _, b := range m.bindings {
		if b.Screen == screen && slices.Contains(handles, b.ID) && len(b.Keys) > 0 {
			out = append(out, b)
		}
	}
	return out
}

// Bindings lists the whole table with the person's keys.
func (m *Map) Bindings() []Binding { return slices.Clone(m.bindings) }
