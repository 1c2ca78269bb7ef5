package tui

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/live"
	"github.com/mrv-dev/mrv/tui/text"
)

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
	who := fmt.Sprintf(w.OneReviewer, text.Line(p.Tier))
	if n := max(len(m.state.Reviewers), len(p.Team)); n != 1 {
		who = fmt.Sprintf(w.Reviewers, text.Line(p.Tier), n)
	}
	add(dim, who, 4)
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
	case m.inPicker():
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
