package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/keys"
	"github.com/mrv-dev/mrv/tui/live"
	"github.com/mrv-dev/mrv/tui/text"
)

// A window lower than this has no line of tabs; lower than lowest, nothing but
// the screen.
const (
	low    = 8
	lowest = 4
)

// View joins header, tabs, screen and keys.
func (m *model) View() tea.View {
	frame := m.frame()
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

// segment is a part of the header. When not all fit, those of the highest rank
// go first.
type segment struct {
	style lipgloss.Style
	text  string
	rank  int
}

// header names the change and says how far the run is.
func (m *model) header() string {
	p := m.state.Plan
	if m.inPicker() {
		return m.pickHeader()
	}
	if p == nil {
		return m.styles.Header.Render("mrv")
	}
	name := text.Line(p.Change.Name())
	segments := m.facts(p)
	room := func() int {
		n := m.w - min(text.Width(name), m.w)
		for _, s := range segments {
			n -= text.Width(s.text) + 3
		}
		return n
	}
	for room() < 0 && len(segments) > 0 {
		worst := 0
		for i, s := range segments {
			if s.rank > segments[worst].rank {
				worst = i
			}
		}
		segments = append(segments[:worst], segments[worst+1:]...)
	}
	line := m.styles.Header.Render(text.Cut(name, m.w))
	gap := room()
	if title := text.Line(p.Change.Title); title != "" && gap > 12 {
		title = text.Cut(title, gap-1)
		gap -= text.Width(title) + 1
		line += " " + m.styles.Text.Render(title)
	}
	line += text.Pad("", gap)
	for _, s := range segments {
		line += "   " + s.style.Render(s.text)
	}
	return line
}

// facts are the run's figures in the order in which the header has them.
func (m *model) facts(p *event.Plan) []segment {
	w, dim := m.words.Common, m.styles.Dim
	var out []segment
	add := func(st lipgloss.Style, s string, rank int) {
		if s != "" {
			out = append(out, segment{st, s, rank})
		}
	}
	if m.plan != nil { // the page says the rest
		return nil
	}
	if head := event.Short(p.Change.HeadSHA); head != "" {
		if base := event.Short(p.Change.BaseSHA); base != "" {
			head = fmt.Sprintf(w.On, head, base)
		}
		add(dim, text.Line(head), 5)
	}
	add(dim, fmt.Sprintf(w.Reviewers, text.Line(p.Tier), max(len(m.state.Reviewers), len(p.Team))), 4)
	if m.state.Interrupted {
		add(m.styles.Notice, w.Interrupted, 2)
	}
	add(m.styles.Text, live.Span(m.elapsed()), 3)
	add(m.styles.Text, m.cost(p), 2)
	done, of := m.state.Done()
	st := m.styles.Text
	if of > 0 && done == of {
		st = m.styles.Pass
	}
	add(st, fmt.Sprintf(w.Done, done, of), 1)
	return out
}

// cost is what was spent, against the budget if there is one. An unknown price
// is never a zero.
func (m *model) cost(p *event.Plan) string {
	c := m.words.Common.Cost
	u := m.state.Usage()
	switch u.Price {
	case review.PriceSubscription:
		return c.Subscription
	case review.PriceUnknown:
		return c.Unknown
	case review.PriceKnown:
	default:
		return ""
	}
	if p.Limits.BudgetUSD > 0 {
		return fmt.Sprintf(m.words.Common.Of, live.Money(u.CostUSD), live.Money(p.Limits.BudgetUSD))
	}
	return live.Money(u.CostUSD)
}

// tabLine names the screens; at its right, what the person must know of who
// answers, and where the rules come from.
func (m *model) tabLine() string {
	switch {
	case m.plan != nil:
		return m.styles.TabActive.Render(text.Cut(m.words.Plan.Title, m.w))
	case m.pick != nil:
		return m.styles.TabActive.Render(text.Cut(m.words.Pick.Title, m.w))
	}
	t := m.words.Common.Tabs
	names := [tabs]string{t.Live, t.Board, t.Outbox}
	tally := m.state.Tally()
	if tally.Total > 0 {
		names[tabBoard] += fmt.Sprintf(" %d", tally.Total)
	}
	if n := tally.Accepted + tally.Escalated; n > 0 {
		names[tabOutbox] += fmt.Sprintf(" %d", n)
	}
	var line strings.Builder
	used := 0
	for i, name := range names {
		if i > 0 {
			line.WriteString("   ")
			used += 3
		}
		st := m.styles.Tab
		if tab(i) == m.tab {
			st = m.styles.TabActive
		}
		name = text.Cut(name, m.w-used)
		line.WriteString(st.Render(name))
		used += text.Width(name)
	}
	return line.String() + m.origins(m.w-used)
}

// origins is the right end of the line of tabs in exactly w cells: the banner,
// and the rules where there is room for them too; "" when nothing fits.
func (m *model) origins(w int) string {
	const gap = 3
	banner, rules := text.Cut(m.banner(), max(w-gap, 0)), m.rules()
	used := text.Width(banner)
	if banner != "" {
		used += gap
	}
	if used+gap+text.Width(rules) > w {
		rules = ""
	}
	if banner != "" && rules != "" {
		rules = text.Pad("", gap) + rules
	}
	used = text.Width(banner) + text.Width(rules)
	if used == 0 {
		return ""
	}
	return text.Pad("", w-used) + m.styles.Notice.Render(banner) + m.styles.Dim.Render(rules)
}

// banner is what the person must know of who answers: that it is a recording,
// that no model is asked.
func (m *model) banner() string {
	if m.state.Plan == nil {
		return ""
	}
	p := m.state.Plan
	if said := m.words.Common.Banner[p.Agent]; said != "" && p.Banner != "" {
		return said // the page before has the reason too
	}
	return text.Line(m.words.Say(p.Banner))
}

func (m *model) rules() string {
	if m.state.Plan == nil {
		return ""
	}
	return fmt.Sprintf(m.words.Common.Rules, m.words.Say(origin(m.state.Plan.Rules)))
}

// origin names where rules come from: main@3f9c2a1.
func origin(r event.Rules) string {
	s := text.Line(r.Ref)
	if sha := event.Short(r.SHA); sha != "" {
		s += "@" + text.Line(sha)
	}
	return s
}

// footer is the line of keys of the moment; in its place, the answer to the
// last key, or the question whether to quit.
func (m *model) footer() []string {
	switch {
	case m.asking:
		return m.askLines(m.question())
	case len(m.consents) > 0:
		return m.askLines(text.Line(m.words.Say(m.consents[0].Text)))
	case m.notice != "":
		st := m.styles.Notice
		if m.bad {
			st = m.styles.Error
		}
		return []string{st.Render(text.Cut(text.Line(m.notice), m.w))}
	case m.help != nil:
		return []string{m.help.hint(&m.styles, m.w)}
	case m.typing():
		return []string{m.styles.Dim.Render(m.words.Common.Typing)}
	case m.current().Typing():
		return []string{m.styles.Dim.Render(m.words.Common.Choosing)}
	}
	return []string{m.hints()}
}

// askLines puts a question whose default is no.
func (m *model) askLines(question string) []string {
	var lines []string
	for _, l := range text.Wrap(question+"   "+m.words.Common.Quit.Answers, m.w) {
		lines = append(lines, m.styles.Notice.Render(l))
	}
	return lines[max(len(lines)-max(m.h-m.top()-1, 1), 0):] // the answers stay
}

// typing reports whether a line is being typed.
func (m *model) typing() bool {
	if m.palette != nil {
		return true
	}
	_, _, typed := m.current().Cursor()
	return typed
}

// hints is the keys of the moment, kept while they are the same.
func (m *model) hints() string {
	hints := m.keys.Footer(m.name(), m.handles(), m.words)
	if m.foot.width != m.w || !slices.Equal(m.foot.hints, hints) {
		m.foot = foot{m.w, hints, m.drawHints(hints)}
	}
	return m.foot.line
}

// foot is the line of keys that was drawn last.
type foot struct {
	width int
	hints []keys.Hint
	line  string
}

// drawHints draws as many keys as fit; the help's is always among them.
func (m *model) drawHints(hints []keys.Hint) string {
	if len(hints) == 0 {
		return ""
	}
	size := func(i int) int { return text.Width(hints[i].Key) + 1 + text.Width(hints[i].Text) + 2 }
	last := len(hints) - 1
	room := m.w - size(last) + 2
	var b strings.Builder
	for i := range hints {
		if i != last {
			if size(i) > room {
				continue
			}
			room -= size(i)
		} else if room < 0 {
			break
		}
		if b.Len() > 0 {
			b.WriteString("  ")
		}
		b.WriteString(m.styles.Key.Render(hints[i].Key) + " " + m.styles.KeyText.Render(hints[i].Text))
	}
	return b.String()
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
