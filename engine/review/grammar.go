package review

import (
	"regexp"
	"slices"
	"strings"
)

// Form is how a field's text is written in a report.
type Form string

// The forms of a field.
const (
	Prose Form = "prose" // text, continued until the next field or heading
	Place Form = "place" // a Location
	Code  Form = "code"  // a fence with exact lines
)

// Field is one field of a finding: a row of the grammar's table, from which
// the prompt, the parser and the screen are made.
type Field struct {
	Key      string // stable word, as in Finding.Missing
	Name     map[Lang]string
	Form     Form
	Required bool
	// Hint says what belongs there, in the prompt; Example is what the prompt's
	// example has there ("" leaves the field out of the example).
	Hint    map[Lang]string
	Example map[Lang]string
	// aliases are other names that models give the field, in lower case.
	aliases []string
}

// Keys of the fields.
const (
	KeyLocation     = "location"
	KeyObservation  = "observation"
	KeyInference    = "inference"
	KeyJudgment     = "judgment"
	KeyVerification = "verification"
	KeyQuote        = "quote"
	KeyFix          = "fix"
	KeyReplacement  = "replacement"
	KeySurface      = "surface"
)

// These keys are understood by the parser and never asked for: the rule of an
// analyser, and habits of models.
const (
	keyRule     = "rule"
	keyTitle    = "title"
	keySeverity = "severity"
	keyLines    = "lines"
)

// Fields lists a finding's fields in the order in which a report has them.
func Fields() []Field { return slices.Clone(fields) }

