package board

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/tui/text"
)

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
	parts = append(parts, b.backing(it)...)
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
	return join(slices.Values(parts), " · ")
}

// backing is who stands behind the finding: how many of how many reviewers,
// how many models, whether a rule agrees, whether they differ.
func (b *Board) backing(it item) []string {
	w := b.words.Board
	list := []string{w.Alone}
	if len(it.Reviewers) > 1 {
		list = b.agreement(it)
	}
	if it.Analyser && it.Models > 0 {
		list = append(list, w.Analyser)
	}
	if it.disputed() {
		list = append(list, w.Disputed)
	}
	return list
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
