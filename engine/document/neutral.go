package document

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mrv-dev/mrv/engine/secret"
)

// zw is what dangerous sequences are broken with: invisible, no letter, and
// ignored by no parser of mentions, references, tags or links.
const zw = "\u200b"

// Neutralise makes a text from a model, a change or a person safe to stand in
// a Markdown document on a forge or in a file that an agent reads:
//
//   - secrets are masked; control, bidirectional and invisible characters,
//     which show one thing and mean another, are taken out;
//   - outside code, comments and markers (<!--), tags, entities, mentions,
//     references (#1, GH-1) and with them closing keywords, links, images,
//     formulas ($), alerts and table borders are broken with a zero-width space;
//   - lines that a bot could take for a command are broken everywhere;
//   - code stays as it is but for comment marks. Fences are closed, stand at
//     the margin and are longer than any run of backticks in them, and
//     backticks that pair with nothing become quotes, so that what is code
//     here is code for every parser.
//
// It is idempotent.
func Neutralise(text string) string {
	lines := strings.Split(secret.Mask(Clean(text)), "\n")
	var out []string
	for i := 0; i < len(lines); i++ {
		f, ok := openFence(lines[i])
		if !ok {
			out = append(out, neutralLine(lines[i]))
			continue
		}
		end := i + 1
		for end < len(lines) && !f.closes(lines[end]) {
			end++
		}
		if f.bullet != "" {
			out = append(out, f.bullet)
		}
		out = append(out, fenced(f.info, f.dedent(lines[i+1:end]))...)
		i = end
	}
	return strings.Trim(strings.Join(out, "\n"), "\n")
}

// Line is Neutralise for a text that must stay on one line: titles, names,
// reasons. Code fences have no meaning there.
func Line(text string) string {
	text = strings.Join(strings.Fields(secret.Mask(Clean(text))), " ")
	return neutralLine(text)
}

// Quote neutralises a text and puts it behind ">", as everything that models
// or strangers wrote stands.
func Quote(text string) string {
	if text = Neutralise(text); text == "" {
		return ""
	}
	return behind(text)
}

// behind puts a text that is already safe behind ">".
func behind(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = "> " + l
		if l == "" {
			lines[i] = ">"
		}
	}
	return strings.Join(lines, "\n")
}

// Code puts lines of code into a fence, as they are: only secrets are masked
// and characters that deceive are shown by their number.
func Code(info, code string) string {
	code = strings.TrimRight(secret.Mask(reveal(code)), "\n")
	return strings.Join(fencedAs(info, strings.Split(code, "\n")), "\n")
}

// Clean takes out what must not be in any text that leaves: control
// characters, characters that are invisible or turn the direction of writing,
// and bytes that are no UTF-8. Every line ending becomes a newline.
func Clean(text string) string {
	return strings.Map(func(r rune) rune {
		if deceives(r) {
			return -1
		}
		return r
	}, newlines.Replace(text))
}

// reveal is Clean for code, where a character that deceives is itself news: it
// is shown by its number, and so is a byte that is no UTF-8.
func reveal(code string) string {
	code = newlines.Replace(code)
	if strings.IndexFunc(code, deceives) < 0 {
		return code
	}
	var b strings.Builder
	for i, r := range code {
		switch _, size := utf8.DecodeRuneInString(code[i:]); {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, "<%02X>", code[i])
		case deceives(r):
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n", "\u0085", "\n")

// deceives reports whether a character is no part of what a person sees. The
// two joiners stay: some scripts and emoji are written with them.
func deceives(r rune) bool {
	switch {
	case r == '\n', r == '\t', r == '\u200c', r == '\u200d':
		return false
	case r == utf8.RuneError, r >= 0xE0100 && r <= 0xE01EF:
		return true
	}
	return unicode.In(r, unicode.Cf, unicode.Cc) || r == '\u034f'
}

// fence is an opened code fence.
type fence struct {
	char   byte
	length int
	indent int
	info   string
	bullet string // a list marker before it, which must not stay on its line
}

// Behind tildes there may be backticks, behind backticks not (CommonMark 4.5).
var fenceLine = regexp.MustCompile("^([ \t]*)((?:[-*+]|[0-9]{1,9}[.)])[ \t]+)?(?:(`{3,})[ \t]*([^`\n]*)|(~{3,})[ \t]*(.*))$")

func openFence(line string) (fence, bool) {
	m := fenceLine.FindStringSubmatch(line)
	if m == nil {
		return fence{}, false
	}
	bar, info := m[3]+m[5], m[4]+m[6] // one of each
	return fence{
		char: bar[0], length: len(bar), indent: len(m[1]) + len(m[2]),
		info: infoOf(info), bullet: strings.TrimSpace(m[2]),
	}, true
}

func (f fence) closes(line string) bool {
	s := strings.TrimSpace(line)
	return len(s) >= f.length && strings.Trim(s, string(f.char)) == ""
}

// dedent takes away the indentation that the fence itself had.
func (f fence) dedent(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		n := 0
		for n < f.indent && n < len(l) && (l[n] == ' ' || l[n] == '\t') {
			n++
		}
		out[i] = l[n:]
	}
	return out
}

var infoWord = regexp.MustCompile(`^[A-Za-z0-9+#_.-]{1,24}$`)

// infoOf keeps a language's name; "suggestion" would be a change to apply and
// diagrams and maps are drawn, so they become plain text.
func infoOf(info string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(info), " ")
	word = strings.ToLower(word)
	switch word {
	case "suggestion", "mermaid", "geojson", "topojson", "stl", "math":
		return "text"
	}
	if !infoWord.MatchString(word) {
		return ""
	}
	return word
}