// fields is the table.
var fields = []Field{
	{
		Key: KeyLocation, Form: Place, Required: true,
		Name: map[Lang]string{English: "Location", Chinese: "位置"},
		Hint: map[Lang]string{
			English: `path:line or path:first-last, lines of the new file; add " (old)" for removed lines; "none" if it has no place`,
			Chinese: `路径:行 或 路径:起-止，用新文件的行号；已删除的行加 " (old)"；没有具体位置写 none`,
		},
		Example: map[Lang]string{English: "client/retry.go:41-47", Chinese: "client/retry.go:41-47"},
		aliases: []string{"file", "path", "where", "place", "locations", "location(s)", "files", "file(s)", "file path", "code location", "file and line", "文件", "路径", "文件路径", "代码位置", "文件位置"},
	},
	{
		Key: KeyObservation, Form: Prose, Required: true,
		Name: map[Lang]string{English: "Observation", Chinese: "观察"},
		Hint: map[Lang]string{
			English: "what the code does, as you read it",
			Chinese: "代码实际做了什么，只写读到的事实",
		},
		Example: map[Lang]string{
			English: "The loop retries on every status of 400 and above and has no limit.",
			Chinese: "循环对所有 400 及以上的状态码重试，没有次数上限。",
		},
		aliases: []string{"observed", "observations", "what", "evidence", "description", "details", "problem", "issue", "观察到的事实", "现象", "事实", "描述", "问题描述", "具体问题", "详情", "问题"},
	},
	{
		Key: KeyInference, Form: Prose, Required: true,
		Name: map[Lang]string{English: "Inference", Chinese: "推断"},
		Hint: map[Lang]string{
			English: "what that leads to, for whom, and under which condition",
			Chinese: "这会导致什么、影响谁、在什么条件下发生",
		},
		Example: map[Lang]string{
			English: "A 401 is permanent: the worker spins until it is killed.",
			Chinese: "401 是永久错误：工作进程会一直空转，直到被杀掉。",
		},
		aliases: []string{"impact", "consequence", "consequences", "why it matters", "risk", "推论", "影响", "后果", "风险"},
	},
	{
		Key: KeyJudgment, Form: Prose, Required: true,
		Name: map[Lang]string{English: "Judgment", Chinese: "判断"},
		Hint: map[Lang]string{
			English: `whether it must be dealt with, naming the contract that says so (a rule, a document, an API), or "none"`,
			Chinese: "是否必须处理，并写明依据的约定（规则、文档或接口），没有则写 none",
		},
		Example: map[Lang]string{
			English: "Must be fixed before merge. Contract: docs/http.md, \"4xx is not retried\".",
			Chinese: "合并前必须修复。依据：docs/http.md「4xx 不重试」。",
		},
		aliases: []string{"judgement", "assessment", "评判", "判定", "结论"},
	},
	{
		Key: KeyVerification, Form: Prose, Required: true,
		Name: map[Lang]string{English: "Verification", Chinese: "验证"},
		Hint: map[Lang]string{
			English: "how somebody else can check the claim",
			Chinese: "别人如何核实这个结论",
		},
		Example: map[Lang]string{
			English: "Let a test server answer 401 and count the requests.",
			Chinese: "让测试服务器返回 401，数请求次数。",
		},
		aliases: []string{"how to verify", "verify", "verification steps", "how to reproduce", "steps to reproduce", "验证方式", "验证方法", "如何验证", "复现步骤"},
	},
	{
		Key: KeyQuote, Form: Code,
		Name: map[Lang]string{English: "Quote", Chinese: "引用"},
		Hint: map[Lang]string{
			English: "the exact lines the finding is about, in a fence",
			Chinese: "问题所在的原始代码行，放在代码块里",
		},
		Example: map[Lang]string{English: "if resp.StatusCode >= 400 {", Chinese: "if resp.StatusCode >= 400 {"},
		aliases: []string{"code", "snippet", "quoted code", "代码", "代码引用", "原文"},
	},
	{
		Key: KeyFix, Form: Prose,
		Name:    map[Lang]string{English: "Fix", Chinese: "修复"},
		Hint:    map[Lang]string{English: "the smallest change that helps, in words", Chinese: "最小的有效改动，用文字说明"},
		Example: map[Lang]string{English: "Retry on 429 and 5xx only, five times.", Chinese: "只对 429 和 5xx 重试，最多五次。"},
		aliases: []string{"suggested fix", "suggestion", "recommendation", "remedy", "proposed fix", "suggested change", "remediation", "how to fix", "修复建议", "修复方案", "改进建议", "建议修复", "建议", "修改建议", "解决方案"},
	},
	{
		Key: KeyReplacement, Form: Code,
		Name: map[Lang]string{English: "Replacement", Chinese: "替换"},
		Hint: map[Lang]string{
			English: "lines that replace exactly those of Location, in a fence, only when you are sure",
			Chinese: "恰好替换「位置」所指各行的代码，放在代码块里，有把握才写",
		},
		aliases: []string{"suggested code", "replacement code", "替换代码", "建议代码"},
	},
	{
		Key: KeySurface, Form: Prose,
		Name:    map[Lang]string{English: "Surface", Chinese: "平台"},
		Hint:    map[Lang]string{English: "the platform it concerns, if not all", Chinese: "只影响某个平台时写明"},
		aliases: []string{"platform", "platform/surface", "platform / surface", "表面"},
	},
}

// extraFields are field names that are understood but not asked for.
var extraFields = []Field{
	{Key: keyRule, Form: Prose, Name: map[Lang]string{English: "Rule", Chinese: "规则"}},
	{Key: keyTitle, Form: Prose, Name: map[Lang]string{English: "Title", Chinese: "标题"}},
	{Key: keySeverity, Form: Prose, Name: map[Lang]string{English: "Severity", Chinese: "严重程度"}, aliases: []string{"严重性", "严重等级", "严重级别", "风险等级", "优先级", "级别", "priority", "level"}},
	{Key: keyLines, Form: Prose, Name: map[Lang]string{English: "Lines", Chinese: "行号"}, aliases: []string{"line", "line(s)", "line numbers", "行"}},
}

