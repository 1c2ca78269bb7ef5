package tui

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/live"
	"github.com/mrv-dev/mrv/tui/style"
	"github.com/mrv-dev/mrv/tui/text"
)

// sheet gathers the page's lines: a label, then its values below each other.
type sheet struct {
	st    *style.Styles
	w     int
	label int // cells
	lines []string
}

// put writes a value beside its label; "" continues the last one.
func (s *sheet) put(label string, st lipgloss.Style, value string) {
	for i, line := range text.Wrap(text.Clean(value), max(s.w-s.label-2, 8)) {
		if i > 0 {
			label = ""
		}
		s.lines = append(s.lines, text.Cut(s.st.Dim.Render(text.Pad(label, s.label))+"  "+st.Render(line), s.w))
	}
}

func (p *planPage) page() []string {
	say := p.words.Plan
	s := &sheet{st: &p.styles, w: p.w}
	for _, l := range []string{say.Change, say.Read, say.Tier, say.Team, say.Merge, say.Sends, say.CostLabel, say.Rules, say.Agent, say.Gaps} {
		s.label = max(s.label, text.Width(l))
	}
	p.change(s)
	p.size(s)
	p.team(s)
	p.sends(s)
	p.rules(s)
	p.files(s)
	return s.lines
}

func (p *planPage) change(s *sheet) {
	c, say := p.p.Change, p.words.Plan
	name := c.Name()
	if v := say.Visibility[c.Visibility]; v != "" && c.Source == event.FromPR {
		name += " (" + v + ")"
	}
	if head := event.Short(c.HeadSHA); head != "" && c.BaseSHA != "" {
		base := c.BaseRef + "@" + event.Short(c.BaseSHA)
		name += "  " + fmt.Sprintf(p.words.Common.On, head, strings.TrimPrefix(base, "@"))
	}
	s.put(say.Change, p.styles.Text, name)
	if c.Title != "" {
		s.put("", p.styles.Text, c.Title)
	}
	if p.p.Banner != "" {
		s.put("", p.styles.Notice, p.words.Say(p.p.Banner))
	}
}

func (p *planPage) size(s *sheet) {
	say := p.words.Plan
	n, add, del := 0, 0, 0
	var unread, skipped []string
	for _, f := range p.p.Files {
		switch {
		case f.Reviewed:
			n, add, del = n+1, add+f.Additions, del+f.Deletions
		case f.Unread:
			unread = append(unread, p.reasoned(f))
		default:
			skipped = append(skipped, p.reasoned(f))
		}
	}
	if n == 1 {
		s.put(say.Read, p.styles.Text, fmt.Sprintf(say.OneFile, add, del))
	} else {
		s.put(say.Read, p.styles.Text, fmt.Sprintf(say.Files, n, add, del))
	}
	if len(unread) > 0 {
		s.put("", p.styles.Notice, fmt.Sprintf(say.Unread, len(unread))+": "+strings.Join(unread, ", "))
	}
	if len(skipped) > 0 {
		s.put("", p.styles.Dim, fmt.Sprintf(say.Skipped, len(skipped))+": "+strings.Join(skipped, ", "))
	}
	tier := p.p.Tier
	if p.p.TierReason != "" {
		tier += ": " + p.words.Say(p.p.TierReason)
	}
	s.put(say.Tier, p.styles.Text, tier)
}

func (p *planPage) reasoned(f event.PlanFile) string {
	if f.Reason == "" {
		return text.Line(f.Path())
	}
	return fmt.Sprintf("%s (%s)", text.Line(f.Path()), text.Line(p.words.Say(f.Reason)))
}

