package review

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
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

var (
	findingWord = regexp.MustCompile(`(?i)^(?:finding|issue|problem|问题|发现)?[ \t]*#?[(（]?(?:(?:\d{1,3}\.){0,2}\d{1,3}|[FIfi]\d{1,3}|[一二三四五六七八九十]{1,3})[ \t]*(?:[.)）、．:：]|[-–—|](?:[ \t]|$)|[ \t])[ \t]*`)
	tagInFront  = regexp.MustCompile(`^[\[［【「『(（][ \t]*(?:(?i:severity)[ \t]*[:：][ \t]*)?([^\]］】」』)）\n]{1,20}?)[ \t]*[\]］】」』)）](.*)$`)
	wordInFront = regexp.MustCompile(`^([A-Za-z0-9-]+(?:[ \t](?i:fix|severity|priority|risk|issue|finding))?|[\p{Han}]{1,5})[ \t]*(?:[:：|·]|[-–—](?:[ \t]))[ \t]*(.+)$`)
	tagBehind   = regexp.MustCompile(`^(.*\S)[ \t]*[\[［【(（][ \t]*(?:(?i:severity)[ \t]*[:：][ \t]*)?([^\]］】)）(（\[\n]{1,120}?)[ \t]*[\]］】)）]$`)
	tagParts    = regexp.MustCompile(`[ \t]*[,，、;；|/·][ \t]*`)
	// placeLead is a place in front of what is said of it.
	placeLead    = regexp.MustCompile("^(`[^`\n]{1,200}`|[\\w./@+-]+\\.\\w+(?::\\d+(?:-\\d+)?)?|(?i:lines?[ \t]*|L)\\d+(?:[ \t]*[-–~][ \t]*L?\\d+)?|第[ \t]*\\d+(?:[-–~至到]\\d+)?[ \t]*行)[ \t]*[:：,，–—-]?[ \t]*")
	lineLead     = regexp.MustCompile(`^(?i:lines?[ \t]*|L|第[ \t]*)(\d+)(?:[ \t]*[-–~至到][ \t]*L?(\d+))?`)
	boldLead     = regexp.MustCompile(`^ {0,3}(?:\*\*|__)([^*_\s].*?)(?:\*\*|__)[ \t]*(\S.*)$`)
	numberLead   = regexp.MustCompile(`^#?\d{1,3}[.)、:：][ \t]*\S`)
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
	if sev, title, ok := wordSeverity(rest); ok {
		return sev, title, true
	}
	if m := placeLead.FindStringSubmatch(rest); m != nil {
		for _, read := range []func(string) (Severity, string, bool){taggedSeverity, wordSeverity} {
			if sev, title, ok := read(rest[len(m[0]):]); ok {
				return sev, cleanTitle(m[1] + " " + title), true
			}
		}
	}
	if m := tagBehind.FindStringSubmatch(cleanTitle(rest)); m != nil {
		if sev, others, ok := severityAmong(m[2]); ok {
			return sev, cleanTitle(m[1] + others), true
		}
	}
	sev, ok := signedSeverity(numberLeading.ReplaceAllString(s, ""))
	return sev, cleanTitle(rest), ok
}

// numberLeading is the number of a heading or an item.
var numberLeading = regexp.MustCompile(`^[#*_ \t]*(?:\d{1,3}[.)、:：])?[ \t]*`)

// wordSeverity reads "Critical: title".
func wordSeverity(s string) (Severity, string, bool) {
	if m := wordInFront.FindStringSubmatch(s); m != nil {
		if sev, ok := ParseSeverity(m[1]); ok {
			return sev, cleanTitle(m[2]), true
		}
	}
	return "", "", false
}

