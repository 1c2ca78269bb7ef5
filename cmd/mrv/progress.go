package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/mrv-dev/mrv/engine"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/tui/text"
	"github.com/mrv-dev/mrv/tui/words"
)

// heartbeat is how often a run without a screen says that it is alive:
// Cloudflare's users stopped cancelling jobs once a line came every 30 s.
const heartbeat = 30 * time.Second

// progress prints what happens in a run, a line each, until the panel is done,
// ctx ends or the run is closed. It keeps a state of its own, folded from the same events.
func progress(ctx context.Context, w io.Writer, run *engine.Run) error {
	updates, err := run.Updates(ctx)
	if err != nil {
		return err
	}
	p := printer{w: w, words: words.For(run.Plan().Lang), state: event.NewState(), start: time.Now()}
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	for {
		select {
		case batch, ok := <-updates:
			if !ok {
				return nil
			}
			for _, e := range batch {
				if err := p.state.Apply(e); err != nil {
					return err
				}
				p.event(e)
			}
			p.seen = time.Now()
			if p.state.Phase == event.PhaseTriage || p.state.Phase == event.PhaseClosed {
				return nil
			}
		case <-tick.C:
			p.alive()
		case <-ctx.Done():
			return nil
		}
	}
}

type printer struct {
	w     io.Writer
	words *words.Words
	state *event.State
	start time.Time
	seen  time.Time // when the last event came
}

func (p *printer) say(format string, args ...any) {
	took := time.Since(p.start).Round(time.Second)
	fmt.Fprintf(p.w, "%3d:%02d  %s\n", int(took.Minutes()), int(took.Seconds())%60, text.Line(fmt.Sprintf(format, args...)))
}

func (p *printer) event(e event.Event) {
	switch e.Kind {
	case event.Planned:
		p.planned()
	case event.ServerChanged:
		s := p.state.Server
		p.say("%s %s %s %s", s.Agent, s.Version, cmp.Or(p.words.Progress.Server[s.State], s.State), p.words.Say(s.Text))
	case event.StatusChanged:
		p.status(e.Reviewer)
	case event.ReportIn:
		if r := p.state.Reviewer(e.Reviewer); r != nil && r.Report != nil {
			p.say(p.words.Progress.Report, r.Name, r.Report.LabelText, len(r.Report.Findings))
		}
	case event.Noticed:
		if e.Reviewer == "" && len(p.state.Notices) > 0 {
			n := p.state.Notices[len(p.state.Notices)-1]
			p.say("%s: %s", cmp.Or(p.words.Progress.Level[n.Level], n.Level), p.words.Say(n.Text))
		}
	case event.Summarised:
		if p.state.Summary.Error != "" {
			p.say(p.words.Progress.Deterministic, p.words.Say(p.state.Summary.Error))
		}
	}
}

func (p *printer) planned() {
	plan := p.state.Plan
	read := 0
	for _, f := range plan.Files {
		if f.Reviewed {
			read++
		}
	}
	p.say("%s %s  %s", plan.Change.Name(), event.Short(plan.Change.Identity), plan.Change.Title)
	p.say(p.words.Progress.Planned, read, len(plan.Files)-read, plan.Tier, len(plan.Team), plan.Agent, plan.Run)
	if plan.Banner != "" {
		p.say("%s", p.words.Say(plan.Banner))
	}
}

func (p *printer) status(name string) {
	r := p.state.Reviewer(name)
	if r == nil || r.Status == event.StatusStarting {
		return
	}
	said := fmt.Sprintf("%s  %s", name, p.words.Live.Status[string(r.Status)])
	if r.Answering.ID != "" && r.Status == event.StatusRunning {
		said += "  " + r.Answering.String()
	}
	if r.Text != "" {
		said += ": " + p.words.Say(r.Text)
	}
	p.say("%s", said)
}

// alive says what each reviewer that is not done does, and for how long it has
// been silent.
func (p *printer) alive() {
	now := p.state.TMS + time.Since(p.seen).Milliseconds()
	for _, r := range p.state.Reviewers {
		if r.Status.Final() || r.StartMS == 0 {
			continue
		}
		doing := p.words.Progress.Thinking
		if r.Tool != nil {
			doing = r.Tool.Name + " " + r.Tool.Title
		}
		p.say(p.words.Progress.Alive, r.Name, doing, max(0, (now-r.LastMS)/1000))
	}
}
