package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/mrv-dev/mrv/engine/agent"
	"github.com/mrv-dev/mrv/engine/agent/checks"
	"github.com/mrv-dev/mrv/engine/agent/opencode"
	"github.com/mrv-dev/mrv/engine/agent/replay"
	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/git"
	"github.com/mrv-dev/mrv/engine/journal"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/engine/workspace"
)

// roomsFor makes what a run needs beside its journal. Agents, servers and
// snapshots are made when the run asks for them, not before: a run that is
// only triaged needs none.
func (o Options) roomsFor(ctx context.Context, plan event.Plan, set *diff.Set) (rooms, error) {
	h := &host{options: o, plan: plan, set: set, store: openStore(ctx, plan.Change.Store)}
	h.reviewed = reviewedPart(plan, set)
	r := rooms{start: h.start, store: h.store, shut: h.shut, close: h.shut, reviewed: h.reviewed, sight: newSight(h.reviewed), prompt: h.parts, relative: h.relative, locate: h.locate, perProvider: h.perProvider,
		cooldown: cmp.Or(o.Cooldown, cooldown)}
	if plan.Change.Source == event.FromPR || plan.Change.Source == event.FromBase || plan.Change.Source == event.FromWorktree {
		r.head = func(ctx context.Context) (string, error) { return CurrentHead(ctx, plan.Change) }
	}
	return r, nil
}

// reviewedPart is the change without the files that are not reviewed.
func reviewedPart(plan event.Plan, set *diff.Set) *diff.Set {
	part := &diff.Set{}
	if set == nil {
		return part
	}
	for i, f := range set.Files {
		if i < len(plan.Files) && plan.Files[i].Reviewed {
			part.Files = append(part.Files, f)
		}
	}
	return part
}

// fitsInline reports whether the change stands whole in every prompt.
func fitsInline(set *diff.Set) bool {
	n := 0
	for _, f := range set.Files {
		if n += len(f.Patch()); n > inlineCap {
			return false
		}
	}
	return true
}

// host makes agents for a run and owns the snapshot they read.
type host struct {
	options  Options
	plan     event.Plan
	set      *diff.Set
	reviewed *diff.Set
	store    *git.Store
	snapshot *workspace.Snapshot
	prompts  *prompts

	treeOnce sync.Once
	tree     map[string]bool
}

// parts are a reviewer's prompts. Only after start.
func (h *host) parts(m event.Member) []part { return h.prompts.of(m).parts }