// FieldName is a field's name in the language asked for, "" for no such key.
func FieldName(key string, lang Lang) string {
	for _, f := range fields {
		if f.Key == key {
			return In(f.Name, lang)
		}
	}
	return ""
}

// Text returns the finding's text of one field by its key, as a report has it.
func (f Finding) Text(key string) string {
	if key == KeyLocation {
		return f.Location.String()
	}
	if p := f.text(key); p != nil {
		return *p
	}
	return ""
}

// text points at the text of a prose or code field.
func (f *Finding) text(key string) *string {
	switch key {
	case KeyObservation:
		return &f.Observation
	case KeyInference:
		return &f.Inference
	case KeyJudgment:
		return &f.Judgment
	case KeyVerification:
		return &f.Verification
	case KeyQuote:
		return &f.Quote
	case KeyFix:
		return &f.Fix
	case KeyReplacement:
		return &f.Replacement
	case KeySurface:
		return &f.Surface
	case keyRule:
		return &f.Rule
	}
	return nil
}

// Section is one heading of a report.
type Section struct {
	Key  string
	Name map[Lang]string
	// aliases are other names that models give the section, in lower case.
	aliases []string
}

// Keys of the sections.
const (
	SectionSummary  = "summary"
	SectionFindings = "findings"
	SectionGaps     = "gaps"
)

// sections are a report's, in their order.
var sections = []Section{
	{SectionSummary, map[Lang]string{English: "Summary", Chinese: "总结"}, []string{"overview", "overall summary", "摘要", "概述", "概要"}},
	{SectionFindings, map[Lang]string{English: "Findings", Chinese: "问题"}, []string{"finding", "issues", "problems", "issues found", "发现", "发现的问题", "问题列表", "审查发现"}},
	{SectionGaps, map[Lang]string{English: "Validation gaps", Chinese: "验证缺口"}, []string{"gaps", "validation gap", "verification gaps", "platform-validation gaps", "platform validation gaps", "未验证项", "验证盲区", "验证空白"}},
}

// SectionName is a section's heading in the language asked for.
func SectionName(key string, lang Lang) string {
	for _, s := range sections {
		if s.Key == key {
			return In(s.Name, lang)
		}
	}
	return ""
}

// severityWords maps what models and other tools call a severity to ours. The
// order of P0..P3 follows the agent loop this grammar comes from: P0 and P1
// are exposure, a broken core flow or a bypassed guard, P2 is a bounded defect,
// P3 is normally left out. S1..S4 are the steps of bug trackers: outage, major,
// minor, trivial. "error" is the top of three steps (error, warning, info).
var severityWords = map[Severity][]string{
	Critical: {"critical", "blocking", "blocker", "block", "severe", "fatal", "high", "very high", "highest", "urgent", "error", "p0", "p1", "s0", "s1",
		"sev0", "sev1", "sev-0", "sev-1", "must fix", "must-fix", "严重", "致命", "阻塞", "阻断", "高危", "高", "紧急", "危急", "错误", "必须修复", "必须修改", "必改"},
	Warning: {"warning", "warn", "major", "medium", "moderate", "normal", "p2", "s2", "sev2", "sev-2", "should fix", "should-fix", "important", "concern",
		"警告", "中", "中等", "中危", "重要", "主要", "告警", "一般", "应该修复", "应修复"},
	Suggestion: {"suggestion", "suggest", "minor", "low", "very low", "lowest", "nit", "nitpick", "info", "information", "informational", "note", "notice", "hint",
		"trivial", "style", "p3", "p4", "p5", "s3", "s4", "sev3", "sev4", "sev-3", "sev-4", "optional", "improvement", "could fix", "nice to have",
		"建议", "低", "低危", "轻微", "次要", "提示", "信息", "可选", "优化"},
}

