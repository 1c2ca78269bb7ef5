package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

// bytesPerToken is how much text a token is, roughly, in code and English; the
// estimate errs on the side of more tokens.
const bytesPerToken = 3.3

// Tokens is about how many tokens a text of that many bytes is.
func Tokens(bytes int64) int64 { return int64(float64(bytes) / bytesPerToken) }

// answerTokens is what a reviewer is reckoned to write, tool steps included
// (Cloudflare's quality reviewer: 264 M output tokens over about 130,000 runs).
const answerTokens = 2500

// read fixes what each reviewer is given to read, and what of the change is
// too large for its model; then how much goes to which provider.
func (l *lineup) read(p *event.Plan, reviewed *diff.Set) {
	prompts := newPrompts(*p, reviewed)
	unread := map[*diff.File][]string{}
	readers := 0
	for i := range p.Team {
		m := &p.Team[i]
		if m.Skip != "" || (m.Agent != AgentOpenCode && !isOwn(m.Agent)) {
			continue
		}
		readers++
		r := prompts.of(*m)
		m.Bytes, m.Parts = r.bytes(), len(r.parts)
		for _, f := range r.unread {
			unread[f] = append(unread[f], m.Name)
		}
		switch whole := share(m.Bytes, *m); {
		case len(r.parts) > 1:
			p.Notes = append(p.Notes, fmt.Sprintf("%s reads the change in %d parts: it is larger than the window of %s (%d tokens)", m.Name, len(r.parts), m.Model(), m.Window))
		case whole > warnShare:
			p.Notes = append(p.Notes, fmt.Sprintf("the change takes %.0f %% of the window of %s (%d tokens): %s may miss things", 100*whole, m.Model(), m.Window, m.Name))
		}
	}
	for _, f := range reviewed.Files {
		if names := unread[f]; len(names) > 0 {
			tooLarge(p, f, names, len(names) == readers)
		}
	}
	p.Sends = l.sends(*p)
	for _, s := range p.Sends {
		if s.Reserve > 0 {
			p.Notes = append(p.Notes, fmt.Sprintf("should another provider fail, %s (%s) gets up to %d KB more", s.Provider, strings.Join(s.Models, ", "), kilobytes(s.Reserve)))
		}
	}
}

// kilobytes rounds up.
func kilobytes(bytes int64) int64 { return (bytes + 1023) / 1024 }

// tooLarge notes a file that does not fit the window of some reviewers' model
// even alone. If none can read it, it is not reviewed.
func tooLarge(p *event.Plan, f *diff.File, names []string, all bool) {
	who := "larger than the window of the model of " + strings.Join(names, ", ")
	p.Holds = append(p.Holds, review.Hold{Code: "unread", Text: fmt.Sprintf("%s was not read: %s", f.Path(), who)})
	i := slices.IndexFunc(p.Files, func(x event.PlanFile) bool {
		return x.Reviewed && x.OldPath == f.OldPath && x.NewPath == f.NewPath
	})
	if i < 0 {
		return
	}
	if p.Files[i].Unread = true; all {
		p.Files[i].Reviewed, p.Files[i].Reason = false, who
	} else {
		p.Files[i].Note = who
	}
}

// sends says how much goes to which provider, and what it may cost. A
// reviewer's further models may get the same, should the first ones fail; the
// coordinator's are named too.
func (l *lineup) sends(p event.Plan) []event.Send {
	var out []event.Send
	to := func(m review.Model) *event.Send {
		i := slices.IndexFunc(out, func(s event.Send) bool { return s.Provider == m.Provider })
		if i < 0 {
			i = len(out)
			out = append(out, event.Send{Provider: m.Provider, Price: review.PriceUnknown})
			if provider, info, ok := l.info(m); ok {
				out[i].Loopback, out[i].Price = provider.Loopback, info.Price
			}
		}
		if !slices.Contains(out[i].Models, m.ID) {
			out[i].Models = append(out[i].Models, m.ID)
		}
		return &out[i]
	}
	var all int64
	for _, m := range p.Team {
		if m.Skip != "" || m.Model().ID == "" {
			continue
		}
		tokens := float64(m.Bytes) / bytesPerToken
		s := to(m.Model())
		s.Bytes += m.Bytes
		s.Tokens += int64(tokens)
		all += m.Bytes
		if _, info, ok := l.info(m.Model()); ok {
			s.CostUSD += (tokens*info.Input + float64(max(m.Parts, 1))*answerTokens*info.OutputPrice) / 1e6
		}
	}
	for _, m := range p.Team {
		if m.Skip != "" {
			continue
		}
		asked := []string{m.Model().Provider}
		for _, next := range m.Models[min(1, len(m.Models)):] {
			s := to(next)
			if !slices.Contains(asked, next.Provider) {
				s.Reserve += m.Bytes
				asked = append(asked, next.Provider)
			}
		}
	}
	if c := p.Coordinator; c != nil && all > 0 {
		for _, m := range c.Models {
			to(m)
		}
	}
	return out
}
