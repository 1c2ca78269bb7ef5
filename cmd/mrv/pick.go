package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/mrv-dev/mrv/engine"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/forge"
	"github.com/mrv-dev/mrv/tui"
	"github.com/mrv-dev/mrv/tui/picker"
)

// pickOnScreen lets the person pick a pull request, and shows its review.
func pickOnScreen(ctx context.Context, s streams, o engine.Options, look screenFlags, yes bool) error {
	pulls, err := engine.FindPulls(ctx, o.Source, o.Paths.Runs())
	if err != nil {
		return err
	}
	p := &pick{pulls: pulls, options: o, yes: yes, fatal: make(chan error, 1)}
	if look.readsPlain(s) {
		return pickPlainly(ctx, s, p, look)
	}
	err = showScreen(ctx, s, o, look, tui.Options{Picker: p, Lang: o.Lang, Fatal: p.fatal})
	id, closing := p.closed()
	return left(s, err, closing, id)
}

// pick leads from the forge's lists to a review.
type pick struct {
	pulls   *engine.Pulls
	options engine.Options
	yes     bool
	fatal   chan error

	mu     sync.Mutex
	opened opening // nil if nothing is
}

// opening is a plan or a run that was opened, and is to be closed.
type opening interface {
	close() error
	id() string // of the run, "" if none has begun
}

// Where is where pull requests are looked for.
func (p *pick) Where() (host, repo string) { return p.pulls.Host(), p.pulls.Repo() }

// Viewer is whose token it is.
func (p *pick) Viewer(ctx context.Context) string { return p.pulls.Viewer(ctx) }

// List reads a section.
func (p *pick) List(ctx context.Context, s picker.Section, everywhere bool) (picker.List, error) {
	which := map[picker.Section]forge.Which{picker.Requested: forge.Requested, picker.Mine: forge.Mine, picker.Recent: forge.Recent}[s]
	found, err := p.pulls.List(ctx, which, everywhere)
	l := picker.List{Total: found.Total, Partial: found.Partial}
	for _, x := range found.Pulls {
		l.Items = append(l.Items, picker.Item{
			Host: x.Repo.Host, Owner: x.Repo.Owner, Repo: x.Repo.Name, Number: x.Number, Title: x.Title, Author: x.Author.Login, URL: x.URL,
			Draft: x.Draft, Updated: x.Updated, Head: x.HeadSHA, Comments: x.Comments,
		})
	}
	return l, err
}

// listed is an item as the engine has it.
func listed(i picker.Item) forge.Listed {
	return forge.Listed{
		Repo: forge.Repo{Host: i.Host, Owner: i.Owner, Name: i.Repo}, Number: i.Number, Updated: i.Updated, HeadSHA: i.Head, Comments: i.Comments,
	}
}

// Review finds how the review of a pull request stands.
func (p *pick) Review(ctx context.Context, i picker.Item) (picker.Review, error) {
	r, err := p.pulls.Review(ctx, listed(i))
	found := map[string]picker.Found{engine.FoundRun: picker.InRun, engine.FoundInbox: picker.InInbox, engine.FoundComment: picker.InComment}[r.Found]
	return picker.Review{
		Found: found, Head: r.Head, Now: r.Now, By: r.By, Unfinished: r.Unfinished, Findings: r.Findings, Undecided: r.Undecided, ToMe: r.ToMe,
	}, err
}

// Open makes the plan of a review, or takes the run up again.
func (p *pick) Open(ctx context.Context, c picker.Choice) (tui.Opened, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.giveUp(); err != nil {
		return tui.Opened{}, err
	}
	if c.Resume {
		return p.resume(ctx, c)
	}
	o := p.options
	o.Source = p.pulls.Source(listed(c.Item))
	planned, err := engine.NewPlan(ctx, o)
	if err != nil {
		return tui.Opened{}, err
	}
	st := &starter{planned: planned, fatal: p.fatal}
	p.opened = st
	if ctx.Err() != nil {
		return tui.Opened{}, errors.Join(context.Cause(ctx), p.giveUp())
	}
	return tui.Opened{Starter: st, SkipPlan: p.yes || !planned.AsksModel(), Lang: planned.Plan().Lang}, nil
}

// resume takes up the run over a pull request.
func (p *pick) resume(ctx context.Context, c picker.Choice) (tui.Opened, error) {
	r, err := p.pulls.Review(ctx, listed(c.Item))
	if r.Journal == "" {
		return tui.Opened{}, errors.Join(fmt.Errorf("the run over %s is gone", c.Item.Name()), err)
	}
	// The run outlives the opening, which ctx ends.
	run, err := engine.Open(context.WithoutCancel(ctx), r.Journal, p.options, c.Finish)
	if err != nil {
		return tui.Opened{}, err
	}
	shown := onScreen(run, p.fatal)
	p.opened = shown
	triage, err := inTriage(ctx, run)
	if err != nil {
		return tui.Opened{}, errors.Join(err, p.giveUp())
	}
	lang := run.Plan().Lang
	if p.options.Lang != "" {
		lang = p.options.Lang
	}
	return tui.Opened{Run: shown, Board: triage, Lang: lang}, nil
}

// giveUp closes what was opened before.
func (p *pick) giveUp() error {
	if p.opened == nil {
		return nil
	}
	err := p.opened.close()
	p.opened = nil
	return err
}

// Close closes what is open.
func (p *pick) Close(context.Context) error {
	_, err := p.closed()
	return err
}

// closed closes what is open, and names its run.
func (p *pick) closed() (id string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.opened == nil {
		return "", nil
	}
	id = p.opened.id()
	return id, p.giveUp()
}

// inTriage reports whether a run is at the point where its findings are read.
func inTriage(ctx context.Context, run *engine.Run) (triage bool, err error) {
	err = run.View(ctx, func(s *event.State) { triage = s.Phase == event.PhaseTriage || s.Phase == event.PhaseClosed })
	return triage, err
}

var _ tui.Picker = (*pick)(nil)
