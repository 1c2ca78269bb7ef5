package review

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

var (
	findingWord = regexp.MustCompile(`(?i)^(?:finding|issue|problem|问题|发现)?[ \t]*#?[(（]?(?:(?:\d{1,3}\.){0,2}\d{1,3}|[FIfi]\d{1,3}|[一二三四五六七八九十]{1,3})[ \t]*(?:[.)）、．:：]|[-–—|](?:[ \t]|$)|[ \t])[ \t]*`)
	tagInFront  = regexp.MustCompile(`^[\[［【「『(（][ \t]*(?:(?i:severity)[ \t]*[:：][ \t]*)?([^\]］】」』)）\n]{1,20}?)[ \t]*[\]］】」』)）](.*)$`)
	wordInFront = regexp.MustCompile(`^([A-Za-z0-9-]+(?:[ \t](?i:fix|severity|priority|risk|issue|finding))?|[\p{Han}]{1,5})[ \t]*(?:[:：|·]|[-–—](?:[ \t]))[ \t]*(.+)$`)
	tagBehind   = regexp.MustCompile(`^(.*\S)[ \t]*[\[［【(（][ \t]*(?:(?i:severity)[ \t]*[:：][ \t]*)?([^\]］】)）(（\[\n]{1,120}?)[ \t]*[\]］】)）]$`)
	tagParts    = regexp.MustCompile(`[ \t]*[,，、;；|·][ \t]*`)
	// placeLead is a place in front of what is said of it.
	placeLead    = regexp.MustCompile("^(`[^`\n]{1,200}`|[\\w./@+-]+\\.\\w+(?::\\d+(?:-\\d+)?)?|(?i:lines?[ \t]*|L)\\d+(?:[ \t]*[-–~][ \t]*L?\\d+)?|第[ \t]*\\d+(?:[-–~至到]\\d+)?[ \t]*行)[ \t]*[:：,，–—-]?[ \t]*")
	lineLead     = regexp.MustCompile(`^(?i:lines?[ \t]*|L|第[ \t]*)(\d+)(?:[ \t]*[-–~至到][ \t]*L?(\d+))?`)
	boldLead     = regexp.MustCompile(`^ {0,3}(?:\*\*|__)([^*_\s].*?)(?:\*\*|__)[ \t]*(\S.*)$`)
	numberLead   = regexp.MustCompile(`^#?\d{1,3}[.)、:：][ \t]*\S`)
	titleLead    = regexp.MustCompile(`^[ \t:：\-–—|·*]+`)
	placeInTitle = regexp.MustCompile("`?([\\w./@+-]+\\.\\w+(?::|#L)\\d+(?:-L?\\d+)?)`?")
)

func ornament(r rune) bool {
	return r == '*' || r == '\ufe0f' || unicode.IsSpace(r) || unicode.Is(unicode.So, r) // So: emoji
}

// undress takes emphasis, emoji and numbers off the front of a heading.
func undress(s string) string {
	s = strings.TrimLeftFunc(s, ornament)
	s = strings.TrimLeftFunc(findingWord.ReplaceAllString(s, ""), ornament)
	if strings.HasPrefix(s, "`[") { // `[critical]` title
		s = strings.Replace(s[1:], "`", "", 1)
	}
	return s
}

// taggedSeverity reads a heading with a severity in brackets before its title.
func taggedSeverity(s string) (Severity, string, bool) {
	rest := undress(s)
	for range 3 { // "[security][critical] title"
		m := tagInFront.FindStringSubmatch(rest)
		if m == nil {
			return "", "", false
		}
		if sev, ok := ParseSeverity(strings.Trim(m[1], "*_` ")); ok {
			return sev, cleanTitle(m[2]), true
		}
		rest = undress(m[2])
	}
	return "", "", false
}

// headSeverity reads a finding's heading in any of the forms models use:
// "[critical] title", "Critical: title", "title (critical)".
func headSeverity(s string) (Severity, string, bool) {
	if sev, title, ok := taggedSeverity(s); ok {
		return sev, title, true
	}
	rest := strings.ReplaceAll(undress(s), "**", "")
	if sev, title, ok := wordSeverity(rest); ok {
		return sev, title, true
	}
	if m := placeLead.FindStringSubmatch(rest); m != nil {
		for _, read := range []func(string) (Severity, string, bool){taggedSeverity, wordSeverity} {
			if sev, title, ok := read(rest[len(m[0]):]); ok {
				return sev, cleanTitle(m[1] + " " + title), true
			}
		}
	}
	if m := tagBehind.FindStringSubmatch(cleanTitle(rest)); m != nil {
		if sev, others, ok := severityAmong(m[2]); ok {
			return sev, cleanTitle(m[1] + others), true
		}
	}
	sev, ok := signedSeverity(numberLeading.ReplaceAllString(s, ""))
	return sev, cleanTitle(rest), ok
}

// numberLeading is the number of a heading or an item.
var numberLeading = regexp.MustCompile(`^[#*_ \t]*(?:\d{1,3}[.)、:：])?[ \t]*`)

// wordSeverity reads "Critical: title".
func wordSeverity(s string) (Severity, string, bool) {
	if m := wordInFront.FindStringSubmatch(s); m != nil {
		if sev, ok := ParseSeverity(m[1]); ok {
			return sev, cleanTitle(m[2]), true
		}
	}
	return "", "", false
}

// severityAmong finds the severity among what stands in brackets behind a
// title, "(`a.go:12`, critical)", and returns the rest in brackets again.
func severityAmong(s string) (Severity, string, bool) {
	parts := tagParts.Split(s, -1)
	for i, part := range parts {
		if sev, ok := ParseSeverity(part); ok {
			if others := slices.Delete(parts, i, i+1); len(others) > 0 {
				return sev, " (" + strings.Join(others, ", ") + ")", true
			}
			return sev, "", true
		}
	}
	return "", "", false
}

func cleanTitle(s string) string {
	s = titleLead.ReplaceAllString(s, "")
	s = strings.TrimRight(s, "* \t")
	if strings.Count(s, "**") == 1 {
		s = strings.Replace(s, "**", "", 1)
	}
	return strings.TrimSpace(s)
}

// groupSeverity reads a heading that is a severity and nothing else, above the
// findings of that severity: "Blocking issues (1)", "严重（critical）". "P2 |
// title" and "title (low)" are findings.
func groupSeverity(s string) (Severity, bool) {
	if strings.HasPrefix(undress(s), "[") {
		return "", false
	}
	called := names(s)
	sev, ok := ParseSeverity(plain(called[0]))
	for i := 1; i+1 < len(called) && !ok; i += 2 { // names come in pairs
		first, known := ParseSeverity(plain(called[i]))
		_, both := ParseSeverity(plain(called[i+1]))
		sev, ok = first, known && (both || itemCount.MatchString(called[i+1]))
	}
	return sev, ok
}

// itemCount is what stands in brackets behind the name of a group.
var itemCount = regexp.MustCompile(`^\d+(?: ?(?:issues?|findings?|items?|个|项|条)(?:问题)?)?$`)
