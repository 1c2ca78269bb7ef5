package board

import (
	"strings"

	"github.com/mrv-dev/mrv/engine/event"
)

// since is how the finding stands to what went out of it, where it differs at
// any place: one that is not accepted any more before one with other words.
func (b *Board) since(it item) event.Since {
	out := event.Unchanged
	for _, target := range b.state.SentTo(it.Entry) {
		switch b.state.Since(target, it.Entry) {
		case event.TakenBack:
			return event.TakenBack
		case event.Edited:
			out = event.Edited
		}
	}
	return out
}

// sent says where a finding went that was changed since, and what sending it
// again does there.
func (s *sheet) sent(it item) {
	b, w := s.board, s.board.words.Board
	for _, target := range b.state.SentTo(it.Entry) {
		said := w.EditedSince
		switch b.state.Since(target, it.Entry) {
		case event.Unchanged:
			continue
		case event.TakenBack:
			said = w.TakenBackSince
		}
		if line := said[target]; line != "" {
			s.para(b.styles.Notice, line)
		}
	}
}

// withSince is a decision with what became of it since it went out.
func (b *Board) withSince(it item, decision []string) []string {
	w := b.words.Board
	said := map[event.Since]string{event.TakenBack: w.WasSent, event.Edited: w.EditedAfter}[b.since(it)]
	if said == "" {
		return decision
	}
	decision[len(decision)-1] += strings.TrimSpace(w.And)
	return append(decision, said)
}

// narrow is the same in as few cells as a list of titles and texts has.
func (b *Board) narrow(it item, pending bool) string {
	w := b.words.Board
	switch b.since(it) {
	case event.TakenBack:
		return b.shortDecision(it, pending) + w.And + w.WasSent
	case event.Edited:
		return w.EditedAfter
	}
	return ""
}
