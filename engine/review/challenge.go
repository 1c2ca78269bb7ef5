package review

import (
	"fmt"
	"strings"
)

// Outcomes of a challenge: what a reviewer says to a person's rebuttal.
const (
	Retract   = "retract"
	Downgrade = "downgrade"
	Stand     = "stand"
)

// outcomeLabels are the outcomes as wordings, so that the first line of an
// answer is read as tolerantly as a report's label.
var outcomeLabels = map[Lang]LabelText{
	English: {Pass: "Retract", Concerns: "Downgrade", Block: "Stand"},
	Chinese: {Pass: "撤回", Concerns: "降级", Block: "坚持"},
}

var outcomeOf = map[Label]string{Pass: Retract, Concerns: Downgrade, Block: Stand}

// ChallengePrompt asks a reviewer to look at one of its findings again in the
// light of a person's rebuttal.
func ChallengePrompt(lang Lang, f Finding, rebuttal string) string {
	l := outcomeLabels[English]
	text := "A person who read your finding \"%s\" (%s, %s) disagrees:\n\n%s\n\n" +
		"Read the code again before you answer. They may be right, and they may be wrong: neither give in to please nor insist to win.\n\n" +
		"Line 1 is exactly one of these, alone on its line:\n" +
		"%s\n%s: warning   (or: suggestion)\n%s\n\n" +
		"Then, in at most five sentences, what in the code decides it. No new findings.\n"
	if lang == Chinese {
		l = outcomeLabels[Chinese]
		text = "有人读了你的问题「%s」（%s，%s），并不同意：\n\n%s\n\n" +
			"回答之前请重新阅读代码。对方可能是对的，也可能是错的：不要为了讨好而让步，也不要为了争胜而坚持。\n\n" +
			"第 1 行必须是以下之一，独占一行：\n" +
			"%s\n%s: warning   （或 suggestion）\n%s\n\n" +
			"然后用不超过五句话说明代码中的哪一点决定了结论。不要提出新的问题。\n"
	}
	return fmt.Sprintf(text, f.Title, f.Severity, f.Location, strings.TrimSpace(rebuttal), l.Pass, l.Concerns, l.Block)
}

// ParseChallenge reads the answer to a challenge: the first line that is an
// outcome alone ("Downgrade" with the new severity behind it) and the words
// behind that line. outcome is "" when no line is one; words are the whole
// answer then. A downgrade without a severity is not understood.
func ParseChallenge(text string) (outcome string, severity Severity, words string) {
	book := newLabelBook([]LabelText{outcomeLabels[English], outcomeLabels[Chinese]})
	o := open(text, labelBook{})
	for i, l := range o.lines {
		if l.mark != outside {
			continue
		}
		line, behind := l.text, ""
		if j := strings.IndexAny(line, ":："); j > 0 {
			_, size := firstRune(line[j:])
			line, behind = line[:j], line[j+size:]
		}
		w, ok := book.alone(line)
		if !ok {
			continue
		}
		sev, given := ParseSeverity(plain(behind))
		if (w.label == Concerns) != given {
			continue
		}
		return outcomeOf[w.label], sev, block(o.lines[i+1:]).prose()
	}
	return "", "", block(o.lines).prose()
}
