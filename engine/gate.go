package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/mrv-dev/mrv/engine/config"
	"github.com/mrv-dev/mrv/engine/forge"
	"github.com/mrv-dev/mrv/engine/gate"
	"github.com/mrv-dev/mrv/engine/publish"
)

// Gated is a pull request and what the gate says of it.
type Gated struct {
	Name   string      `json:"change"`
	URL    string      `json:"url"`
	Result gate.Result `json:"gate"`
	Notes  []string    `json:"notes,omitempty"`

	repo   forge.Repo
	number int
}

// Gate asks the forge for all that the gate depends on, and evaluates it by
// the rules of the default branch. run vouches for a review that a workflow
// posted. An error means that nothing could be evaluated at all.
func Gate(ctx context.Context, o SourceOptions, run string) (Gated, error) {
	p, err := findPull(ctx, o)
	if err != nil {
		return Gated{}, err
	}
	pr, f, err := p.open(ctx)
	if err != nil {
		return Gated{}, err
	}
	project, err := gateRules(ctx, f, pr.Repo)
	if err != nil {
		return Gated{}, err
	}
	k := gate.Known{PR: gate.PR{Number: pr.Number, Author: pr.Author.Login, Draft: pr.Draft, State: pr.State, Base: pr.BaseRef, Head: pr.HeadSHA}}
	pulled, err := pullFrom(ctx, f, pr, run)
	k.Review = gateReview(pulled, err)
	k.Card = taskCard(ctx, f, pr, project.Gate)
	standing, ok := f.Reader.(forge.Standing)
	if !ok {
		k.Checks.Err = fmt.Errorf("mrv can not read checks and permissions on %s", pr.Repo.Host)
	} else {
		k.Checks = gateChecks(ctx, standing, pr)
		if pushed, err := standing.Committed(ctx, pr.Repo, pr.HeadSHA); err == nil { // else it is not known, which the gate says
			k.PR.Pushed = pushed
		}
		if !project.Gate.NoBreakGlass {
			if k.Glass, err = glassComments(ctx, f, standing, pr); err != nil {
				return Gated{}, err
			}
		}
	}
	g := project.Gate
	rules := gate.Rules{Branches: g.Branches, Checks: g.Checks, SelfTriage: g.AllowAuthor, CardStates: g.TaskStates}
	return Gated{
		Name: fmt.Sprintf("%s#%d", pr.Repo, pr.Number), URL: pr.URL, Result: gate.Evaluate(k, rules), Notes: pulled.Notes,
		repo: pr.Repo, number: pr.Number,
	}, nil
}

// Act does what was asked for on the pull request, if the gate's result allows
// it. label is for publish.Label.
func (g Gated) Act(ctx context.Context, act publish.Act, label string) error {
	f, err := publish.Connect(ctx, g.repo.Host)
	if err != nil {
		return err
	}
	o := publish.Outcome{Holds: g.Result.Holds, Head: g.Result.Head}
	if b := g.Result.Glass; b != nil {
		o.Evidence = append(o.Evidence, fmt.Sprintf("glass broken by %s at %s for %s: %s", b.By, b.At, b.Head, b.URL))
	}
	for _, c := range g.Result.Conditions {
		o.Evidence = append(o.Evidence, fmt.Sprintf("%s: %s (%s)", c.Outcome, c.Text, c.Evidence))
	}
	return publish.Sender{Forge: f}.Act(ctx, g.repo, g.number, act, label, o)
}

// gateReview is the review as the gate looks at it.
func gateReview(p publish.Pulled, err error) gate.Review {
	var unread *forge.Error
	switch {
	case errors.As(err, &unread), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return gate.Review{Unread: err}
	case err != nil:
		return gate.Review{Err: err}
	}
	d, m := p.Document, p.Meta
	return gate.Review{
		URL: p.URL, Author: p.Author, Head: m.Head, Verdict: d.Verdict, Complete: d.Complete, Missing: d.Missing, Triaged: m.Triaged, TriagedBy: m.TriagedBy,
		ReadMarker: m.ReadMarker, ReadBy: m.ReadBy, ReadNot: m.ReadNot,
		Escalated: m.Escalated, Contested: d.Counts.Contested, Undecided: m.Undecided,
	}
}

