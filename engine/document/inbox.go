package document

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

// InboxSchema names the front matter of an inbox file.
const InboxSchema = "mrv.inbox.v1"

// front is the front matter: what a script needs to know without reading
// prose, and nothing that rots. Whether it is stale is computed, not stored.
type front struct {
	Schema       string   `yaml:"schema"`
	Source       string   `yaml:"source"`
	Repository   string   `yaml:"repository"`
	PR           *int     `yaml:"pr"`
	ReviewedHead string   `yaml:"reviewed_head"`
	Tree         string   `yaml:"reviewed_tree,omitempty"`
	Patch        string   `yaml:"reviewed_patch,omitempty"`
	Base         string   `yaml:"base"`
	MergeBase    string   `yaml:"merge_base"`
	Models       []string `yaml:"models"`
	Agent        string   `yaml:"agent"`
	Tier         string   `yaml:"tier"`
	Verdict      string   `yaml:"verdict"`
	Complete     bool     `yaml:"complete"`
	Missing      []string `yaml:"missing"`
	Undecided    int      `yaml:"undecided"`
	Escalated    int      `yaml:"escalated"`
	TriagedBy    []string `yaml:"triaged_by"`
	RulesSHA     string   `yaml:"rules_sha"`
	SkillSHA     string   `yaml:"skill_sha"`
	ReadMarker   string   `yaml:"read_marker"`
	Run          string   `yaml:"run"`
	WrittenAt    string   `yaml:"written_at"`
}

func (d Document) front() front {
	c := d.Change
	f := front{
		Schema: InboxSchema, Source: string(c.Source), Repository: c.FullName(), ReviewedHead: c.Head, Base: c.Base, MergeBase: c.MergeBase,
		Models: d.Models, Agent: d.Agent, Tier: d.Tier, Verdict: string(d.Verdict), Complete: d.Complete, Missing: d.Missing,
		Undecided: d.Counts.Undecided, Escalated: d.Counts.Escalated, TriagedBy: d.TriagedBy, RulesSHA: d.Rules.SHA, SkillSHA: d.Rules.Skill,
		ReadMarker: d.Read.Marker, Run: d.Run, WrittenAt: d.WrittenAt,
	}
	switch c.Source {
	case event.FromPR:
		f.PR = &c.Number
	case event.FromWorktree:
		f.Tree = c.Identity
	case event.FromPatch, event.FromDemo:
		f.Patch = c.Identity
	}
	return f
}

// FullName is owner/repo, with the host in front where it is not github.com.
func (c Change) FullName() string {
	if c.Host == "" || c.Host == "github.com" || c.Repository == "" {
		return c.Repository
	}
	return c.Host + "/" + c.Repository
}

// Inbox is the document for a coding agent. Accepted findings are open,
// escalated and rejected ones named, undecided ones only counted.
func Inbox(d Document) (string, error) {
	d = d.Triaged()
	w := wordsIn(d.Lang)
	head, err := yaml.Marshal(d.front())
	if err != nil {
		return "", fmt.Errorf("writing the front matter: %w", err)
	}
	p := page{}
	p.add("---\n" + string(head) + "---")
	p.add("# " + fmt.Sprintf(w.title, CodeSpan(d.Change.Name)))
	p.add(protocol(d, w))

	open := d.With(Open)
	p.add(fmt.Sprintf("## "+w.open, len(open)))
	if len(open) == 0 {
		p.add(w.none)
	}
	for _, f := range open {
		p.add(fmt.Sprintf("### %s (%s)", CodeSpan(f.ID), w.severity[f.Severity]))
		p.add(finding(d, f, w, true)...)
	}
	p.add(settled(d, w)...)
	p.add(limits(d, w)...)
	p.add(summary(d, w)...)
	p.add("## "+w.run, runLines(d, w))
	return p.String(), nil
}

// protocol is the first thing in the file: four lines.
func protocol(d Document, w words) string {
	var first string
	switch c := d.Change; c.Source {
	case event.FromPR:
		first = fmt.Sprintf(w.headPR, c.Head, c.Number)
	case event.FromWorktree:
		first = fmt.Sprintf(w.headTree, c.Identity)
	case event.FromPatch:
		first = fmt.Sprintf(w.headPatch, c.Identity)
	case event.FromDemo:
		first = w.headDemo
	default:
		first = fmt.Sprintf(w.headBranch, c.Head)
	}
	return "1. " + first + "\n2. " + w.data + "\n3. " + w.each + "\n4. " + fmt.Sprintf(w.answer, d.Stem()+".answers.jsonl")
}

