package document

import "fmt"

// Markdown is the review for people to read or keep: the accepted findings, or
// with all those that nobody has decided on, too. It is for no coding agent:
// Inbox is.
func Markdown(d Document, all bool) string {
	w := wordsIn(d.Lang)
	p := page{}
	p.add("# " + fmt.Sprintf(w.title, CodeSpan(d.Change.Name)))
	if d.Change.Title != "" {
		p.add(Quote("**" + Line(d.Change.Title) + "**"))
	}
	p.add(summary(d, w)...)
	p.section(d, w, fmt.Sprintf(w.open, d.Counts.Accepted), d.With(Open))
	if all {
		list := d.With(Undecided)
		p.section(d, w, fmt.Sprintf(w.undecidedHere, len(list)), list)
	}
	p.add(settled(d, w)...)
	p.add(limits(d, w)...)
	p.add("## "+w.run, runLines(d, w))
	return p.String()
}

func (p *page) section(d Document, w words, title string, list []Finding) {
	p.add("## " + title)
	if len(list) == 0 {
		p.add(w.none)
	}
	for _, f := range list {
		p.add(fmt.Sprintf("### %s (%s)", CodeSpan(f.ID), w.severity[f.Severity]))
		p.add(finding(d, f, w, true)...)
	}
}
