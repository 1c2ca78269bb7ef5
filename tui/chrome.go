package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/mrv-dev/mrv/tui/text"
)

// A window lower than this has no line of tabs; lower than lowest, nothing but
// the screen.
const (
	low    = 8
	lowest = 4
)

// View joins header, tabs, screen and keys.
func (m *model) View() tea.View { return m.drawn(m.view) }

func (m *model) view() tea.View {
	frame := m.styles.Glyphs.Fold(m.frame())
	if m.clusters {
		frame = text.Even(frame)
	}
	v := tea.NewView(frame)
	v.AltScreen = true
	v.WindowTitle = m.title()
	if c := m.cursor(); c != nil {
		v.Cursor = c
	}
	return v
}

func (m *model) frame() string {
	if m.w < 1 || m.h < 1 {
		return ""
	}
	var b strings.Builder
	if m.h >= lowest {
		b.WriteString(text.Cut(m.header(), m.w) + "\n")
	}
	if m.h >= low {
		b.WriteString(text.Cut(m.tabLine(), m.w) + "\n")
	}
	b.WriteString(m.content())
	if m.h >= lowest {
		for _, line := range m.footer() {
			b.WriteString("\n" + text.Cut(line, m.w))
		}
	}
	return b.String()
}

// top is how many lines stand above the screen.
func (m *model) top() int {
	switch {
	case m.h >= low:
		return 2
	case m.h >= lowest:
		return 1
	}
	return 0
}

// height is what is left for the screen.
func (m *model) height() int {
	if m.h < lowest {
		return max(m.h, 0)
	}
	below := 1
	if m.asking || len(m.consents) > 0 {
		below = len(m.footer())
	}
	return max(m.h-m.top()-below, 1)
}

// resize gives every screen the place there is.
func (m *model) resize() {
	h := m.height()
	for _, s := range m.all() {
		s.SetSize(m.w, h)
	}
}

// content is the screen, or what stands in its place, in exactly its height.
func (m *model) content() string {
	h := m.height()
	var lines []string
	switch {
	case m.help != nil:
		lines = m.help.view(&m.styles, m.w, h)
	case m.palette != nil:
		lines = m.palette.view(&m.styles, m.w, h)
	default:
		lines = strings.Split(m.current().View(), "\n")
		return strings.Join(exactly(lines, h), "\n")
	}
	for i, line := range lines {
		lines[i] = text.Cut(line, m.w)
	}
	return strings.Join(exactly(lines, h), "\n")
}

// exactly cuts or fills lines to h.
func exactly(lines []string, h int) []string {
	for len(lines) < h {
		lines = append(lines, "")
	}
	return lines[:h]
}

// cursor is the terminal's cursor, where something is being typed.
func (m *model) cursor() *tea.Cursor {
	switch {
	case m.asking, len(m.consents) > 0, m.help != nil:
		return nil
	case m.palette != nil:
		_, x := m.palette.field.Window(m.w - 3)
		return tea.NewCursor(x+2, m.top())
	}
	x, y, ok := m.current().Cursor()
	if !ok {
		return nil
	}
	return tea.NewCursor(x, y+m.top())
}

// title is the terminal window's: people switch windows while a panel works.
func (m *model) title() string {
	done, of := m.state.Done()
	if m.plan != nil || of == 0 {
		return "mrv"
	}
	return fmt.Sprintf("mrv %d/%d", done, of)
}
