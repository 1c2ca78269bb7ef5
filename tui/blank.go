package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/tui/style"
	"github.com/mrv-dev/mrv/tui/text"
)

// blank is a screen with nothing on it but a sentence.
type blank struct {
	line   string
	styles style.Styles
	w, h   int
}

func newBlank(line string, st style.Styles) *blank { return &blank{line: line, styles: st} }

func (b *blank) SetSize(w, h int)               { b.w, b.h = w, h }
func (b *blank) SetStyles(st style.Styles)      { b.styles = st }
func (b *blank) SetState(*event.State) tea.Cmd  { return nil }
func (b *blank) Handles() []string              { return nil }
func (b *blank) Do(string) tea.Cmd              { return nil }
func (b *blank) Typing() bool                   { return false }
func (b *blank) Back() bool                     { return false }
func (b *blank) Update(tea.Msg) tea.Cmd         { return nil }
func (b *blank) View() string                   { return b.styles.Dim.Render(text.Cut(b.line, b.w)) }
func (b *blank) Cursor() (x, y int, typed bool) { return 0, 0, false }
