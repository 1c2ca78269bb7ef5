package review

import (
	"regexp"
	"slices"
	"strings"
)

// labelBook knows a persona's label wordings in every language it has.
type labelBook map[string]wording

type wording struct {
	label Label
	text  string
}

func newLabelBook(texts []LabelText) labelBook {
	book := labelBook{}
	for _, t := range texts {
		for _, l := range []Label{Pass, Concerns, Block} {
			if n := foldLabel(t.Of(l)); n != "" {
				book[n] = wording{l, t.Of(l)}
			}
		}
	}
	return book
}

// foldLabel takes everything off a wording that models add or change.
func foldLabel(s string) string {
	s = strings.ToLower(plain(s))
	s = strings.NewReplacer("*", "", "`", "", "_", " ", "-", " ").Replace(s)
	return spaces.ReplaceAllString(s, " ")
}

var (
	listItem    = regexp.MustCompile(`^\s*(?:[-+•]|\*\s|\d+[.)、])\s*`)
	labelPrefix = regexp.MustCompile(`^(?:decision label|decision|label|verdict|决策标签|标签|决策|结论|判定)\s*[:：]\s*`)
	labelParts  = regexp.MustCompile(`\s*[/|｜·]\s*|\s*[(（]\s*`)
)

// alone returns the label a line consists of: the wording in any of the
// persona's languages (or in several, "可合并 / Can merge"), with bold,
// heading, emoji or punctuation around it. An item of a list is none: that is
// how models list their options. A line that names two labels is none either.
func (b labelBook) alone(s string) (w wording, ok bool) {
	if len(b) == 0 || len(s) > 200 || listItem.MatchString(s) {
		return wording{}, false
	}
	text := labelPrefix.ReplaceAllString(strings.ToLower(strings.ReplaceAll(plain(s), "*", "")), "")
	if w, ok := b[foldLabel(text)]; ok {
		return w, true
	}
	parts := labelParts.Split(text, -1)
	for _, part := range parts {
		next, known := b[foldLabel(part)]
		if len(parts) < 2 || !known || w.label != "" && next.label != w.label {
			return wording{}, false
		}
		if w.label == "" {
			w = next
		}
	}
	return w, true
}

var (
	// thinking is what some models write before their answer, by the tags of
	// their chat templates.
	thinking = regexp.MustCompile(`(?is)^\s*(?:<((?:seed:)?think(?:ing)?|thought|reasoning|reflection)>.*?</(?:(?:seed:)?think(?:ing)?|thought|reasoning|reflection)>|◁think▷.*?◁/think▷|\[THINK\].*?\[/THINK\])`)
	// thinkingEnd ends thoughts whose opening tag was part of the prompt.
	thinkingEnd = regexp.MustCompile(`(?i)(?:</(?:(?:seed:)?think(?:ing)?|thought|reasoning)>|◁/think▷|\[/THINK\])[ \t]*(?:\r?\n|$)`)
	// finalChannel begins the answer in OpenAI's harmony format.
	finalChannel = regexp.MustCompile(`<\|channel\|>final(?:[^<\n]{0,80}<\|constrain\|>[^<\n]{0,40})?<\|message\|>`)
	lastToken    = regexp.MustCompile(`(?i)(?:\s*(?:<\|[^|<>\n]{1,40}\|>|<｜[^｜<>\n]{1,40}｜>|</s>|<eos>|<end_of_turn>|\[EOS\]))+\s*$`)
)

// answer is what a model says without its thoughts and the tokens of its
// template.
func answer(text string, book labelBook) string {
	text = lastToken.ReplaceAllString(text, "")
	if at := finalChannel.FindAllStringIndex(text, -1); at != nil {
		return text[at[len(at)-1][1]:]
	}
	for range 8 {
		rest := thinking.ReplaceAllString(text, "")
		if rest == text {
			break
		}
		text = rest
	}
	if at := thinkingEnd.FindAllStringIndex(text, -1); at != nil {
		if rest := text[at[len(at)-1][1]:]; slices.ContainsFunc(strings.Split(rest, "\n"), func(s string) bool { _, ok := book.alone(s); return ok }) {
			return rest
		}
	}
	return text
}

// wrapperInfo is what may stand behind the backticks of a fence around a
// whole report.
var wrapperInfo = map[string]bool{"": true, "markdown": true, "md": true, "text": true, "txt": true, "report": true, "plaintext": true}