// relative makes a path inside the snapshot relative to it.
func (h *host) relative(path string) string {
	if h.snapshot == nil || !filepath.IsAbs(path) {
		return path
	}
	rel, err := filepath.Rel(h.snapshot.Dir, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}

// locate checks a finding's place against the change; a path that the change
// does not have is looked up in the reviewed tree.
func (h *host) locate(f review.Finding) diff.Place {
	l := f.Location
	return h.set.LocateIn(h.inTree, diff.Claim{Path: l.Path, Start: l.Start, End: l.End, Old: l.Old, Quote: f.Quote})
}

// inTree reports whether the reviewed tree has a path. The tree is read once.
func (h *host) inTree(path string) bool {
	h.treeOnce.Do(func() {
		if h.store == nil {
			return
		}
		entries, err := h.store.Tree(context.Background(), h.plan.Change.Tree())
		if err != nil {
			return // without the tree a path is "not known", which is said
		}
		h.tree = map[string]bool{}
		for _, e := range entries {
			h.tree[e.Path] = true
		}
	})
	return h.tree[path]
}

func (h *host) perProvider(provider string) int { return h.options.perProvider(h.plan, provider) }

// perProvider is how many sessions a provider takes at a time, 0 = any.
// Loopback providers answer one at a time unless the person says otherwise.
func (o Options) perProvider(p event.Plan, provider string) int {
	if n := o.Person.Concurrency[provider]; n > 0 {
		return n
	}
	if _, name := agentKind(provider); o.Person.Concurrency[name] > 0 {
		return o.Person.Concurrency[name]
	}
	for _, s := range p.Sends {
		if s.Provider == provider && s.Loopback {
			return 1
		}
	}
	return 0
}

// kinds lists the kinds of agent that the team needs.
func (h *host) kinds() []string {
	var kinds []string
	members := slices.Clone(h.plan.Team)
	if h.plan.Coordinator != nil {
		members = append(members, *h.plan.Coordinator)
	}
	for _, m := range members {
		if m.Skip == "" && !slices.Contains(kinds, m.Agent) {
			kinds = append(kinds, m.Agent)
		}
	}
	return kinds
}

// start makes the agents. It is called once a run, in the background.
func (h *host) start(ctx context.Context, say func(event.ServerData)) (map[string]agent.Agent, error) {
	agents := map[string]agent.Agent{}
	h.prompts = newPrompts(h.plan, h.reviewed)
	var errs []error
	for _, kind := range h.kinds() {
		a, err := h.make(ctx, kind, say)
		if err != nil {
			errs = append(errs, fmt.Errorf("starting the %s agent: %w", kind, err))
			continue
		}
		agents[kind] = a
	}
	if len(agents) == 0 {
		return nil, errors.Join(errs...)
	}
	for _, err := range errs { // the others' reviewers go on
		say(event.ServerData{State: "gone", Text: err.Error()})
	}
	return agents, nil
}

func (h *host) make(ctx context.Context, kind string, say func(event.ServerData)) (agent.Agent, error) {
	kind, name := agentKind(kind)
	switch kind {
	case AgentChecks:
		return checks.New(), nil
	case AgentDirect:
		return h.direct(name)
	case AgentCommand:
		return h.command(ctx, name)
	case AgentSARIF:
		return h.sarif()
	case AgentReplay:
		_, events, err := journal.Parse("the recorded demo", replay.Demo())
		if err != nil {
			return nil, err
		}
		return replay.New(events, h.options.Speed)
	case AgentOpenCode:
		return h.openCode(ctx, say)
	}
	return nil, fmt.Errorf("there is no agent %q", kind)
}

// openCode lays out the snapshot and starts the one server of the run on it.
func (h *host) openCode(ctx context.Context, say func(event.ServerData)) (agent.Agent, error) {
	if err := h.layOut(ctx); err != nil {
		return nil, err
	}
	binary, err := h.binary(ctx)
	if err != nil {
		return nil, err
	}
	say(event.ServerData{Agent: "opencode", State: "starting", Version: binary.Version})
	person, err := opencode.ReadPerson(h.options.getenv)
	if err != nil {
		return nil, err
	}
	models := teamModels(h.plan)
	hand, err := person.For(providersOf(models), time.Now().Add(time.Duration(h.plan.Limits.RunMS)*time.Millisecond+time.Hour))
	if err != nil {
		return nil, err
	}
	a, err := opencode.New(ctx, opencode.Config{
		Binary: binary, Snapshot: h.snapshot.Dir, RunRoot: filepath.Join(h.options.Paths.Cache, "opencode"), Hand: hand, Models: models, Idle: h.options.idle,
		FirstByte: time.Duration(h.plan.Limits.FirstByteMS) * time.Millisecond, Silence: time.Duration(h.plan.Limits.SilenceMS) * time.Millisecond,
		Timing: h.options.Timing,
	})
	if err != nil {
		return nil, err
	}
	say(event.ServerData{Agent: "opencode", State: "ready", Version: binary.Version})
	return a, nil
}

// binary is OpenCode's program, that of the idle server if there is one.
func (h *host) binary(ctx context.Context) (opencode.Binary, error) {
	if h.options.idle != nil {
		return h.options.idle.Binary(), nil
	}
	return findOpenCode(ctx, h.options)
}

// layOut makes the snapshot and, for a change that does not fit into a prompt,
// the patches in it.
func (h *host) layOut(ctx context.Context) error {
	if h.snapshot != nil {
		return nil
	}
	first := make([]string, 0, len(h.reviewed.Files))
	for _, f := range h.reviewed.Files {
		first = append(first, f.Path())
	}
	o := workspace.Options{CacheDir: h.options.Paths.Cache, Run: h.plan.Run, First: first}
	if tree := h.plan.Change.Tree(); h.store != nil && tree != "" {
		o.Store, o.Tree = h.store, tree
	}
	s, err := workspace.Make(ctx, o)
	if err != nil {
		return err
	}
	h.snapshot = s
	if fitsInline(h.reviewed) {
		return nil
	}
	patches := make([]workspace.Patch, 0, len(h.reviewed.Files))
	for _, f := range h.reviewed.Files {
		patches = append(patches, workspace.Patch{Path: f.Path(), Text: f.Patch()})
	}
	_, err = s.WritePatches(patches)
	return err
}

// shut removes the snapshot. The agents that read it are closed before.
func (h *host) shut() error {
	if h.snapshot == nil {
		return nil
	}
	return h.snapshot.Close()
}

// teamModels lists the models of the team and the coordinator, each once.
func teamModels(p event.Plan) []review.Model {
	var out []review.Model
	add := func(models []review.Model) {
		for _, m := range models {
			if m.ID != "" && !slices.Contains(out, m) {
				out = append(out, m)
			}
		}
	}
	for _, m := range p.Team {
		if m.Agent == "opencode" {
			add(m.Models)
		}
	}
	if p.Coordinator != nil && p.Coordinator.Agent == "opencode" {
		add(p.Coordinator.Models)
	}
	return out
}

func providersOf(models []review.Model) []string {
	var out []string
	for _, m := range models {
		if !slices.Contains(out, m.Provider) {
			out = append(out, m.Provider)
		}
	}
	return out
}
