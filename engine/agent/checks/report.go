package checks

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mrv-dev/mrv/engine/agent"
	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/engine/secret"
)

// quoteBytes is the longest line that is quoted; of a longer one an excerpt
// around the match is shown.
const quoteBytes = 300

// report turns hits into a report: one finding for each rule and file. Any
// critical one blocks, any warning is a concern, else the label passes.
func report(s agent.Spec, rules []Rule, hits []Hits) review.Report {
	files, lines := 0, 0
	var gaps []review.Gap
	for _, f := range s.Change.Files {
		files++
		lines += f.Additions
		if f.Unread != "" {
			gaps = append(gaps, review.Gap{Text: fmt.Sprintf(say(s.Lang, "`%s` was not checked: %s", "未检查 `%s`：%s"), oneLine(f.Path()), f.Unread)})
		}
	}
	r := review.Report{Label: review.Pass, Marker: s.Marker, Gaps: gaps}
	for _, h := range hits {
		f := finding(h, s.Lang)
		r.Findings = append(r.Findings, f)
		switch f.Severity {
		case review.Critical:
			r.Label = review.WorseLabel(r.Label, review.Block)
		case review.Warning:
			r.Label = review.WorseLabel(r.Label, review.Concerns)
		}
	}
	r.LabelText = s.Persona.LabelsIn(s.Lang).Of(r.Label)
	r.Summary = fmt.Sprintf(say(s.Lang,
		"Fixed rules, no model. Checks: %d; added lines: %d; files: %d.",
		"固定规则，没有使用模型：%d 项检查，覆盖 %d 行新增代码、%d 个文件。"), len(rules), lines, files)
	return r
}

// finding is what a rule has to say about one file.
func finding(h Hits, lang review.Lang) review.Finding {
	c, first := h.Rule.Check, h.Lines[0]
	f := review.Finding{
		Severity:     c.Severity,
		Title:        oneLine(review.In(c.Title, lang)),
		Location:     review.Location{Path: first.Path, Start: first.Line, End: first.Line},
		Observation:  review.In(c.Observation, lang),
		Inference:    review.In(c.Inference, lang),
		Judgment:     review.In(c.Judgment, lang),
		Verification: review.In(c.Verification, lang),
		Fix:          review.In(c.Fix, lang),
		Rule:         c.ID,
	}
	shown, whole := h.Rule.show(first.Text)
	if whole {
		f.Quote = shown
	} else {
		f.Observation += " `" + strings.ReplaceAll(strings.TrimSpace(shown), "`", "'") + "`"
	}
	if rest := h.Lines[1:]; len(rest) > 0 {
		f.Observation += " " + fmt.Sprintf(say(lang, "Also in %s.", "同一文件中还有：%s。"), lineList(rest, lang))
	}
	return f
}

// show returns a line as it may be shown, and whether that is the whole line
// as it stands in the file: only then can it be a quote, which is looked for.
func (r *Rule) show(text string) (shown string, whole bool) {
	shown = strings.TrimRight(text, "\r")
	if r.Mask {
		shown = r.mask(shown)
	}
	shown = secret.Mask(shown)
	if len(shown) > quoteBytes {
		at := 0
		if m := r.pattern.FindStringIndex(shown); m != nil {
			at = max(0, m[0]-quoteBytes/4)
		}
		shown = "…" + strings.ToValidUTF8(shown[at:min(len(shown), at+quoteBytes)], "") + "…"
	}
	return shown, shown == strings.TrimRight(text, "\r")
}

// mask hides what the pattern matched, but for the first group that took part
// in the match: it tells what kind of secret it is.
func (r *Rule) mask(text string) string {
	var b strings.Builder
	at := 0
	for _, m := range r.pattern.FindAllStringSubmatchIndex(text, -1) {
		b.WriteString(text[at:m[0]])
		for g := 2; g < len(m); g += 2 {
			if m[g] >= 0 {
				b.WriteString(text[m[g]:m[g+1]])
				break
			}
		}
		b.WriteString("…")
		at = m[1]
	}
	return b.String() + text[at:]
}

// lineList names at most five lines.
func lineList(hits []Hit, lang review.Lang) string {
	var numbers []string
	for _, h := range hits[:min(len(hits), 5)] {
		numbers = append(numbers, strconv.Itoa(h.Line))
	}
	out := strings.Join(numbers, say(lang, ", ", "、"))
	if more := len(hits) - len(numbers); more > 0 {
		out += fmt.Sprintf(say(lang, " and %d more", " 等，另有 %d 行"), more)
	}
	if lang == review.Chinese {
		return "第 " + out + " 行"
	}
	if len(hits) == 1 {
		return "line " + out
	}
	return "lines " + out
}

func say(lang review.Lang, en, zh string) string {
	if lang == review.Chinese {
		return zh
	}
	return en
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Report runs a persona's checks over a change and writes the report down.
func Report(s agent.Spec) (string, error) {
	rules, err := Compile(s.Persona.Checks)
	if err != nil {
		return "", err
	}
	if s.Change == nil {
		s.Change = &diff.Set{}
	}
	return review.Render(report(s, rules, Run(rules, s.Change)), s.Lang), nil
}
