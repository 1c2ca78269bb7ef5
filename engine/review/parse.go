package review

import (
	"cmp"
	"fmt"
	"strings"
)

// ParseReport reads a report. It never fails: what is wrong is in Violations,
// and findings that do parse are kept whatever else is wrong.
func ParseReport(text string, opt ParseOptions) Report {
	opt.Blocking = cmp.Or(opt.Blocking, Critical)
	opt.FirstOrdinal = max(opt.FirstOrdinal, 1)
	p := &parser{opt: opt, book: newLabelBook(opt.Labels), ordinal: opt.FirstOrdinal}
	if strings.TrimSpace(text) == "" {
		p.violate("empty", 0, "the answer has no text")
		p.rep.Broken = true
		return p.rep
	}
	o := open(text, p.book)
	p.rep.Label, p.rep.LabelText = o.label, o.text
	p.findMarker(o)
	for _, l := range reshape(o.lines) {
		p.line(l)
	}
	p.closeFinding()
	p.closeGap()
	for _, s := range o.behind {
		p.leave(behindEnd, line{text: s})
	}
	p.noteRest()
	p.rep.Summary = p.summary.prose()
	p.judge(o)
	return p.rep
}

// parser walks a report line by line.
type parser struct {
	opt     ParseOptions
	book    labelBook
	rep     Report
	ordinal int

	second Label // the worst of further labels

	section      string // key of the section the line is in, "" before the first, sectionOther for one we do not know
	sectionLevel int    // of the heading of Findings
	hasFindings  bool   // a Findings section was opened
	hasGaps      bool
	none         bool // Findings says that there are none

	summary  block
	group    Severity // of the heading findings are grouped under
	file     Location // of the heading findings are grouped under
	cur      *draft
	gap      *block
	gapBlank bool // a blank line since the gap's last line
	noGaps   bool // the gaps section says that there are none

	rest []leftover // what is in none of the report's parts
}

// leftover is text that belongs to no part of a report: nothing a model says
// is lost.
type leftover struct {
	where string
	text  block
}

// Where leftovers stand.
const (
	inFindings = "the findings section says, in no finding"
	inOthers   = "in sections of its own the report says"
	behindGaps = "behind its gaps the report says"
	behindEnd  = "behind its end the report says"
)

// leave keeps a line that belongs to no part of the report.
func (p *parser) leave(where string, l line) {
	if n := len(p.rest); n > 0 && p.rest[n-1].where == where {
		p.rest[n-1].text = append(p.rest[n-1].text, l)
	} else if strings.TrimSpace(l.text) != "" {
		p.rest = append(p.rest, leftover{where, block{l}})
	}
}

// noteRest says what was left over.
func (p *parser) noteRest() {
	for _, r := range p.rest {
		if text := r.text.prose(); text != "" {
			p.note("%s: %s", r.where, text)
		}
	}
}

const sectionOther = "other"

func (p *parser) violate(code string, finding int, format string, args ...any) {
	p.rep.Violations = append(p.rep.Violations, Violation{Code: code, Finding: finding, Text: fmt.Sprintf(format, args...)})
}

func (p *parser) note(format string, args ...any) {
	p.rep.Notes = append(p.rep.Notes, fmt.Sprintf(format, args...))
}

// findMarker reads the "Read:" line: behind the label before the first
// finding, or before the label.
func (p *parser) findMarker(o opened) {
	try := func(s string) bool {
		m, ok := readMarker(s)
		if !ok {
			return false
		}
		p.rep.Marker = cmp.Or(p.rep.Marker, m)
		if p.opt.Marker != "" && strings.Contains(m, p.opt.Marker) {
			p.rep.Marker, p.rep.MarkerOK = p.opt.Marker, true
		}
		return p.rep.MarkerOK
	}
	for _, l := range o.lines {
		if h := asHeading(l.text); h.level > 0 && sectionNamed(h.text) == SectionFindings || l.mark == outside && try(l.text) {
			break
		}
	}
	if !p.rep.MarkerOK {
		for _, s := range o.before {
			if try(s) {
				break
			}
		}
	}
}

