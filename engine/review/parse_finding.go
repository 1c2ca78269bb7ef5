package review

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// draft is a finding while its lines come in.
type draft struct {
	severity Severity
	title    string
	style    byte // '#' heading, '*' bold line, '-' list item, '1' numbered item, 'p' paragraph
	level    int  // of a heading
	key      string
	before   block // text before the first field
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

var (
	findingWord  = regexp.MustCompile(`(?i)^(?:finding|issue|problem|问题|发现)?[ \t]*#?[(（]?(?:\d{1,3}|[FIfi]\d{1,3}|[一二三四五六七八九十]{1,3})[ \t]*(?:[.)）、．:：]|[-–—|](?:[ \t]|$)|[ \t])[ \t]*`)
	tagInFront   = regexp.MustCompile(`^[\[【(（][ \t]*(?:(?i:severity)[ \t]*[:：][ \t]*)?([^\]】)）\n]{1,20}?)[ \t]*[\]】)）](.*)$`)
	wordInFront  = regexp.MustCompile(`^([A-Za-z0-9-]+(?: fix)?|[\p{Han}]{1,3})[ \t]*(?:[:：|·]|[-–—](?:[ \t]))[ \t]*(.+)$`)
	tagBehind    = regexp.MustCompile(`^(.*\S)[ \t]*[\[【(（][ \t]*(?:(?i:severity)[ \t]*[:：][ \t]*)?([^\]】)）(（\[\n]{1,20}?)[ \t]*[\]】)）]$`)
	titleLead    = regexp.MustCompile(`^[ \t:：\-–—|·*]+`)
	placeInTitle = regexp.MustCompile("`?([\\w./@+-]+\\.\\w+(?::|#L)\\d+(?:-L?\\d+)?)`?")
)

func ornament(r rune) bool {
	return r == '*' || r == '\ufe0f' || unicode.IsSpace(r) || unicode.Is(unicode.So, r) // So: emoji
}

// undress takes emphasis, emoji and numbers off the front of a heading.
func undress(s string) string {
	s = strings.TrimLeftFunc(s, ornament)
	s = strings.TrimLeftFunc(findingWord.ReplaceAllString(s, ""), ornament)
	if strings.HasPrefix(s, "`[") { // `[critical]` title
		s = strings.Replace(s[1:], "`", "", 1)
	}
	return s
}

// taggedSeverity reads a heading with a severity in brackets before its title.
func taggedSeverity(s string) (Severity, string, bool) {
	rest := undress(s)
	for range 3 { // "[security][critical] title"
		m := tagInFront.FindStringSubmatch(rest)
		if m == nil {
			return "", "", false
		}
		if sev, ok := ParseSeverity(strings.Trim(m[1], "*_` ")); ok {
			return sev, cleanTitle(m[2]), true
		}
		rest = undress(m[2])
	}
	return "", "", false
}

// headSeverity reads a finding's heading in any of the forms models use:
// "[critical] title", "Critical: title", "title (critical)".
func headSeverity(s string) (Severity, string, bool) {
	if sev, title, ok := taggedSeverity(s); ok {
		return sev, title, true
	}
	rest := strings.ReplaceAll(undress(s), "**", "")
	if m := wordInFront.FindStringSubmatch(rest); m != nil {
		if sev, ok := ParseSeverity(m[1]); ok {
			return sev, cleanTitle(m[2]), true
		}
	}
	if m := tagBehind.FindStringSubmatch(cleanTitle(rest)); m != nil {
		if sev, ok := ParseSeverity(m[2]); ok {
			return sev, cleanTitle(m[1]), true
		}
	}
	return "", cleanTitle(rest), false
}

func cleanTitle(s string) string {
	s = titleLead.ReplaceAllString(s, "")
	s = strings.TrimRight(s, "* \t")
	if strings.Count(s, "**") == 1 {
		s = strings.Replace(s, "**", "", 1)
	}
	return strings.TrimSpace(s)
}

// groupSeverity reads a heading that is a severity and nothing else, above the
// findings of that severity: "Blocking issues (1)".
func groupSeverity(s string) (Severity, bool) {
	if strings.HasPrefix(undress(s), "[") {
		return "", false
	}
	called := names(s)
	sev, ok := ParseSeverity(plain(called[0]))
	for _, n := range called[1:] {
		if ok {
			break
		}
		sev, ok = ParseSeverity(plain(n))
	}
	if title := called[len(called)-1]; ok && strings.ContainsAny(called[0], "|｜/") {
		_, ok = ParseSeverity(plain(title)) // "P2 | title" is a finding, "critical / 严重" is none
	}
	return sev, ok
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
		p.group = sev
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
		sev, title, ok := taggedSeverity(l.text)
		if !ok || strings.HasPrefix(l.text, "   ") {
			return false
		}
		p.start(draft{severity: sev, title: title, style: 'p'})
		return true
	}
	if indent > 1 {
		return false
	}
	if _, none := isNone(rest); none && p.cur == nil {
		p.none = true
		return true
	}
	sev, title, tagged := headSeverity(rest)
	if !tagged && p.cur != nil && (p.cur.style != kind || len(p.cur.fields) > 0 && kind == '-') {
		return false // an item within the current finding
	}
	p.start(draft{severity: sev, title: title, style: kind})
	return true
}

