package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/mrv-dev/mrv/engine/agent/opencode"
	"github.com/mrv-dev/mrv/engine/config"
	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/journal"
	"github.com/mrv-dev/mrv/engine/review"
)

// Planned is a run that is fixed but has not begun: nothing was sent to
// anybody.
type Planned struct {
	plan     event.Plan
	raw      []byte
	set      *diff.Set
	options  Options
	consents *consents
	asks     []Question
	loaded   *Loaded
	idle     *opencode.Idle // the server that listed the models, for the run; nil for none
}

// Plan is what was fixed.
func (p *Planned) Plan() event.Plan { return p.plan }

// Set is the whole change.
func (p *Planned) Set() *diff.Set { return p.set }

// Questions must be answered with Allow before the run may begin.
func (p *Planned) Questions() []Question { return slices.Clone(p.asks) }

// Allow answers a question with yes, and remembers it.
func (p *Planned) Allow(q Question) error {
	if err := p.consents.add(q.id); err != nil {
		return err
	}
	p.asks = slices.DeleteFunc(p.asks, func(x Question) bool { return x.id == q.id })
	return nil
}

// AsksModel reports whether a model will be asked: then a person sees the plan
// before it is.
func (p *Planned) AsksModel() bool {
	return slices.ContainsFunc(p.plan.Team, func(m event.Member) bool {
		return m.Skip == "" && m.Agent != "checks" && m.Agent != "replay" && m.Agent != "sarif"
	})
}

// Close frees what a plan that is not started holds.
func (p *Planned) Close() error {
	var errs []error
	if p.idle != nil {
		errs = append(errs, p.idle.Close())
	}
	if p.loaded != nil {
		errs = append(errs, p.loaded.Close())
	}
	return errors.Join(errs...)
}

// NewPlan reads the change and fixes who reviews what of it, by which rules
// and with which models. It asks no model. The server that lists the models
// stays, for the run: the plan is started or closed.
func NewPlan(ctx context.Context, o Options) (*Planned, error) {
	if o.Demo {
		return demoPlan(ctx, o)
	}
	loaded, err := LoadSource(ctx, o.Source)
	if err != nil {
		return nil, err
	}
	p, err := planOf(ctx, o, loaded)
	if err != nil {
		return nil, errors.Join(err, loaded.Close())
	}
	return p, nil
}

func planOf(ctx context.Context, o Options, l *Loaded) (*Planned, error) {
	rules, err := loadRules(ctx, l, o)
	if err != nil {
		return nil, err
	}
	c := l.Change
	plan := event.Plan{
		Run: journal.NewID(time.Now()), Version: o.Version, Change: c, Lang: o.language(rules.project),
		Rules: rules.shown, Blocking: rules.blocking, Holds: slices.Clone(l.Unread), Notes: slices.Clone(l.Notes), Viewer: l.Viewer,
		Boundary: "mrv-" + randomHex(8), Marker: newMarker(rules.shown.Skill),
	}
	if plan.Viewer == "" {
		plan.Viewer = person()
	}
	if plan.Out, err = o.out(c); err != nil {
		return nil, err
	}
	reviewed, choices, err := choose(ctx, &plan, l, rules)
	if err != nil {
		return nil, err
	}
	reviewed = o.dropped(&plan, reviewed)
	if len(reviewed.Files) == 0 && len(plan.Holds) > 0 && !o.PlanOnly {
		return nil, usage("nothing of the change can be read: %s", plan.Holds[0].Text)
	}
	if len(reviewed.Files) == 0 && len(plan.Holds) == 0 && !o.PlanOnly {
		return nil, fmt.Errorf("%w: every file of the change is filtered out (mrv plan lists why)", ErrNothingToReview)
	}
	more, err := rules.notes(ctx, l)
	if err != nil {
		return nil, err
	}
	plan.Notes = append(plan.Notes, more...)
	plan.Tier, plan.TierReason = rules.tierOf(choices, o.Tier)
	idle, err := o.staff(ctx, &plan, reviewed, rules)
	p := &Planned{raw: l.Raw, set: l.Set, options: o, loaded: l, idle: idle}
	if err == nil {
		plan.Limits = o.limits(plan)
		p.plan = plan
		err = p.consent()
	}
	if err == nil {
		return p, nil
	}
	if idle != nil {
		err = errors.Join(err, idle.Close())
	}
	return nil, err
}

