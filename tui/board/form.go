package board

import (
	"errors"
	"fmt"
	"strings"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/text"
	"github.com/mrv-dev/mrv/tui/words"
)

// form is the page that the person's editor shows: each text below its label.
//
//	! Lines that begin with ! are not read.
//	## Severity
//	warning
//	## Title
//	One query for each event
type form struct {
	words  words.Edit
	fields []formField
}

// formField is one labelled text. A line of it that looks like a label is
// indented when written.
type formField struct{ key, label, value string }

const (
	labelSign = "## "
	noteSign  = "!"
)

// String writes the page; problem says what was wrong with it before.
func (f form) String() string { return f.with("") }

func (f form) with(problem string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n%s %s\n", noteSign, f.words.Intro, noteSign, f.words.Original)
	if problem != "" {
		fmt.Fprintf(&b, "%s\n%s %s\n", noteSign, noteSign, text.Line(problem))
	}
	for _, x := range f.fields {
		fmt.Fprintf(&b, "%s%s\n", labelSign, x.label)
		if x.value == "" {
			b.WriteString("\n")
			continue
		}
		for _, l := range strings.Split(x.value, "\n") {
			if strings.HasPrefix(l, labelSign) || strings.HasPrefix(l, noteSign) {
				l = " " + l
			}
			b.WriteString(l + "\n")
		}
	}
	return b.String()
}

// read takes the texts from an edited page, by key. Every label must stand
// there once.
func (f form) read(page string) (map[string]string, error) {
	out := map[string]string{}
	at := ""
	for _, l := range strings.Split(strings.ReplaceAll(page, "\r\n", "\n"), "\n") {
		switch {
		case strings.HasPrefix(l, noteSign):
		case strings.HasPrefix(l, labelSign):
			label := strings.TrimSpace(strings.TrimPrefix(l, labelSign))
			at = f.key(label)
			if at == "" {
				return nil, fmt.Errorf(f.words.Unknown, label, f.labels())
			}
			if _, twice := out[at]; twice {
				return nil, fmt.Errorf(f.words.Twice, label)
			}
			out[at] = ""
		case at != "":
			out[at] += l + "\n"
		case strings.TrimSpace(l) != "":
			return nil, fmt.Errorf(f.words.Before, text.Cut(text.Line(l), 40))
		}
	}
	for _, x := range f.fields {
		value, there := out[x.key]
		if !there {
			return nil, fmt.Errorf(f.words.Missing, x.label)
		}
		out[x.key] = strings.TrimSpace(value)
	}
	return out, f.check(out)
}

// check says what is wrong with the texts of a page.
func (f form) check(values map[string]string) error {
	if s := review.Severity(values["severity"]); s != "" && s.Rank() == 0 {
		return fmt.Errorf(f.words.BadSeverity, s)
	}
	return nil
}

func (f form) key(label string) string {
	for _, x := range f.fields {
		if strings.EqualFold(x.label, label) {
			return x.key
		}
	}
	return ""
}

func (f form) labels() string {
	var list []string
	for _, x := range f.fields {
		list = append(list, x.label)
	}
	return strings.Join(list, ", ")
}

// formOf is the page for a finding's texts.
func (b *Board) formOf(v review.Finding) form {
	w := b.words.Board
	return form{words: w.Edit, fields: []formField{
		{"severity", w.Edit.Severity, string(v.Severity)}, {"title", w.Edit.Title, text.Line(v.Title)},
		{"observation", w.Observation, clean(v.Observation)}, {"inference", w.Inference, clean(v.Inference)},
		{"judgment", w.Judgment, clean(v.Judgment)}, {"fix", w.Fix, clean(v.Fix)}, {"verification", w.Verification, clean(v.Verification)},
	}}
}

func clean(s string) string { return strings.TrimSpace(text.Clean(s)) }

// original is what an entry shows without the person's own wording.
func (b *Board) original(e event.Entry) review.Finding {
	s := *b.state
	s.Edits = nil
	return s.Shown(e)
}

// reworded is what the person changed against the original; nil when nothing
// is left of it.
func reworded(orig form, values map[string]string) *event.Wording {
	changed := map[string]string{}
	for _, x := range orig.fields {
		if v := values[x.key]; v != "" && v != strings.TrimSpace(x.value) {
			changed[x.key] = v
		}
	}
	if len(changed) == 0 {
		return nil
	}
	return &event.Wording{Severity: review.Severity(changed["severity"]), Title: changed["title"], Observation: changed["observation"],
		Inference: changed["inference"], Judgment: changed["judgment"], Fix: changed["fix"], Verification: changed["verification"]}
}

// ownForm is the page for a finding of the person's own.
func (b *Board) ownForm(loc review.Location) form {
	f := b.formOf(review.Finding{Severity: review.Warning})
	place := formField{"place", b.words.Board.Edit.Place, text.Line(loc.String())}
	f.fields = append(f.fields[:2:2], append([]formField{place}, f.fields[2:]...)...)
	return f
}

// ownFinding makes the finding from the page.
func ownFinding(w words.Edit, v map[string]string) (*review.Finding, error) {
	loc, ok := review.ParseLocation(v["place"])
	if !ok && v["place"] != "" {
		return nil, fmt.Errorf(w.BadPlace, v["place"])
	}
	if v["title"]+v["observation"] == "" {
		return nil, errors.New(w.OwnEmpty)
	}
	return &review.Finding{Reviewer: event.Own, Severity: review.Severity(v["severity"]), Title: v["title"], Location: loc, Observation: v["observation"],
		Inference: v["inference"], Judgment: v["judgment"], Fix: v["fix"], Verification: v["verification"]}, nil
}
