package picker

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/mrv-dev/mrv/tui/text"
)

// Widths from which a row has more columns, and heights from which the page
// has more than the list.
const (
	authorFrom = 96 // cells for who opened it, and for the state in whole words
	wideFrom   = 60 // cells for when
	detailFrom = 9  // lines for the item under the cursor
	roomyFrom  = 16 // lines for air between the sections, and for a long detail
)

// View draws the page: exactly as many lines as its height, none wider than
// its width.
func (p *Picker) View() string {
	if p.w == 0 || p.h == 0 {
		return ""
	}
	var lines []string
	if p.typing || p.filter.String() != "" {
		lines = append(lines, p.filterLine())
	}
	room := p.room()
	body, at := p.body()
	p.follow(at, len(body), room)
	lines = append(lines, body[p.top:min(p.top+room, len(body))]...)
	for len(lines) < p.h-len(p.below()) {
		lines = append(lines, "")
	}
	lines = append(lines[:max(p.h-len(p.below()), 0)], p.below()...)
	return strings.Join(lines[:p.h], "\n")
}

// room is how many lines the list has.
func (p *Picker) room() int {
	n := p.h - len(p.below())
	if p.typing || p.filter.String() != "" {
		n--
	}
	return max(n, 0)
}

// follow keeps the cursor's line in sight, and the head of the first section.
func (p *Picker) follow(at, n, room int) {
	if at < p.top {
		p.top = at
	}
	if at >= p.top+room {
		p.top = at - room + 1
	}
	if at <= 2 && at < room {
		p.top = 0
	}
	p.top = min(max(p.top, 0), max(n-room, 0))
}

// Cursor is where the filter is typed.
func (p *Picker) Cursor() (x, y int, ok bool) {
	if !p.typing || p.h == 0 {
		return 0, 0, false
	}
	label := text.Width(p.filterLabel())
	_, at := p.filter.Window(max(p.w-label-12, 1))
	return min(label+at, max(p.w-1, 0)), 0, true
}

func (p *Picker) filterLabel() string { return text.Cut("/ ", p.w) }

func (p *Picker) filterLine() string {
	label := p.filterLabel()
	typed, _ := p.filter.Window(max(p.w-text.Width(label)-12, 1))
	line := p.styles.Accent.Render(label) + p.styles.Text.Render(typed)
	n := 0
	for s := range sections {
		n += len(p.shown(s))
	}
	count := fmt.Sprintf("%d", n)
	gap := p.w - text.Width(label) - text.Width(typed) - text.Width(count)
	if gap < 1 {
		return text.Cut(line, p.w)
	}
	return line + text.Pad("", gap) + p.styles.Dim.Render(count)
}

// body is the whole list; at is the line of the cursor.
func (p *Picker) body() (lines []string, at int) {
	item, c := 0, p.columns()
	for s := range sections {
		shown := p.shown(s)
		if len(shown) == 0 && p.filter.String() != "" {
			continue
		}
		if p.h >= roomyFrom {
			lines = append(lines, "")
		}
		lines = append(lines, p.head(s, len(shown)))
		lines = append(lines, p.trouble(s)...)
		for _, i := range shown {
			if item == p.cursor {
				at = len(lines)
			}
			lines = append(lines, p.row(c, i, item == p.cursor))
			item++
		}
	}
	switch {
	case item > 0 || p.listing():
	case p.filter.String() != "":
		lines = append(lines, p.styles.Dim.Render(text.Cut(p.words.Pick.NoMatch, p.w)))
	default:
		lines = append(lines, "")
		for _, l := range text.Wrap(p.words.Pick.Empty, p.w) {
			lines = append(lines, p.styles.Dim.Render(text.Cut(l, p.w)))
		}
	}
	return lines, at
}

// head is a section's title, and how much there is.
func (p *Picker) head(s Section, n int) string {
	return text.Cut(p.styles.Header.Render(text.Cut(p.title(s), p.w))+"  "+p.styles.Dim.Render(p.amount(s, n)), p.w)
}

