package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/tui/field"
	"github.com/mrv-dev/mrv/tui/text"
)

// replannedMsg says how planning anew ended.
type replannedMsg struct{ err error }

// fileChoice chooses the files that are not to be read.
type fileChoice struct {
	files  []event.PlanFile
	drop   map[string]bool // by path
	cursor int
}

// askTeam asks for another team, beginning with the one there is.
func (p *planPage) askTeam() {
	p.typed = &field.Field{}
	p.typed.Set(spec(p.p.Team))
}

// spec writes a team as --team has it: quality:1,security:2.
func spec(team []event.Member) string {
	var names []string
	count := map[string]int{}
	for _, m := range team {
		if count[m.Persona.Name]++; count[m.Persona.Name] == 1 {
			names = append(names, m.Persona.Name)
		}
	}
	for i, n := range names {
		names[i] = fmt.Sprintf("%s:%d", n, count[n])
	}
	return strings.Join(names, ",")
}

// askDrop lists the files that would be read and those dropped before.
func (p *planPage) askDrop() {
	pick := &fileChoice{drop: map[string]bool{}}
	for _, f := range p.p.Files {
		dropped := slices.Contains(p.dropped, f.Path())
		if f.Reviewed || dropped {
			pick.files = append(pick.files, f)
			pick.drop[f.Path()] = dropped
		}
	}
	p.pick = pick
}

// answer is a key to the open question.
func (p *planPage) answer(k tea.KeyPressMsg) tea.Cmd {
	key := k.String()
	switch {
	case key == "esc":
		p.typed, p.pick = nil, nil
	case p.typed != nil && key == "enter":
		team := strings.TrimSpace(p.typed.String())
		p.typed = nil
		return p.replan(team, p.dropped)
	case p.typed != nil:
		p.typed.Key(k)
	case key == "enter":
		var drop []string
		for _, f := range p.pick.files {
			if p.pick.drop[f.Path()] {
				drop = append(drop, f.Path())
			}
		}
		p.pick = nil
		return p.replan(p.asked, drop)
	default:
		p.pick.key(key)
	}
	return nil
}

func (x *fileChoice) key(key string) {
	switch key {
	case "j", "down":
		x.cursor++
	case "k", "up":
		x.cursor--
	case "x", "space":
		if x.cursor < len(x.files) {
			path := x.files[x.cursor].Path()
			x.drop[path] = !x.drop[path]
			x.cursor++
		}
	}
	x.cursor = min(max(x.cursor, 0), max(len(x.files)-1, 0))
}

// replan plans anew without waiting for it.
func (p *planPage) replan(team string, drop []string) tea.Cmd {
	p.starting, p.notice, p.bad = true, p.words.Plan.Planning, false
	starter, ctx := p.starter, p.ctx
	p.next.team, p.next.drop = team, drop
	return func() tea.Msg { return replannedMsg{starter.Replan(ctx, team, drop)} }
}

// replanned shows the new plan, or why there is none.
func (p *planPage) replanned(msg replannedMsg) {
	p.starting = false
	if msg.err != nil {
		p.notice, p.bad = p.words.Say(msg.err.Error()), true
		return
	}
	p.asked, p.dropped = p.next.team, p.next.drop
	*p.p = p.starter.Plan()
	p.lines, p.top = nil, 0
	p.notice, p.bad = p.words.Plan.Planned, false
}

// Notice takes the line that answers the last key.
func (p *planPage) Notice() (line string, bad bool) {
	line, bad = p.notice, p.bad
	p.notice, p.bad = "", false
	return line, bad
}

// question is the line in which a team is typed, and its cursor's cell.
func (p *planPage) question() (line string, x int) {
	label := text.Cut(p.words.Plan.AskTeam+"  ", p.w/2)
	used := text.Width(label)
	shown, at := p.typed.Window(max(p.w-used-1, 0))
	return p.styles.Notice.Render(label) + p.styles.Text.Render(shown), used + at
}

// view draws the files with a mark before those to be dropped.
func (x *fileChoice) view(p *planPage) []string {
	st, w := p.styles, p.w
	lines := []string{st.Notice.Render(text.Cut(p.words.Plan.AskDrop, w))}
	room := max(p.h-1, 0)
	top := max(min(x.cursor-room/2, len(x.files)-room), 0)
	for i := top; i < min(top+room, len(x.files)); i++ {
		f := x.files[i]
		cursor, mark := " ", "[ ]"
		if x.drop[f.Path()] {
			mark = "[x]"
		}
		if i == x.cursor {
			cursor = st.Glyphs.Cursor
		}
		line := fmt.Sprintf("%s %s %6s %6s  ", cursor, mark, fmt.Sprintf("+%d", f.Additions), fmt.Sprintf("-%d", f.Deletions))
		line += text.CutMiddle(text.Line(f.Path()), max(w-text.Width(line), 1))
		style := st.Text
		if i == x.cursor {
			style = st.Select(style)
		}
		lines = append(lines, style.Render(text.Cut(line, w)))
	}
	return lines
}
