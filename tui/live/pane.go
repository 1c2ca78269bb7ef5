package live

import (
	"fmt"
	"strings"
	"time"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/style"
	"github.com/mrv-dev/mrv/tui/text"
)

// silentAfter is how long a reviewer may say nothing before the pane says so,
// in milliseconds.
const silentAfter = 10_000

// pane is one reviewer on the screen.
type pane struct {
	r    *event.Reviewer
	body body
	// back is how many lines above the end the last line in sight is; 0
	// follows. It grows with what comes in, so that the text stands still.
	back  int
	total int  // lines when back was set
	newer bool // more came since then
	// whole is the transcript from the journal, once it was asked for.
	whole   *text.Tail
	loading bool
	kept    *kept    // the text as it was drawn last
	drawn   revision // what is in kept, or waits for its turn
	stale   bool     // something waits
	// summary is what the coordinator has come to, for its own pane.
	summary string
}

func newPane() *pane { return &pane{} }

// window is the last h lines down to the pane's scroll position, oldest first,
// each exactly w cells wide.
func (p *pane) window(d drawing, w, h int) []string {
	if p.body.width != w {
		p.body.width = w
		p.body.forget()
	}
	tail := p.trailer(d, w)
	if p.back > 0 {
		return p.scrolled(d, w, h, tail)
	}
	p.total = 0
	if p.summary != "" && p.r.Status.Final() { // it is read from its beginning
		return tail[:min(len(tail), h)]
	}
	need, growing := h, 0
	parts := [][]string{tail}
	need -= len(tail)
	blocks := p.r.Blocks
	for i := len(blocks) - 1; i >= 0 && need > 0; i-- {
		last := i == len(blocks)-1 && !p.r.Status.Final()
		lines := p.body.lines(d, &blocks[i], last)
		if last {
			growing = len(lines)
		}
		parts = append(parts, lines)
		need -= len(lines)
	}
	var out []string
	for i := len(parts) - 1; i >= 0; i-- {
		out = append(out, parts[i]...)
	}
	if len(out) > h {
		out = out[len(out)-h+below(growing, h):]
	}
	return out
}

// below is how many lines at the end of a full pane stay free for what comes:
// the text moves up by some lines at once and stands still in between. It can
// be read so, and a frame that moves no line costs a fraction of one that does.
func below(growing, h int) int {
	step := min(h/4, 4)
	if growing == 0 || step < 2 {
		return 0
	}
	return (step - growing%step) % step
}

// scrolled is the window when the person has scrolled up.
func (p *pane) scrolled(d drawing, w, h int, tail []string) []string {
	all := append(p.all(d, w), tail...)
	if p.total > 0 && len(all) > p.total {
		p.back += len(all) - p.total
		p.newer = true
	}
	p.total = len(all)
	p.back = min(p.back, max(len(all)-h, 0))
	end := len(all) - p.back
	return all[max(end-h, 0):end]
}

// all is every line there is: the journal's when it was read, else those kept.
func (p *pane) all(d drawing, w int) []string {
	var all []string
	if p.whole != nil {
		for _, line := range p.whole.Lines(w) {
			all = append(all, cell(d.text, line, w))
		}
		return all
	}
	if p.r.Dropped {
		all = append(all, cell(d.dim, d.words.Live.Earlier, w))
	}
	blocks := p.r.Blocks
	for i := range blocks {
		all = append(all, p.body.lines(d, &blocks[i], i == len(blocks)-1 && !p.r.Status.Final())...)
	}
	p.body.sweep(blocks)
	return all
}

// sweep forgets kept blocks that are no more.
func (b *body) sweep(blocks []event.Block) {
	if len(b.blocks) <= 2*len(blocks)+16 {
		return
	}
	for id, k := range b.blocks {
		if !k.seen {
			delete(b.blocks, id)
		}
		k.seen = false
	}
}

// trailer is what stands below the text: why it failed, what is waited for.
func (p *pane) trailer(d drawing, w int) []string {
	r, say := p.r, d.words.Live
	var out []string
	put := func(ink style.Ink, s string) {
		if s == "" {
			return
		}
		for _, line := range text.Wrap(text.Clean(s), w) {
			out = append(out, cell(ink, line, w))
		}
	}
	switch r.Status {
	case event.StatusFailed, event.StatusRetrying, event.StatusAborted:
		if r.Failure != nil {
			put(d.bad, failure(d, r.Failure))
		} else if r.Text != "" {
			put(d.notice, d.words.Say(r.Text))
		}
		put(d.dim, d.hints(r))
	case event.StatusViolated:
		put(d.bad, say.Broken)
		if r.Report != nil {
			for _, v := range r.Report.Violations {
				put(d.dim, d.words.Say(v.Text))
			}
		}
	case event.StatusSkipped, event.StatusQueued, event.StatusStarting:
		put(d.dim, d.words.Say(r.Text))
	case event.StatusRunning:
		if len(r.Blocks) == 0 {
			put(d.dim, say.Waiting)
		}
	}
	if r.Status == event.StatusDone && len(r.Blocks) == 0 && r.Report == nil && p.summary == "" {
		put(d.dim, say.NoText)
	}
	if r.Status.Final() {
		put(d.text, p.summary)
		out = append(out, p.handedIn(d, w)...)
	}
	return out
}

