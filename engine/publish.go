package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/mrv-dev/mrv/engine/agent/opencode"
	"github.com/mrv-dev/mrv/engine/config"
	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/document"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/forge"
	"github.com/mrv-dev/mrv/engine/inbox"
	"github.com/mrv-dev/mrv/engine/journal"
	"github.com/mrv-dev/mrv/engine/publish"
)

// PlanPost works out what would be posted to the pull request of the run, as
// whom, and where each finding lands. It reads the forge and writes nothing.
func (r *Run) PlanPost(ctx context.Context, opt publish.Options) (publish.Planned, error) {
	doc, set, err := r.reviewedDocument(ctx)
	if err != nil {
		return publish.Planned{}, err
	}
	return planPost(ctx, doc, set, r.known(ctx), opt)
}

// PreviewPost is PlanPost for a run that may be open elsewhere: its journal is
// only read.
func PreviewPost(ctx context.Context, path string, opt publish.Options) (publish.Planned, error) {
	state, err := readState(path)
	if err != nil {
		return publish.Planned{}, err
	}
	doc := document.Build(state, document.Options{At: time.Now()})
	return planPost(ctx, doc, state.Diff, knownValues(ctx, doc.Change.Host), opt)
}

// ReadDocument is the run of a journal as it stands, which is only read. One
// that holds a known secret is refused.
func ReadDocument(ctx context.Context, path string) (document.Document, error) {
	state, err := readState(path)
	if err != nil {
		return document.Document{}, err
	}
	doc := document.Build(state, document.Options{At: time.Now()})
	if doc.Leaks(knownValues(ctx, doc.Change.Host)...) {
		return document.Document{}, errLeak
	}
	return doc, nil
}

// readState folds a journal of a run that was planned.
func readState(path string) (*event.State, error) {
	_, events, err := journal.Read(path)
	if err != nil {
		return nil, err
	}
	state, err := event.Fold(events)
	if err != nil {
		return nil, fmt.Errorf("reading the run: %w", err)
	}
	if state.Plan == nil {
		return nil, fmt.Errorf("the run in %s ended before it was planned; `mrv runs rm` removes it", path)
	}
	return state, nil
}

// Post posts what was planned and journals it. Where the permission is
// missing, the inbox is written, if there is a clone.
func (r *Run) Post(ctx context.Context, p publish.Planned) (publish.Sent, error) {
	f, err := publish.Connect(ctx, p.Doc.Change.Host)
	if err != nil {
		return publish.Sent{}, err
	}
	sent, err := publish.Sender{Forge: f}.Send(ctx, p)
	var refused *publish.NotAllowed
	if errors.As(err, &refused) && r.plan.Out != "" && !p.Opt.Untriaged {
		if werr := r.exportInbox(ctx); werr != nil {
			return sent, errors.Join(err, werr)
		}
		return sent, fmt.Errorf("%w; the inbox was written instead", err)
	}
	if err != nil {
		return sent, err
	}
	for _, n := range sent.Notes {
		r.post(event.Noticed, "", 0, event.NoticeData{Level: "info", Text: n})
	}
	return sent, r.in(context.WithoutCancel(ctx), func() error { return r.append(true, event.Exported, "", 0, sent.Export()) })
}

// reviewedDocument is the run as it stands and the change as it was reviewed.
func (r *Run) reviewedDocument(ctx context.Context) (document.Document, *diff.Set, error) {
	doc, err := r.Document(ctx)
	if err != nil {
		return doc, nil, err
	}
	set := &diff.Set{}
	err = r.in(ctx, func() error {
		if r.state.Diff != nil {
			set = r.state.Diff // never changed once it is read
		}
		return nil
	})
	return doc, set, err
}

// planPost looks at the forge and plans.
func planPost(ctx context.Context, doc document.Document, set *diff.Set, known []string, opt publish.Options) (publish.Planned, error) {
	c := doc.Change
	if c.Source != event.FromPR {
		return publish.Planned{}, errors.New("the review is not of a pull request: there is nowhere to post it")
	}
	repo, err := repoOf(c)
	if err != nil {
		return publish.Planned{}, err
	}
	f, err := publish.Connect(ctx, c.Host)
	if err != nil {
		return publish.Planned{}, err
	}
	opt.Known = append(slices.Clone(known), f.FetchToken())
	project, err := gateRules(ctx, f, repo)
	if err != nil {
		return publish.Planned{}, err
	}
	facts, err := publish.Look(ctx, f, repo, c.Number, doc, workflowUser(), publish.Trust{Logins: project.Publishers})
	if err != nil {
		return publish.Planned{}, err
	}
	return publish.Plan(doc, set, facts, opt), nil
}