// consent finds what must be asked before the run may begin.
func (p *Planned) consent() (err error) {
	if p.consents, err = loadConsents(p.options.Paths.State); err != nil {
		return err
	}
	p.asks, err = p.consents.questions(p.plan, p.options)
	return err
}

// language is the flag's or the person's, else the project's, else English.
func (o Options) language(p config.Project) review.Lang {
	switch {
	case o.Lang != "":
		return o.Lang
	case p.Lang != "":
		return p.Lang
	}
	return review.English
}

// out is where the inbox goes: --out, else the clone of the reviewed
// repository, else nowhere.
func (o Options) out(c event.Change) (string, error) {
	if o.Out == "" {
		return c.Dir, nil
	}
	abs, err := filepath.Abs(o.Out)
	if err != nil {
		return "", fmt.Errorf("--out: %w", err)
	}
	return abs, nil
}

// limits are the clocks, as configured or built in.
func (o Options) limits(p event.Plan) event.Limits {
	pick := func(d config.Duration, standard time.Duration) int64 {
		if d > 0 {
			standard = time.Duration(d)
		}
		return standard.Milliseconds()
	}
	silence, first := defaultSilence, defaultFirstByte
	for _, m := range p.Team {
		if m.Effort == review.EffortHigh || m.Effort == review.EffortMax || m.Effort == "" {
			silence = hardSilence
		}
	}
	if slices.ContainsFunc(p.Sends, func(s event.Send) bool { return s.Loopback }) {
		first = loopbackFirstByte
	}
	l := event.Limits{
		RunMS: pick(o.Person.Clocks.Run, defaultRun), ReviewerMS: pick(o.Person.Clocks.Reviewer, defaultReviewer),
		FirstByteMS: pick(o.Person.Clocks.FirstByte, first), SilenceMS: pick(o.Person.Clocks.Silence, silence),
		CoordinatorMS: coordinatorReserve.Milliseconds(), BudgetUSD: o.Budget, Steps: defaultSteps, Retries: defaultRetries,
	}
	if o.Person.Clocks.Run == 0 {
		l.RunMS = max(l.RunMS, o.queueMS(p, l))
	}
	if o.Timeout > 0 {
		l.RunMS = o.Timeout.Milliseconds()
	}
	return l
}

// Start begins the run: the journal first, then the agents and every reviewer
// at once. The plan must not be used afterwards.
func (p *Planned) Start(ctx context.Context) (*Run, error) {
	if len(p.asks) > 0 {
		return nil, usage("%s Answer with %s", p.asks[0].Text, p.asks[0].Flag)
	}
	events, err := p.firstEvents()
	if err != nil {
		return nil, err
	}
	path := journal.PathOf(p.options.Paths.Runs(), p.plan.Change, p.plan.Run)
	w, err := journal.Create(path, p.plan.Run, p.options.Version)
	if err != nil {
		return nil, err
	}
	stamped, err := w.Append(true, events...)
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	state, err := event.Fold(stamped)
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	p.options.idle = p.idle
	rooms, err := p.options.roomsFor(ctx, p.plan, p.set)
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	rooms.close = func() error { return errors.Join(rooms.shut(), p.Close()) }
	r := newRun(p.plan, w, state, rooms)
	if err := r.begin(ctx); err != nil {
		return nil, errors.Join(err, r.Close(ctx))
	}
	return r, nil
}

// firstEvents are the plan and the diff.
func (p *Planned) firstEvents() ([]event.Event, error) {
	packed, err := packDiff(p.raw)
	if err != nil {
		return nil, err
	}
	first, err := event.New(event.Planned, "", 0, p.plan)
	if err != nil {
		return nil, err
	}
	second, err := event.New(event.DiffStored, "", 0, packed)
	return []event.Event{first, second}, err
}
