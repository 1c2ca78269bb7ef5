package board

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/mrv-dev/mrv/tui/field"
	"github.com/mrv-dev/mrv/tui/text"
)

// Linear makes the board one that is read and answered line by line: it opens
// no editor, asks for each text instead, and colours nothing.
func (b *Board) Linear() { b.linear = true }

// Question is an open question in words: choices, or something to type.
type Question struct {
	Title   string
	Choices []string // "f false positive"
	Label   string
	Offer   string // what an empty answer takes
}

// Question is the one that is open, if one is.
func (b *Board) Question() (Question, bool) {
	a := b.ask
	if a == nil {
		return Question{}, false
	}
	q := Question{Title: a.title}
	for _, c := range a.choices {
		q.Choices = append(q.Choices, c.key+" "+c.label)
	}
	if len(a.fields) > 0 {
		in := a.fields[a.at]
		q.Label, q.Offer = in.label, in.offer
		if a.at > 0 { // it was said with the first
			q.Title = ""
		}
		if s := in.String(); s != "" {
			q.Offer = s
		}
	}
	return q, true
}

// Reply answers the open question with a line. A line that is no answer closes
// it, as does one that leaves out what is needed, after that was said.
func (b *Board) Reply(line string) tea.Cmd {
	asked := b.ask
	if asked == nil {
		return nil
	}
	b.notice = notice{}
	cmd, open := asked.reply(line)
	if asked.problem != "" {
		b.notice, open = notice{text: asked.problem, bad: true}, false
	}
	if !open && b.ask == asked {
		b.ask = nil
	}
	return cmd
}

// reply gives a line to the question; "-" empties what is there.
func (a *ask) reply(line string) (cmd tea.Cmd, open bool) {
	if len(a.fields) == 0 {
		for _, c := range a.choices {
			if line == c.key {
				return c.pick(), false
			}
		}
		return nil, false
	}
	in := a.fields[a.at]
	switch line {
	case "":
	case "-":
		in.Set("")
		in.offer = ""
	default:
		in.Set(line)
	}
	return a.enter(in)
}

// Said is the answer to the last action or reply, "" if there was none; bad
// says that it is an error.
func (b *Board) Said() (line string, bad bool) { return b.notice.text, b.notice.bad }

// Lead is the id by which the finding under the cursor is known.
func (b *Board) Lead() string { return b.lead() }

// Go puts the cursor on a row, counted from 0, as a person does.
func (b *Board) Go(row int) {
	b.touched = true
	b.move(row)
}

// Select selects rows, counted from 0, and no others: decisions act on them.
func (b *Board) Select(rows []int) {
	clear(b.selected)
	for _, i := range rows {
		for _, id := range b.items[b.rows[i]].Sources {
			b.selected[id] = true
		}
	}
}

// Line is a finding of the board in words, for whoever reads line by line.
type Line struct {
	Lead    string // id of the finding
	Text    string // severity, place, title, who, decision
	Decided bool
}

// Lines lists the findings in the board's order.
func (b *Board) Lines() []Line {
	out := make([]Line, 0, len(b.rows))
	for _, id := range b.rows {
		it := b.items[id]
		parts := []string{b.words.Board.Short(it.shown.Severity), b.place(it, 1<<20), b.titleOf(it), b.whoLine(it)}
		if it.decided() || it.urgent {
			parts = append(parts, strings.Join(b.decision(it, false), " "))
		}
		out = append(out, Line{Lead: it.Lead, Decided: it.decided(), Text: strings.Join(parts, "  ")})
	}
	return out
}

// Standing says how things stand: the verdict so far, how many wait, what is
// filtered and in which order.
func (b *Board) Standing() string { return ansi.Strip(b.status()) }

const (
	tall = 40   // lines of a finding that is read out; half of it for the hunk
	long = 1000 // cells of a line of code
)

// Read is everything about the finding under the cursor, in lines of at most w
// cells without styles, but for code, which is not cut; nil if there is none.
func (b *Board) Read(w int) []string {
	it, ok := b.current()
	if !ok {
		return nil
	}
	return bare(b.drawDetail(it, w, long, tall))
}

// ReadFile is the change of the file under the cursor with its findings in
// place; nil if it is not in the change.
func (b *Board) ReadFile() []string {
	it, _ := b.current()
	if b.diff == nil || b.diff.Find(it.file()) == nil {
		return nil
	}
	b.layChange()
	b.change.drawn, b.change.w = map[hunkKey][]string{}, long
	var out []string
	for _, l := range b.change.lines {
		if b.diff.Files[l.file] == b.diff.Find(it.file()) {
			out = append(out, b.changeLine(l, false, long))
		}
	}
	return bare(out)
}

// ReadCoverage is who looked at which file.
func (b *Board) ReadCoverage(w int) []string {
	s := &sheet{board: b, w: w}
	for _, c := range CoverageOf(b.state) {
		b.coverageEntry(s, c)
	}
	return append([]string{b.words.Board.CoverageTitle}, bare(s.lines)...)
}

// ReadAsides is what the run says of itself, and what is not on the board: each
// with the number by which Restore knows it.
func (b *Board) ReadAsides(w int) []string {
	s := &sheet{board: b, w: w}
	s.remarks()
	list := b.asides()
	if len(list) == 0 {
		s.para(b.styles.Dim, b.words.Board.ListEmpty)
	}
	for i, it := range list {
		if i == 0 || it.list != list[i-1].list {
			s.label(it.list)
		}
		s.para(b.styles.Text, fmt.Sprintf("%d  %s  %s  %s", i+1, b.words.Board.Short(it.shown.Severity), b.place(it.item, 1<<20), b.titleOf(it.item)))
		s.para(b.styles.Dim, it.why)
	}
	return bare(s.lines)
}

// Restore brings the n-th of what is not on the board, counted from 1, back.
func (b *Board) Restore(n int) tea.Cmd {
	b.notice = notice{}
	if n < 1 || n > len(b.asides()) {
		return nil
	}
	b.lists.cursor = n - 1
	return b.restore()
}

// bare is lines without styles and without blanks at their ends.
func bare(lines []string) []string {
	lines = slices.Clone(lines)
	for i, l := range lines {
		lines[i] = strings.TrimRight(ansi.Strip(l), " ")
	}
	return lines
}

// askForm asks for the texts of a page one after the other: what the editor is
// for where there is one. An empty answer keeps what is there.
func (b *Board) askForm(e editing) {
	a := &ask{title: b.words.Board.Edit.Keeps}
	for _, x := range e.form.fields {
		a.fields = append(a.fields, &input{label: x.label, offer: text.Line(x.value)})
	}
	a.done = func(answers []string) (tea.Cmd, string) {
		values := map[string]string{}
		for i, x := range e.form.fields {
			values[x.key] = answers[i]
			var offered field.Field
			offered.Set(x.value)
			if answers[i] == strings.TrimSpace(offered.String()) {
				values[x.key] = x.value // with its line breaks
			}
		}
		if err := e.form.check(values); err != nil {
			return nil, err.Error()
		}
		cmd, err := e.done(values)
		if err != nil {
			return nil, err.Error()
		}
		return cmd, ""
	}
	b.ask = a
}