func (p *Picker) title(s Section) string {
	say := p.words.Pick
	switch {
	case s == Requested:
		return say.Requested
	case s == Mine:
		return say.Mine
	case p.everywhere:
		return say.Involved
	}
	return fmt.Sprintf(say.Recent, text.Line(p.o.Repo))
}

// amount is how much of a section is shown, or why nothing is.
func (p *Picker) amount(s Section, n int) string {
	say, l := p.words.Pick, p.lists[s]
	note := fmt.Sprint(n)
	switch {
	case l.loading && l.at.IsZero():
		note = say.Looking
	case l.err != nil && l.at.IsZero():
		note = ""
	case n == 0 && len(l.Items) > 0 && p.filter.String() == "":
		note = say.NoOthers // those there are stand above
	case n == 0:
		note = say.None
	case l.Total > len(l.Items) && p.filter.String() == "":
		note = fmt.Sprintf(say.FirstOf, n, l.Total)
	}
	if l.loading && !l.at.IsZero() {
		note += "  " + say.Looking
	}
	return note
}

// trouble is why a section is not what it should be. A low page has a line for
// it.
func (p *Picker) trouble(s Section) []string {
	l := p.lists[s]
	var out []string
	say := func(st lipgloss.Style, words string) {
		most := 3
		if p.h < roomyFrom {
			most = 1
		}
		all := text.Wrap(words, max(p.w-2, 1))
		for i, line := range all {
			if i == most-1 && len(all) > most {
				line = text.Cut(strings.Join(all[i:], " "), max(p.w-2, 1))
			}
			if i < most {
				out = append(out, text.Cut("  "+st.Render(line), p.w))
			}
		}
	}
	switch {
	case l.loading:
	case l.err != nil && !l.at.IsZero():
		say(p.styles.Error, text.Line(p.words.Say(l.err.Error()))+"; "+fmt.Sprintf(p.words.Pick.KeptFrom, l.at.Format("15:04")))
	case l.err != nil && s > 0 && p.lists[s-1].err != nil && p.lists[s-1].err.Error() == l.err.Error():
		say(p.styles.Dim, p.words.Pick.Same)
	case l.err != nil:
		say(p.styles.Notice, text.Line(p.words.Say(l.err.Error())))
	case l.Partial:
		say(p.styles.Notice, p.words.Pick.Partial)
	}
	return out
}

// columns are the widths of a row's cells.
type columns struct {
	name, title, author, age, state int
	short                           bool
}

// columns measures what is listed, so that nothing moves while the cursor does.
func (p *Picker) columns() columns {
	c := columns{short: p.w < authorFrom}
	for s := range sections {
		for _, i := range p.shown(s) {
			c.name = max(c.name, text.Width(p.name(i)))
			c.author = max(c.author, text.Width(text.Line(i.Author)))
			c.age = max(c.age, text.Width(p.ago(i.Updated)))
			c.state = max(c.state, text.Width(p.state(i, c.short)))
		}
	}
	c.name, c.author = min(c.name, max(p.w/4, 6)), min(c.author, 16)
	c.state = min(max(c.state, p.w/7), max(p.w/3, 8)) // it need not grow while reviews come
	used := 2 + c.name + 2 + 2 + 2 + c.state          // cursor, name, gap, gap and mark
	if p.w >= authorFrom {
		used += 2 + c.author
	} else {
		c.author = 0
	}
	if p.w >= wideFrom {
		used += 2 + c.age
	} else {
		c.age = 0
	}
	c.title = max(p.w-used, 0)
	return c
}

// name is the pull request's number, with its repository where there are
// several.
func (p *Picker) name(i Item) string {
	if p.everywhere {
		return text.Line(i.Name())
	}
	return fmt.Sprintf("#%d", i.Number)
}

