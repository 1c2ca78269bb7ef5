package review

import (
	"fmt"
	"strings"
)

// RemarkCode names one thing the coordinator has to say of a merged finding.
type RemarkCode string

// What the coordinator says of a merged finding.
const (
	// RemarkSeverity: Reviewer gives Said where Shown is shown.
	RemarkSeverity RemarkCode = "severity-differs"
	// RemarkNoContract: Reviewer says that no contract is broken, where others name one.
	RemarkNoContract RemarkCode = "no-contract"
	// RemarkFolded: one reviewer's suggestion for which too little speaks; it
	// is not on the board, for what Lacks names.
	RemarkFolded RemarkCode = "folded"
)

// Lack is one thing that does not speak for a finding.
type Lack string

// What a finding can lack.
const (
	LackPlace    Lack = "place"    // its place is not in the change
	LackQuote    Lack = "quote"    // its quote was not found
	LackContract Lack = "contract" // it names no contract
)

// Remark is a code and its arguments, so that each screen and document words it
// in its own language.
type Remark struct {
	Code     RemarkCode `json:"code"`
	Reviewer string     `json:"reviewer,omitempty"`
	Said     Severity   `json:"said,omitempty"`
	Shown    Severity   `json:"shown,omitempty"`
	Lacks    []Lack     `json:"lacks,omitempty"`
}

// remarkWords are the words of remarks in one language.
type remarkWords struct {
	differs    string // reviewer, severity said, severity shown
	noContract string // reviewer
	folded     string // what it lacks
	between    string // what it lacks
	none       string // no severity given
	lacks      map[Lack]string
}

var remarksIn = map[Lang]remarkWords{
	English: {
		differs: "%s: %s, not %s", noContract: "%s: breaks no contract", folded: "lone suggestion: %s", between: ", ", none: "no severity",
		lacks: map[Lack]string{
			LackPlace: "its place is not in the change", LackQuote: "its quote was not found", LackContract: "it names no contract",
		},
	},
	Chinese: {
		differs: "%s：%s，而不是%s", noContract: "%s：不违反任何约定", folded: "仅一人提出的建议：%s", between: "，", none: "未给级别",
		lacks: map[Lack]string{
			LackPlace: "位置不在本次改动中", LackQuote: "未找到引用的代码", LackContract: "没有写明依据的约定",
		},
	},
}

// Text is the remark in a language, English where it has no words. A code of a
// later version is shown as it is.
func (r Remark) Text(lang Lang) string {
	w, ok := remarksIn[lang]
	if !ok {
		w = remarksIn[English]
	}
	switch r.Code {
	case RemarkSeverity:
		return fmt.Sprintf(w.differs, r.Reviewer, w.severity(r.Said, lang), w.severity(r.Shown, lang))
	case RemarkNoContract:
		return fmt.Sprintf(w.noContract, r.Reviewer)
	case RemarkFolded:
		var lacks []string
		for _, l := range r.Lacks {
			lacks = append(lacks, w.lacks[l])
		}
		return fmt.Sprintf(w.folded, strings.Join(lacks, w.between))
	}
	return strings.TrimSpace(r.Reviewer + " " + string(r.Code))
}

func (w remarkWords) severity(s Severity, lang Lang) string {
	if s == "" {
		return w.none
	}
	return SeverityName(s, lang)
}