func (p *planPage) team(s *sheet) {
	say := p.words.Plan
	column := 0
	for _, m := range p.p.Team {
		column = max(column, text.Width(text.Line(m.Name)))
	}
	label := say.Team
	for _, m := range p.p.Team {
		name := text.Pad(text.Line(m.Name), min(column, p.w/2))
		if m.Skip != "" {
			s.put(label, p.styles.Dim, name+"  "+fmt.Sprintf(say.Skips, p.words.Say(m.Skip)))
		} else {
			s.put(label, p.styles.Text, name+"  "+p.answers(m))
		}
		label = ""
	}
	merge := say.MergeOnly
	if c := p.p.Coordinator; c != nil {
		merge = p.answers(*c)
	}
	s.put(say.Merge, p.styles.Text, merge)
}

// answers is who answers for a member: its models in full and the effort.
func (p *planPage) answers(m event.Member) string {
	if len(m.Models) == 0 {
		return m.Agent
	}
	var names []string
	for _, x := range m.Models {
		names = append(names, x.String())
	}
	effort := m.Variant
	if effort == "" {
		effort = string(m.Effort)
	}
	if effort == "" {
		effort = p.words.Live.NA
	}
	return strings.Join(names, ", ") + "  " + effort
}

func (p *planPage) sends(s *sheet) {
	say := p.words.Plan
	if !p.asks() {
		s.put(say.Sends, p.styles.Text, say.NoModel)
		return
	}
	label, usd, price := say.Sends, 0.0, review.PriceNone
	for _, x := range p.p.Sends {
		line := fmt.Sprintf(say.SendsTo, size(x.Bytes), x.Provider, strings.Join(x.Models, ", "))
		if x.Loopback {
			line += ", " + say.Loopback
		}
		s.put(label, p.styles.Text, line)
		label = ""
		usd += x.CostUSD
		price = review.Usage{Price: price}.Add(review.Usage{Price: x.Price}).Price
	}
	var cost string
	switch price {
	case review.PriceKnown:
		cost = fmt.Sprintf(say.Cost, live.Money(usd))
	case review.PriceSubscription:
		cost = p.words.Common.Cost.Subscription
	default:
		cost = p.words.Common.Cost.Unknown
	}
	if b := p.p.Limits.BudgetUSD; b > 0 {
		cost += ", " + fmt.Sprintf(say.AtMost, live.Money(b))
	} else {
		cost += ", " + say.NoBudget
	}
	s.put(say.CostLabel, p.styles.Text, cost)
}

// size writes a number of bytes: 900 B, 38 KB, 1.2 MB.
func size(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%d KB", (n+512)>>10)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
}

func (p *planPage) rules(s *sheet) {
	say, r := p.words.Plan, p.p.Rules
	from := p.words.Say(origin(r))
	s.put(say.Rules, p.styles.Text, fmt.Sprintf(say.RulesFrom, from))
	if len(r.Touched) > 0 {
		s.put("", p.styles.Notice, fmt.Sprintf(say.Touched, strings.Join(r.Touched, ", "), from))
	}
	for _, n := range p.p.Notes {
		s.put("", p.styles.Notice, p.words.Say(n))
	}
	s.put(say.Agent, p.styles.Text, p.p.Agent)
	label := say.Gaps
	for _, g := range p.p.Gaps {
		s.put(label, p.styles.Text, p.words.Say(g.Text))
		label = ""
	}
	for _, h := range p.p.Holds {
		s.put(label, p.styles.Notice, p.words.Say(h.Text))
		label = ""
	}
}

// files lists what would be read, last, for it can be long.
func (p *planPage) files(s *sheet) {
	s.lines = append(s.lines, "")
	for _, f := range p.p.Files {
		if !f.Reviewed {
			continue
		}
		count := fmt.Sprintf("%6s %6s", fmt.Sprintf("+%d", f.Additions), fmt.Sprintf("-%d", f.Deletions))
		line := p.styles.Dim.Render(count) + "  " + p.styles.Text.Render(text.CutMiddle(text.Line(f.Path()), max(p.w-15, 1)))
		if f.Note != "" {
			line += "  " + p.styles.Notice.Render(text.Line(p.words.Say(f.Note)))
		}
		s.lines = append(s.lines, text.Cut(line, p.w))
	}
}