// gateChecks reads the required checks and how they stand.
func gateChecks(ctx context.Context, s forge.Standing, pr *forge.PullRequest) gate.Checks {
	required, err := s.Required(ctx, pr.Repo, pr.BaseRef)
	if err != nil {
		return gate.Checks{Err: err}
	}
	all, err := s.Checks(ctx, pr.Repo, pr.HeadSHA)
	if err != nil {
		return gate.Checks{Err: err}
	}
	var out gate.Checks
	known := map[string]string{}
	for _, x := range all {
		// Of two checks of one name the one that is not green counts.
		if was := (gate.Check{State: known[x.Name]}); known[x.Name] == "" || was.Green() {
			known[x.Name] = x.State
		}
	}
	for _, name := range required {
		for _, n := range meant(name, all) {
			out.Required = append(out.Required, gate.Check{Name: n, State: known[n]})
			delete(known, n)
		}
	}
	for _, x := range all {
		if state, ok := known[x.Name]; ok {
			out.Others = append(out.Others, gate.Check{Name: x.Name, State: state})
			delete(known, x.Name)
		}
	}
	return out
}

// meant are the checks that a required name is about: the one of that name, or
// those that it is a pattern for, which Gitea allows. Without one it is the
// name itself, which has not run.
func meant(name string, all []forge.Check) []string {
	var out []string
	for _, x := range all {
		if x.Name == name {
			return []string{name}
		}
		if ok, err := path.Match(name, x.Name); ok && err == nil { // a name need be no pattern
			out = append(out, x.Name)
		}
	}
	if len(out) == 0 {
		out = []string{name}
	}
	return out
}

// glassComments are the comments that try to break the glass, with what their
// authors may do here.
func glassComments(ctx context.Context, f publish.Forge, s forge.Standing, pr *forge.PullRequest) ([]gate.Comment, error) {
	all, err := f.SummaryComments(ctx, pr)
	if err != nil {
		return nil, err
	}
	var out []gate.Comment
	var nodes []string
	for _, c := range all {
		if !gate.IsGlass(c.Body) {
			continue
		}
		g := gate.Comment{Author: c.Author.Login, Bot: c.Author.Bot, Body: c.Body, URL: c.URL, Created: c.Created, Edited: c.Updated != c.Created}
		g.Permission, g.PermissionErr = s.Permission(ctx, pr.Repo, c.Author.Login)
		out, nodes = append(out, g), append(nodes, c.Node)
	}
	if len(nodes) == 0 {
		return nil, nil
	}
	editors, err := f.Editors(ctx, nodes)
	if err != nil {
		return nil, err
	}
	for i, n := range nodes {
		out[i].Edited = out[i].Edited || editors[n] != ""
	}
	return out, nil
}

// taskID is how task systems name a task.
var taskID = regexp.MustCompile(`[A-Z][A-Z0-9]*-[0-9]+`)

// taskCard reads the card at the tip of the target branch: the change itself
// can not release its own card. In the path, {pr} is the number, {branch} the
// head branch and {id} a task's id (ABC-12) in the branch's name or the title.
func taskCard(ctx context.Context, f forge.Reader, pr *forge.PullRequest, g config.Gate) gate.Card {
	if len(g.TaskStates) == 0 {
		return gate.Card{}
	}
	if g.TaskPath == "" {
		return gate.Card{Err: errors.New("gate.task_states is set in the project's configuration, and gate.task_path is not")}
	}
	id := taskID.FindString(pr.HeadRef + " " + pr.Title)
	if id == "" && strings.Contains(g.TaskPath, "{id}") {
		return gate.Card{}
	}
	card := strings.NewReplacer("{pr}", strconv.Itoa(pr.Number), "{branch}", pr.HeadRef, "{id}", id).Replace(g.TaskPath)
	raw, ok, err := f.FileAt(ctx, pr.Repo, pr.BaseRef, card)
	if err != nil || !ok {
		return gate.Card{Err: err}
	}
	state, err := cardState(raw, g.TaskField)
	if err != nil {
		return gate.Card{Err: fmt.Errorf("%s: %w", card, err)}
	}
	return gate.Card{Path: card, State: state}
}

// cardState reads a field of a Markdown file's front matter, or of a YAML file.
func cardState(raw []byte, field string) (string, error) {
	if field == "" {
		field = "status"
	}
	raw = bytes.ReplaceAll(raw, []byte("\r\n"), []byte("\n"))
	if rest, ok := bytes.CutPrefix(raw, []byte("---\n")); ok {
		front, _, ok := bytes.Cut(rest, []byte("\n---"))
		if !ok {
			return "", errors.New("its front matter does not end")
		}
		raw = front
	}
	var fields map[string]any
	if err := yaml.Unmarshal(raw, &fields); err != nil {
		return "", fmt.Errorf("reading its front matter: %w", err)
	}
	if v, ok := fields[field]; ok {
		return fmt.Sprint(v), nil
	}
	return "", nil
}