// repoOf is the repository that a review is of.
func repoOf(c document.Change) (forge.Repo, error) {
	repo, err := forge.ParseRepo(c.Repository)
	if err != nil {
		return repo, err
	}
	if c.Host != "" {
		repo.Host = c.Host
	}
	return repo, nil
}

// workflowUser is who writes with the token of a workflow, which may not ask
// whose it is. Outside of a workflow it is nobody.
func workflowUser() forge.User {
	if os.Getenv("GITHUB_ACTIONS") != "true" {
		return forge.User{}
	}
	return forge.User{Login: "github-actions[bot]", ID: 41898282, Bot: true}
}

// gateRules reads what the default branch says about the gate and publishers.
func gateRules(ctx context.Context, reader forge.Reader, repo forge.Repo) (config.Project, error) {
	about, err := reader.Repository(ctx, repo)
	if err != nil {
		return config.Project{}, err
	}
	data, ok, err := reader.FileAt(ctx, repo, about.DefaultBranch, projectConfig)
	if err != nil || !ok {
		return config.Project{}, err
	}
	return config.ParseProject("the default branch's "+projectConfig, data)
}

// known lists the values that must not leave: tokens, keys, the password of
// the server that runs.
func (r *Run) known(ctx context.Context) []string {
	out := knownValues(ctx, r.plan.Change.Host)
	r.agentsMu.Lock()
	defer r.agentsMu.Unlock()
	for _, a := range r.rooms.agents {
		if s, ok := a.(interface{ Secrets() []string }); ok {
			out = append(out, s.Secrets()...)
		}
	}
	return out
}

// knownValues lists the person's own tokens and keys. What can not be read was
// handed to nobody, so it is in no review.
func knownValues(ctx context.Context, host string) []string {
	var out []string
	for _, h := range []string{"github.com", host} {
		if h == "" {
			continue
		}
		if token, _, err := forge.Token(ctx, h); err == nil {
			out = append(out, token)
		}
	}
	if p, err := opencode.ReadPerson(os.Getenv); err == nil {
		out = append(out, p.Secrets()...)
	}
	if person, _, err := config.LoadPerson(config.Directories()); err == nil {
		for _, e := range person.Endpoints {
			out = append(out, os.Getenv(e.KeyEnv))
		}
	}
	return out
}

// postLanding is the pull request as a destination.
func (r *Run) postLanding(ctx context.Context, land *event.Landing) event.Destination {
	where := []string{r.plan.Change.URL}
	p, err := r.PlanPost(ctx, publish.Options{})
	if err != nil {
		return event.Destination{Target: TargetPR, Where: where, Why: err.Error()}
	}
	land.As = p.Facts.Viewer.Login
	d := p.Destination()
	for i, x := range d.Items {
		if x.As == "kept" {
			d.Items[i].Why += fmt.Sprintf("; mrv publish %s --post-security %s posts it", r.id, x.Entry)
		}
	}
	return d
}

// errLeak refuses to write what holds a secret.
var errLeak = errors.New("the review holds a token or password that mrv knows; nothing is written. Reject or edit the finding that quotes it")

// exportInbox writes the inbox and journals it.
func (r *Run) exportInbox(ctx context.Context) error {
	doc, err := r.Document(ctx)
	if err != nil {
		return err
	}
	if doc.Leaks(r.known(ctx)...) {
		return errLeak
	}
	written, err := inbox.Write(ctx, r.plan.Out, doc, r.tracked(ctx)...)
	if err != nil {
		return err
	}
	d := event.ExportData{Target: TargetInbox, Where: written.Paths, Head: r.plan.Change.Identity}
	for _, n := range written.Notes {
		r.post(event.Noticed, "", 0, event.NoticeData{Level: "warn", Text: n})
	}
	for _, f := range doc.Findings {
		if f.Status == document.Open {
			d.Accepted = append(d.Accepted, f.ID)
		}
	}
	return r.in(ctx, func() error { return r.append(true, event.Exported, "", 0, d) })
}

// exportPost posts to the pull request as the outbox showed it.
func (r *Run) exportPost(ctx context.Context) error {
	p, err := r.PlanPost(ctx, publish.Options{})
	if err != nil {
		return err
	}
	_, err = r.Post(ctx, p)
	return err
}