// severityAmong finds the severity among what stands in brackets behind a
// title, "(`a.go:12`, critical)", and returns the rest in brackets again.
func severityAmong(s string) (Severity, string, bool) {
	parts := tagParts.Split(s, -1)
	for i, part := range parts {
		if sev, ok := ParseSeverity(part); ok {
			if others := slices.Delete(parts, i, i+1); len(others) > 0 {
				return sev, " (" + strings.Join(others, ", ") + ")", true
			}
			return sev, "", true
		}
	}
	return "", "", false
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
			p.leave("the findings section says, in no finding", line{text: above.title})
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

// settleTitle takes the title from its field, "### Finding 1" with a title of
// its own, or, behind a lone severity, from the line below it.
func (p *parser) settleTitle(f *Finding, d *draft) {
	if b := d.fields[keyTitle]; b != nil {
		if title := strings.Join(strings.Fields(b.prose()), " "); title != "" {
			if !onlyNumber.MatchString(f.Title) {
				d.spare(f.Title)
			}
			f.Title = title
		}
	}
	for f.Title == "" && len(d.before) > 0 && d.before[0].mark == outside && len(d.before[0].text) <= 200 {
		f.Title = cleanTitle(d.before[0].text)
		d.before = d.before[1:]
	}
	if f.Title == "" {
		p.violate("missing-field", f.Ordinal, "finding %d has no title behind its severity", f.Ordinal)
	}
}

// onlyNumber matches a heading that counts the finding and says no more.
var onlyNumber = regexp.MustCompile(`(?i)^(?:finding|issue|problem|问题|发现)?[ \t]*#?\d*$`)

// spare keeps what a finding says in none of its fields, for its observation.
func (d *draft) spare(text string) {
	if text = strings.TrimSpace(text); text != "" {
		d.left = append(d.left, text)
	}
}

// fill sets the finding's fields from the draft's texts.
func (p *parser) fill(f *Finding, d *draft) {
	p.place(f, d)
	p.settleSeverity(f, d)
	for _, field := range slices.Concat(fields, extraFields) {
		b, target := d.fields[field.Key], f.text(field.Key)
		if b == nil || target == nil {
			continue
		}
		if field.Key == keyRule && !p.opt.Rules {
			d.spare(field.Name[English] + ": " + b.prose())
			continue
		}
		if field.Form == Code {
			*target = b.code()
			d.spare(b.around())
		} else {
			*target = b.prose()
		}
		if _, none := isNone(*target); none && !field.Required {
			*target = ""
		}
	}
	paragraphs := append([]string{d.before.prose(), f.Observation}, d.left...)
	f.Observation = strings.Join(slices.DeleteFunc(paragraphs, func(s string) bool { return s == "" }), "\n\n")
}

// place reads the location from its field, with lines given apart, or from
// the title when there is no field.
func (p *parser) place(f *Finding, d *draft) {
	text := d.placeText()
	if text == "" {
		delete(d.fields, KeyLocation)
		return
	}
	loc, ok := ParseLocation(text)
	if !ok {
		p.violate("bad-location", f.Ordinal, "finding %d: the Location (位置) is not of the form path:12-14, path, or none", f.Ordinal)
	}
	f.Location = loc
	if b := d.fields[KeyLocation]; b != nil && saysMore(b.prose(), loc) {
		d.spare("Location: " + b.prose())
	}
	d.fields[KeyLocation] = &block{{text: text}}
}

// placeText is what a draft says of its place.
func (d *draft) placeText() string {
	lines := d.fields[keyLines]
	where := ""
	if lines != nil {
		first, rest, _ := strings.Cut(lines.prose(), "\n")
		where = strings.TrimLeft(first, "L`# ")
		d.spare(rest)
	}
	b := d.fields[KeyLocation]
	if b == nil {
		if m := placeInTitle.FindStringSubmatch(d.title); m != nil {
			return m[1]
		}
		if d.file.Path == "" {
			d.spare(where)
			return ""
		}
		if m := lineLead.FindStringSubmatch(strings.TrimLeft(d.title, "`*_ ")); m != nil {
			where = strings.TrimSuffix(m[1]+"-"+m[2], "-")
		}
		return strings.TrimSuffix(d.file.Path+":"+where, ":")
	}
	for _, s := range strings.Split(b.prose(), "\n") {
		_, _, s = bullet(s)
		if s = strings.TrimSpace(s); s == "" {
			continue
		}
		if loc, ok := ParseLocation(s); ok && loc.Start == 0 && loc.Path != "" && where != "" {
			return loc.Path + ":" + where
		}
		d.spare(where)
		return s
	}
	d.spare(where)
	return ""
}

var (
	// placeWords say no more of a place than its Location does.
	placeWords   = regexp.MustCompile(`(?i)\b(?:lines?|L|in|at|file|see|old|new|side|removed|deleted|before|to)\b|\bL?\d+|[第行至到在旧文件删除前已]`)
	column       = regexp.MustCompile(`(\d)[:.]\d+\b`)
	wholeNumbers = regexp.MustCompile(`\d+`)
)

// saysMore reports whether a text names more than one place, or something
// beside it.
func saysMore(text string, loc Location) bool {
	if _, none := isNone(text); none {
		return false
	}
	text = strings.ReplaceAll(mdLink.ReplaceAllString(text, "$1"), loc.Path, "")
	for _, n := range wholeNumbers.FindAllString(column.ReplaceAllString(text, "$1"), -1) {
		if n != strconv.Itoa(loc.Start) && n != strconv.Itoa(loc.End) {
			return true
		}
	}
	return loc.Path == "" || plain(placeWords.ReplaceAllString(text, "")) != ""
}

// settleSeverity takes a severity given as a field, and says when there is
// none. Of two that differ the worse counts.
func (p *parser) settleSeverity(f *Finding, d *draft) {
	if b := d.fields[keySeverity]; b != nil {
		text := b.prose()
		sev, ok := leadingSeverity(text)
		if ok && f.Severity != "" && sev != f.Severity && f.Severity != p.group {
			p.note("finding %d: its heading says %s, its field %s: the worse counts", f.Ordinal, f.Severity, sev)
			sev = Worse(sev, f.Severity)
		}
		if ok {
			f.Severity = sev
		}
		if _, whole := ParseSeverity(text); !whole {
			d.spare("Severity: " + text)
		}
	}
	if f.Severity == "" {
		f.Severity = Warning
		p.violate("bad-severity", f.Ordinal, "finding %d has no severity: its heading starts with [critical], [warning] or [suggestion]", f.Ordinal)
	}
}