// line takes one line of the report.
func (p *parser) line(l line) {
	if l.mark != outside || len(l.text) > longestLine {
		if l.mark != stray {
			p.content(l)
		}
		return
	}
	if w, ok := p.book.alone(l.text); ok && p.rep.Label != "" {
		if w.label != p.rep.Label {
			p.second = WorseLabel(p.second, w.label)
			p.violate("second-label", 0, "the report has a second decision label, %q, beside %q: give one, on the first line", w.text, p.rep.LabelText)
		}
		return
	}
	if rule.MatchString(l.text) {
		return
	}
	if p.sectionLine(l) || p.findingLine(l) {
		return
	}
	p.content(l)
}

// sectionLine opens a section: a heading of any level, a bold line, or a name
// with a colon, with text behind it or not.
func (p *parser) sectionLine(l line) bool {
	h := asHeading(l.text)
	name, rest, level := h.text, "", h.level
	if level == 0 {
		key, text, bold, ok := splitKey(l.text)
		kind, _, _ := bullet(l.text)
		if !ok || kind != 0 || !bold && text != "" && p.cur != nil {
			return false
		}
		name, rest, level = key, text, 7
	} else if key, text, _, ok := splitKey(h.text); ok && text != "" {
		name, rest = key, text // "## Findings: None."
	}
	key := sectionNamed(name)
	if key == "" && rest != "" {
		key, rest = sectionNamed(h.text), ""
	}
	if key == "" {
		return p.unknownSection(l, h)
	}
	if key == SectionFindings && p.cur != nil && (rest != "" || p.within(name, level)) {
		return false // "**问题：** text" within a finding
	}
	p.closeFinding()
	p.closeGap()
	p.section, p.group, p.file = key, "", Location{}
	switch key {
	case SectionFindings:
		p.hasFindings, p.sectionLevel = true, level
	case SectionGaps:
		p.hasGaps = true
	}
	if strings.TrimSpace(rest) != "" {
		p.content(line{text: rest})
	}
	return true
}

// within reports whether a section's name is the name of a field here: below
// the current finding's heading.
func (p *parser) within(name string, level int) bool {
	_, field := fieldNamed(name)
	return field && p.section == SectionFindings && (level == 7 || p.cur.style == '#' && level > p.cur.level)
}

// unknownSection leaves the section when a heading of its own level or above
// starts something that is neither a finding nor a group of them.
func (p *parser) unknownSection(l line, h heading) bool {
	if h.level == 0 || h.level == 7 || p.section != SectionFindings && p.section != SectionGaps {
		return false
	}
	if _, _, tagged := taggedSeverity(h.text); tagged {
		return false
	}
	_, grouped := groupSeverity(h.text)
	_, field := fieldNamed(h.text)
	_, none := isNone(h.text)
	if grouped || field || none || p.section == SectionFindings && h.level > p.sectionLevel {
		return false
	}
	p.closeFinding()
	p.closeGap()
	p.section = sectionOther
	p.leave(inOthers, l)
	return true
}

// content adds a line to what it belongs to.
func (p *parser) content(l line) {
	switch {
	case p.cur != nil:
		p.cur.add(l)
	case p.section == SectionGaps:
		p.gapLine(l)
	case p.section == SectionFindings:
		if rest, none := isNone(l.text); none && l.mark == outside {
			p.none = true
			if rest != "" {
				p.note("behind %q the findings section says: %s", "None.", rest)
			}
			return
		}
		p.leave(inFindings, l)
	case p.section == sectionOther:
		p.leave(inOthers, l)
	case p.section == SectionSummary || p.section == "":
		if _, ok := readMarker(l.text); ok && l.mark == outside && p.rep.Marker != "" && strings.Contains(l.text, p.rep.Marker) {
			return
		}
		p.summary = append(p.summary, l)
	}
}

// gapLine takes a line of the gaps section: an item of a list, a paragraph,
// or more of the last one.
func (p *parser) gapLine(l line) {
	if strings.TrimSpace(l.text) == "" {
		p.gapBlank = true
		if p.gap == nil {
			p.leave(behindGaps, l)
		}
		return
	}
	kind, indent, rest := bullet(l.text)
	if _, none := isNone(l.text); none && l.mark == outside && p.gap == nil {
		p.noGaps = true
		return
	}
	starts := kind != 0 && indent < 2 && l.mark == outside
	indented := strings.HasPrefix(l.text, " ") || strings.HasPrefix(l.text, "\t")
	switch {
	case starts:
		p.closeGap()
		p.gap = &block{{text: rest}}
	case p.gap != nil && (!p.gapBlank || indented || l.mark != outside):
		*p.gap = append(*p.gap, l)
	case p.noGaps || len(p.rep.Gaps) > 0 || p.gap != nil:
		p.closeGap() // words of farewell behind the list
		p.leave(behindGaps, l)
	default:
		p.gap = &block{l}
	}
	p.gapBlank = false
}

