package board

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"github.com/mrv-dev/mrv/engine/diff"
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

// sheet collects the lines of the detail.
type sheet struct {
	board *Board
	w     int
	code  int // cells that code may have
	airy  bool
	lines []string
}

// labelFrom is the width from which labels stand beside their texts.
const labelFrom = 60

// airyFrom is the height from which empty lines part the detail, and below
// which the title comes first.
const airyFrom = 12

// drawDetail draws everything about a finding for a place of w x h cells, with
// code lines of at most code cells.
func (b *Board) drawDetail(it item, w, code, h int) []string {
	s := &sheet{board: b, w: max(w, 1), code: max(code, 1), airy: h >= airyFrom}
	if !s.airy && b.mode == modeDetail {
		s.heading(it)
	}
	s.para(b.styles.Dim, b.evidence(it))
	s.flags(it)
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

// space parts what belongs together from the rest, where there is room.
func (s *sheet) space() {
	if n := len(s.lines); s.airy && n > 0 && s.lines[n-1] != "" {
		s.lines = append(s.lines, "")
	}
}

// para adds lines in a style, wrapped.
func (s *sheet) para(st lipgloss.Style, t string) {
	for _, l := range text.Wrap(t, s.w) {
		s.lines = append(s.lines, s.board.found(st, text.Cut(l, s.w)))
	}
}

func (s *sheet) label(l string) {
	s.lines = append(s.lines, s.board.styles.Accent.Render(text.Cut(l, s.w)))
}

// field adds a labelled text: beside its label where there is room, a long
// label above it.
func (s *sheet) field(label, t string, st lipgloss.Style) {
	wide := s.labelWidth()
	if s.w < labelFrom || text.Width(label) >= wide {
		if label != "" {
			s.label(label)
		}
		label = ""
	}
	if s.w < labelFrom {
		s.para(st, t)
		return
	}
	for i, l := range text.Wrap(t, s.w-wide) {
		head := ""
		if i == 0 {
			head = label
		}
		s.lines = append(s.lines, s.board.styles.Accent.Render(text.Pad(head, wide))+s.board.found(st, l))
	}
}

func (s *sheet) labelWidth() int {
	w, n := s.board.words.Board, 0
	for _, l := range []string{w.Observation, w.Inference, w.Judgment, w.Fix, w.Verification, w.Surface, w.History} {
		n = max(n, text.Width(l))
	}
	return n + 2
}

// evidence is what speaks for and against the finding, in one line.
func (b *Board) evidence(it item) string {
	w, f := b.words.Board, b.state.Findings[it.Lead]
	var parts []string
	switch {
	case it.Place.QuoteFound:
		parts = append(parts, w.QuoteFound)
	case f.Quote != "":
		parts = append(parts, w.QuoteNotFound)
	case f.Rule == "" && f.Reviewer != event.Own:
		parts = append(parts, w.NoQuote)
	}
	parts = append(parts, b.whoLine(it))
	switch it.Place.How {
	case diff.Moved:
		parts = append(parts, fmt.Sprintf(w.LineMoved, it.Place.Shift))
	case diff.InFile:
		parts = append(parts, w.InFile)
	case diff.NotChanged:
		parts = append(parts, w.NotChanged)
	case diff.NoPath:
		parts = append(parts, w.NoPath)
	}
	if it.Place.Guessed {
		parts = append(parts, w.LineGuessed)
	}
	if len(it.Silent) > 0 {
		parts = append(parts, fmt.Sprintf(w.Silent, text.Line(strings.Join(it.Silent, ", "))))
	}
	if it.Worst != it.shown.Severity && it.Worst != "" {
		parts = append(parts, fmt.Sprintf(w.Differs, w.Short(it.Worst)))
	}
	if f.ClampedFrom != "" {
		parts = append(parts, fmt.Sprintf(w.Clamped, w.Short(f.ClampedFrom)))
	}
	if f.Synthetic {
		parts = append(parts, w.Synthetic)
	}
	if b.postedSince(it) {
		parts = append(parts, w.PostedSince)
	}
	return join(slices.Values(parts), " · ")
}

// postedSince reports whether the finding went out as accepted and is not any
// more: the next export corrects that.
func (b *Board) postedSince(it item) bool {
	if it.decision.Choice == review.Accepted {
		return false
	}
	last := map[string][]string{}
	for _, x := range b.state.Exports {
		last[x.Target] = x.Accepted
	}
	for _, ids := range last {
		for _, id := range ids {
			if id == it.ID || slices.Contains(it.Sources, id) {
				return true
			}
		}
	}
	return false
}

// flags warns of text that may be an attack on whoever reads it next.
func (s *sheet) flags(it item) {
	b, w := s.board, s.board.words.Board
	var said []string
	for _, f := range b.flagsOf(it) {
		said = append(said, map[Flag]string{FlagURL: w.FlagURL, FlagCommand: w.FlagCommand, FlagOrder: w.FlagOrder, FlagHidden: w.FlagHidden}[f])
	}
	if len(said) > 0 {
		s.para(b.styles.Error, "! "+w.Flagged+" "+strings.Join(said, ", "))
	}
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

// list adds a labelled list of foreign lines, or nothing.
func (s *sheet) list(label string, lines []string) {
	for i, l := range lines {
		if i > 0 && s.w >= labelFrom {
			label = ""
		}
		s.field(label, text.Line(l), s.board.styles.Text)
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

// history is what was done to the finding, oldest first.
func (s *sheet) history(it item) {
	seen := map[int64]bool{}
	var steps []event.StepRef
	for _, id := range it.Sources {
		for _, h := range s.board.state.History[id] {
			if !seen[h.Seq] {
				seen[h.Seq] = true
				steps = append(steps, h)
			}
		}
	}
	slices.SortFunc(steps, func(a, b event.StepRef) int { return cmp.Compare(a.Seq, b.Seq) })
	var lines []string
	for _, h := range steps {
		lines = append(lines, strings.TrimSpace(clock(h.Wall)+" "+s.board.step(h, it)))
	}
	s.list(s.board.words.Board.History, lines)
}

// step says what a step did to a finding, in the screen's own language: the
// journal has labels in English only.
func (b *Board) step(h event.StepRef, it item) string {
	w, p := b.words.Board, h.After
	var did []string
	add := func(what string) {
		if !slices.Contains(did, what) {
			did = append(did, what)
		}
	}
	for _, id := range it.Sources {
		if d, ok := p.Decisions[id]; ok {
			switch {
			case d.Choice == review.Undecided:
				add(w.TakenBack)
			case d.Inherited:
				add(fmt.Sprintf(w.Inherited, w.Choice(d.Choice)))
			default:
				add(strings.Join(b.decision(item{decision: d}, false), " "))
			}
		}
		if e, ok := p.Edits[id]; ok {
			add(either(e != nil, w.Edited, w.OriginalAgain))
		}
		if n, ok := p.Notes[id]; ok {
			add(either(n != nil, w.NoteWritten, w.NoteTaken))
		}
		if back, ok := p.Restored[id]; ok {
			add(either(back, w.BroughtBack, w.PutAside))
		}
		if f, ok := p.Own[id]; ok {
			add(either(f != nil, w.AddedOwn, w.OwnTaken))
		}
	}
	if p.SetOps {
		add(w.Regrouped)
	}
	return strings.Join(did, ", ")
}

func either(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}

// clock is the time of day of a wall clock as the journal has it.
func clock(wall string) string {
	t, err := time.Parse(time.RFC3339, wall)
	if err != nil {
		return ""
	}
	return t.Format("15:04:05")
}

func join(parts iter.Seq[string], sep string) string {
	return strings.Join(slices.Collect(parts), sep)
}
