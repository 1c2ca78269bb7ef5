package outbox

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/tui/style"
	"github.com/mrv-dev/mrv/tui/text"
	"github.com/mrv-dev/mrv/tui/words"
)

// Run is what the outbox needs of a run.
type Run interface {
	Do(ctx context.Context, c event.Command) error
	// Landing says what would be written where. It may ask the forge where the
	// head is now, so it is called only for a person who looks.
	Landing(ctx context.Context) (event.Landing, error)
}

// Outbox shows what would be written where, and sends it.
type Outbox struct {
	ctx    context.Context
	run    Run
	words  *words.Words
	styles style.Styles
	w, h   int

	state   *event.State
	landing event.Landing
	asked   int64 // FindingsSeq of the state that the landing was asked for
	loaded  bool
	loading bool
	shown   bool // View was called: the page is in sight

	cursor  int
	ticked  map[string]bool // by target, once the person has said so
	preview bool
	top     int
	sending bool
	notice  string
	bad     bool
}

// New makes an outbox over a run. ctx ends when the program leaves.
func New(ctx context.Context, run Run, w *words.Words, st style.Styles) *Outbox {
	return &Outbox{ctx: ctx, run: run, words: w, styles: st, ticked: map[string]bool{}}
}

// SetSize sets the cells the page may use.
func (o *Outbox) SetSize(w, h int) { o.w, o.h = max(w, 0), max(h, 0) }

// SetStyles changes the theme.
func (o *Outbox) SetStyles(st style.Styles) { o.styles = st }

// SetState shows the run as it is now; while the page is in sight, what would
// land is asked for again when decisions have changed.
func (o *Outbox) SetState(s *event.State) tea.Cmd {
	o.state = s
	if !o.shown {
		return nil
	}
	o.shown = false // until it is drawn again
	return o.refresh()
}

// Shown is for the moment the page comes into sight: it asks what would land.
func (o *Outbox) Shown() tea.Cmd {
	o.notice, o.preview, o.top = "", false, 0
	o.asked = -1
	return o.refresh()
}

// landedMsg brings what would land where.
type landedMsg struct {
	outbox  *Outbox
	landing event.Landing
	err     error
}

func (o *Outbox) refresh() tea.Cmd {
	if o.state == nil || o.loading || o.asked == o.state.FindingsSeq {
		return nil
	}
	o.loading, o.asked = true, o.state.FindingsSeq
	ctx, run := o.ctx, o.run
	return func() tea.Msg {
		l, err := run.Landing(ctx)
		return landedMsg{o, l, err}
	}
}

// sentMsg says how an export ended.
type sentMsg struct {
	outbox *Outbox
	err    error
}

// Update takes the answers of the outbox's own commands.
func (o *Outbox) Update(msg tea.Msg) tea.Cmd {
	switch m := msg.(type) {
	case landedMsg:
		if m.outbox != o {
			return nil
		}
		o.loading = false
		if m.err != nil {
			o.say(m.err.Error(), true)
			return nil
		}
		o.landing, o.loaded = m.landing, true
		o.cursor = min(o.cursor, max(len(o.landing.Destinations)-1, 0))
		return o.refresh() // decisions may have changed meanwhile
	case sentMsg:
		if m.outbox != o {
			return nil
		}
		o.sending = false
		o.say("", false)
		if m.err != nil {
			o.say(m.err.Error(), true)
		}
	}
	return nil
}

func (o *Outbox) say(s string, bad bool) { o.notice, o.bad = text.Line(o.words.Say(s)), bad }

// Handles lists the ids of the key table that Do acts on.
func (o *Outbox) Handles() []string {
	return []string{"send", "tick", "preview", "move.down", "move.up", "top", "bottom", "half.down", "half.up", "back"}
}

// Typing reports that nothing is ever typed here.
func (o *Outbox) Typing() bool { return false }

// Cursor is nowhere: nothing is typed here.
func (o *Outbox) Cursor() (x, y int, ok bool) { return 0, 0, false }

// Back reports whether the preview is open.
func (o *Outbox) Back() bool { return o.preview }

// Do acts on an action of the key table.
func (o *Outbox) Do(action string) tea.Cmd {
	if !o.sending {
		o.say("", false)
	}
	switch action {
	case "send":
		return o.send()
	case "tick":
		if d, ok := o.current(); ok && d.Ready {
			o.ticked[d.Target] = !o.isTicked(d)
		} else if ok {
			o.say(d.Why, true)
		}
	case "preview":
		o.preview, o.top = !o.preview && o.loaded, 0
	case "back":
		o.preview = false
	default:
		o.move(action)
	}
	return nil
}

// move goes from place to place, or scrolls the preview.
func (o *Outbox) move(action string) {
	by := map[string]int{"move.down": 1, "move.up": -1, "half.down": max(o.h/2, 1), "half.up": -max(o.h/2, 1), "top": -1 << 20, "bottom": 1 << 20}[action]
	if o.preview {
		o.top = max(o.top+by, 0)
		return
	}
	o.cursor = min(max(o.cursor+by, 0), max(len(o.landing.Destinations)-1, 0))
}

func (o *Outbox) current() (event.Destination, bool) {
	if o.cursor >= len(o.landing.Destinations) {
		return event.Destination{}, false
	}
	return o.landing.Destinations[o.cursor], true
}

// isTicked reports whether a destination will be sent to: the inbox unless the
// person has said otherwise, what others can read only once the person has
// said so.
func (o *Outbox) isTicked(d event.Destination) bool {
	said, ok := o.ticked[d.Target]
	return d.Ready && (said || !ok && d.Target == "inbox")
}

// send exports to what is ticked, once at a time.
func (o *Outbox) send() tea.Cmd {
	if o.sending || !o.loaded {
		return nil
	}
	var targets []string
	for _, d := range o.landing.Destinations {
		if o.isTicked(d) {
			targets = append(targets, d.Target)
		}
	}
	if len(targets) == 0 {
		o.say(o.words.Outbox.NothingTicked, true)
		return nil
	}
	o.sending = true
	o.say(o.words.Outbox.Sending+"…", false)
	ctx, run := o.ctx, o.run
	return func() tea.Msg {
		return sentMsg{o, run.Do(ctx, event.Command{Kind: event.CmdExport, Targets: targets})}
	}
}

// lastExport is what was written last to a target.
func (o *Outbox) lastExport(target string) (event.ExportData, bool) {
	for _, x := range slices.Backward(o.state.Exports) {
		if x.Target == target {
			return x, true
		}
	}
	return event.ExportData{}, false
}

// Busy reports whether something is on its way out.
func (o *Outbox) Busy() bool { return o.sending }
