package outbox

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/tui/text"
)

// View draws the page: exactly as many lines as its height, none wider than
// its width.
func (o *Outbox) View() string {
	o.shown = true
	if o.w == 0 || o.h == 0 {
		return ""
	}
	p := &page{outbox: o}
	switch {
	case o.state == nil:
		p.add(o.styles.Dim, o.words.Outbox.Empty)
	case !o.loaded && o.notice == "":
		p.add(o.styles.Dim, o.words.Outbox.Loading)
	case o.preview:
		o.drawPreview(p)
	default:
		o.draw(p)
	}
	if len(p.lines) > o.h && !o.preview && o.loaded {
		p = &page{outbox: o, compact: true}
		o.draw(p)
	}
	lines := p.lines
	if o.preview {
		o.top = min(o.top, max(len(lines)-o.h, 0))
		lines = lines[o.top:]
	}
	for len(lines) < o.h {
		lines = append(lines, "")
	}
	return strings.Join(lines[:o.h], "\n")
}

// page collects lines no wider than the screen.
type page struct {
	outbox *Outbox
	lines  []string
	// compact leaves out all that is not needed to know what is sent: on a
	// small screen a text takes one line, and a destination little more.
	compact bool
}

func (p *page) add(st lipgloss.Style, s string) {
	p.lines = append(p.lines, st.Render(text.Cut(s, p.outbox.w)))
}

// para adds a text over as many lines as it needs, indented.
func (p *page) para(st lipgloss.Style, indent int, s string) {
	indent = min(indent, p.outbox.w/2)
	if p.compact {
		p.add(st, strings.Repeat(" ", indent)+s)
		return
	}
	for _, l := range text.Wrap(s, p.outbox.w-indent) {
		p.add(st, strings.Repeat(" ", indent)+l)
	}
}

func (p *page) space() {
	if !p.compact {
		p.lines = append(p.lines, "")
	}
}

func (o *Outbox) draw(p *page) {
	if o.loaded {
		o.drawBound(p)
		p.space()
	}
	for i, d := range o.landing.Destinations {
		o.drawDestination(p, i, d)
		p.space()
	}
	w, t := o.words.Outbox, o.state.Tally()
	if t.Undecided > 0 {
		p.para(o.styles.Notice, 0, fmt.Sprintf(w.Stay, t.Undecided))
	} else {
		p.para(o.styles.Dim, 0, w.NoneStay)
	}
	if o.notice != "" {
		st := o.styles.Notice
		if o.bad {
			st = o.styles.Error
		}
		p.para(st, 0, o.notice)
	}
}

// drawBound says as whom and bound to which head it goes out.
func (o *Outbox) drawBound(p *page) {
	w, l := o.words.Outbox, o.landing
	as := text.Line(l.As)
	if as != "" && !strings.HasPrefix(as, "@") {
		as = "@" + as
	}
	bound := fmt.Sprintf(w.GoingOut, as, event.Short(text.Line(l.Head)))
	st, head := o.styles.Text, ""
	switch {
	case l.Moved:
		st, head = o.styles.Error, fmt.Sprintf(w.Moved, event.Short(text.Line(l.Current)))
	case l.Current != "":
		head = fmt.Sprintf(w.NotMoved, event.Short(text.Line(l.Current)))
	default:
		st, head = o.styles.Notice, w.HeadUnknown
	}
	p.para(st, 0, bound+" ("+head+")")
}

// nameWidth is the cells of a destination's name.
const nameWidth = 8

func (o *Outbox) drawDestination(p *page, i int, d event.Destination) {
	g, w := o.styles.Glyphs, o.words.Outbox
	cursor, tick := " ", g.Unticked
	if i == o.cursor {
		cursor = g.Cursor
	}
	if o.isTicked(d) {
		tick = g.Ticked
	}
	head := o.styles.Accent.Render(cursor+" ") + o.styles.Text.Render(tick+" ")
	used := 2 + text.Width(tick) + 1
	st := o.styles.Header
	if !d.Ready {
		st = o.styles.Dim
	}
	head += st.Render(text.Pad(w.Target(d.Target), nameWidth))
	used += nameWidth
	groups, said := group(d.Items), ""
	if p.compact {
		said = text.Cut(o.counts(groups), max(o.w-used, 0))
	} else {
		said = text.CutMiddle(paths(d.Where), max(o.w-used, 0))
	}
	p.lines = append(p.lines, text.Cut(head+o.styles.Text.Render(said), o.w))
	indent := 2 + text.Width(tick) + 1
	if !d.Ready {
		p.para(o.styles.Notice, indent, w.NotReady+": "+text.Line(o.words.Say(d.Why)))
	}
	if len(groups) == 0 && d.Ready {
		p.para(o.styles.Dim, indent, w.Nothing)
	}
	for _, g := range groups {
		if !p.compact {
			o.drawGroup(p, indent, g)
		}
	}
	if x, ok := o.lastExport(d.Target); ok {
		p.para(o.styles.Accepted, indent, fmt.Sprintf(w.Written, paths(x.Where)))
		if since := Since(o.state, d, o.words); since != "" {
			p.para(o.styles.Notice, indent, since)
		}
	}
}

