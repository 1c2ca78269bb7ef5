package picker

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/tui/text"
)

// shown lists a section's items as they are shown: what passes the filter and,
// of the recent ones, what no list before has.
func (p *Picker) shown(s Section) []Item {
	words := strings.Fields(strings.ToLower(p.filter.String()))
	var out []Item
	for _, i := range p.lists[s].Items {
		if s == Recent && p.above(i) || !p.passes(i, words) {
			continue
		}
		out = append(out, i)
	}
	return out
}

// above reports whether a list before the recent ones has an item.
func (p *Picker) above(i Item) bool {
	for _, l := range p.lists[:Recent] {
		if slices.ContainsFunc(l.Items, func(x Item) bool { return x.key() == i.key() }) {
			return true
		}
	}
	return false
}

// passes reports whether an item has all the words somewhere in its row.
func (p *Picker) passes(i Item, words []string) bool {
	if len(words) == 0 {
		return true
	}
	row := strings.ToLower(strings.Join([]string{i.Name(), text.Line(i.Title), i.Author, p.state(i, false)}, " "))
	if i.Draft {
		row += " " + p.words.Pick.Draft
	}
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(row, w) })
}

// items lists what the cursor can be on, from top to bottom.
func (p *Picker) items() []Item {
	var out []Item
	for s := range sections {
		out = append(out, p.shown(s)...)
	}
	return out
}

// state is how an item's review stands, in a few words; short ones where there
// is no room.
func (p *Picker) state(i Item, short bool) string {
	say, r := p.words.Pick.Short, p.reviews[i.key()]
	switch {
	case !r.known:
		return say.Looking
	case r.Found == Nowhere && r.err != nil:
		return say.Unknown
	case r.Found == Nowhere:
		return say.None
	}
	var parts []string
	if r.ToMe > 0 {
		parts = append(parts, pick(short, say.You, say.ToYou))
	}
	switch {
	case r.fresh():
		if r.ToMe == 0 {
			parts = append(parts, say.Fresh)
		}
	case r.stale():
		parts = append(parts, say.Stale)
	default:
		parts = append(parts, say.Head)
	}
	switch {
	case r.Unfinished && r.Findings == 0:
		parts = append(parts, say.Interrupted)
	case r.Undecided > 0:
		parts = append(parts, fmt.Sprintf(pick(short, say.Left, say.Undecided), r.Undecided))
	}
	return strings.Join(parts, p.words.Pick.And)
}

func pick(short bool, a, b string) string {
	if short {
		return a
	}
	return b
}

// mark is the sign before the state and the style of both: what waits for the
// person stands out, what is done does not.
func (p *Picker) mark(i Item) (string, lipgloss.Style) {
	r, g := p.reviews[i.key()], p.styles.Glyphs
	switch {
	case r.ToMe > 0:
		return "!", p.styles.Escalated
	case r.fresh() && (r.Undecided > 0 || r.Unfinished):
		return g.Running, p.styles.Accent
	case r.fresh():
		return g.Done, p.styles.Pass
	case r.stale():
		return g.Waiting, p.styles.Concerns
	case r.Found != Nowhere, r.err != nil:
		return "?", p.styles.Concerns
	}
	return " ", p.styles.Dim
}

// details says in sentences what is known of an item's review.
func (p *Picker) details(i Item) string {
	say, r := p.words.Pick, p.reviews[i.key()]
	switch {
	case !r.known:
		return say.LookingFor
	case r.Found == Nowhere && r.err != nil:
		return fmt.Sprintf(say.NotKnown, text.Line(p.words.Say(r.err.Error())))
	case r.Found == Nowhere:
		return say.NotReviewed
	}
	var first string
	switch head, now := text.Line(event.Short(r.Head)), text.Line(event.Short(r.Now)); {
	case r.fresh():
		first = fmt.Sprintf(say.IsFresh, head)
	case r.stale():
		first = fmt.Sprintf(say.IsStale, head, now)
	default:
		first = fmt.Sprintf(say.HeadUnknown, head)
		if r.err != nil {
			first += ": " + text.Line(p.words.Say(r.err.Error()))
		}
	}
	switch r.Found {
	case InInbox:
		first += say.And + say.InInbox
	case InComment:
		first += say.And + fmt.Sprintf(say.OnPage, text.Line(r.By))
	}
	parts := []string{first}
	if r.ToMe > 0 {
		parts = append(parts, fmt.Sprintf(say.EscalatedToYou, r.ToMe))
	}
	switch {
	case r.Undecided > 0:
		parts = append(parts, fmt.Sprintf(say.Left, r.Undecided, r.Findings))
	case r.Findings > 0:
		parts = append(parts, fmt.Sprintf(say.AllDecided, r.Findings))
	case !r.Unfinished:
		parts = append(parts, say.NoFindings)
	}
	if r.Unfinished {
		parts = append(parts, say.WasInterrupted)
	}
	return strings.Join(parts, say.Stop) + strings.TrimSpace(say.Stop)
}

// ago is how long a time is ago, in the largest whole unit.
func (p *Picker) ago(t time.Time) string {
	const day = 24 * time.Hour
	say, d := p.words.Pick.Age, p.o.Now().Sub(t)
	switch {
	case t.IsZero():
		return ""
	case d < time.Minute:
		return say.Now
	case d < time.Hour:
		return fmt.Sprintf(say.Minutes, d/time.Minute)
	case d < day:
		return fmt.Sprintf(say.Hours, d/time.Hour)
	case d < 14*day:
		return fmt.Sprintf(say.Days, d/day)
	case d < 365*day:
		return fmt.Sprintf(say.Weeks, d/(7*day))
	}
	return fmt.Sprintf(say.Years, d/(365*day))
}
