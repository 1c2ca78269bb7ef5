package board

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/text"
)

// detail is what is shown of the finding under the cursor. A new finding
// begins with a new one.
type detail struct {
	lines []string // nil: to be drawn
	w, h  int      // for which they were drawn
	top   int
	hunk  int  // hunks away from the finding's own
	whole bool // the whole hunk, not only what is around the finding
}

func (d *detail) scroll(by int) { d.top = max(d.top+by, 0) }

// detailStep is how far one key scrolls the detail.
func (b *Board) detailStep() int { return max(b.detail.h/2, 1) }

// detailLines is the part of the detail in sight.
func (b *Board) detailLines(w, h int) []string {
	d := &b.detail
	if d.lines == nil || d.w != w || d.h != h {
		d.w, d.h, d.lines = w, h, nil
		if it, ok := b.current(); ok {
			d.lines = b.drawDetail(it, w, w, h)
		}
	}
	d.top = min(d.top, max(len(d.lines)-h, 0))
	return d.lines[d.top:min(d.top+h, len(d.lines))]
}

// drawDetail draws everything about a finding for a place of w x h cells, with
// code lines of at most code cells.
func (b *Board) drawDetail(it item, w, code, h int) []string {
	s := &sheet{board: b, w: max(w, 1), code: max(code, 1), airy: h >= airyFrom}
	if !s.airy && b.mode == modeDetail {
		s.heading(it)
	}
	s.para(b.styles.Dim, b.evidence(it))
	s.flags(it)
	s.sent(it)
	b.drawHunk(s, it, h)
	s.space()
	if s.airy || b.mode != modeDetail {
		s.heading(it)
	}
	s.wording(it.shown)
	if it.shown.Replacement != "" {
		s.label(b.words.Board.Replacement)
		s.lines = append(s.lines, b.replacement(it, code)...)
	}
	s.talk(it)
	s.space()
	s.sources(it)
	s.history(it)
	return s.lines
}

// heading is severity, title, place and what was decided.
func (s *sheet) heading(it item) {
	b := s.board
	sev := "[" + b.words.Board.Short(it.shown.Severity) + "] "
	for i, l := range text.Wrap(sev+b.titleOf(it), s.w) {
		if i == 0 && strings.HasPrefix(l, sev) {
			s.lines = append(s.lines, b.styles.Severity(it.shown.Severity).Render(sev)+b.found(b.styles.Header, l[len(sev):]))
			continue
		}
		s.lines = append(s.lines, b.found(b.styles.Header, l))
	}
	if it.decided() {
		s.para(b.styles.Choice(it.decision.Choice), b.decisionInFull(it))
	}
}

// decisionInFull is the decision with its note and who made it.
func (b *Board) decisionInFull(it item) string {
	d := it.decision
	parts := []string{strings.Join(b.decision(it, false), " ")}
	if d.Note != "" {
		parts = append(parts, text.Line(d.Note))
	}
	if d.By != "" {
		parts = append(parts, b.words.Board.By+" "+text.Line(d.By))
	}
	return join(slices.Values(parts), " · ")
}

// wording is the finding's texts; what the contract asks for and was not given
// is said.
func (s *sheet) wording(f review.Finding) {
	b, w := s.board, s.board.words.Board
	for _, x := range []struct {
		label, t string
		required bool
	}{
		{w.Observation, f.Observation, true}, {w.Inference, f.Inference, true}, {w.Judgment, f.Judgment, true},
		{w.Fix, f.Fix, false}, {w.Verification, f.Verification, true}, {w.Surface, f.Surface, false},
	} {
		switch {
		case strings.TrimSpace(x.t) != "":
			s.field(x.label, strings.TrimSpace(text.Clean(x.t)), b.styles.Text)
		case x.required:
			s.field(x.label, w.NotGiven, b.styles.Dim)
		}
	}
}

// sources is each reviewer's own words, where they are not those shown above.
func (s *sheet) sources(it item) {
	b := s.board
	s.list(b.words.Board.Dissent, it.DissentIn(b.words.Lang))
	if it.Reword != nil {
		s.para(b.styles.Dim, b.words.Board.Reworded)
	}
	for _, id := range it.Sources {
		if w := b.state.Edits[id]; w != nil {
			s.para(b.styles.Dim, fmt.Sprintf(b.words.Board.EditedBy, text.Line(cmp.Or(w.By, b.words.Board.Own))))
			break
		}
	}
	s.label(b.words.Board.Sources)
	for _, id := range it.Sources {
		f := b.state.Findings[id]
		head := fmt.Sprintf("%s%s  [%s] %s  %s", text.Line(f.Reviewer), b.modelOf(f.Reviewer), b.words.Board.Short(f.Severity), text.Line(f.Location.String()), text.Line(f.Title))
		s.para(b.styles.Text, head)
		if f.Observation != it.shown.Observation || f.Inference != it.shown.Inference || f.Judgment != it.shown.Judgment {
			s.wording(f)
		}
	}
}

// modelOf is " (model)" for a reviewer that is one.
func (b *Board) modelOf(reviewer string) string {
	r := b.state.Reviewer(reviewer)
	if r == nil || r.ReportFrom.ID == "" {
		return ""
	}
	return " (" + text.Line(r.ReportFrom.ID) + ")"
}

// talk is the notes and the challenges with their answers.
func (s *sheet) talk(it item) {
	b, w := s.board, s.board.words.Board
	if a := b.state.AnswerOf(it.Entry); a != nil {
		s.field(w.Answered, text.Line(b.words.Say(a.Standing)), b.styles.Notice)
		s.field("", text.Clean(a.Note), b.styles.Text)
	}
	for _, id := range it.Sources {
		if n := b.state.Notes[id]; n != nil {
			to := w.Builder
			if n.To == "author" {
				to = w.Author
			}
			s.field(fmt.Sprintf(w.NoteTo, to), text.Clean(n.Text), b.styles.Text)
		}
		for _, c := range b.state.Challenges[id] {
			s.field(w.ReplyTo, text.Clean(c.Rebuttal), b.styles.Text)
			s.field(text.Line(b.state.Findings[id].Reviewer), b.Outcome(c), b.styles.Notice)
			if c.Answer != "" {
				s.field("", text.Clean(c.Answer), b.styles.Text)
			}
		}
	}
}

// Outcome is what came of a challenge, in words.
func (b *Board) Outcome(c event.ChallengeData) string {
	w := b.words.Board
	switch {
	case c.Error != "":
		return text.Line(b.words.Say(c.Error))
	case c.Outcome == event.Retracted:
		return w.Retracted
	case c.Outcome == event.Downgraded:
		return strings.TrimSpace(w.Downgraded + " " + w.Short(c.Severity))
	case c.Outcome == event.Stands:
		return w.Stands
	}
	return w.Asking + "…"
}
