package live

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/keys"
	"github.com/mrv-dev/mrv/tui/text"
)

// moreTime is what the time key adds, in milliseconds.
const moreTime = 5 * 60 * 1000

// doneMsg says how a command to the run ended.
type doneMsg struct {
	said string
	err  error
}

// transcriptMsg brings a reviewer's whole text.
type transcriptMsg struct {
	name string
	text string
	err  error
}

// Actions lists every action the screen knows, in the grid and zoomed.
func Actions() []string {
	return append(strings.Fields("pane.left pane.right pane.up pane.down zoom back thinking follow abort retry model time "+
		"coordinate add.reviewer move.down move.up top bottom half.down half.up"), digits()...)
}

func digits() []string {
	return strings.Fields("pane.1 pane.2 pane.3 pane.4 pane.5 pane.6 pane.7 pane.8 pane.9")
}

// Handles lists the actions that mean something at this moment.
func (l *Live) Handles() []string {
	ids := append([]string{"thinking"}, digits()...)
	if len(l.panes) > 1 {
		ids = append(ids, "pane.left", "pane.right")
		if !l.zoomed {
			ids = append(ids, "pane.up", "pane.down")
		}
	}
	p := l.focused()
	if p == nil {
		return ids
	}
	if l.zoomed {
		ids = append(ids, "back", "move.down", "move.up", "top", "bottom", "half.down", "half.up")
	} else {
		ids = append(ids, "zoom")
	}
	if p.back > 0 {
		ids = append(ids, "follow")
	}
	if l.run == nil || !l.open() {
		return ids
	}
	ids = append(ids, "add.reviewer")
	if p.r.Name != event.Coordinator {
		ids = append(ids, "model")
	}
	if p.r.Status.Final() || p.r.Status == event.StatusRetrying {
		ids = append(ids, "retry")
	}
	if !p.r.Status.Final() {
		ids = append(ids, "abort", "time")
	}
	if l.reports() && l.state.Phase == event.PhaseReviewing {
		ids = append(ids, "coordinate")
	}
	return ids
}

// open reports whether reviewers can still be steered.
func (l *Live) open() bool { return l.state.Phase != event.PhaseClosed }

func (l *Live) reports() bool {
	for _, r := range l.state.Reviewers {
		if r.Report != nil {
			return true
		}
	}
	return false
}

// Do carries out an action of the key table.
func (l *Live) Do(id string) tea.Cmd {
	l.drawn = false
	if n, ok := strings.CutPrefix(id, "pane."); ok && len(n) == 1 {
		if i := int(n[0] - '1'); i < len(l.panes) {
			l.focus = l.panes[i].r.Name
		}
		return nil
	}
	p := l.focused()
	if p == nil {
		return nil
	}
	switch id {
	case "pane.left", "pane.right", "pane.up", "pane.down":
		l.move(id)
	case "zoom":
		l.zoomed = true
	case "back":
		l.zoomed = false
	case "thinking":
		l.thinking = !l.thinking
		l.anew()
	case "follow", "bottom":
		p.follow()
	case "move.up", "move.down", "half.up", "half.down", "top":
		return l.scroll(p, id)
	default:
		return l.steer(p, id)
	}
	return nil
}

// move takes the focus to the next pane in a direction; zoomed, or at the edge
// of the grid, to the one before or behind.
func (l *Live) move(id string) {
	d := map[string]direction{"pane.left": {-1, 0}, "pane.right": {1, 0}, "pane.up": {0, -1}, "pane.down": {0, 1}}[id]
	at, n := l.index(), len(l.panes)
	to := at
	if !l.zoomed {
		if first, places := l.places(l.w, l.h); len(places) > 1 {
			to = first + neighbour(places, at-first, d)
		}
	}
	if to == at {
		to = (at + d.dx + d.dy + n) % n
	}
	l.focus = l.panes[to].r.Name
}

// follow shows the newest output again.
func (p *pane) follow() {
	p.back, p.total, p.newer, p.whole, p.kept = 0, 0, false, nil, nil
}

