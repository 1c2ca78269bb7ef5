package review

import (
	"strings"
)

// Render writes a report in the grammar's own form, so that ParseReport reads
// the same report back. Synthetic findings are left out: they are the parser's.
func Render(r Report, lang Lang) string {
	var b strings.Builder
	b.WriteString(r.LabelText + "\n")
	if r.Marker != "" {
		b.WriteString("Read: " + r.Marker + "\n")
	}
	b.WriteString("## " + SectionName(SectionSummary, lang) + "\n")
	if r.Summary != "" {
		b.WriteString(r.Summary + "\n")
	}
	none := map[Lang]string{English: "None.\n", Chinese: "无。\n"}
	b.WriteString("## " + SectionName(SectionFindings, lang) + "\n")
	written := 0
	for _, f := range r.Findings {
		if !f.Synthetic {
			renderFinding(&b, f, lang)
			written++
		}
	}
	if written == 0 {
		b.WriteString(In(none, lang))
	}
	b.WriteString("## " + SectionName(SectionGaps, lang) + "\n")
	for _, g := range r.Gaps {
		b.WriteString("- ")
		if g.Human {
			b.WriteString("[human] ")
		}
		b.WriteString(indentRest(g.Text) + "\n")
	}
	if len(r.Gaps) == 0 {
		b.WriteString(In(none, lang))
	}
	return b.String()
}

func renderFinding(b *strings.Builder, f Finding, lang Lang) {
	severity := f.Severity
	if f.ClampedFrom != "" {
		severity = f.ClampedFrom
	}
	b.WriteString("### [" + string(severity) + "] " + f.Title + "\n")
	missing := map[string]bool{}
	for _, key := range f.Missing {
		missing[key] = true
	}
	list := Fields()
	if f.Rule != "" {
		list = append(list, extraFields[0])
	}
	for _, field := range list {
		text := f.Text(field.Key)
		if text == "" || missing[field.Key] {
			continue
		}
		b.WriteString("- **" + In(field.Name, lang) + ":**")
		if field.Form == Code {
			b.WriteString("\n" + fenced(text))
		} else {
			b.WriteString(" " + indentRest(text) + "\n")
		}
	}
}

// fenced puts text into a fence longer than any run of backticks in it,
// indented as part of a list item.
func fenced(text string) string {
	longest, run := 2, 0
	for _, r := range text {
		if r != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	var b strings.Builder
	b.WriteString("  " + fence + "\n")
	for _, line := range strings.Split(text, "\n") {
		b.WriteString("  " + line + "\n")
	}
	b.WriteString("  " + fence + "\n")
	return b.String()
}

// indentRest indents every line but the first as a list item's continuation.
func indentRest(text string) string {
	return strings.ReplaceAll(text, "\n", "\n  ")
}
