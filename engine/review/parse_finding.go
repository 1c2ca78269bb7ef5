package review

import (
	"cmp"
	"strings"
)

// draft is a finding while its lines come in.
type draft struct {
	severity Severity
	title    string
	style    byte     // '#' heading, '*' bold line, '-' list item, '1' numbered item, 'p' paragraph
	level    int      // of a heading
	file     Location // of the heading it stands under, if that names a file
	key      string
	before   block    // text before the first field
	left     []string // what is said in no field
	fields   map[string]*block
}

func (d *draft) add(l line) {
	if b := d.fields[d.key]; b != nil {
		*b = append(*b, l)
		return
	}
	d.before = append(d.before, l)
}

// field starts a field, or goes on with one that was there before.
func (d *draft) field(key, rest string) {
	d.key = key
	b := d.fields[key]
	if b == nil {
		b = &block{}
		d.fields[key] = b
	}
	if strings.TrimSpace(rest) != "" {
		*b = append(*b, line{text: strings.TrimSpace(rest)})
	}
}

// heads reports whether the draft is a heading and nothing else yet: it may
// stand above findings.
func (d *draft) heads() bool {
	return d != nil && (d.style == '#' || d.style == '*') && d.severity == "" && len(d.fields) == 0 && d.before.prose() == ""
}

// findingLine takes a line that starts a group, a finding, or a field of one.
func (p *parser) findingLine(l line) bool {
	h := asHeading(l.text)
	if p.section != SectionFindings {
		// outside of Findings only the grammar's own heading starts one
		if h.level > 0 {
			if sev, title, ok := taggedSeverity(h.text); ok {
				p.start(draft{severity: sev, title: title, style: '#', level: h.level})
				return true
			}
		}
		if p.cur == nil {
			return false
		}
	}
	if h.level > 0 {
		return p.headingLine(l, h)
	}
	if p.fieldLine(l) {
		return true
	}
	return p.section == SectionFindings && p.itemLine(l)
}

// headingLine takes a heading or bold line within Findings.
func (p *parser) headingLine(l line, h heading) bool {
	if f, ok := fieldNamed(h.text); ok && p.cur != nil && (h.level == 7 || h.level > p.cur.level || p.cur.style != '#') {
		p.cur.field(f.Key, "")
		return true
	}
	if h.level == 7 && p.cur != nil {
		if f, rest, ok := splitField(h.text); ok { // **Location: path**
			p.cur.field(f.Key, rest)
			return true
		}
	}
	if sev, ok := groupSeverity(h.text); ok {
		p.closeFinding()
		p.group, p.file = sev, Location{}
		return true
	}
	if _, none := isNone(h.text); none && p.cur == nil {
		p.none = true
		return true
	}
	sev, title, ok := headSeverity(h.text)
	if !ok && h.level == 7 && p.cur != nil && p.cur.style != '*' {
		return false // a line in bold within a finding
	}
	if !ok && p.cur != nil && p.cur.style == '#' && h.level < 7 && h.level > p.cur.level && !p.cur.heads() {
		return false // a heading within a finding
	}
	style := byte('#')
	if h.level == 7 {
		style = '*'
	}
	p.start(draft{severity: sev, title: title, style: style, level: h.level})
	return true
}

// fieldLine takes "key: text" within a finding.
func (p *parser) fieldLine(l line) bool {
	if p.cur == nil {
		return false
	}
	f, rest, ok := splitField(l.text)
	if !ok {
		return false
	}
	if kind, indent, item := bullet(l.text); kind != 0 && indent == 0 && len(p.cur.fields) == 0 && kind == p.cur.style {
		if _, _, ok := headSeverity(item); ok { // "- Suggestion: rename" behind "- Warning: ..."
			return false
		}
	}
	p.cur.field(f.Key, rest)
	return true
}

// itemLine takes a list item or paragraph that starts a finding.
func (p *parser) itemLine(l line) bool {
	kind, indent, rest := bullet(l.text)
	if kind == 0 {
		return p.paragraphLine(l)
	}
	if indent > 1 {
		return false
	}
	if _, none := isNone(rest); none && p.cur == nil {
		p.none = true
		return true
	}
	sev, title, tagged := headSeverity(rest)
	under := p.cur.heads() && (tagged || fileHeading(p.cur.title))
	if p.cur != nil && !under && p.cur.style != kind {
		_, _, tagged = taggedSeverity(rest) // "- Note: ..." is said within a finding
	}
	if !tagged && !under && p.cur != nil && (p.cur.style != kind || len(p.cur.fields) > 0 && kind == '-') {
		return false // an item within the current finding
	}
	p.start(draft{severity: sev, title: title, style: kind})
	return true
}

// paragraphLine takes a paragraph that starts a finding: with a severity in
// brackets, or, unless it is said within a finding of another form, in bold
// with a number or a severity, or with a coloured sign.
func (p *parser) paragraphLine(l line) bool {
	if strings.HasPrefix(l.text, "   ") {
		return false
	}
	sev, title, ok := taggedSeverity(l.text)
	style := byte('p')
	if m := boldLead.FindStringSubmatch(l.text); !ok && m != nil {
		sev, title, ok = headSeverity(m[1] + " " + m[2])
		ok, style = ok || numberLead.MatchString(m[1]), 'b'
	} else if !ok {
		if sev, ok = signedSeverity(strings.TrimSpace(l.text)); ok {
			_, title, _ = headSeverity(l.text)
			style = 's'
		}
	}
	if !ok || style != 'p' && p.cur != nil && p.cur.style != style {
		return false
	}
	p.start(draft{severity: sev, title: title, style: style})
	return true
}

// fileHeading reports whether a heading names a file and nothing else.
func fileHeading(title string) bool {
	loc, ok := ParseLocation(title)
	return ok && strings.Trim(title, "`*_ ") == loc.Path && strings.ContainsAny(loc.Path, "./")
}

func (p *parser) start(d draft) {
	if above := p.cur; above.heads() && (d.level == 0 || d.level > above.level) {
		p.cur = nil // a heading above findings
		p.file = Location{}
		if fileHeading(above.title) {
			p.file, _ = ParseLocation(above.title)
		} else {
			p.leave(inFindings, line{text: above.title})
		}
	}
	p.closeFinding()
	d.fields = map[string]*block{}
	d.severity, d.file = Severity(cmp.Or(string(d.severity), string(p.group))), p.file
	p.cur = &d
}

// closeFinding turns the draft into a finding.
func (p *parser) closeFinding() {
	d := p.cur
	if d == nil {
		return
	}
	p.cur = nil
	f := Finding{ID: FindingID(p.opt.Reviewer, p.ordinal), Reviewer: p.opt.Reviewer, Ordinal: p.ordinal, Severity: d.severity, Title: d.title}
	p.ordinal++
	p.settleTitle(&f, d)
	p.fill(&f, d)
	for _, field := range fields {
		if _, given := d.fields[field.Key]; !field.Required || given && (field.Form == Place || f.Text(field.Key) != "") {
			continue
		}
		f.Missing = append(f.Missing, field.Key)
		p.violate("missing-field", f.Ordinal, "finding %d has no %s (%s)", f.Ordinal, field.Name[English], field.Name[Chinese])
	}
	p.clamp(&f)
	p.rep.Findings = append(p.rep.Findings, f)
}
