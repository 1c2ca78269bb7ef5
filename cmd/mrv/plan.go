package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
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
	Tokens int64        `json:"tokens"`   // all reviewers' prompts, about
	Cost   *float64     `json:"cost_usd"` // null: not known
	Sends  []event.Send `json:"sends"`
	Rules  planRules    `json:"rules"`
	Notes  []string     `json:"notes"`
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
	Sent    planSent `json:"sent"`
}

// planSent is what a reviewer is given to read, patches in files included.
type planSent struct {
	Bytes  int64 `json:"bytes"`
	Tokens int64 `json:"tokens"` // about
	Parts  int   `json:"parts"`  // prompts; several where the model's window is small
	Window int64 `json:"window"` // of the model, in tokens; 0 where it is not known
}

type planRules struct {
	Ref       string   `json:"ref"`
	SHA       string   `json:"sha,omitempty"`
	Hash      string   `json:"hash,omitempty"`
	SkillSHA  string   `json:"skill_sha256,omitempty"`
	Contracts []string `json:"contracts"`
	Touched   []string `json:"touched"`
}

// planFile is a file of the change. Paths are raw, "" on the side where the
// file is absent; one that is not UTF-8 has U+FFFD in it and its bytes in
// PathB64 (an old name's in OldPathB64).
type planFile struct {
	OldPath    string `json:"old_path"`
	NewPath    string `json:"new_path"`
	PathB64    string `json:"path_b64,omitempty"`
	OldPathB64 string `json:"old_path_b64,omitempty"`
	Status     string `json:"status"`
	Additions  int    `json:"additions"`
	Deletions  int    `json:"deletions"`
	Binary     bool   `json:"binary"`
	Hunks      int    `json:"hunks"`
	Reviewed   bool   `json:"reviewed"`
	Unread     bool   `json:"unread"`
	Reason     string `json:"reason"` // why it is not reviewed
	Note       string `json:"note,omitempty"`
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
	p, err := planned(ctx, s, o)
	if errors.Is(err, engine.ErrNothingToReview) {
		complain(s, err)
		if asJSON {
			return writeJSON(s, emptyPlan())
		}
		return nil
	}
	if err != nil {
		return err
	}
	plan := p.Plan()
	s = s.speaking(plan.Lang)
	for _, h := range plan.Holds {
		s.note("not read: %s", h.Text)
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

// emptyPlan has every list, empty.
func emptyPlan() planJSON {
	return planJSON{Schema: "mrv.plan.v1", Team: []planMember{}, Files: []planFile{}, Sends: []event.Send{},
		Rules: planRules{Contracts: []string{}, Touched: []string{}}, Notes: []string{}, Holds: []holdJSON{}, Asks: []string{}}
}

func asPlanJSON(p *engine.Planned) planJSON {
	plan := p.Plan()
	out := emptyPlan()
	out.Change, out.Tier, out.Why, out.Agent, out.Banner = plan.Change, plan.Tier, plan.TierReason, plan.Agent, plan.Banner
	out.Rules.Ref, out.Rules.SHA, out.Rules.Hash, out.Rules.SkillSHA = plan.Rules.Ref, plan.Rules.SHA, plan.Rules.Hash, plan.Rules.SkillSHA
	out.Rules.Touched = append(out.Rules.Touched, plan.Rules.Touched...)
	for _, c := range plan.Rules.Contracts {
		out.Rules.Contracts = append(out.Rules.Contracts, c.Kind)
	}
	for _, m := range plan.Team {
		out.Team = append(out.Team, asPlanMember(m))
		out.Tokens += engine.Tokens(m.Bytes)
	}
	out.Sends = append(out.Sends, plan.Sends...)
	out.Cost = costOf(plan)
	for _, f := range plan.Files {
		out.Files = append(out.Files, asPlanFile(f))
	}
	out.Notes = append(out.Notes, plan.Notes...)
	for _, h := range plan.Holds {
		out.Holds = append(out.Holds, holdJSON{h.Text})
	}
	for _, q := range p.Questions() {
		out.Asks = append(out.Asks, q.Text+" Answer with "+q.Flag)
	}
	return out
}

func asPlanMember(m event.Member) planMember {
	pm := planMember{Name: m.Name, Persona: m.Persona.Name, Agent: m.Agent, Effort: string(m.Effort), Variant: m.Variant, Skip: m.Skip, Source: m.Persona.Source,
		Sent: planSent{Bytes: m.Bytes, Tokens: engine.Tokens(m.Bytes), Parts: m.Parts, Window: m.Window}}
	for _, x := range m.Models {
		pm.Models = append(pm.Models, x.String())
	}
	return pm
}

func asPlanFile(f event.PlanFile) planFile {
	b64 := func(path string) string {
		if utf8.ValidString(path) {
			return ""
		}
		return base64.StdEncoding.EncodeToString([]byte(path))
	}
	return planFile{OldPath: f.OldPath, NewPath: f.NewPath, PathB64: b64(f.Path()), OldPathB64: b64(f.OldPath), Status: f.Status,
		Additions: f.Additions, Deletions: f.Deletions, Binary: f.Binary, Hunks: f.Hunks, Reviewed: f.Reviewed, Unread: f.Unread, Reason: f.Reason, Note: f.Note}
}

// costOf is what the run may cost, nil where a price is not known.
func costOf(plan event.Plan) *float64 {
	if len(plan.Sends) == 0 {
		return nil
	}
	sum := 0.0
	for _, x := range plan.Sends {
		if x.Price != review.PriceKnown {
			return nil
		}
		sum += x.CostUSD
	}
	return &sum
}

func printPlan(s streams, p *engine.Planned) {
	plan := p.Plan()
	fmt.Fprintln(s.out, strings.TrimRight(text.Line(plan.Change.Name())+"  "+event.Short(plan.Change.Identity)+"  "+text.Line(plan.Change.Title), " "))
	for _, f := range plan.Files {
		mark := "read"
		if !f.Reviewed {
			mark = "skip"
		}
		fmt.Fprintf(s.out, "  %s  %s +%d -%d  %s\n", s.say(mark), text.Pad(text.Line(f.Path()), max(60, text.Width(text.Line(f.Path())))), f.Additions, f.Deletions,
			text.Line(s.say(f.Reason)+s.say(f.Note)))
	}
	s.tell("tier %s: %s", plan.Tier, text.Line(plan.TierReason))
	for _, m := range plan.Team {
		fmt.Fprintln(s.out, strings.TrimRight(fmt.Sprintf("  %-16s %-9s %s", m.Name, m.Agent, member(s, m)), " "))
	}
	for _, x := range plan.Sends {
		s.tell("sends about %d KB (%d tokens) to %s, cost %s", (x.Bytes+1023)/1024, x.Tokens, text.Line(x.Provider), cost(x))
	}
	s.tell("rules: %s", text.Line(strings.TrimSpace(plan.Rules.Ref+" "+event.Short(plan.Rules.SHA))))
	if len(plan.Rules.Touched) > 0 {
		s.tell("this change touches %s", text.Line(strings.Join(plan.Rules.Touched, ", ")))
	}
	for _, n := range plan.Notes {
		s.tell("%s", text.Line(n))
	}
	if plan.Banner != "" {
		s.tell("%s", text.Line(plan.Banner))
	}
	for _, q := range p.Questions() {
		s.tell("asks: %s (%s)", text.Line(q.Text), text.Line(q.Flag))
	}
}

// member is what stands behind a reviewer's name: its models in the order they
// are tried, how hard they think, what they read or why they do not.
func member(s streams, m event.Member) string {
	var parts []string
	for _, model := range m.Models {
		parts = append(parts, text.Line(model.String()))
	}
	list := strings.Join(parts, ", ")
	says := text.Line(s.say(m.Skip) + s.say(sent(m)))
	return strings.Join(slices.DeleteFunc([]string{list, m.Variant, says}, func(p string) bool { return p == "" }), "  ")
}

// sent is what a reviewer is given to read, in words.
func sent(m event.Member) string {
	switch {
	case m.Bytes == 0:
		return ""
	case m.Parts > 1:
		return fmt.Sprintf("reads %d KB in %d parts", (m.Bytes+1023)/1024, m.Parts)
	}
	return fmt.Sprintf("reads %d KB", (m.Bytes+1023)/1024)
}

func cost(x event.Send) string {
	if x.Price != review.PriceKnown {
		return string(x.Price)
	}
	return fmt.Sprintf("about $%.2f", x.CostUSD)
}
