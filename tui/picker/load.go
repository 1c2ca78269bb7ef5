package picker

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
)

// atOnce is how many reviews are looked for at a time: a forge is asked for
// many of them, and asks in turn that it is not asked too much.
const atOnce = 4

// patience is how long one answer is waited for; the forge's own limits can
// last longer than a person looks on.
const patience = 25 * time.Second

// listedMsg brings a section.
type listedMsg struct {
	load    int
	section Section
	list    List
	err     error
}

// reviewedMsg brings how a review stands.
type reviewedMsg struct {
	load   int
	item   Item
	review Review
	err    error
}

// viewerMsg brings who asks.
type viewerMsg string

// Init begins to load.
func (p *Picker) Init() tea.Cmd {
	source, ctx := p.o.Source, p.ctx
	return tea.Batch(p.refresh(), func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		return viewerMsg(source.Viewer(ctx))
	})
}

// refresh asks for everything again; what is shown stays until it comes.
func (p *Picker) refresh() tea.Cmd {
	p.load++
	p.queue, p.asked, p.flying, p.wanted = nil, map[key]bool{}, 0, nil
	var cmds []tea.Cmd
	for s := range sections {
		p.lists[s].loading = true
		load, source, ctx, everywhere := p.load, p.o.Source, p.ctx, p.everywhere
		cmds = append(cmds, func() tea.Msg {
			ctx, cancel := context.WithTimeout(ctx, patience)
			defer cancel()
			l, err := source.List(ctx, s, everywhere)
			return listedMsg{load, s, l, err}
		})
	}
	return tea.Batch(cmds...)
}

// Again asks for everything anew after a review was open: how its own stands is
// not known any more, so that it is waited for before it is opened once more.
func (p *Picker) Again() tea.Cmd {
	delete(p.reviews, p.under)
	return p.refresh()
}

// listed takes a section over. One that did not come keeps what it had.
func (p *Picker) listed(m listedMsg) tea.Cmd {
	if m.load != p.load {
		return nil
	}
	l := &p.lists[m.section]
	l.loading, l.err = false, m.err
	if m.err == nil {
		l.List, l.at = m.list, p.o.Now()
		for _, i := range m.list.Items {
			if !p.asked[i.key()] {
				p.asked[i.key()] = true
				p.queue = append(p.queue, i)
			}
		}
	}
	p.settle()
	return p.next()
}

// next looks for reviews as far as there may be more at once.
func (p *Picker) next() tea.Cmd {
	var cmds []tea.Cmd
	for p.flying < atOnce && len(p.queue) > 0 {
		i := p.queue[0]
		p.queue = p.queue[1:]
		p.flying++
		cmds = append(cmds, p.look(i))
	}
	return tea.Batch(cmds...)
}

func (p *Picker) look(i Item) tea.Cmd {
	load, source, ctx := p.load, p.o.Source, p.ctx
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		r, err := source.Review(ctx, i)
		return reviewedMsg{load, i, r, err}
	}
}

// reviewed takes over how a review stands.
func (p *Picker) reviewed(m reviewedMsg) tea.Cmd {
	if m.load != p.load {
		return nil
	}
	p.flying--
	p.reviews[m.item.key()] = standing{Review: m.review, known: true, err: m.err}
	cmd := p.next()
	if p.wanted != nil && p.wanted.key() == m.item.key() {
		p.wanted = nil
		cmd = tea.Batch(cmd, p.open())
	}
	return cmd
}

// looked counts the reviews that were looked for, of those that are to be.
func (p *Picker) looked() (n, of int) {
	return len(p.asked) - len(p.queue) - p.flying, len(p.asked)
}

// listing reports whether a section is still to come.
func (p *Picker) listing() bool {
	return slices.ContainsFunc(p.lists[:], func(l list) bool { return l.loading })
}