// finding is the body of one finding. forAgent adds what only the builder may
// read: notes to it and the lines proposed.
func finding(d Document, f Finding, w words, forAgent bool) []string {
	p := page{}
	p.add("- " + w.place + ": " + place(f, w))
	if q := quoted(f); q != "" {
		p.add(behind(Code("", q)))
	}
	p.add(Quote("**" + Line(f.Title) + "**"))
	for _, x := range []struct{ name, text string }{{w.judgment, f.Judgment}, {w.observation, f.Observation}, {w.inference, f.Inference}} {
		p.add("**"+x.name+"**", orElse(Quote(x.text), w.notGiven))
	}
	if n := f.Note; n != nil && forAgent == (n.To != "author") {
		p.add("**"+fmt.Sprintf(w.note, handle(n.By))+"**", Neutralise(n.Text))
	}
	if a := f.Answer; a != nil && forAgent {
		p.add("**"+fmt.Sprintf(w.builderSaid, Line(a.Outcome), Line(review.Say(d.Lang, string(a.Standing))))+"**", Quote(a.Note))
	}
	if f.Fix != "" {
		p.add("**"+w.fix+"**", Quote(f.Fix))
	}
	if f.Replacement != "" && forAgent {
		p.add("**"+w.replacement+"**", behind(Code("", f.Replacement)))
	}
	if f.Verification != "" {
		p.add("**"+w.verification+"**", Quote(f.Verification))
	}
	p.add(foundBy(d, f, w))
	return p
}

// place names the place; the numbers are a hint only.
func place(f Finding, w words) string {
	if f.Place.Path == "" {
		return w.none
	}
	where := CodeSpan(review.Location{Path: f.Place.Path, Start: f.Place.Start, End: f.Place.End}.String())
	if f.Place.Side == diff.Left {
		where += " (" + w.oldSide + ")"
	}
	if quoted(f) != "" {
		where += " (" + w.find + ")"
	}
	return where
}

// quoted is the text to find the place by.
func quoted(f Finding) string {
	return cmp.Or(strings.Trim(f.Quote, "\n"), f.Place.Text)
}

func foundBy(d Document, f Finding, w words) string {
	parts := []string{"- " + w.foundBy + ": " + authors(f) + " (" + fmt.Sprintf(w.confirmed, len(f.Reviewers), d.team(), len(f.Models)) + ")"}
	if f.Analyser {
		parts[0] += "; " + w.analyser
	}
	if f.Reworded != "" {
		parts[0] += "; " + fmt.Sprintf(w.reworded, Line(f.Reworded))
	}
	if len(f.Dissent) > 0 {
		parts = append(parts, "- "+w.dissent+": "+Line(strings.Join(f.Dissent, "; ")))
	}
	if len(f.Silent) > 0 {
		parts = append(parts, "- "+w.silent+": "+Line(strings.Join(f.Silent, ", ")))
	}
	return strings.Join(parts, "\n")
}

// team is how many reviewers took part.
func (d Document) team() int {
	n := 0
	for _, m := range d.Members {
		if m.Status != event.StatusSkipped {
			n++
		}
	}
	return n
}

// authors are the reviewers with their models: "security-1 (acme/strong)".
func authors(f Finding) string {
	model := map[string]string{}
	for _, r := range f.Reports {
		model[r.Reviewer] = r.Model
	}
	var out []string
	for _, name := range f.Reviewers {
		if m := model[name]; m != "" {
			name += " (" + m + ")"
		}
		out = append(out, Line(name))
	}
	return strings.Join(out, ", ")
}

// settled are the findings that must not be touched or fixed.
func settled(d Document, w words) []string {
	p := page{}
	if list := d.With(Escalated); len(list) > 0 {
		p.add(fmt.Sprintf("## "+w.escalated, len(list)))
		for _, f := range list {
			p.add(fmt.Sprintf("- %s (%s): %s, %s: %s", CodeSpan(f.ID), w.severity[f.Severity], place(f, w), fmt.Sprintf(w.to, Line(f.Decision.To)), Line(f.Decision.Note)))
			p.add(Quote("**" + Line(f.Title) + "**"))
		}
	}
	if list := d.With(Rejected); len(list) > 0 {
		p.add(fmt.Sprintf("## "+w.rejected, len(list)))
		var lines []string
		for _, f := range list {
			why := Line(review.Say(d.Lang, string(f.Decision.Reason)))
			if f.Decision.Note != "" {
				why += ": " + Line(f.Decision.Note)
			}
			lines = append(lines, "- "+CodeSpan(f.ID)+": "+why)
		}
		p.add(strings.Join(lines, "\n"))
	}
	return p
}

