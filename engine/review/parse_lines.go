package review

import (
	"regexp"
	"strings"
	"unicode"
)

// mark says where a line stands in regard to code fences.
type mark byte

const (
	outside mark = iota
	opening      // the line that opens a fence
	inside
	closing // the line that closes it
	stray   // a fence line that belongs to none
)

// line is one logical line of a report.
type line struct {
	text string
	mark mark
}

// fence describes a line of three or more backticks or tildes.
type fence struct {
	indent int
	char   byte
	length int
	info   string
}

func asFence(s string) (fence, bool) {
	trimmed := strings.TrimLeft(s, " \t")
	f := fence{indent: len(s) - len(trimmed)}
	if len(trimmed) < 3 || trimmed[0] != '`' && trimmed[0] != '~' {
		return f, false
	}
	f.char = trimmed[0]
	for f.length < len(trimmed) && trimmed[f.length] == f.char {
		f.length++
	}
	f.info = strings.TrimSpace(trimmed[f.length:])
	if f.length < 3 || strings.Contains(f.info, "`") {
		return f, false
	}
	return f, true
}

// longestLine is how many bytes a line of the grammar may have: a longer one is
// text, so that a hostile one is not searched for every form there is.
const longestLine = 1 << 16

// nestedLines is how far a nested fence is followed.
const nestedLines = 200

// language is what stands behind a fence's backticks when it opens one.
var language = regexp.MustCompile(`^[A-Za-z0-9_+#.:-]{1,24}$`)

// markFences says of every line whether it is in a fence. It follows
// CommonMark, with three additions for what models write: a fence that opens
// within a fence of the same length with a language is nested; a fence that
// is never closed ends before the next heading or field of the grammar; and a
// lone fence line right behind a closed fence opens nothing if it would
// swallow a heading. unclosed says that the text ends in a fence.
func markFences(lines []string, anchor func(string) bool) (marks []mark, unclosed bool) {
	marks = make([]mark, len(lines))
	ends := fenceEnds{lines: lines, anchor: anchor}
	afterFence := false
	for i := 0; i < len(lines); i++ {
		f, ok := asFence(lines[i])
		if !ok {
			afterFence = afterFence && strings.TrimSpace(lines[i]) == ""
			continue
		}
		end, closed := ends.of(i, f)
		if afterFence && f.info == "" && ends.anchorIn(i, end) < end {
			marks[i] = stray
			afterFence = false
			continue
		}
		if !closed {
			end = ends.anchorIn(i, len(lines))
			unclosed = end == len(lines)
		}
		marks[i] = opening
		for k := i + 1; k < end; k++ {
			marks[k] = inside
		}
		if closed {
			marks[end] = closing
			i = end
		} else {
			i = end - 1
		}
		afterFence = closed
	}
	return marks, unclosed
}

// fenceEnds finds where fences end. Answers that hold for the rest of the
// text are remembered, so that a hostile text costs no quadratic time.
type fenceEnds struct {
	lines  []string
	anchor func(string) bool
	noEnd  map[fence]bool // no closing line for this kind from here on
}

// of returns the line that closes the fence opened at i.
func (e *fenceEnds) of(i int, f fence) (end int, closed bool) {
	kind := fence{char: f.char, length: f.length}
	if e.noEnd[kind] {
		return len(e.lines), false
	}
	plain, nested, depth := -1, -1, 1
	opensInside := false
	for k := i + 1; k < len(e.lines) && (plain < 0 || k < i+nestedLines); k++ {
		g, ok := asFence(e.lines[k])
		if !ok || g.char != f.char || g.length < f.length {
			continue
		}
		if g.info != "" {
			if language.MatchString(g.info) {
				depth++
				opensInside = opensInside || plain < 0
			}
			continue
		}
		if plain < 0 {
			plain = k
		}
		if depth--; depth == 0 {
			nested = k
			break
		}
		if !opensInside {
			break
		}
	}
	switch {
	case plain < 0:
		if e.noEnd == nil {
			e.noEnd = map[fence]bool{}
		}
		e.noEnd[kind] = true
		return len(e.lines), false
	case nested > plain && e.anchorIn(i, nested) == nested:
		return nested, true
	case e.anchorIn(i, plain) < plain && (opensInside || e.opensField(plain)):
		return len(e.lines), false // it was never closed: plain belongs to a later fence
	}
	return plain, true
}

// anchorIn returns the first anchor between i and end, or end.
func (e *fenceEnds) anchorIn(i, end int) int {
	for k := i + 1; k < end; k++ {
		if e.anchor(e.lines[k]) {
			return k
		}
	}
	return end
}

