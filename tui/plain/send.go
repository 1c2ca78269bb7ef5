package plain

import (
	"fmt"
	"strings"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/tui/outbox"
	"github.com/mrv-dev/mrv/tui/text"
)

// send says what would land where, asks of each destination that is ready, and
// sends to those that were allowed.
func (s *session) send() {
	landing, err := s.run.Landing(s.ctx)
	if err != nil {
		s.fail(err)
		s.ready()
		return
	}
	w, as := s.words.Outbox, text.Line(landing.As)
	if as != "" && !strings.HasPrefix(as, "@") {
		as = "@" + as
	}
	s.say(fmt.Sprintf(w.GoingOut, as, event.Short(text.Line(landing.Head))))
	if landing.Moved {
		s.say(fmt.Sprintf(w.Moved, event.Short(text.Line(landing.Current))))
	}
	s.allow(landing.Destinations, nil)
}

// allow asks of one destination after the other.
func (s *session) allow(rest []event.Destination, allowed []string) {
	if len(rest) == 0 {
		s.export(allowed)
		return
	}
	d := rest[0]
	s.say(s.target(d))
	if !d.Ready {
		s.allow(rest[1:], allowed)
		return
	}
	s.permit(d, func(yes bool) {
		if yes {
			allowed = append(allowed, d.Target)
		}
		s.allow(rest[1:], allowed)
	})
}

// permit asks whether to send to a destination, and reads out what would go
// there when asked to.
func (s *session) permit(d event.Destination, then func(yes bool)) {
	q := fmt.Sprintf(s.words.Plain.Send, s.words.Outbox.Target(d.Target)) + "  " + s.words.Plain.SendKeys
	s.ask(q, func(line string) {
		if line != "p" {
			then(yes(line))
			return
		}
		for _, it := range d.Items {
			s.say(s.item(it))
		}
		s.permit(d, then)
	})
}

func (s *session) export(targets []string) {
	if len(targets) == 0 {
		s.say(s.words.Outbox.NothingTicked)
		s.ready()
		return
	}
	s.remember(s.board.Lead())
	if err := s.run.Do(s.ctx, event.Command{Kind: event.CmdExport, Targets: targets}); err != nil {
		s.fail(err)
		s.ready()
		return
	}
	s.waiting = true // what was written is said when its event has come
}

// target says of one destination what would land there.
func (s *session) target(d event.Destination) string {
	w := s.words.Outbox
	parts := []string{w.Target(d.Target), text.Line(strings.Join(d.Where, ", "))}
	if !d.Ready {
		return strings.Join(append(parts, w.NotReady, text.Line(s.words.Say(d.Why))), "  ")
	}
	count := map[string]int{}
	for _, x := range d.Items {
		count[x.As]++
	}
	for _, as := range []string{"open", "escalated", "rejected", "inline", "file", "summary", "there", "kept"} {
		if n := count[as]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", w.As(as), n))
		}
	}
	if since := outbox.Since(s.state, d, s.words); since != "" {
		parts = append(parts, "("+since+")")
	}
	return strings.Join(parts, "  ")
}

// item is one finding and how it would land.
func (s *session) item(it event.Item) string {
	parts := []string{s.words.Outbox.As(it.As)}
	if e, ok := s.state.Entry(it.Entry); ok {
		f := s.state.Shown(e)
		parts = append(parts, s.words.Board.Short(f.Severity), text.Line(f.Title))
	} else {
		parts = append(parts, text.Line(it.Entry))
	}
	if it.Where != "" {
		parts = append(parts, text.Line(it.Where))
	}
	if it.Why != "" {
		parts = append(parts, text.Line(s.words.Say(it.Why)))
	}
	return strings.Join(parts, "  ")
}
