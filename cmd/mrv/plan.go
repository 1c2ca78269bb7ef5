package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/mrv-dev/mrv/engine"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/tui/text"
)

// planJSON is what `mrv plan --json` prints.
type planJSON struct {
	Schema string       `json:"schema"`
	Change event.Change `json:"change"`
	Tier   string       `json:"tier"`
	Why    string       `json:"tier_reason"`
	Agent  string       `json:"agent"`
	Banner string       `json:"banner,omitempty"`
	Team   []planMember `json:"team"`
	Files  []planFile   `json:"files"`
	Sends  []event.Send `json:"sends"`
	Rules  planRules    `json:"rules"`
	Holds  []holdJSON   `json:"unread"`
	Asks   []string     `json:"asks"`
}

type holdJSON struct {
	Text string `json:"text"`
}

type planMember struct {
	Name    string   `json:"name"`
	Persona string   `json:"persona"`
	Agent   string   `json:"agent"`
	Models  []string `json:"models"` // null: not known without a server
	Effort  string   `json:"effort,omitempty"`
	Variant string   `json:"variant,omitempty"`
	Skip    string   `json:"skip,omitempty"`
	Source  string   `json:"source"`
}

type planRules struct {
	Ref     string   `json:"ref"`
	SHA     string   `json:"sha,omitempty"`
	Hash    string   `json:"hash,omitempty"`
	Touched []string `json:"touched"`
}

// planFile is a file of the change. Paths are raw; one that is not UTF-8 has
// U+FFFD in it and its bytes in PathB64.
type planFile struct {
	event.PlanFile
	PathB64 string `json:"path_b64,omitempty"`
}

func planCommand(s streams) *cobra.Command {
	var f changeFlags
	var asJSON bool
	c := &cobra.Command{
		Use: "plan [PR|URL]", Short: "What would be reviewed, by whom, at what cost; no model is asked", Args: cobra.MaximumNArgs(1),
		Example: "  mrv plan 123\n  mrv plan --base main --json",
		RunE: func(c *cobra.Command, args []string) error {
			o, err := f.options(s, args, true)
			if err != nil {
				return err
			}
			o.NoServer, o.PlanOnly = asJSON, true
			return showPlan(c.Context(), s, o, asJSON)
		},
	}
	f.add(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON; starts no server")
	return c
}

func showPlan(ctx context.Context, s streams, o engine.Options, asJSON bool) error {
	p, err := engine.NewPlan(ctx, o)
	if errors.Is(err, engine.ErrNothingToReview) {
		fmt.Fprintln(s.err, "mrv: "+text.Line(err.Error()))
		return nil
	}
	if err != nil {
		return err
	}
	plan := p.Plan()
	for _, h := range plan.Holds {
		fmt.Fprintln(s.err, "mrv: not read: "+text.Line(h.Text))
	}
	if asJSON {
		err = writeJSON(s, asPlanJSON(p))
	} else {
		printPlan(s, p)
	}
	if err = errors.Join(err, p.Close()); err != nil {
		return err
	}
	if len(plan.Holds) > 0 {
		return exit(review.ExitIncomplete)
	}
	return nil
}

func asPlanJSON(p *engine.Planned) planJSON {
	plan := p.Plan()
	out := planJSON{Schema: "mrv.plan.v1", Change: plan.Change, Tier: plan.Tier, Why: plan.TierReason, Agent: plan.Agent, Banner: plan.Banner,
		Sends: plan.Sends, Rules: planRules{plan.Rules.Ref, plan.Rules.SHA, plan.Rules.Hash, plan.Rules.Touched}, Files: []planFile{}, Holds: []holdJSON{}, Asks: []string{}}
	for _, m := range plan.Team {
		pm := planMember{Name: m.Name, Persona: m.Persona.Name, Agent: m.Agent, Effort: string(m.Effort), Variant: m.Variant, Skip: m.Skip, Source: m.Persona.Source}
		for _, x := range m.Models {
			pm.Models = append(pm.Models, x.String())
		}
		out.Team = append(out.Team, pm)
	}
	for _, f := range plan.Files {
		pf := planFile{PlanFile: f}
		if path := f.Path(); !utf8.ValidString(path) {
			pf.PathB64 = base64.StdEncoding.EncodeToString([]byte(path))
		}
		out.Files = append(out.Files, pf)
	}
	for _, h := range plan.Holds {
		out.Holds = append(out.Holds, holdJSON{h.Text})
	}
	for _, q := range p.Questions() {
		out.Asks = append(out.Asks, q.Text+" Answer with "+q.Flag)
	}
	return out
}

func printPlan(s streams, p *engine.Planned) {
	plan := p.Plan()
	fmt.Fprintf(s.out, "%s  %s  %s\n", text.Line(plan.Change.Name()), event.Short(plan.Change.Identity), text.Line(plan.Change.Title))
	for _, f := range plan.Files {
		mark := "read"
		if !f.Reviewed {
			mark = "skip"
		}
		fmt.Fprintf(s.out, "  %s  %-60s +%d -%d  %s\n", mark, text.Line(f.Path()), f.Additions, f.Deletions, text.Line(f.Reason+f.Note))
	}
	fmt.Fprintf(s.out, "tier %s: %s\n", plan.Tier, text.Line(plan.TierReason))
	for _, m := range plan.Team {
		fmt.Fprintf(s.out, "  %-16s %-9s %s %s %s\n", m.Name, m.Agent, text.Line(fmt.Sprint(m.Models)), m.Variant, text.Line(m.Skip))
	}
	for _, x := range plan.Sends {
		fmt.Fprintf(s.out, "sends about %d KB (%d tokens) to %s, cost %s\n", (x.Bytes+1023)/1024, x.Tokens, text.Line(x.Provider), cost(x))
	}
	fmt.Fprintf(s.out, "rules: %s %s\n", text.Line(plan.Rules.Ref), event.Short(plan.Rules.SHA))
	if len(plan.Rules.Touched) > 0 {
		fmt.Fprintf(s.out, "this change touches %s: the rules are the base's\n", text.Line(fmt.Sprint(plan.Rules.Touched)))
	}
	if plan.Banner != "" {
		fmt.Fprintln(s.out, text.Line(plan.Banner))
	}
	for _, q := range p.Questions() {
		fmt.Fprintf(s.out, "asks: %s (%s)\n", text.Line(q.Text), text.Line(q.Flag))
	}
}

func cost(x event.Send) string {
	if x.Price != review.PriceKnown {
		return string(x.Price)
	}
	return fmt.Sprintf("about $%.2f", x.CostUSD)
}