// scroll moves the zoomed text. Reaching the top of what is kept asks the
// journal for the rest.
func (l *Live) scroll(p *pane, id string) tea.Cmd {
	page := max(l.h-2, 1)
	p.kept = nil
	switch id {
	case "move.up":
		p.back++
	case "move.down":
		p.back--
	case "half.up":
		p.back += max(page/2, 1)
	case "half.down":
		p.back -= max(page/2, 1)
	case "top":
		p.back = 1 << 30
	}
	if p.back <= 0 {
		p.follow()
		return nil
	}
	d := l.drawing()
	all := len(p.all(d, max(l.w, 2))) + len(p.trailer(d, max(l.w, 2)))
	p.total = all
	top := max(all-page, 0)
	p.back = min(p.back, top)
	if p.back < top || !p.r.Dropped || p.whole != nil || p.loading || l.run == nil {
		return nil
	}
	p.loading = true
	run, ctx, name := l.run, l.ctx, p.r.Name
	return func() tea.Msg {
		s, err := run.Transcript(ctx, name)
		return transcriptMsg{name: name, text: s, err: err}
	}
}

// transcript puts the whole text in place of what was kept; the line in sight
// stays, for it is counted from the end.
func (l *Live) transcript(m transcriptMsg) {
	p := l.pane(m.name)
	if p == nil {
		return
	}
	p.loading = false
	if m.err != nil {
		l.say("", fmt.Errorf("reading what %s said: %w", text.Line(m.name), m.err))
		return
	}
	if p.back == 0 {
		return
	}
	p.whole = &text.Tail{}
	p.whole.Set(m.text)
	p.whole.Close()
	p.total, p.kept = 0, nil
}

// steer sends the run a command about a reviewer, after a question where it
// takes something away.
func (l *Live) steer(p *pane, id string) tea.Cmd {
	name, say := p.r.Name, l.words.Live
	shown := text.Line(name)
	switch id {
	case "abort":
		l.ask = confirm(fmt.Sprintf(say.AskAbort, shown), l.words, func() tea.Cmd {
			return l.send(id, shown, event.Command{Kind: event.CmdAbort, Reviewer: name})
		})
	case "retry":
		again := func() tea.Cmd { return l.send(id, shown, event.Command{Kind: event.CmdRetry, Reviewer: name}) }
		if p.r.Status == event.StatusDone {
			l.ask = confirm(fmt.Sprintf(say.AskRetry, shown), l.words, again)
			return nil
		}
		return again()
	case "model":
		l.ask = enter(fmt.Sprintf(say.AskModel, shown), p.r.Answering.String(), say.NeedModel, func(s string) tea.Cmd {
			return l.send(id, shown, event.Command{Kind: event.CmdModel, Reviewer: name, Text: s})
		})
	case "time":
		return l.send(id, shown, event.Command{Kind: event.CmdTime, Reviewer: name, MS: moreTime})
	case "coordinate":
		return l.send(id, say.Coordinator, event.Command{Kind: event.CmdCoordinate})
	case "add.reviewer":
		all, offer := l.personas(), text.Line(p.r.Persona.Name)
		if !slices.Contains(all, offer) { // the coordinator's
			offer = ""
		}
		of := strings.Join(all, ", ")
		l.ask = enter(fmt.Sprintf(say.AskPersona, of), offer, fmt.Sprintf(say.NeedPersona, of), func(s string) tea.Cmd {
			return l.send(id, s, event.Command{Kind: event.CmdAdd, Text: s})
		})
	}
	return nil
}

// personas are those the team has, of which there can be one more.
func (l *Live) personas() (names []string) {
	for _, r := range l.state.Reviewers {
		if n := text.Line(r.Persona.Name); n != "" && !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return names
}

// send asks the run without waiting for it.
func (l *Live) send(id, whom string, c event.Command) tea.Cmd {
	run, ctx := l.run, l.ctx
	if run == nil {
		return nil
	}
	said := fmt.Sprintf(l.words.Live.Sent, whom, l.words.Keys[id].Short)
	return func() tea.Msg { return doneMsg{said: said, err: run.Do(ctx, c)} }
}

// Hints are the keys that help with the focused reviewer, for its pane.
func (l *Live) hints(r *event.Reviewer) string {
	if r.Failure == nil || l.run == nil {
		return ""
	}
	ids := []string{"retry", "model"}
	if !r.Status.Final() {
		ids = append(ids, "abort")
	}
	if r.Failure.Kind == review.FailNoChecks {
		return ""
	}
	var parts []string
	for _, id := range ids {
		if k := l.keys.Keys(keys.Live, id); len(k) > 0 {
			parts = append(parts, keys.Show(k[0])+" "+l.words.Keys[id].Short)
		}
	}
	return strings.Join(parts, "  ")
}
