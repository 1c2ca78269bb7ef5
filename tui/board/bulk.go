package board

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/mrv-dev/mrv/engine/review"
)

// Bar is what keeps a finding from being accepted together with others.
type Bar string

// The bars, in the order in which they are looked at.
const (
	BarNone     Bar = ""
	BarCritical Bar = "critical"
	BarSecurity Bar = "security"
	BarDisputed Bar = "disputed"
	BarFlagged  Bar = "flagged"
	BarQuote    Bar = "quote"  // no quote, or it was not found in the change
	BarModels   Bar = "models" // neither two different models nor a model and an analyser
)

// confirmed says what keeps a finding from being accepted unread. Two
// reviewers of one model do not confirm each other: they share its mistakes.
// flags are those of all its sources' words.
func confirmed(it item, flags []Flag) Bar {
	switch {
	case it.Worst == review.Critical || it.shown.Severity == review.Critical:
		return BarCritical
	case it.Security:
		return BarSecurity
	case it.disputed() || it.urgent:
		return BarDisputed
	case !it.Place.QuoteFound:
		return BarQuote
	case it.Models < 2 && !(it.Models == 1 && it.Analyser):
		return BarModels
	case len(flags) > 0:
		return BarFlagged
	}
	return BarNone
}

// flagsOf are the flags of an entry: of what is shown and of all its sources'
// words. They are kept until the findings change.
func (b *Board) flagsOf(it item) []Flag {
	if flags, ok := b.flags[it.ID]; ok {
		return flags
	}
	list := texts(it.shown)
	for _, id := range it.Sources {
		list = append(list, texts(b.state.Findings[id])...)
	}
	slices.Sort(list)
	flags := Flags(slices.Compact(list)...)
	b.flags[it.ID] = flags
	return flags
}

// undecided lists the rows in sight that wait for the person.
func (b *Board) undecided() []item {
	var list []item
	for _, id := range b.rows {
		if it := b.items[id]; b.open(it) {
			list = append(list, it)
		}
	}
	return list
}

// acceptConfirmed accepts what is confirmed among the undecided in the filter,
// after a count.
func (b *Board) acceptConfirmed() tea.Cmd {
	var list []item
	bars := map[Bar]int{}
	for _, it := range b.undecided() {
		bar := confirmed(it, b.flagsOf(it))
		if bar == BarNone {
			list = append(list, it)
		}
		bars[bar]++
	}
	if len(list) == 0 {
		b.say(b.noneConfirmed(bars))
		return nil
	}
	b.confirm(fmt.Sprintf(b.words.Board.AcceptConfirmed, len(list)), func() tea.Cmd {
		return b.decide(list, review.Decision{Choice: review.Accepted})
	})
	return nil
}

// noneConfirmed says why nothing can be accepted unread: what keeps back most.
func (b *Board) noneConfirmed(bars map[Bar]int) string {
	w, best, all, why := b.words.Board, 0, 0, ""
	for _, x := range []struct {
		bar Bar
		say string
	}{
		{BarModels, w.BarModels}, {BarQuote, w.BarQuote}, {BarSecurity, w.BarSecurity},
		{BarCritical, w.BarCritical}, {BarDisputed, w.BarDisputed}, {BarFlagged, w.BarFlagged},
	} {
		all += bars[x.bar]
		if bars[x.bar] > best {
			best, why = bars[x.bar], x.say
		}
	}
	if all == 0 {
		return w.NoneUndecided
	}
	return fmt.Sprintf(w.NoneConfirmed, all, why)
}

// rejectAll rejects what is undecided in the filter for one reason.
func (b *Board) rejectAll() tea.Cmd {
	list := b.undecided()
	if len(list) == 0 {
		b.say(b.words.Board.NoneUndecided)
		return nil
	}
	b.confirm(fmt.Sprintf(b.words.Board.RejectAll, len(list)), func() tea.Cmd {
		b.ask = b.reasons(b.title(b.words.Board.RejectTitle, b.words.Board.RejectTitleN, len(list)), list)
		return nil
	})
	return nil
}

// confirm asks a question that anything but "y" answers with no.
func (b *Board) confirm(title string, yes func() tea.Cmd) {
	b.ask = &ask{title: title, no: "N", choices: []choice{{"y", b.words.Board.Yes, yes}}}
}