// opened is a report's text from its label on.
type opened struct {
	wording           // "" if there is no label
	before   []string // what stood before the label
	lines    []line   // what stands behind it
	behind   []string // what stands behind the fence around the report
	unclosed bool     // the text ends in a fence
}

// open finds the report in an answer: from the first line that is a label
// alone, outside fences or first in one, to the end (of that fence).
// Without a label everything is the report.
func open(text string, book labelBook) opened {
	lines, exact := logicalLines(outdent(fromJSON(answer(text, book))))
	marks, unclosed := markFences(lines, isAnchor)
	for i, s := range lines {
		w, ok := book.alone(s)
		if !ok {
			continue
		}
		o := opened{wording: w, before: lines[:i], unclosed: unclosed}
		if marks[i] == outside {
			o.lines = zip(lines[i+1:], exact[i+1:], marks[i+1:])
			return o
		}
		if w, ok := wrapperBefore(lines, marks, i); ok {
			body := lines[i+1:]
			end := wrapperEnd(body, w)
			if end < len(body) {
				o.behind = body[end+1:]
			}
			marks, o.unclosed = markFences(body[:end], isAnchor)
			o.lines = zip(body[:end], exact[i+1:], marks)
			return o
		}
	}
	return opened{lines: zip(lines, exact, marks), unclosed: unclosed}
}

// outdent takes off what a whole answer is indented or quoted by.
func outdent(text string) string {
	lines := strings.Split(text, "\n")
	shared, quoted, first := -1, true, true
	for _, s := range lines {
		rest := strings.TrimLeft(s, " \t")
		if strings.TrimSpace(rest) == "" {
			continue
		}
		if n := len(s) - len(rest); shared < 0 || n < shared {
			shared = n
		}
		quoted, first = quoted && strings.HasPrefix(rest, ">"), false
	}
	if first || shared <= 0 && !quoted {
		return text
	}
	for i, s := range lines {
		s = s[min(shared, len(s)-len(strings.TrimLeft(s, " \t"))):]
		if quoted {
			s = strings.TrimPrefix(strings.TrimPrefix(s, ">"), " ")
		}
		lines[i] = s
	}
	return strings.Join(lines, "\n")
}

func zip(texts, exact []string, marks []mark) []line {
	out := make([]line, len(texts))
	for i := range texts {
		out[i] = line{texts[i], marks[i]}
		if marks[i] == inside {
			out[i].text = exact[i]
		}
	}
	return out
}

// wrapperBefore returns the fence around a whole report: one that opens right
// before its label.
func wrapperBefore(lines []string, marks []mark, i int) (fence, bool) {
	for k := i - 1; k >= 0; k-- {
		if strings.TrimSpace(lines[k]) == "" {
			continue
		}
		f, ok := asFence(lines[k])
		return f, ok && marks[k] == opening && wrapperInfo[strings.ToLower(f.info)]
	}
	return fence{}, false
}

// wrapperEnd finds the line that closes the wrapper: a lone fence that is at
// least as long and can not open an inner one, because nothing closes it.
func wrapperEnd(body []string, wrapper fence) int {
	for k := 0; k < len(body); k++ {
		f, ok := asFence(body[k])
		if !ok {
			continue
		}
		if f.info == "" && f.char == wrapper.char && f.length >= wrapper.length && wrapper.length > 3 {
			return k
		}
		end := k + 1
		for ; end < len(body); end++ {
			if g, ok := asFence(body[end]); ok && g.char == f.char && g.length >= f.length && g.info == "" {
				break
			}
		}
		if end == len(body) {
			if f.info == "" {
				return k
			}
			return end
		}
		k = end
	}
	return len(body)
}

// isAnchor reports whether a line is unmistakably the grammar's: a finding's
// heading with a severity in brackets, a section's heading, a field with its
// list marker and bold name.
func isAnchor(s string) bool {
	if strings.HasPrefix(s, "#") {
		h := asHeading(s)
		if sectionNamed(h.text) != "" {
			return true
		}
		_, _, tagged := taggedSeverity(h.text)
		return tagged
	}
	if strings.HasPrefix(s, "- **") {
		_, _, ok := splitField(s)
		return ok
	}
	return false
}

var readLine = regexp.MustCompile(`(?i)^[\s>*_#-]*(?:read|marker|已读|标记)[*_]*\s*[:：]\s*(.+?)\s*$`)

// readMarker returns what stands behind "Read:".
func readMarker(s string) (string, bool) {
	m := readLine.FindStringSubmatch(s)
	if m == nil {
		return "", false
	}
	return strings.Trim(m[1], " \t*_`\"'<>"), true
}
