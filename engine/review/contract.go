package review

import (
	"fmt"
	"strings"
)

// words of the contract's frame, by language.
type contractWords struct {
	intro, first, second, example, rules string
	summary, title, gap                  string
	repair, repairEnd                    string
}

var contractIn = map[Lang]contractWords{
	English: {
		intro: "# How to hand in your report\n\n" +
			"Your last message is the report and nothing else: no text before its first line, none after its last, no fence around it.\n",
		first:   "Line 1 is your decision, exactly one of these, alone on its line: %s\n",
		second:  "Line 2 is `Read: %s`, copied exactly.\n",
		example: "\nThe form, with one finding:\n\n",
		rules: "\nFields of a finding (required unless marked):\n%s\n" +
			"Severities: critical = an outage or exploitable; warning = a measurable regression or a concrete risk; suggestion = an improvement worth a look. One heading for each problem.\n" +
			"Without findings, write \"None.\" under Findings. What you could not check is a validation gap, never a finding; start it with [human] if a person has to check it. Without gaps, write \"None.\" there too.\n",
		summary: "One or two sentences: what the change does and what decided your label.",
		title:   "Retries never stop on a permanent error",
		gap:     "[human] Not run against the real gateway.",
		repair:  "Your report can not be read as it stands:\n%s\n",
		repairEnd: "Hand in the whole report again, complete, in the form you were given: the decision alone on line 1, then the sections. " +
			"Keep every finding; change only what is named above. Send the report and nothing else.\n",
	},
	Chinese: {
		intro: "# 如何提交报告\n\n" +
			"最后一条消息就是报告本身：第一行之前、最后一行之后都不要有任何文字，也不要用代码块包住整份报告。请用中文书写。\n",
		first:   "第 1 行是决策标签，必须是以下之一，独占一行：%s\n",
		second:  "第 2 行是 `Read: %s`，原样照抄。\n",
		example: "\n格式（以一个问题为例）：\n\n",
		rules: "\n每个问题的字段（未注明可选的都必填）：\n%s\n" +
			"严重级别写英文：critical = 会造成故障或可被利用；warning = 可度量的退化或具体风险；suggestion = 值得一看的改进。每个问题一个标题。\n" +
			"没有问题时，在「问题」下写「无。」。无法核实的内容写进「验证缺口」，不要当成问题；需要人来核实的以 [human] 开头。没有缺口也写「无。」。\n",
		summary:   "一两句话：这个变更做了什么，什么决定了标签。",
		title:     "永久错误也会无限重试",
		gap:       "[human] 没有在真实网关上运行过。",
		repair:    "你的报告目前无法解析：\n%s\n",
		repairEnd: "请按给定格式重新提交完整的报告：第 1 行只写决策标签，然后是各个章节。保留所有问题，只改上面指出的地方。只发送报告本身。\n",
	},
}

func wordsIn(lang Lang) contractWords {
	if w, ok := contractIn[lang]; ok {
		return w
	}
	return contractIn[English]
}

// Contract is the part of a reviewer's prompt that says how to report, in the
// language asked for. It is made from the same table the parser reads.
func Contract(lang Lang, labels LabelText, marker string) string {
	w := wordsIn(lang)
	var b strings.Builder
	b.WriteString(w.intro)
	fmt.Fprintf(&b, w.first, strings.Join([]string{labels.Pass, labels.Concerns, labels.Block}, " | "))
	if marker != "" {
		fmt.Fprintf(&b, w.second, marker)
	}
	b.WriteString(w.example)
	b.WriteString(Render(exampleReport(lang, labels, marker), lang))
	var rows strings.Builder
	for _, f := range fields {
		optional := ""
		if !f.Required {
			optional = map[Lang]string{English: " (optional)", Chinese: "（可选）"}[lang]
		}
		fmt.Fprintf(&rows, "- %s%s: %s\n", In(f.Name, lang), optional, In(f.Hint, lang))
	}
	fmt.Fprintf(&b, w.rules, strings.TrimRight(rows.String(), "\n"))
	return b.String()
}

// exampleReport is the contract's example: what the parser must read without
// a violation.
func exampleReport(lang Lang, labels LabelText, marker string) Report {
	w := wordsIn(lang)
	f := Finding{Severity: Warning, Title: w.title}
	for _, field := range fields {
		if field.Form == Place {
			f.Location, _ = ParseLocation(In(field.Example, lang))
		} else if p := f.text(field.Key); p != nil {
			*p = In(field.Example, lang)
		}
	}
	return Report{
		Label: Concerns, LabelText: labels.Concerns, Marker: marker, Summary: w.summary,
		Findings: []Finding{f}, Gaps: []Gap{{Text: strings.TrimPrefix(w.gap, "[human] "), Human: true}},
	}
}

// RepairPrompt asks a reviewer to hand in its report again without the
// violations named.
func RepairPrompt(lang Lang, violations []Violation) string {
	w := wordsIn(lang)
	var list strings.Builder
	for _, v := range violations {
		list.WriteString("- " + v.Text + "\n")
	}
	return fmt.Sprintf(w.repair, strings.TrimRight(list.String(), "\n")) + w.repairEnd
}