// opensField reports whether the fence line k follows a field's name that has
// no text yet: then it opens that field's fence.
func (e *fenceEnds) opensField(k int) bool {
	for k--; k >= 0; k-- {
		if strings.TrimSpace(e.lines[k]) == "" {
			continue
		}
		_, rest, ok := splitField(e.lines[k])
		return ok && rest == ""
	}
	return false
}

// heading is a line that stands above text: an ATX heading, a line wholly in
// bold (level 7), or not (level 0).
type heading struct {
	level int
	text  string
}

var (
	atxHeading  = regexp.MustCompile(`^ {0,3}(#{1,6})(?:[ \t]+|(\S))(.*?)[ \t]*#*[ \t]*$`)
	boldLine    = regexp.MustCompile(`^ {0,3}(?:\*\*|__)([^*_\s](?:.*[^*_\s])?)(?:\*\*|__)[ \t]*[:：]?[ \t]*$`)
	bulletStart = regexp.MustCompile(`^([ \t]*)(?:([-*+•－–·●○◦▪■‣➤])|[(（]?(\d{1,3})[.)、．）])[ \t]+(.*)$`)
	rule        = regexp.MustCompile(`^ {0,3}(?:-[ \t]*){3,}$|^ {0,3}(?:\*[ \t]*){3,}$|^ {0,3}(?:_[ \t]*){3,}$|^ {0,3}={3,}[ \t]*$`)
)

func asHeading(s string) heading {
	if m := atxHeading.FindStringSubmatch(s); m != nil {
		return heading{len(m[1]), strings.TrimSpace(m[2] + m[3])}
	}
	if m := boldLine.FindStringSubmatch(s); m != nil && !strings.Contains(m[1], "**") {
		return heading{7, strings.TrimSpace(m[1])}
	}
	return heading{}
}

// bullet takes a list item's marker off. kind is '-' for bullets, '1' for
// numbers, 0 for no item.
func bullet(s string) (kind byte, indent int, rest string) {
	m := bulletStart.FindStringSubmatch(s)
	switch {
	case m == nil:
		return 0, 0, s
	case m[3] != "":
		return '1', len(m[1]), m[4]
	}
	return '-', len(m[1]), m[4]
}

// plain takes emphasis, backticks, emoji and punctuation off both ends.
func plain(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}

var (
	numbering = regexp.MustCompile(`^(?:(?:\d{1,3}\.)*\d{1,3}[.)、．:：]|(?:\d{1,3}\.)+\d{1,3}[ \t]|[一二三四五六七八九十]{1,3}[.)、．:：])[ \t]*`)
	spaces    = regexp.MustCompile(`\s+`)
	counted   = regexp.MustCompile(`[ \t]*[(（\[]\d+[)）\]]$`)
	bracketed = regexp.MustCompile(`^(.*?)[ \t]*[(（](.*)[)）]$`)
)

// names lists what a heading or a field's key may be called: the text itself,
// and the parts of a bilingual one, in lower case.
func names(s string) []string {
	s = strings.ToLower(spaces.ReplaceAllString(strings.TrimSpace(strings.Trim(strings.TrimSpace(s), "*_`:： ")), " "))
	s = counted.ReplaceAllString(numbering.ReplaceAllString(strings.TrimLeftFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r)
	}), ""), "")
	s = strings.TrimRight(s, ":：. 。*_】」』］〕》")
	out := []string{s}
	if m := bracketed.FindStringSubmatch(s); m != nil {
		out = append(out, m[1], m[2])
	}
	for _, sep := range []string{" / ", "/", "｜", "|"} {
		if parts := strings.Split(s, sep); len(parts) == 2 {
			out = append(out, strings.TrimSpace(parts[0]), strings.TrimSpace(parts[1]))
		}
	}
	return out
}

// keyed matches "key: text" with the key bold or not and the colon within or
// behind the bold.
var keyed = regexp.MustCompile(`^[ \t]*(?:(?:\*\*|__|\*|_)([^*_:：\n]{1,40}?)[ \t]*(?:[:：][ \t]*(?:\*\*|__|\*|_)|(?:\*\*|__|\*|_)[ \t]*[:：])|([^*_:：\n]{1,40}?)[ \t]*[:：])[ \t]*(.*)$`)

// bracketKey matches a key in brackets, with a colon or not: 【位置】 text.
var bracketKey = regexp.MustCompile(`^[ \t]*(?:\*\*|__)?[【「『〔《［\[]([^】」』〕》］\]\n]{1,40})[】」』〕》］\]](?:\*\*|__)?[ \t]*[:：]?(?:\*\*|__)?[ \t]*(.*)$`)

// splitKey takes a "key: text" line apart, a list marker before it or not.
func splitKey(s string) (key, rest string, bold, ok bool) {
	_, _, item := bullet(s)
	if m := bracketKey.FindStringSubmatch(item); m != nil {
		_, field := fieldNamed(m[1])
		return m[1], m[2], true, field || sectionNamed(m[1]) != ""
	}
	m := keyed.FindStringSubmatch(item)
	if m == nil {
		return "", "", false, false
	}
	return m[1] + m[2], m[3], m[1] != "", true
}