// severitySigns are the signs that stand for a severity without a word.
var severitySigns = map[rune]Severity{
	'🔴': Critical, '🟥': Critical, '🛑': Critical, '⛔': Critical, '🚨': Critical,
	'🟠': Warning, '🟧': Warning, '🟡': Warning, '🟨': Warning, '⚠': Warning,
	'🔵': Suggestion, '🟦': Suggestion, '🟢': Suggestion, '🟩': Suggestion, '⚪': Suggestion, '💡': Suggestion, '🧹': Suggestion,
}

var severityOf = func() map[string]Severity {
	out := map[string]Severity{}
	for s, words := range severityWords {
		for _, w := range words {
			out[w] = s
		}
	}
	return out
}()

var (
	severityTail = regexp.MustCompile(`(?i)(?:\s*(?:severity|priority|risk|issues?|findings?|problems?|级别|优先级|风险|级|问题|项|类))+$`)
	// severityEnd is where a severity ends that has more said behind it:
	// "critical (P0)", "High - anybody can do it".
	severityEnd = regexp.MustCompile(`[ \t]*(?:[(（\[,，;；:：.。|/\n]|[-–—]+[ \t])`)
)

// ParseSeverity reads a severity in our words, in Chinese, in those of other
// tools (P0-P3, blocking/high/medium/low/nit), or as a coloured sign.
func ParseSeverity(word string) (Severity, bool) {
	w := strings.ToLower(strings.TrimSpace(word))
	for _, w := range []string{w, plain(w)} {
		short := severityTail.ReplaceAllString(w, "")
		for _, try := range []string{w, short, strings.TrimSuffix(short, "s")} {
			if s, ok := severityOf[try]; ok {
				return s, true
			}
		}
	}
	if plain(w) == "" {
		return signedSeverity(w)
	}
	return "", false
}

// signedSeverity reads the sign in front of a text.
func signedSeverity(s string) (Severity, bool) {
	r, _ := firstRune(strings.TrimLeft(s, "*_ \t"))
	sev, ok := severitySigns[r]
	return sev, ok
}

// leadingSeverity reads a severity with words behind it.
func leadingSeverity(s string) (Severity, bool) {
	for _, try := range []string{s, severityEnd.Split(strings.TrimLeft(s, "*_`[【(（ \t"), 2)[0]} {
		if sev, ok := ParseSeverity(try); ok {
			return sev, true
		}
	}
	return signedSeverity(s)
}

// SeverityName is a severity's word for the screen.
func SeverityName(s Severity, lang Lang) string {
	if lang == Chinese {
		switch s {
		case Critical:
			return "严重"
		case Warning:
			return "警告"
		case Suggestion:
			return "建议"
		}
	}
	return string(s)
}

// noneWords are what stands for "no finding", "no gap" or "no place".
var noneWords = map[string]bool{
	"none": true, "none found": true, "no findings": true, "no finding": true, "no issues": true, "no issues found": true,
	"no problems found": true, "nothing to report": true, "no gaps": true, "n/a": true, "nil": true,
	"无": true, "没有": true, "暂无": true, "无问题": true, "没有问题": true, "未发现问题": true, "没有发现问题": true, "无发现": true,
	"无缺口": true, "无验证缺口": true, "not applicable": true, "nothing": true, "nothing found": true, "lgtm": true, "不适用": true,
}

// ParseOptions is what the parser knows about a report before it reads it.
type ParseOptions struct {
	Reviewer string
	// Labels are the persona's label wordings, in every language it has.
	Labels []LabelText
	// Marker is the run's marker; empty skips the check.
	Marker string
	// Cap is the persona's severity cap; empty = none.
	Cap Severity
	// Blocking is the severity from which a finding blocks; empty = critical.
	Blocking Severity
	// FirstOrdinal is the ordinal of the first finding, 0 means 1 (parts of a
	// split report run on).
	FirstOrdinal int
	// Truncated says that the provider cut the answer (finish "length").
	Truncated bool
	// Rules says that rules wrote the report, not a model: a Rule field names
	// the one behind a finding.
	Rules bool
}
