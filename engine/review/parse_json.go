package review

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// fromJSON writes an answer that is one JSON value as a report: some models
// answer with an object whatever the form they are given. Any other answer
// stays as it is.
func fromJSON(text string) string {
	body := strings.TrimSpace(text)
	if f, ok := asFence(firstLine(body)); ok && (f.info == "" || strings.HasPrefix(strings.ToLower(f.info), "json")) {
		body = strings.TrimSpace(strings.TrimPrefix(body, firstLine(body)))
		body = strings.TrimSpace(strings.TrimRight(body, "`~"))
	}
	if !strings.HasPrefix(body, "{") && !strings.HasPrefix(body, "[") {
		return text
	}
	v, err := readValue(body)
	if err != nil {
		return text
	}
	var b strings.Builder
	switch v := v.(type) {
	case object:
		v.report(&b)
	case []any:
		if !slices.ContainsFunc(v, isObject) {
			return text
		}
		writeFindings(&b, v)
	}
	return b.String()
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// object is a JSON object with its members in their order.
type object []member

type member struct {
	key   string
	value any
}

func isObject(v any) bool { _, ok := v.(object); return ok }

// readValue reads JSON and nothing else.
func readValue(s string) (any, error) {
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	v, err := nextValue(d, 0)
	if err == nil && d.More() {
		err = fmt.Errorf("more than one value")
	}
	return v, err
}

// valueDepth is how deep an answer's values are followed.
const valueDepth = 32

func nextValue(d *json.Decoder, depth int) (any, error) {
	t, err := d.Token()
	if err != nil || depth > valueDepth {
		return nil, fmt.Errorf("no value within %d levels: %w", valueDepth, err)
	}
	switch t {
	case json.Delim('{'):
		var o object
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			v, err := nextValue(d, depth+1)
			if err != nil {
				return nil, err
			}
			o = append(o, member{fmt.Sprint(key), v})
		}
		_, err := d.Token()
		return o, err
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := nextValue(d, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := d.Token()
		return list, err
	}
	return t, nil
}

// words is a key as a name: "validation_gaps" and "validationGaps" are "validation gaps".
func (m member) words() string {
	var b strings.Builder
	for _, r := range m.key {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return strings.ToLower(strings.TrimSpace(strings.NewReplacer("_", " ", "-", " ").Replace(b.String())))
}

// labelKeys name the decision, markerKeys the marker.
var (
	labelKeys  = []string{"decision", "decision label", "label", "verdict", "决策标签", "结论"}
	markerKeys = []string{"read", "marker"}
)

// report writes the object as a report: the label and the marker first, then
// its members as sections, in their order.
func (o object) report(b *strings.Builder) {
	var sections strings.Builder
	marker := ""
	for _, m := range o {
		text, isText := m.value.(string)
		list, _ := m.value.([]any)
		name := m.words()
		switch {
		case isText && slices.Contains(labelKeys, name):
			fmt.Fprintf(b, "%s\n", text)
		case isText && slices.Contains(markerKeys, name):
			marker = "Read: " + text + "\n"
		case sectionNamed(name) == SectionFindings:
			writeFindings(&sections, list)
		case sectionNamed(name) == SectionGaps:
			writeGaps(&sections, list, m.value)
		default:
			fmt.Fprintf(&sections, "## %s\n\n%s\n\n", m.key, valueText(m.value))
		}
	}
	b.WriteString(marker + "\n" + sections.String())
}

func writeGaps(b *strings.Builder, list []any, v any) {
	fmt.Fprintf(b, "## %s\n\n", SectionName(SectionGaps, English))
	if text, ok := v.(string); ok && text != "" {
		list = []any{text}
	}
	if len(list) == 0 {
		b.WriteString("None.\n")
	}
	for _, x := range list {
		fmt.Fprintf(b, "- %s\n", strings.ReplaceAll(valueText(x), "\n", "\n  "))
	}
	b.WriteString("\n")
}

// writeFindings writes a list of objects as findings.
func writeFindings(b *strings.Builder, list []any) {
	fmt.Fprintf(b, "## %s\n\n", SectionName(SectionFindings, English))
	if len(list) == 0 {
		b.WriteString("None.\n\n")
	}
	for _, x := range list {
		o, ok := x.(object)
		if !ok {
			fmt.Fprintf(b, "- %s\n\n", valueText(x))
			continue
		}
		o.finding(b)
	}
}

// finding writes the object as a finding. A member that is no field of the
// grammar is said in its observation.
func (o object) finding(b *strings.Builder) {
	var severity, title, line string
	var fields, others []string
	for _, m := range o {
		text := strings.TrimSpace(valueText(m.value))
		name := m.words()
		f, known := fieldNamed(name)
		switch {
		case text == "":
		case known && f.Key == keySeverity && severity == "":
			severity = text
		case known && f.Key == keyTitle, name == "name", name == "summary":
			title = strings.Join(strings.Fields(text), " ")
		case known && f.Key == keyLines, name == "start line":
			line = text
		case name == "end line" && line != "" && text != line:
			line += "-" + text
		case known && f.Form == Code:
			fields = append(fields, "- **"+f.Name[English]+":**\n"+fenced(text))
		case known:
			fields = append(fields, "- **"+f.Name[English]+":** "+indentRest(text))
		default:
			others = append(others, m.key+": "+text)
		}
	}
	if _, whole := ParseSeverity(severity); !whole && severity != "" {
		others = append(others, "severity: "+severity)
	}
	b.WriteString(findingHeading(severity, title) + "\n")
	if len(others) > 0 {
		fmt.Fprintf(b, "\n%s\n\n", strings.Join(others, "\n"))
	}
	for _, f := range fields {
		b.WriteString(f + "\n")
	}
	if line != "" {
		fmt.Fprintf(b, "- **Lines:** %s\n", line)
	}
	b.WriteString("\n")
}

// findingHeading is the heading of a finding, as the grammar has it; a word that
// is no severity is left out, since the finding says it itself.
func findingHeading(severity, title string) string {
	if sev, ok := leadingSeverity(severity); ok {
		return "### [" + string(sev) + "] " + title
	}
	if sev, ok := ParseSeverity(title); ok { // the columns of a row are shifted
		return "### [" + string(sev) + "] " + title
	}
	return "### " + cmp.Or(title, "-") // a heading without a word is none
}

// valueText is a value as text: a string as it is, anything else as JSON.
func valueText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case json.Number:
		return v.String()
	case []any:
		var lines []string
		for _, x := range v {
			lines = append(lines, valueText(x))
		}
		return strings.Join(lines, "\n")
	case object:
		var lines []string
		for _, m := range v {
			lines = append(lines, m.key+": "+valueText(m.value))
		}
		return strings.Join(lines, "\n")
	}
	return fmt.Sprint(v)
}
