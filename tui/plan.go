package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/field"
	"github.com/mrv-dev/mrv/tui/style"
	"github.com/mrv-dev/mrv/tui/text"
	"github.com/mrv-dev/mrv/tui/words"
)

// planPage is the page a person sees before a model is asked: what would be read,
// by whom, what goes where and what it costs.
type planPage struct {
	p        *event.Plan
	words    *words.Words
	styles   style.Styles
	starting bool
	w, h     int
	top      int
	lines    []string

	ctx     context.Context
	starter Starter
	typed   *field.Field // another team is being typed
	pick    *fileChoice  // files are being dropped
	asked   string       // the team that was asked for on this page
	dropped []string     // paths dropped on this page
	next    struct {     // what is being planned
		team string
		drop []string
	}
	notice string
	bad    bool
}

func newPlanPage(ctx context.Context, s Starter, p *event.Plan, w *words.Words, st style.Styles) *planPage {
	return &planPage{ctx: ctx, starter: s, p: p, words: w, styles: st}
}

// PlanLines is that page in lines of at most w cells without styles, for
// whoever reads line by line.
func PlanLines(p *event.Plan, lang review.Lang, w int) []string {
	page := &planPage{p: p, words: words.For(lang)}
	page.SetSize(w, 0)
	lines := page.all()
	for i, l := range lines {
		lines[i] = strings.TrimRight(ansi.Strip(l), " ")
	}
	return lines
}

// asks reports whether a model would be asked, so that the person must say so.
func (p *planPage) asks() bool { return len(p.p.Sends) > 0 }

func (p *planPage) SetSize(w, h int) {
	if w != p.w {
		p.lines = nil
	}
	p.w, p.h = w, h
}

func (p *planPage) SetStyles(st style.Styles) { p.styles, p.lines = st, nil }

func (p *planPage) SetState(*event.State) tea.Cmd { return nil }
func (p *planPage) Typing() bool                  { return p.typed != nil || p.pick != nil }
func (p *planPage) Back() bool                    { return true }

func (p *planPage) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		if p.Typing() {
			return p.answer(msg)
		}
	case tea.PasteMsg:
		if p.typed != nil {
			p.typed.Insert(msg.Content)
		}
	case replannedMsg:
		p.replanned(msg)
	}
	return nil
}

func (p *planPage) Cursor() (x, y int, typed bool) {
	if p.typed == nil {
		return 0, 0, false
	}
	_, x = p.question()
	return x, max(p.h-1, 0), true
}

func (p *planPage) Handles() []string {
	ids := []string{"back"}
	if !p.starting {
		ids = append(ids, "start")
		if p.asks() {
			ids = append(ids, "team", "drop")
		}
	}
	if len(p.all()) > p.h {
		ids = append(ids, "move.down", "move.up", "top", "bottom", "half.down", "half.up")
	}
	return ids
}

func (p *planPage) Do(id string) tea.Cmd {
	switch id {
	case "team":
		p.askTeam()
		return nil
	case "drop":
		p.askDrop()
		return nil
	}
	last := max(len(p.all())-p.h, 0)
	step := map[string]int{"move.down": 1, "move.up": -1, "half.down": p.h / 2, "half.up": -p.h / 2, "top": -last, "bottom": last}
	p.top = min(max(p.top+step[id], 0), last)
	return nil
}

func (p *planPage) View() string {
	if p.pick != nil {
		return strings.Join(p.pick.view(p), "\n")
	}
	all := p.all()
	top := min(p.top, max(len(all)-p.h, 0))
	shown := all[top:min(top+p.h, len(all))]
	if hidden := len(all) - top - len(shown); hidden > 0 && p.h > 1 {
		more := p.styles.Dim.Render(text.Cut(fmt.Sprintf("%s %d", p.styles.Glyphs.Down, hidden+1), p.w))
		shown = append(shown[:p.h-1:p.h-1], more)
	}
	if p.typed != nil && p.h > 0 {
		line, _ := p.question()
		shown = append(exactly(slices.Clone(shown), p.h)[:p.h-1], line)
	}
	return strings.Join(shown, "\n")
}

// all is the whole page.
func (p *planPage) all() []string {
	if p.lines == nil && p.w > 0 {
		p.lines = p.page()
	}
	return p.lines
}
