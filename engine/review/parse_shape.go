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
	htmlHeading = regexp.MustCompile(`(?i)^\s*<h([1-6])\b[^<>]*>\s*(.*?)\s*</h[1-6]>\s*$`)
	htmlItem    = regexp.MustCompile(`(?i)^\s*<(li|p|div)\b[^<>]*>\s*(.*?)\s*(?:</(?:li|p|div)>)?\s*$`)
	htmlBold    = regexp.MustCompile(`(?i)</?(?:b|strong|u)>`)
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
	index := slices.IndexFunc(lines, func(l line) bool {
		_, _, tagged := taggedSeverity(asHeading(l.text).text)
		return l.mark == outside && tagged
	})
	lines = jsonFences(lines)
	for i, l := range lines {
		if len(l.text) > longestLine {
			put(l)
			continue
		}
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
		put(untable(table, index)...)
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
	put(untable(table, index)...)
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
		*quoted = field || tagged || sectionNamed(asHeading(rest).text) != ""
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
	if m := htmlHeading.FindStringSubmatch(s); m != nil {
		return strings.Repeat("#", int(m[1][0]-'0')) + " " + htmlTags.ReplaceAllString(m[2], "")
	}
	if m := htmlItem.FindStringSubmatch(s); m != nil {
		text := htmlBold.ReplaceAllString(m[2], "**")
		if strings.EqualFold(m[1], "li") {
			return "- " + text
		}
		return text
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
// other tables stay as they are, and so does one that only lists titles of
// findings that have headings: index is the line of the first such heading.
func untable(rows []line, index int) []line {
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
	if told := slices.Index(keys, KeyObservation); told >= 0 && !slices.Contains(keys, keyTitle) {
		keys[told] = keyTitle // "问题描述" is all that is said
	}
	told := slices.Contains(keys, KeyObservation) || index < 0 && slices.Contains(keys, keyTitle)
	if !told || !slices.Contains(keys, keySeverity) {
		return rows
	}
	var out []line
	for _, r := range rows[2:] {
		out = append(out, findingRow(cells(r.text), keys, head)...)
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
func findingRow(row, keys, head []string) []line {
	title, severity := "", ""
	var fields, others []line
	for i, text := range row {
		key := ""
		if i < len(keys) {
			key = keys[i]
		}
		switch {
		case text == "":
		case key == keyTitle && title == "":
			title = text
		case key == keySeverity && severity == "":
			severity = text
		case key == keyLines:
			fields = append(fields, line{text: "- **Lines:** " + text})
		case FieldName(key, English) != "":
			fields = append(fields, line{text: "- **" + FieldName(key, English) + ":** " + text})
		case i >= len(head):
			others = append(others, line{text: text})
		case plain(text) != "" && !numberColumn[strings.ToLower(plain(head[i]))]:
			others = append(others, line{text: head[i] + ": " + text})
		}
	}
	if _, whole := ParseSeverity(severity); !whole && severity != "" {
		others = append(others, line{text: "Severity: " + severity})
	}
	return slices.Concat([]line{{text: findingHeading(severity, title)}}, others, fields)
}

// numberColumn are the names of a column that numbers the rows.
var numberColumn = map[string]bool{"": true, "no": true, "id": true, "n": true, "nr": true, "number": true, "序号": true, "编号": true}

// columnKey is the key of the field that a column of a table of findings holds.
func columnKey(name string) string {
	if sectionNamed(name) == SectionFindings || sectionNamed(name+"s") == SectionFindings { // "Finding", "Issue", "问题"
		return keyTitle
	}
	if f, ok := fieldNamed(name); ok && (f.Key == keyTitle || f.Key == keySeverity || f.Key == keyLines || FieldName(f.Key, English) != "") {
		return f.Key
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

// jsonFences writes a list of findings that stands as JSON in a fence right
// below the heading of Findings as findings.
func jsonFences(lines []line) []line {
	for i, l := range lines {
		if l.mark != outside || sectionNamed(asHeading(l.text).text) != SectionFindings {
			continue
		}
		from := i + 1
		for from < len(lines) && strings.TrimSpace(lines[from].text) == "" {
			from++
		}
		end := from
		for end < len(lines) && lines[end].mark != outside && lines[end].mark != closing {
			end++
		}
		if end == from || end == len(lines) || lines[end].mark != closing {
			continue
		}
		texts := make([]string, 0, end-from)
		for _, x := range lines[from : end+1] {
			texts = append(texts, x.text)
		}
		written := strings.Join(texts, "\n")
		report := fromJSON(written)
		if report == written {
			continue
		}
		texts, exact := logicalLines(report)
		marks, _ := markFences(texts, isAnchor)
		return slices.Concat(lines[:i], zip(texts, exact, marks), lines[end+1:])
	}
	return lines
}
