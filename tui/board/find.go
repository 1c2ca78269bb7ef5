package board

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/text"
)

// askSearch asks for the words to look for.
func (b *Board) askSearch() tea.Cmd {
	b.ask = &ask{title: b.words.Board.SearchTitle, fields: []*input{{label: "/", offer: b.search}}, done: func(a []string) (tea.Cmd, string) {
		b.search, b.detail.lines = a[0], nil
		return b.find(1), ""
	}}
	return nil
}

// find goes to the next (1) or previous (-1) row that mentions what is
// searched, around the end, and says how many do.
func (b *Board) find(step int) tea.Cmd {
	if b.search == "" {
		return nil
	}
	var hits []int
	for i, id := range b.rows {
		if mentions(b.state, b.items[id], b.search) {
			hits = append(hits, i)
		}
	}
	if len(hits) == 0 {
		b.say(fmt.Sprintf(b.words.Board.NoMatch, text.Line(b.search)))
		return nil
	}
	k := slices.IndexFunc(hits, func(i int) bool { return i > b.cursor })
	if step < 0 {
		k = len(hits) - 1
		for k >= 0 && hits[k] >= b.cursor {
			k--
		}
		if k < 0 {
			k = len(hits) - 1
		}
	}
	k = max(k, 0)
	b.move(hits[k])
	b.say(fmt.Sprintf(b.words.Board.Match, k+1, len(hits), text.Line(b.search)))
	return nil
}

// found renders a line, with what is searched for in the style of a match.
func (b *Board) found(st lipgloss.Style, line string) string {
	words, lower := strings.ToLower(b.search), strings.ToLower(line)
	if words == "" || len(lower) != len(line) || !strings.Contains(lower, words) {
		return st.Render(line)
	}
	match := b.styles.Match.Inherit(st)
	if st.GetReverse() && b.styles.Match.GetReverse() { // on the row under the cursor
		match = match.Reverse(false)
	}
	var out strings.Builder
	for {
		i := strings.Index(lower, words)
		if i < 0 {
			break
		}
		n := i + len(words)
		if i > 0 {
			out.WriteString(st.Render(line[:i]))
		}
		out.WriteString(match.Render(line[i:n]))
		line, lower = line[n:], lower[n:]
	}
	if line != "" {
		out.WriteString(st.Render(line))
	}
	return out.String()
}

// nextSort goes to the next order.
func (b *Board) nextSort() tea.Cmd {
	b.sort = (b.sort + 1) % sorts
	b.arrange()
	return nil
}

// askFilter asks what to show; each answer changes one part of the filter, and
// the same answer again takes it back.
func (b *Board) askFilter() tea.Cmd {
	w := b.words.Board
	a := &ask{title: w.FilterTitle}
	add := func(key, label string, change func(*Filter)) {
		a.choices = append(a.choices, choice{key, label, func() tea.Cmd {
			change(&b.filter)
			b.arrange()
			return nil
		}})
	}
	add("u", w.FilterUndecided, func(f *Filter) { f.Undecided = !f.Undecided })
	for i, s := range review.Severities() {
		add([]string{"c", "w", "s"}[i], w.Short(s), func(f *Filter) {
			if f.Severity == s {
				s = ""
			}
			f.Severity = s
		})
	}
	for _, x := range []struct {
		key, label, offer string
		part              *string
	}{
		{"r", w.FilterReviewer, b.offerReviewer(), &b.filter.Reviewer},
		{"f", w.FilterFile, b.offerFile(), &b.filter.File},
		{"t", w.FilterText, b.search, &b.filter.Text},
	} {
		a.choices = append(a.choices, choice{x.key, x.label, func() tea.Cmd {
			b.askPart(x.label, x.offer, x.part)
			return nil
		}})
	}
	add("x", w.FilterClear, func(f *Filter) { *f = Filter{} })
	b.ask = a
	return nil
}

// askPart asks for one text of the filter; an empty answer clears it.
func (b *Board) askPart(label, offer string, part *string) {
	f := &input{label: label}
	if *part != "" {
		f.Set(*part)
	} else {
		f.offer = offer
	}
	b.ask = &ask{title: b.words.Board.FilterTitle, fields: []*input{f}, done: func(a []string) (tea.Cmd, string) {
		*part = a[0]
		b.arrange()
		return nil, ""
	}}
}

func (b *Board) offerReviewer() string {
	it, _ := b.current()
	return b.state.Findings[it.Lead].Reviewer
}

func (b *Board) offerFile() string {
	it, _ := b.current()
	return it.file()
}

// describe says what the filter lets through, in words.
func (b *Board) describe() string {
	w, f := b.words.Board, b.filter
	var parts []string
	if f.Undecided {
		parts = append(parts, w.FilterUndecided)
	}
	if f.Severity != "" {
		parts = append(parts, w.Short(f.Severity))
	}
	for _, x := range []string{f.Reviewer, f.File, f.Text} {
		if x != "" {
			parts = append(parts, fmt.Sprintf("%q", text.Line(x)))
		}
	}
	return join(slices.Values(parts), " ")
}