// bareKey matches a bold key in front of its text without a colon, with a dash
// between them or as a list item.
var bareKey = regexp.MustCompile(`^(?:\*\*|__)([^*_:：\n]{1,40}?)(?:\*\*|__)[ \t]+(?:([-–—|])[ \t]+)?(\S.*)$`)

// splitField is splitKey for the fields of a finding.
func splitField(s string) (f Field, rest string, ok bool) {
	if key, rest, _, ok := splitKey(s); ok {
		f, ok = fieldNamed(key)
		return f, rest, ok
	}
	kind, _, item := bullet(s)
	m := bareKey.FindStringSubmatch(item)
	if m == nil || kind == 0 && m[2] == "" {
		return Field{}, "", false
	}
	f, ok = fieldNamed(m[1])
	return f, m[3], ok && (m[2] != "" || f.Required) // "- **Fix** the leak" is a sentence
}

// openInline matches a field's name with a fence opening behind it.
var openInline = regexp.MustCompile("^(.*[:：][*_]{0,2})[ \t]*((?:`{3,}|~{3,})[A-Za-z0-9_+#.-]*)[ \t]*$")

// boldKey matches a bold key in the middle of a line.
var boldKey = regexp.MustCompile(`(?:[ \t]|[。；，、;,.!！?？）)])(?:\*\*|__)([^*_:：\n]{1,40}?)(?:[:：][ \t]*(?:\*\*|__)|(?:\*\*|__)[ \t]*[:：])`)

// plainKey matches what may be a plain key behind the end of a sentence.
var plainKey = regexp.MustCompile(`[.;,。；，|！!）)][ \t]*(?:([A-Z][a-z]+)|(\p{Han}{2}))[:：]`)

// unseen takes out what is not seen on a page, and makes its blanks blanks:
// zero-width characters, marks of direction, no-break spaces.
var unseen = strings.NewReplacer(
	"\u200b", "", "\u200c", "", "\u200d", "", "\u2060", "", "\ufeff", "", "\u200e", "", "\u200f", "",
	"\u202a", "", "\u202b", "", "\u202c", "", "\u202d", "", "\u202e", "", "\u2066", "", "\u2067", "", "\u2068", "", "\u2069", "",
	"\u00a0", " ", "\u2007", " ", "\u202f", " ", "\u3000", " ",
)

// logicalLines splits text so that a field that starts in the middle of a
// line, and a fence that opens behind a field's name, have lines of their own.
// Of each line exact holds the text as it was written, for code.
func logicalLines(text string) (lines, exact []string) {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	for _, raw := range strings.Split(text, "\n") {
		if len(raw) > longestLine {
			lines, exact = append(lines, raw), append(exact, raw)
			continue
		}
		s := unseen.Replace(raw)
		if m := openInline.FindStringSubmatch(s); m != nil {
			if _, _, ok := splitField(m[1]); ok {
				lines, exact = append(lines, m[1], m[2]), append(exact, m[1], m[2])
				continue
			}
		}
		parts := splitInner(s)
		lines = append(lines, parts...)
		if len(parts) == 1 {
			parts = []string{raw}
		}
		exact = append(exact, parts...)
	}
	return lines, exact
}

// splitInner splits a line before each bold field name in it and, where the
// line itself is a plain field, before each plain one behind a sentence.
func splitInner(s string) []string {
	starts := innerKeys(s)
	var out []string
	from := 0
	for _, at := range starts {
		before := s[from:at]
		if strings.Count(before, "`")%2 == 1 || strings.Trim(before, " \t>-*+•0123456789.)") == "" {
			continue
		}
		out = append(out, before)
		from = at
	}
	return append(out, s[from:])
}

// innerKeys are the places of field names within a line.
func innerKeys(s string) []int {
	var out []int
	for _, m := range boldKey.FindAllStringSubmatchIndex(s, -1) {
		if _, ok := fieldNamed(s[m[2]:m[3]]); ok {
			at := m[0]
			_, size := firstRune(s[at:])
			out = append(out, at+size)
		}
	}
	if len(out) > 0 {
		return out
	}
	if _, _, ok := splitField(s); !ok {
		return nil
	}
	for _, m := range plainKey.FindAllStringSubmatchIndex(s, -1) {
		at, end := m[2], m[3]
		if at < 0 {
			at, end = m[4], m[5]
		}
		if f, ok := fieldNamed(s[at:end]); ok && (s[at:end] == f.Name[English] || s[at:end] == f.Name[Chinese]) {
			out = append(out, at)
		}
	}
	return out
}
