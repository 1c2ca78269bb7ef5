package review

import (
	"regexp"
	"strings"
)

// noneSentence matches a sentence that says nothing but that there is nothing.
// A kind of findings that there are none of, as in "no blocking findings", says
// nothing of the others.
var noneSentence = regexp.MustCompile(`(?i)^(?:none|(?:i |we )?(?:have )?(?:found |identified |there (?:are|were) )?no (?:new |further |other |additional |validation |verification )*` +
	`(?:findings?|issues?|problems?|gaps?|concerns?|bugs?|defects?))(?: (?:were |was )?(?:found|identified|detected|observed|remaining|to report))?(?: (?:in|with|for) (?:this|the) (?:change|diff|patch|pr|pull request|code))?$|` +
	`^(?:i |we )?(?:did not|didn't|could not) (?:find|identify|see|detect) any (?:new |further |other |additional )*(?:findings?|issues?|problems?|gaps?|concerns?|bugs?|defects?)$|^nothing (?:found|to report|to add|to flag)$|` +
	`^(?:在?(?:本次|此次|这次|该)?(?:改动|变更|提交|修改|代码)?(?:中|里)?)?(?:没有发现|未发现|没有|未见|暂无|无)(?:任何|明显的?|需要修复的|其他|新的)*(?:问题|缺陷|缺口|验证缺口|漏洞)?$`)

// isNone reports whether a line stands for "none", and what else it says.
func isNone(s string) (rest string, none bool) {
	s = strings.TrimSpace(strings.Trim(strings.TrimSpace(s), "*_`"))
	s = strings.TrimPrefix(strings.TrimPrefix(s, "- "), "* ")
	word := func(x string) bool { return noneWords[strings.ToLower(plain(x))] }
	if word(s) || noneSentence.MatchString(plain(s)) {
		return "", true
	}
	if i := strings.IndexAny(s, ".。"); i > 0 && word(s[:i]) {
		_, size := firstRune(s[i:])
		return strings.Trim(s[i+size:], "*_ "), true
	}
	return s, false
}

func firstRune(s string) (rune, int) {
	for i, r := range s {
		if i == 0 {
			return r, len(string(r))
		}
	}
	return 0, len(s)
}