func (p *parser) start(d draft) {
	p.closeFinding()
	d.fields = map[string]*block{}
	d.severity = Severity(cmp.Or(string(d.severity), string(p.group)))
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
	if b := d.fields[keyTitle]; b != nil { // "### Finding 1" with a title of its own
		f.Title = cmp.Or(strings.Join(strings.Fields(b.prose()), " "), f.Title)
	}
	if f.Title == "" {
		p.violate("missing-field", f.Ordinal, "finding %d has no title behind its severity", f.Ordinal)
	}
	p.fill(&f, d)
	p.settleSeverity(&f, d)
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

// fill sets the finding's fields from the draft's texts.
func (p *parser) fill(f *Finding, d *draft) {
	if before := d.before.prose(); before != "" {
		text := before
		if b := d.fields[KeyObservation]; b != nil {
			text += "\n\n" + b.prose()
		}
		d.fields[KeyObservation] = &block{{text: text}}
	}
	p.place(f, d)
	for _, field := range slices.Concat(fields, extraFields) {
		b, target := d.fields[field.Key], f.text(field.Key)
		if b == nil || target == nil || field.Key == keyRule && !p.opt.Rules {
			continue
		}
		if field.Form == Code {
			*target = b.code()
		} else {
			*target = b.prose()
		}
		if _, none := isNone(*target); none && !field.Required {
			*target = ""
		}
	}
}

// place reads the location from its field, with lines given apart, or from
// the title when there is no field.
func (p *parser) place(f *Finding, d *draft) {
	b := d.fields[KeyLocation]
	if b == nil {
		if m := placeInTitle.FindStringSubmatch(d.title); m != nil {
			if loc, ok := ParseLocation(m[1]); ok {
				f.Location = loc
				d.fields[KeyLocation] = &block{{text: m[1]}}
			}
		}
		return
	}
	text := strings.TrimSpace(b.prose())
	_, _, text = bullet(text)
	if text == "" {
		delete(d.fields, KeyLocation)
		return
	}
	if lines := d.fields[keyLines]; lines != nil {
		if loc, ok := ParseLocation(text); ok && loc.Start == 0 && loc.Path != "" {
			text = loc.Path + ":" + strings.TrimLeft(lines.prose(), "L`# ")
		}
	}
	loc, ok := ParseLocation(text)
	if !ok {
		p.violate("bad-location", f.Ordinal, "finding %d: the Location (位置) is not of the form path:12-14, path, or none", f.Ordinal)
	}
	f.Location = loc
}

// settleSeverity takes a severity given as a field, and says when there is none.
func (p *parser) settleSeverity(f *Finding, d *draft) {
	if b := d.fields[keySeverity]; b != nil && f.Severity == "" {
		f.Severity, _ = ParseSeverity(plain(b.prose()))
	}
	if f.Severity == "" {
		f.Severity = Warning
		p.violate("bad-severity", f.Ordinal, "finding %d has no severity: its heading starts with [critical], [warning] or [suggestion]", f.Ordinal)
	}
}