var command = regexp.MustCompile(`^([\s>]*)/([A-Za-z])`)

// fenced is a fence of text a model wrote: markers and commands in it are
// broken, because scripts look for them without reading Markdown.
func fenced(info string, lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		l = strings.ReplaceAll(l, "<!--", "<! --")
		out[i] = command.ReplaceAllString(l, "${1}"+zw+"/${2}")
	}
	return fencedAs(info, out)
}

func fencedAs(info string, lines []string) []string {
	longest := 2
	for _, l := range lines {
		run := 0
		for i := range len(l) {
			if l[i] != '`' {
				run = 0
				continue
			}
			run++
			longest = max(longest, run)
		}
	}
	bar := strings.Repeat("`", longest+1)
	return append(append([]string{bar + info}, lines...), bar)
}

// neutralLine neutralises one line outside a fence. Code spans are recognised
// within the line only; a run of backticks that pairs with nothing on it, or
// that stands behind a backslash, becomes quotes: otherwise it could pair with
// one on another line and turn code and prose around.
func neutralLine(line string) string {
	if tableRow.MatchString(line) && strings.ContainsAny(line, "|:") {
		line = `\` + line
	}
	var out, prose strings.Builder
	for i := 0; i < len(line); {
		if line[i] != '`' {
			next := strings.IndexByte(line[i:], '`')
			if next < 0 {
				next = len(line) - i
			}
			prose.WriteString(line[i : i+next])
			i += next
			continue
		}
		n, end := runOf(line[i:]), -1
		if i == 0 || line[i-1] != '\\' {
			end = closing(line[i+n:], n)
		}
		if end < 0 {
			prose.WriteString(strings.Repeat("'", n))
			i += n
			continue
		}
		out.WriteString(neutralProse(prose.String(), out.Len() == 0))
		prose.Reset()
		span := i + n + end + n
		out.WriteString(strings.ReplaceAll(line[i:span], "<!--", "<! --"))
		i = span
	}
	out.WriteString(neutralProse(prose.String(), out.Len() == 0))
	return out.String()
}

func runOf(s string) int {
	n := 0
	for n < len(s) && s[n] == '`' {
		n++
	}
	return n
}

// closing is where a run of exactly n backticks begins, -1 if nowhere.
func closing(s string, n int) int {
	for i := 0; i < len(s); {
		if s[i] != '`' {
			i++
			continue
		}
		k := runOf(s[i:])
		if k == n {
			return i
		}
		i += k
	}
	return -1
}

var (
	// tableRow is the line below a table's head. Cells are cut before code
	// spans are looked for, so there must be no table.
	tableRow = regexp.MustCompile(`^[\s>]*[|:-][|:\-\s]*$`)

	tag       = regexp.MustCompile(`<([A-Za-z/!?])`)
	entity    = regexp.MustCompile(`&([#A-Za-z])`)
	mention   = regexp.MustCompile(`@([A-Za-z0-9_\\` + "`" + `-])`)
	reference = regexp.MustCompile(`#([0-9])`)
	ghRef     = regexp.MustCompile(`(?i)(gh-)([0-9])`)
	link      = regexp.MustCompile(`\]([(:])`)
	image     = regexp.MustCompile(`!\[`)
	alert     = regexp.MustCompile(`\[!`)
	scheme    = regexp.MustCompile(`(?i)(https?|ftp|mailto|xmpp|file|javascript|data|vscode)(:)`)
	dollar    = regexp.MustCompile(`\$([^\s])`) // would begin a formula, which hides and colours text
	bareWWW   = regexp.MustCompile(`(?i)(www)\.`)
)

func neutralProse(s string, first bool) string {
	if s == "" {
		return s
	}
	s = tag.ReplaceAllString(s, "<"+zw+"$1")
	s = entity.ReplaceAllString(s, "&"+zw+"$1")
	s = mention.ReplaceAllString(s, "@"+zw+"$1")
	s = reference.ReplaceAllString(s, "#"+zw+"$1")
	s = ghRef.ReplaceAllString(s, "${1}"+zw+"${2}")
	s = link.ReplaceAllString(s, "]"+zw+"$1")
	s = image.ReplaceAllString(s, "!"+zw+"[")
	s = alert.ReplaceAllString(s, "["+zw+"!")
	s = scheme.ReplaceAllString(s, "${1}"+zw+"${2}")
	s = dollar.ReplaceAllString(s, "$$"+zw+"$1")
	s = bareWWW.ReplaceAllString(s, "${1}"+zw+".")
	if first {
		s = command.ReplaceAllString(s, "${1}"+zw+"/${2}")
	}
	// What ends the prose may bind to the code span behind it.
	if strings.HasSuffix(s, "@") || strings.HasSuffix(s, "$") {
		s += zw
	}
	return s
}