// paths is paths or addresses in one line; those after the first lose the
// folder they share with it.
func paths(list []string) string {
	var parts []string
	for i, s := range list {
		s = text.Line(s)
		if i > 0 && path.Dir(s) == path.Dir(text.Line(list[0])) {
			s = path.Base(s)
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, ", ")
}

// landed is the findings that land in the same way.
type landed struct {
	as    string
	items []event.Item
}

// group puts items together by how they land.
func group(items []event.Item) []landed {
	var out []landed
	for _, it := range items {
		i := slices.IndexFunc(out, func(g landed) bool { return g.as == it.As })
		if i < 0 {
			i = len(out)
			out = append(out, landed{as: it.As})
		}
		out[i].items = append(out[i].items, it)
	}
	slices.SortStableFunc(out, func(a, b landed) int { return cmp.Compare(order(a.as), order(b.as)) })
	return out
}

// order is what the person sends first: what asks for work before what is for
// the record.
func order(as string) int {
	return slices.Index([]string{"inline", "file", "summary", "there", "open", "escalated", "rejected", "kept"}, as)
}

// counts is how many land how, in one line.
func (o *Outbox) counts(groups []landed) string {
	var parts []string
	for _, g := range groups {
		parts = append(parts, fmt.Sprintf("%d %s", len(g.items), o.words.Outbox.As(g.as)))
	}
	return strings.Join(parts, ", ")
}

// drawGroup is one line: how, how many, and the first places; a reason where
// all share one.
func (o *Outbox) drawGroup(p *page, indent int, g landed) {
	head := fmt.Sprintf("%s%s %3d  ", strings.Repeat(" ", indent), text.Pad(o.words.Outbox.As(g.as), 10), len(g.items))
	var places []string
	for _, it := range g.items {
		s := o.place(it)
		if it.Why != "" {
			s += " (" + text.Line(o.words.Say(it.Why)) + ")"
		}
		places = append(places, s)
	}
	line := o.styles.Text.Render(text.Cut(head, o.w)) + o.styles.Dim.Render(text.Cut(strings.Join(places, ", "), max(o.w-text.Width(head), 0)))
	p.lines = append(p.lines, text.Cut(line, o.w))
}

func (o *Outbox) place(it event.Item) string {
	if s := text.Line(it.Where); s != "" {
		return s
	}
	return o.words.Outbox.NoPlace
}

// drawPreview lists every finding that would go to the place under the cursor.
func (o *Outbox) drawPreview(p *page) {
	d, ok := o.current()
	if !ok {
		p.add(o.styles.Dim, o.words.Outbox.Empty)
		return
	}
	p.add(o.styles.Header, fmt.Sprintf(o.words.Outbox.PreviewOf, o.words.Outbox.Target(d.Target)))
	for _, s := range d.Where {
		p.para(o.styles.Dim, 0, text.Line(s))
	}
	for _, g := range group(d.Items) {
		p.space()
		p.add(o.styles.Accent, fmt.Sprintf("%s %d", o.words.Outbox.As(g.as), len(g.items)))
		for _, it := range g.items {
			o.drawItem(p, d.Target, it)
		}
	}
}

func (o *Outbox) drawItem(p *page, target string, it event.Item) {
	title, note := text.Line(it.Entry), ""
	if e, ok := o.state.Entry(it.Entry); ok {
		f := o.state.Shown(e)
		title = "[" + o.words.Board.Short(f.Severity) + "] " + text.Line(f.Title)
		if d, _ := o.state.DecisionOf(e); d.Reason != "" || d.To != "" {
			note = strings.Trim(o.words.Board.ReasonOr(d)+" · "+text.Line(d.Note), " ·")
		}
	}
	p.para(o.styles.Text, 2, title)
	p.para(o.styles.Dim, 4, o.place(it))
	if since := itemSince(o.state, target, it, o.words); since != "" {
		p.para(o.styles.Notice, 4, since)
	}
	for _, s := range []string{o.words.Say(it.Why), note} {
		if s != "" {
			p.para(o.styles.Dim, 4, text.Line(s))
		}
	}
}
