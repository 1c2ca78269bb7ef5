package picker

import (
	"context"
	"fmt"
	"strings"

	"github.com/mrv-dev/mrv/tui/style"
	"github.com/mrv-dev/mrv/tui/text"
	"github.com/mrv-dev/mrv/tui/words"
)

// Linear is the page for whoever reads line by line: everything is looked for,
// and then stands in numbered lines of at most w cells.
type Linear struct {
	Lines []string
	Items []Item // by their numbers, from 1
	page  *Picker
}

// Read looks for everything.
func Read(ctx context.Context, o Options, voc *words.Words, w int) *Linear {
	p := New(ctx, o, voc, style.Styles{})
	p.SetSize(w, roomyFrom) // what is wrong may take some lines
	for s := range sections {
		l, err := o.Source.List(ctx, s, p.everywhere)
		p.lists[s] = list{List: l, err: err}
		if err == nil {
			p.lists[s].at = o.Now()
		}
		for _, i := range l.Items {
			if !p.reviews[i.key()].known {
				r, err := o.Source.Review(ctx, i)
				p.reviews[i.key()] = standing{Review: r, known: true, err: err}
			}
		}
	}
	x := &Linear{page: p, Items: p.items()}
	add := func(s string) { x.Lines = append(x.Lines, text.Wrap(s, w)...) }
	n := 0
	for s := range sections {
		head := p.title(s)
		if amount := p.amount(s, len(p.shown(s))); amount != "" {
			head += ": " + amount
		}
		add(head)
		for _, why := range p.trouble(s) {
			add(strings.TrimSpace(why))
		}
		for _, i := range p.shown(s) {
			n++
			title := text.Line(i.Title)
			if i.Draft {
				title = p.words.Pick.Draft + " " + title
			}
			add(fmt.Sprintf("%d. %s %s, %s, %s: %s", n, p.name(i), title, text.Line(i.Author), p.ago(i.Updated), p.state(i, false)))
		}
	}
	if n == 0 {
		add(p.words.Pick.Empty)
	}
	return x
}

// Question says what is known of an item's review, and how the person can go
// on: nothing to ask where there is no run to open again. The answers are for
// Answer.
func (x *Linear) Question(i Item) (lines []string, asks bool) {
	r := x.page.reviews[i.key()]
	if r.Found != InRun {
		return nil, false
	}
	lines = []string{x.page.details(i)}
	for _, o := range x.page.offers(r.Review) {
		lines = append(lines, o.key+"  "+o.text)
	}
	return lines, true
}

// Answer is what a letter chooses; false where it is no answer.
func (x *Linear) Answer(i Item, letter string) (Choice, bool) { return x.page.chosen(i, letter) }