// limits say what nobody has checked.
func limits(d Document, w words) []string {
	p := page{}
	if len(d.Gaps) > 0 {
		p.add(fmt.Sprintf("## "+w.gaps, len(d.Gaps)))
		for _, g := range d.Gaps {
			by := cmp.Or(g.Reviewer, w.byMRV)
			if g.Human {
				by += ", " + w.human
			}
			p.add("- "+Line(by)+":", Quote(saidBy(g, d.Lang)))
		}
	}
	for _, x := range []struct {
		title string
		files []File
	}{{w.unread, d.Unread}, {w.filtered, d.Filtered}} {
		if len(x.files) == 0 {
			continue
		}
		p.add(fmt.Sprintf("## "+x.title, len(x.files)))
		var lines []string
		for _, f := range x.files {
			lines = append(lines, "- "+CodeSpan(f.Path)+": "+Line(review.Say(d.Lang, f.Reason)))
		}
		p.add(strings.Join(lines, "\n"))
	}
	return p
}

func summary(d Document, w words) []string {
	switch {
	case d.Summary.Text != "":
		note := w.summaryNote
		if d.Summary.Model != "" {
			note = Line(d.Summary.Model) + ", " + note
		}
		return []string{"## " + w.summary, "(" + note + ")", Quote(d.Summary.Text)}
	case d.Summary.Error != "":
		return []string{"## " + w.summary, "(" + w.summaryFailed + ": " + Line(review.Say(d.Lang, d.Summary.Error)) + "; " + w.deterministic + ")"}
	}
	return nil
}

// runLines say who reviewed and how it went.
func runLines(d Document, w words) string {
	lines := []string{fmt.Sprintf("- %s, mrv %s, %s: %s", CodeSpan(d.Run), Line(d.Version), Line(d.Agent), CodeSpan(string(d.Verdict)))}
	if d.Banner != "" {
		lines = append(lines, "- "+Line(review.Say(d.Lang, d.Banner)))
	}
	for _, m := range d.Members {
		lines = append(lines, "- "+memberLine(m, d.Lang))
	}
	for _, h := range d.Holds {
		lines = append(lines, "- "+w.human+": "+Line(review.Say(d.Lang, h.Text)))
	}
	if n := d.Counts.Undecided; n > 0 {
		lines = append(lines, "- "+fmt.Sprintf(w.undecided, n))
	}
	return strings.Join(lines, "\n")
}

// saidBy is a gap's text: mrv's own in the document's language.
func saidBy(g Gap, lang review.Lang) string {
	if g.Reviewer != "" {
		return g.Text
	}
	return review.Say(lang, g.Text)
}

func memberLine(m Reviewer, lang review.Lang) string {
	parts := []string{m.Name}
	if m.Model != "" {
		parts = append(parts, "("+strings.TrimSpace(m.Model+" "+m.Variant)+")")
	}
	line := strings.Join(parts, " ") + ": " + review.Say(lang, string(m.Status))
	if m.Said != "" {
		line += ", " + m.Said
	}
	if m.Why != "" {
		line += ": " + review.Say(lang, m.Why)
	}
	return Line(line)
}

// handle is a person's name, never a mention.
func handle(login string) string { return Line(cmp.Or(login, event.Own)) }

// CodeSpan puts a short text into backticks, whatever is in it.
func CodeSpan(s string) string {
	s = strings.ReplaceAll(reveal(s), "\n", "<U+000A>")
	s = strings.ReplaceAll(s, "<!--", "<! --")
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	if longest == 0 && strings.TrimSpace(s) != "" {
		return "`" + s + "`"
	}
	bar := strings.Repeat("`", longest+1)
	return bar + " " + s + " " + bar
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// page is a document's blocks, which stand apart by an empty line.
type page []string

func (p *page) add(blocks ...string) {
	for _, b := range blocks {
		if b != "" {
			*p = append(*p, b)
		}
	}
}

func (p page) String() string { return strings.Join(p, "\n\n") + "\n" }
