package engine

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mrv-dev/mrv/engine/agent"
	"github.com/mrv-dev/mrv/engine/agent/command"
	"github.com/mrv-dev/mrv/engine/agent/direct"
	"github.com/mrv-dev/mrv/engine/agent/sarif"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/merge"
	"github.com/mrv-dev/mrv/engine/review"
)

// Agents of the person's own config: direct:NAME is an endpoint, command:NAME
// a program. A project can name neither.
const (
	AgentDirect  = "direct"
	AgentCommand = "command"
	AgentSARIF   = "sarif"
)

// agentKind splits direct:NAME.
func agentKind(agent string) (kind, name string) {
	kind, name, _ = strings.Cut(agent, ":")
	return kind, name
}

// isOwn reports whether an agent is one of the person's config.
func isOwn(agent string) bool {
	kind, _ := agentKind(agent)
	return kind == AgentDirect || kind == AgentCommand
}

// enlist gives a member of one of the person's agents its model.
func (o Options) enlist(m *event.Member) error {
	kind, name := agentKind(m.Agent)
	model := review.Model{Provider: m.Agent}
	switch kind {
	case AgentDirect:
		e, ok := o.Person.Endpoints[name]
		if !ok {
			return usage("--agent %s: there is no endpoint %q in your config.yaml", m.Agent, name)
		}
		model.ID, m.Window = e.Model, int64(e.Context)
	case AgentCommand:
		c, ok := o.Person.Commands[name]
		if !ok {
			return usage("--agent %s: there is no command %q in your config.yaml", m.Agent, name)
		}
		model.ID, m.Window = filepath.Base(c.Run[0]), int64(c.Windows)
	}
	m.Models, m.Variant = []review.Model{model}, "n/a"
	return nil
}

// openHome says which of the team's programs can read the person's home here.
func (o Options) openHome(team []event.Member) string {
	if command.Enclosed(o.getenv) {
		return ""
	}
	for _, m := range team {
		if kind, name := agentKind(m.Agent); kind == AgentCommand && m.Skip == "" {
			return name + ": " + command.OpenHome
		}
	}
	return ""
}

// markLoopback notes the endpoints that are on this machine.
func (o Options) markLoopback(sends []event.Send) {
	for i, s := range sends {
		kind, name := agentKind(s.Provider)
		if kind != AgentDirect {
			continue
		}
		sends[i].Loopback = agent.Loopback(o.Person.Endpoints[name].BaseURL)
	}
}

// direct makes the agent of an endpoint.
func (h *host) direct(name string) (agent.Agent, error) {
	e, ok := h.options.Person.Endpoints[name]
	if !ok {
		return nil, fmt.Errorf("there is no endpoint %q in your config.yaml", name)
	}
	key := ""
	if e.KeyEnv != "" {
		if key = h.options.getenv(e.KeyEnv); key == "" {
			return nil, fmt.Errorf("the endpoint %s wants its key in %s, which is not set", name, e.KeyEnv)
		}
	}
	return direct.New(direct.Config{BaseURL: e.BaseURL, Key: key, Context: e.Context, Output: e.Output})
}

// command makes the agent of a program, which may read the snapshot.
func (h *host) command(ctx context.Context, name string) (agent.Agent, error) {
	c, ok := h.options.Person.Commands[name]
	if !ok {
		return nil, fmt.Errorf("there is no command %q in your config.yaml", name)
	}
	if err := h.layOut(ctx); err != nil {
		return nil, err
	}
	return command.New(command.Config{
		Run: c.Run, Env: c.Env, Home: c.Home, JSONL: c.Format == "jsonl", Snapshot: h.snapshot.Dir,
		Root: filepath.Join(h.options.Paths.Cache, "command"), Getenv: h.options.getenv,
	})
}

// sarifSource marks the persona of a SARIF file with the file's path.
const sarifSource = "sarif: "

// sarifTeam are the reviewers whose reports are files: the person's, and those
// named for this run.
func (o Options) sarifTeam(dir string) ([]event.Member, error) {
	var team []event.Member
	var files []string
	for _, f := range slices.Concat(o.Person.SARIF, o.SARIF) {
		abs, err := filepath.Abs(f)
		if err != nil {
			return nil, usage("--sarif %s: %w", f, err)
		}
		if slices.Contains(files, abs) {
			continue
		}
		files = append(files, abs)
		if _, err := readSARIF(abs, dir); err != nil {
			return nil, &UsageError{err}
		}
		label := func(pass, concerns, block string) review.LabelText {
			return review.LabelText{Pass: pass, Concerns: concerns, Block: block}
		}
		team = append(team, event.Member{Name: fmt.Sprintf("sarif-%d", len(files)), Agent: AgentSARIF, Persona: review.Persona{
			Name: AgentSARIF, Title: map[review.Lang]string{review.English: "Analyser", review.Chinese: "分析器"}, Source: sarifSource + abs,
			Labels: map[review.Lang]review.LabelText{review.English: label("Pass", "Concerns", "Block"), review.Chinese: label("通过", "有顾虑", "阻塞")},
		}})
	}
	return team, nil
}

// sarif makes the agent of the team's SARIF files.
func (h *host) sarif() (agent.Agent, error) {
	all := map[string][]review.Finding{}
	for _, m := range h.plan.Team {
		path, ok := strings.CutPrefix(m.Persona.Source, sarifSource)
		if !ok || m.Agent != AgentSARIF {
			continue
		}
		findings, err := readSARIF(path, h.plan.Change.Dir)
		if err != nil {
			return nil, err
		}
		all[m.Name] = findings
	}
	return sarif.New(all), nil
}

// readSARIF reads the findings of a file, with paths relative to dir.
func readSARIF(path, dir string) ([]review.Finding, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("--sarif: %w", err)
	}
	defer f.Close()
	items, err := merge.ReadFindings(f, path)
	if err != nil {
		return nil, fmt.Errorf("--sarif: %w", err)
	}
	root := strings.TrimPrefix(filepath.ToSlash(dir), "/") + "/"
	out := make([]review.Finding, 0, len(items))
	for _, i := range items {
		severity, ok := review.ParseSeverity(i.Severity)
		if !ok {
			severity = review.Warning
		}
		out = append(out, review.Finding{
			Severity: severity, Title: i.Title, Quote: i.Quote,
			Location:    review.Location{Path: strings.TrimPrefix(i.File, root), Start: i.Line, End: max(i.Line, i.EndLine)},
			Observation: strings.TrimSpace(i.Observation + "\n" + i.Text),
			Inference:   "See the rule of " + i.Reviewer + ".", Judgment: "A rule of " + i.Reviewer + "; contract: none",
			Verification: "Run " + i.Reviewer + " again.",
		})
	}
	return out, nil
}
