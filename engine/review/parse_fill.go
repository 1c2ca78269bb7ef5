package review

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

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
	if d.before.prose() != "" && d.fields[KeyObservation] == nil {
		d.fields[KeyObservation] = &block{} // said without its name
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
	if b := d.fields[keyLines]; b != nil && saysMore(text, loc) {
		d.spare("Lines: " + b.prose())
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
		if where == "" || where[0] < '0' || where[0] > '9' {
			d.spare(first)
			where = ""
		}
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