func (p *parser) closeGap() {
	if p.gap == nil {
		return
	}
	text := p.gap.prose()
	p.gap = nil
	if _, none := isNone(text); none || text == "" {
		p.noGaps = true
		return
	}
	g := Gap{Text: text}
	bare := strings.TrimLeft(text, "*_` ")
	for _, tag := range []string{"[human]", "[人工]", "【human】", "【人工】"} {
		if len(bare) >= len(tag) && strings.EqualFold(bare[:len(tag)], tag) {
			g = Gap{Text: strings.TrimLeft(bare[len(tag):], "*_`:： "), Human: true}
			break
		}
	}
	p.rep.Gaps = append(p.rep.Gaps, g)
}

// judge says what is wrong with the report as a whole.
func (p *parser) judge(o opened) {
	if p.rep.Label == "" {
		p.rep.Broken = true
		p.violate("no-label", 0, "no line is one of the decision labels alone: %s", p.wordings())
	}
	switch {
	case !p.hasFindings:
		p.rep.Broken = true
		p.violate("no-findings", 0, "there is no section %q (%s)", SectionName(SectionFindings, English), SectionName(SectionFindings, Chinese))
	case len(p.rep.Findings) == 0 && !p.none:
		p.rep.Broken = true
		p.violate("no-findings", 0, `the section "Findings" (问题) has neither a finding ("### [severity] title") nor "None."`)
	}
	if !p.hasGaps {
		p.violate("no-gaps", 0, "there is no section %q (%s)", SectionName(SectionGaps, English), SectionName(SectionGaps, Chinese))
	}
	if p.opt.Marker != "" && !p.rep.MarkerOK {
		p.violate("no-marker", 0, "line 2 is not %q with the marker from the first line of the prompt", "Read: ")
	}
	if p.opt.Truncated {
		p.rep.Broken = true
		p.violate("truncated", 0, "the answer was cut at the length limit: hand in a shorter report, whole")
	} else if o.unclosed {
		p.violate("truncated", 0, "the report ends within a code fence: close it, or hand in the rest")
	}
	p.weigh()
}

// weigh compares the label with the findings: a label that blocks needs a
// finding that does, and a finding outweighs a label that passes. Of two
// labels the first is the report's, but neither can block without a word.
func (p *parser) weigh() {
	worst := Severity("")
	for _, f := range p.rep.Findings {
		worst = Worse(worst, Worse(f.Severity, f.ClampedFrom))
	}
	blocks := worst.AtLeast(p.opt.Blocking)
	switch {
	case p.rep.Label == Pass && blocks:
		p.note("the label %q stands beside a %s finding: the finding counts", p.rep.LabelText, worst)
	case WorseLabel(p.rep.Label, p.second) == Block && !blocks:
		f := Finding{
			ID: FindingID(p.opt.Reviewer, p.ordinal), Reviewer: p.opt.Reviewer, Ordinal: p.ordinal, Synthetic: true,
			Severity:     p.opt.Blocking,
			Title:        "the label blocks, no finding says why",
			Observation:  fmt.Sprintf("A decision label of the report blocks, and none of its findings is %s or worse.", p.opt.Blocking),
			Inference:    "The reviewer holds back a reason, or chose the wrong label.",
			Judgment:     "A person has to read the report. Contract: a label that blocks needs a finding that does.",
			Verification: "Read the reviewer's own text.",
		}
		p.clamp(&f)
		p.rep.Findings = append(p.rep.Findings, f)
		p.note("%s", f.Title)
	}
}

// clamp lowers a finding to the persona's cap and says so.
func (p *parser) clamp(f *Finding) {
	if p.opt.Cap == "" || f.Severity.Rank() <= p.opt.Cap.Rank() {
		return
	}
	f.ClampedFrom, f.Severity = f.Severity, p.opt.Cap
	p.note("finding %d: %s lowered to %s, the highest this persona may give", f.Ordinal, f.ClampedFrom, f.Severity)
}

// wordings lists the labels that would have been understood.
func (p *parser) wordings() string {
	var out []string
	for _, t := range p.opt.Labels {
		out = append(out, strings.Join([]string{t.Pass, t.Concerns, t.Block}, " | "))
	}
	return strings.Join(out, "; ")
}