// handedIn lists the findings of the report, a line each: when a reviewer is
// done this is what a person wants of its pane.
func (p *pane) handedIn(d drawing, w int) []string {
	if p.r.Report == nil || len(p.r.Report.Findings) == 0 {
		return nil
	}
	var out []string
	if len(p.r.Blocks) > 0 {
		out = append(out, text.Pad("", w))
	}
	for _, f := range p.r.Report.Findings {
		sev := "[" + d.words.Live.Severity[string(f.Severity)] + "]"
		out = append(out, fit([]span{{d.severities[f.Severity], sev}, {d.text, " " + text.Line(f.Title)}}, w))
	}
	return out
}

// failure is what went wrong: its kind in our words, then the provider's own.
func failure(d drawing, f *review.Failure) string {
	kind := d.words.Live.Failure[string(f.Kind)]
	if kind == "" {
		kind = string(f.Kind)
	}
	if f.Status != 0 {
		kind += fmt.Sprintf(" (%d)", f.Status)
	}
	if f.Message == "" {
		return kind
	}
	return kind + ": " + d.words.Say(f.Message)
}

// state is what the reviewer does, in words, and the glyph that repeats it.
func (p *pane) state(d drawing, now int64) (glyph, words string) {
	r, say, g := p.r, d.words.Live, d.glyphs
	words = say.Status[string(r.Status)]
	since := func(ms int64) string { return Span(now - ms) }
	switch r.Status {
	case event.StatusRunning:
		switch {
		case r.LastMS > 0 && now-r.LastMS >= silentAfter:
			words = fmt.Sprintf(say.Silent, since(r.LastMS))
		case r.StartMS > 0:
			words += " " + since(r.StartMS)
		}
		if turn := say.Turn[string(r.TurnKind)]; turn != "" && r.TurnKind != event.TurnReview && r.TurnKind != event.TurnJudge {
			words += ", " + turn
		}
		return g.Running, words
	case event.StatusRetrying:
		if r.NextMS > now {
			words = fmt.Sprintf(say.RetryIn, Span(r.NextMS-now))
		}
		return g.Waiting, words
	case event.StatusDone:
		if r.EndMS > 0 && r.StartMS > 0 {
			words += " " + Span(r.EndMS-r.StartMS)
		}
		return g.Done, words
	case event.StatusFailed, event.StatusViolated:
		return g.Failed, words
	case event.StatusAborted:
		return g.Aborted, words
	case event.StatusSkipped:
		return g.Skipped, words
	}
	return g.Waiting, words
}

// label is the decision label in the reviewer's own wording, and its ink.
func (p *pane) label(d drawing) (string, style.Ink) {
	rep := p.r.Report
	if rep == nil || rep.Label == "" {
		return "", style.Ink{}
	}
	said := text.Line(rep.LabelText)
	if said == "" {
		said = p.r.Persona.LabelsIn(d.words.Lang).Of(rep.Label)
	}
	return said, d.labels[rep.Label]
}

// model is who answers and how hard it is asked to think.
func (p *pane) model(d drawing) string {
	m := p.r.Answering
	if m.ID == "" {
		return text.Line(p.r.Agent)
	}
	variant := p.r.Variant
	switch {
	case variant == "" && p.r.Effort != "":
		variant = string(p.r.Effort)
	case variant == "" || variant == "n/a":
		variant = d.words.Live.NA
	}
	return text.Line(m.ID + " " + variant)
}

// stats is the line of counters: tokens, cost, findings.
func (p *pane) stats(d drawing) string {
	var parts []string
	if s := p.asked(d); s != "" {
		parts = append(parts, s)
	}
	if rep := p.r.Report; rep != nil {
		switch n := len(rep.Findings); {
		case n == 0 && p.r.Status == event.StatusViolated: // none that could be read, not none
		case n == 1:
			parts = append(parts, d.words.Live.OneFinding)
		default:
			parts = append(parts, fmt.Sprintf(d.words.Live.Findings, n))
		}
	}
	if p.r.Attempt > 1 {
		parts = append(parts, fmt.Sprintf(d.words.Live.Attempt, p.r.Attempt))
	}
	u := p.r.Usage
	if u.Input+u.CacheRead+u.Output > 0 {
		parts = append(parts, fmt.Sprintf("%s/%s %s", compact(u.Input+u.CacheRead+u.CacheWrite), compact(u.Output+u.Reasoning), d.words.Common.Tokens))
		if u.Price == review.PriceKnown {
			parts = append(parts, Money(u.CostUSD))
		}
	}
	return strings.Join(parts, "  ")
}

// asked is what the person last asked of the reviewer.
func (p *pane) asked(d drawing) string {
	c := p.r.Asked
	if c == nil {
		return ""
	}
	say := d.words.Live.Asked[string(c.Kind)]
	switch c.Kind {
	case event.CmdTime:
		return fmt.Sprintf(say, c.MS/time.Minute.Milliseconds())
	case event.CmdModel:
		return fmt.Sprintf(say, text.Line(c.Text))
	}
	return say
}

// Money writes an amount of US dollars.
func Money(usd float64) string {
	if usd > 0 && usd < 0.01 {
		return "<$0.01"
	}
	return fmt.Sprintf("$%.2f", usd)
}

// Span writes a time in milliseconds: 48 s, 2:41, 1:02:41.
func Span(ms int64) string {
	d := time.Duration(max(ms, 0)) * time.Millisecond
	h, m, s := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60
	switch {
	case h > 0:
		return fmt.Sprintf("%d:%02d:%02d", h, m, s)
	case m > 0:
		return fmt.Sprintf("%d:%02d", m, s)
	}
	return fmt.Sprintf("%d s", s)
}
