package review

import (
	"regexp"
	"slices"
	"strings"
)

var (
	htmlLine    = regexp.MustCompile(`(?i)^\s*</?(?:details|summary|div|p|br|hr|ul|ol|section)\b[^<>]*>\s*$`)
	summaryLine = regexp.MustCompile(`(?i)^\s*(?:<details[^<>]*>\s*)?<summary[^<>]*>\s*(.*?)\s*</summary>\s*$`)
	htmlBreak   = regexp.MustCompile(`(?i)\s*<br\s*/?>\s*`)
	htmlTags    = regexp.MustCompile(`</?(?:b|strong|code|em|i|h[1-6])>`)
	underline   = regexp.MustCompile(`^ {0,3}(?:-{3,}|={3,})[ \t]*$`)
	quoteMark   = regexp.MustCompile(`^ {0,3}> ?`)
	tableRule   = regexp.MustCompile(`^[ \t]*\|?(?:[ \t]*:?-+:?[ \t]*\|)+(?:[ \t]*:?-+:?[ \t]*)?$`)
)

// reshape writes what models put into other shapes, block quotes, HTML,
// underlined or bare headings and tables, as the grammar has it. What stands in
// fences stays as it is.
func reshape(lines []line) []line {
	out := make([]line, 0, len(lines))
	quoted := false  // in a block quote that holds a finding's fields
	section := ""    // the section the line is in
	var table []line // the rows of a table in sight
	put := func(ls ...line) { out = append(out, ls...) }
	for i, l := range lines {
		if l.mark == outside {
			l.text = unquote(l.text, &quoted)
			next := ""
			if i+1 < len(lines) && lines[i+1].mark == outside {
				next = lines[i+1].text
			}
			l.text = headed(l.text, next)
		}
		if section != "" && section != SectionSummary && isRow(l) {
			table = append(table, l)
			continue
		}
		put(untable(table)...)
		table = nil
		if h := asHeading(l.text); l.mark == outside && h.level > 0 {
			if key := sectionNamed(h.text); key != "" {
				section = key
			}
		}
		if l.mark == outside && htmlLine.MatchString(l.text) {
			continue
		}
		put(l)
	}
	put(untable(table)...)
	return out
}

// unquote takes the mark of a block quote off, from a line on that is a field
// or a finding's heading.
func unquote(s string, quoted *bool) string {
	rest := quoteMark.ReplaceAllString(s, "")
	if rest == s {
		*quoted = false
		return s
	}
	if !*quoted {
		_, _, field := splitField(rest)
		_, _, tagged := taggedSeverity(asHeading(rest).text)
		*quoted = field || tagged
	}
	if *quoted {
		return rest
	}
	return s
}

// headed makes a heading of a section's bare name, underlined or not, and of
// the summary line of a finding that can be folded away.
func headed(s, next string) string {
	if m := summaryLine.FindStringSubmatch(s); m != nil {
		title := htmlTags.ReplaceAllString(m[1], "")
		if _, _, ok := headSeverity(title); ok {
			return "### " + title
		}
		return title
	}
	name := strings.TrimSpace(s)
	if underline.MatchString(next) && sectionNamed(name) != "" && asHeading(s).level == 0 {
		return "## " + name
	}
	for _, x := range sections {
		if strings.EqualFold(name, x.Name[English]) || name == x.Name[Chinese] {
			return "## " + name
		}
	}
	return s
}

func isRow(l line) bool {
	return l.mark == outside && strings.HasPrefix(strings.TrimLeft(l.text, " \t"), "|")
}

// untable writes the rows of a table as findings, or as the fields of one;
// other tables stay as they are.
func untable(rows []line) []line {
	if len(rows) < 2 || !tableRule.MatchString(rows[1].text) {
		return rows
	}
	head := cells(rows[0].text)
	if out := fieldRows(rows, head); out != nil {
		return out
	}
	keys := make([]string, len(head))
	for i, name := range head {
		keys[i] = columnKey(name)
	}
	if !slices.Contains(keys, keySeverity) || !slices.Contains(keys, KeyObservation) {
		return rows
	}
	var out []line
	for _, r := range rows[2:] {
		out = append(out, findingRow(cells(r.text), keys)...)
	}
	return out
}

// fieldRows reads a table of two columns, names of fields and their texts.
func fieldRows(rows []line, head []string) []line {
	if len(head) != 2 {
		return nil
	}
	var out []line
	for i, r := range rows {
		c := cells(r.text)
		if len(c) != 2 {
			return nil
		}
		if f, ok := fieldNamed(c[0]); ok {
			out = append(out, line{text: "- **" + f.Name[English] + ":** " + c[1]})
		} else if i > 1 {
			return nil
		}
	}
	return out
}

// findingRow writes one row of a table of findings.
func findingRow(row, keys []string) []line {
	title, severity := "", ""
	var fields []line
	for i, key := range keys[:min(len(keys), len(row))] {
		switch text := row[i]; {
		case key == keyTitle:
			title = text
		case key == keySeverity:
			severity = plain(text)
		case key != "" && text != "":
			fields = append(fields, line{text: "- **" + FieldName(key, English) + ":** " + text})
		}
	}
	return append([]line{{text: "### [" + severity + "] " + title}}, fields...)
}

// columnKey is the key of the field that a column of a table of findings holds.
func columnKey(name string) string {
	if f, ok := fieldNamed(name); ok && (f.Key == keyTitle || f.Key == keySeverity || FieldName(f.Key, English) != "") {
		return f.Key
	}
	if sectionNamed(name) == SectionFindings || sectionNamed(name+"s") == SectionFindings { // "Finding", "Issue", "问题"
		return keyTitle
	}
	return ""
}

// cells takes a row apart at bars that are neither escaped nor code.
func cells(row string) []string {
	row = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(row), "|"), "|")
	var out []string
	var cell strings.Builder
	code := false
	for i := 0; i < len(row); i++ {
		switch {
		case row[i] == '\\' && i+1 < len(row) && row[i+1] == '|':
			i++
			cell.WriteByte('|')
		case row[i] == '|' && !code:
			out = append(out, cell.String())
			cell.Reset()
		default:
			code = code != (row[i] == '`')
			cell.WriteByte(row[i])
		}
	}
	out = append(out, cell.String())
	for i, c := range out {
		out[i] = strings.TrimSpace(htmlBreak.ReplaceAllString(c, " "))
	}
	return out
}