// row draws an item.
func (p *Picker) row(c columns, i Item, cursor bool) string {
	st := p.styles
	on := func(s lipgloss.Style) lipgloss.Style {
		if cursor {
			return st.Select(s)
		}
		return s
	}
	var b strings.Builder
	put := func(s lipgloss.Style, cell string) { b.WriteString(on(s).Render(cell)) }
	at := " "
	if cursor {
		at = st.Glyphs.Cursor
	}
	put(st.Accent, at+" ")
	put(st.Dim, text.Pad(text.CutMiddle(p.name(i), c.name), c.name))
	title, room := text.Line(i.Title), c.title
	put(st.Text, "  ")
	if draft := p.words.Pick.Draft + " "; i.Draft && room > text.Width(draft)+8 {
		put(st.Dim, draft)
		room -= text.Width(draft)
	}
	put(st.Text, text.Pad(title, room))
	if c.author > 0 {
		put(st.Dim, "  "+text.Pad(text.Line(i.Author), c.author))
	}
	if c.age > 0 {
		put(st.Dim, "  "+text.PadLeft(p.ago(i.Updated), c.age))
	}
	sign, ink := p.mark(i)
	put(ink, "  "+sign+" "+text.Pad(p.state(i, c.short), c.state))
	return text.Cut(b.String(), p.w)
}

// below is what stands under the list: what is known of the item under the
// cursor, what is being opened, or the question what to do with a run.
func (p *Picker) below() []string {
	i, ok := p.current()
	switch {
	case p.busy != "":
		return []string{p.styles.Notice.Render(text.Cut(text.Line(p.busy), p.w))}
	case !ok:
		return nil
	case p.wanted != nil:
		return []string{p.rule(), p.styles.Notice.Render(text.Cut(p.words.Pick.LookingFor, p.w))}
	case p.asking:
		return p.question(i)
	case p.h < detailFrom:
		return nil
	}
	lines := []string{p.styles.Text.Render(text.Cut(text.Line(i.Title), p.w))}
	about := text.Wrap(p.details(i), p.w)
	if p.h >= roomyFrom && len(about) < 2 {
		about = append(about, "") // the list does not move with the cursor
	}
	_, ink := p.mark(i)
	for n, line := range about {
		if n < 1 || n < 2 && p.h >= roomyFrom {
			lines = append(lines, ink.Render(text.Cut(line, p.w)))
		}
	}
	by := fmt.Sprintf(p.words.Pick.By, text.Line(i.Author), i.Updated.In(p.o.Now().Location()).Format("2006-01-02 15:04")) + "   " + text.Line(i.URL)
	lines = append(lines, p.styles.Dim.Render(text.Cut(by, p.w)))
	return append([]string{p.rule()}, lines...)
}

// rule parts the list from what is below it, and says where the cursor is.
func (p *Picker) rule() string {
	n := len(p.items())
	where := " " + fmt.Sprintf(p.words.Pick.Counts, p.cursor+1, n) + " "
	if done, of := p.looked(); done < of {
		where += " " + fmt.Sprintf(p.words.Pick.Looked, done, of) + " "
	}
	where = text.Cut(where, max(p.w-4, 0))
	line := strings.Repeat(p.styles.Glyphs.Rule, max(p.w-text.Width(where)-2, 0))
	return p.styles.Unfocused.Render(line) + p.styles.Dim.Render(where) + p.styles.Unfocused.Render(strings.Repeat(p.styles.Glyphs.Rule, min(p.w, 2)))
}

// question asks what to do with the run over an item.
func (p *Picker) question(i Item) []string {
	r := p.reviews[i.key()]
	lines := []string{p.rule()}
	for _, l := range text.Wrap(fmt.Sprintf(p.words.Pick.ThereIsARun, text.Line(i.Name()))+" "+p.details(i), p.w) {
		lines = append(lines, p.styles.Notice.Render(text.Cut(l, p.w)))
	}
	for n, o := range p.offers(r.Review) {
		key := o.key
		if n == 0 {
			key += ", enter"
		}
		lines = append(lines, text.Cut("  "+p.styles.Key.Render(text.Pad(key, 9))+"  "+p.styles.Text.Render(o.text), p.w))
	}
	if len(lines) > p.h {
		lines = lines[len(lines)-p.h:] // the answers stay
	}
	return lines
}
