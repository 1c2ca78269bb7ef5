package review

import (
	"regexp"
	"strconv"
	"strings"
)

var (
	mdLink   = regexp.MustCompile(`\[([^\]\n]+)\]\([^)\n]*\)`)
	codeSpan = regexp.MustCompile("^`+([^`]+)`+(.*)$")
	oldSide  = regexp.MustCompile(`(?i)[(（\[]\s*(?:old|old side|old file|removed|deleted|before|旧|旧文件|已删除|删除前|删除)\s*[)）\]]`)
	inFront  = regexp.MustCompile(`(?i)^(?:in|at|file|see|文件|在)\s*[:：]?\s+`)
	// numbered finds the lines behind a path: ":12-14", ":L12", "#L3-L9", ", lines 12-14",
	// " (line 12)", " 第12-14行".
	numbered = regexp.MustCompile(`(?i)^(.*?)(?:[ \t]*[:：#][ \t]*(?:lines?[ \t]*)?L?|(?:[ \t]+|[ \t]*[,，(（\[][ \t]*)(?:lines?[ \t]*:?[ \t]*L?|L)|[ \t]*[,，(（]?[ \t]*第[ \t]*)(\d+)(?:[:.](\d+))?(?:[ \t]*(?:-|–|—|~|to|至|到|\.\.)[ \t]*L?(\d+))?(?:[:.]\d+)?(.*)$`)
)

// ParseLocation reads a place as the grammar has it, path[:n[-n]][ (old)] or
// "none", and as models write it: in backticks, with L, #L, "lines", a column,
// or words behind it. ok is false if it is neither.
func ParseLocation(s string) (loc Location, ok bool) {
	s = strings.TrimSpace(strings.Trim(strings.TrimSpace(s), "*"))
	s, _, _ = strings.Cut(s, "\n")
	if _, none := isNone(s); none || s == "" {
		return Location{}, s != ""
	}
	s = mdLink.ReplaceAllString(s, "$1")
	s = inFront.ReplaceAllString(s, "")
	path, rest, quoted := s, "", false
	if m := codeSpan.FindStringSubmatch(s); m != nil {
		path, rest, quoted = m[1], m[2], true
	}
	loc.Old = oldSide.MatchString(s)
	if m := numbered.FindStringSubmatch(path); m != nil && m[1] != "" && wholeNumber(m[5]) {
		loc.Path = m[1]
		loc.Start, loc.End, ok = span(m[2], m[4])
	} else if m := numbered.FindStringSubmatch(rest); quoted && m != nil && strings.TrimSpace(m[1]) == "" {
		loc.Path = path
		loc.Start, loc.End, ok = span(m[2], m[4])
	} else {
		loc.Path, ok = bare(path, quoted)
	}
	loc.Path = strings.TrimPrefix(strings.Trim(strings.TrimSpace(loc.Path), "`*\"'"), "./")
	if !ok || loc.Path == "" || strings.ContainsAny(loc.Path, "\x00") {
		return Location{}, false
	}
	return loc, true
}

// wholeNumber says that the number did not stop in the middle of a word, as
// in a path like "a:1b".
func wholeNumber(rest string) bool {
	r, _ := firstRune(rest)
	return rest == "" || !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '/' || r == '_')
}

// span reads a range of lines, in either order.
func span(first, last string) (start, end int, ok bool) {
	start, err := strconv.Atoi(first)
	if err != nil || start > 1<<30 {
		return 0, 0, false
	}
	end = start
	if last != "" {
		if end, err = strconv.Atoi(last); err != nil || end > 1<<30 {
			return 0, 0, false
		}
	}
	if start == 0 {
		return 0, 0, true
	}
	return min(start, end), max(start, end), true
}

// bare reads a path without lines, words behind it or not.
func bare(s string, quoted bool) (string, bool) {
	s = strings.TrimSpace(oldSide.ReplaceAllString(s, ""))
	if quoted || !strings.ContainsAny(s, " \t") {
		return strings.TrimRight(s, ",，;；。"), true
	}
	first, _, _ := strings.Cut(s, " ")
	first = strings.TrimRight(first, ",，;；:：")
	if strings.ContainsAny(first, "/.") && strings.Trim(first, ".") != "" {
		return first, true
	}
	if m := bracketed.FindStringSubmatch(s); m != nil && !strings.ContainsAny(m[1], " \t") {
		return m[1], true
	}
	return "", false
}
