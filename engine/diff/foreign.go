package diff

import (
	"fmt"
	"regexp"
	"strings"
)

// plainText takes off what was laid over a diff: a byte order mark, colours,
// CRLF line ends. What can't be taken off surely is refused.
func plainText(text string) (string, error) {
	if strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") {
		return "", &ParseError{Problem: "the input is UTF-16 text, as PowerShell's > writes it",
			Advice: "write it with `git diff --output=FILE`"}
	}
	text = strings.TrimPrefix(text, "\ufeff")
	if strings.HasPrefix(text, "\x1b[") || colouredHeader.MatchString(text[:min(len(text), maxHeader)]) {
		bare, ok := uncoloured(text)
		if !ok {
			return "", &ParseError{Problem: "the input is coloured, and its lines hold other control codes",
				Advice: "pass the output of `git diff --no-color`"}
		}
		text = bare
	}
	return unixEnds(text), nil
}

// colouredHeader begins a file in colour, below text without any.
var colouredHeader = regexp.MustCompile(`\n\x1b\[1m(diff --git|---) `)

// uncoloured takes colours off, line by line: git ends each on the line where
// it begins and puts none inside another. In a line of context, which is not
// coloured inside, what is left belongs to the file and stays. In any other
// line it might be a highlight of a tool's, so ok is false.
func uncoloured(text string) (bare string, ok bool) {
	var b strings.Builder
	reset := anyReset.FindString(text)
	for line := range strings.Lines(text) {
		line, end := strings.TrimSuffix(line, "\n"), line[len(strings.TrimSuffix(line, "\n")):]
		switch {
		case !strings.Contains(line, "\x1b"):
		case contextLine.MatchString(line):
			line = contextOf(line, reset)
		default:
			if line, ok = uncolouredLine(line); !ok {
				return "", false
			}
		}
		b.WriteString(line)
		b.WriteString(end)
	}
	return b.String(), true
}

var (
	// anyReset ends a colour: git writes the first, diff the second form.
	anyReset    = regexp.MustCompile(`\x1b\[0?m`)
	contextLine = regexp.MustCompile(`^(\x1b\[[0-9;]+m)? `)
	// colourCode is what stands behind the escape: a colour, its end, or the
	// clearing of the line's rest.
	colourCode = regexp.MustCompile(`^\[([0-9;]*m|K)`)
	// blanks are those that --ws-error-highlight marks, at either end.
	blanksBefore = regexp.MustCompile(`^\x1b\[[0-9;]+m([ \t]+)\x1b\[0?m`)
	blanksBehind = regexp.MustCompile(`(?:\x1b\[0?m)?\x1b\[[0-9;]+m([ \t\r]+)$`)
)

// contextOf takes off what git lays over a line of context: a colour before
// the sign, which --ws-error-highlight ends behind it and begins again, and the
// end of the line's. diff colours no context.
func contextOf(line, reset string) string {
	set := contextLine.FindStringSubmatch(line)[1]
	if set == "" && reset != "\x1b[m" {
		return line
	}
	text, ended := strings.CutSuffix(line[len(set)+1:], "\r")
	text = strings.TrimSuffix(text, reset)
	if marked, ok := strings.CutPrefix(text, reset); ok {
		marked = blanksBefore.ReplaceAllString(marked, "$1")
		inner := strings.TrimLeft(marked, " \t") // which are not coloured
		text = marked[:len(marked)-len(inner)] + blanksBehind.ReplaceAllString(strings.TrimPrefix(inner, set), "$1")
	}
	if ended {
		text += "\r"
	}
	return " " + text
}

// uncolouredLine takes every colour off a line.
func uncolouredLine(text string) (bare string, ok bool) {
	var b strings.Builder
	coloured := false
	for {
		before, after, found := strings.Cut(text, "\x1b")
		b.WriteString(before)
		if !found {
			return b.String(), !coloured
		}
		code := colourCode.FindString(after)
		switch {
		case code == "[m" || code == "[0m":
			coloured = false
		case code == "" || coloured && code != "[K":
			return "", false
		case code != "[K":
			coloured = true
		}
		text = after[len(code):]
	}
}

// unixEnds undoes a conversion of the whole text to CRLF. git never ends a
// header line with a carriage return (it would be quoted in a name), so a
// carriage return there, and on every other line, was added later.
func unixEnds(text string) string {
	if i := strings.IndexByte(text, '\n'); i < 1 || text[i-1] != '\r' {
		return text
	}
	if strings.Count(text, "\n") != strings.Count(text, "\r\n") {
		return text
	}
	return strings.ReplaceAll(text, "\r\n", "\n")
}

var (
	commitLine = regexp.MustCompile(`^commit [0-9a-f]{4,64}( |$)`)
	oneLine    = regexp.MustCompile(`^[0-9a-f]{4,64} `)
	// logLine is a line between "commit" and the diff: a header, the message,
	// which git indents, notes, or a summary of the files.
	logLine = regexp.MustCompile(`^($|    |[A-Z][A-Za-z]*:|gpg: |(tree|parent) [0-9a-f]+$|(author|committer) |Notes \(.*\):$|---$| |\d+\t|-\t|:\d{6} )`)
	// summaryLine is a line of --stat, --summary, --numstat or --raw.
	summaryLine = regexp.MustCompile(`^( |\d+\t|-\t|:\d{6} )`)
)

func isCommit(line string) bool { return commitLine.MatchString(line) }

// commit takes the lines that `git show` and `git log -p` write before one
// commit's diff. None of them can be taken for a file: the message is
// indented.
func (p *parser) commit() error {
	if p.commits++; p.commits > 1 || len(p.set.Files) > 0 {
		return p.refuse("the input holds several commits, and later ones may change what earlier ones wrote", useGitDiff)
	}
	p.take()
	for !p.eof() && !p.at("diff --") && !p.at("Submodule ") {
		line := strings.TrimSuffix(p.peek(), "\r")
		if isCommit(line) {
			return nil
		}
		if !logLine.MatchString(line) {
			return p.refuse("there is text before the first file that git would not write there", useGitDiff)
		}
		p.take()
	}
	return nil
}

// gitVersion is what stands below the "-- " of a format-patch mail.
var gitVersion = regexp.MustCompile(`^-- ?\n\d+\.\d+[^\n]*\s*$`)

// signature takes the end of a mail, where it is sure to be one.
func (p *parser) signature() bool {
	rest := p.text[p.pos:]
	if len(p.set.Files) == 0 || strings.Contains(rest, "\ndiff ") {
		return false
	}
	if !p.mail && !gitVersion.MatchString(rest) {
		return false // it may be a deleted line "- "
	}
	for !p.eof() {
		p.take()
	}
	return true
}

// unmerged is what git writes for a file whose merge is not resolved.
const unmerged = "* Unmerged path "

func (p *parser) unmerged(line string) error {
	path := strings.TrimPrefix(line, unmerged)
	if problem := checkPath(path); problem != "" {
		return p.refuse(problem, "")
	}
	p.take()
	p.set.Files = append(p.set.Files, &File{OldPath: path, NewPath: path, Status: Unmerged,
		Unread: "its merge is not resolved"})
	return nil
}

// propertyChanges is what svn writes above the properties of a file.
const propertyChanges = "Property changes on: "

// submoduleLine is the first line of a submodule with --submodule=log or diff.
var submoduleLine = regexp.MustCompile(`^Submodule (.+?) (?:contains (?:untracked|modified) content|([0-9a-f]{4,64})\.{2,3}([0-9a-f]{4,64})(?: \([a-z ]+\))?:?)$`)

// submodule reads the short form in which git names the commits of a
// submodule and not a diff of it.
func (p *parser) submodule(line string) error {
	m := submoduleLine.FindStringSubmatch(line)
	if m == nil || checkPath(m[1]) != "" {
		return p.refuse("this line about a submodule is not one that git writes", "pass `git diff --submodule=short`")
	}
	p.git = true
	p.take()
	for p.at("  > ") || p.at("  < ") {
		p.take()
	}
	f := &File{OldPath: m[1], NewPath: m[1], OldID: m[2], NewID: m[3], Status: Modified,
		OldMode: gitlink, NewMode: gitlink, Submodule: true}
	if n := len(p.set.Files); n > 0 && p.set.Files[n-1].Submodule && p.set.Files[n-1].Path() == m[1] {
		if f.OldID == "" {
			return nil
		}
		p.set.Files = p.set.Files[:n-1]
	}
	switch {
	case f.OldID != "" && strings.Trim(f.OldID, "0") == "":
		f.Status, f.OldPath, f.OldMode = Added, "", ""
	case f.NewID != "" && strings.Trim(f.NewID, "0") == "":
		f.Status, f.NewPath, f.NewMode = Deleted, "", ""
	}
	p.set.Files = append(p.set.Files, f)
	return nil
}

// kinds are the things that people pass instead of a diff.
var kinds = []struct {
	first           *regexp.Regexp
	problem, advice string
}{
	{regexp.MustCompile(`^(\*\*\* .*\n--- |\*{15})`), "this is a context diff", "pass a unified one: `diff -u`, or " + useGitDiff[5:]},
	{regexp.MustCompile(`^\d+(,\d+)?[acd]\d+(,\d+)?\r?\n[<>] `), "this is a diff without file names", "pass a unified one: `diff -u`, or " + useGitDiff[5:]},
	{regexp.MustCompile(`^\* commit [0-9a-f]{7,}`), "this is a log with a graph", useGitDiff},
	{regexp.MustCompile(`^@@ -\d`), "these are hunks without the name of their file", useGitDiff},
	{regexp.MustCompile(`^@@@+ -\d`), "this is a combined diff of a merge", useGitDiff},
	{regexp.MustCompile(`^# HG changeset patch`), "this is an exported Mercurial changeset, whose message can't be told from its diff", "pass `hg diff --git`"},
	{regexp.MustCompile(`^changeset: +\d+:[0-9a-f]+`), "this is a log of Mercurial, whose messages can't be told from its diffs", "pass `hg diff --git`"},
	{regexp.MustCompile(`^-{72}\r?\nr\d+ \| `), "this is a log of Subversion, whose messages can't be told from its diffs", "pass `svn diff`"},
	{regexp.MustCompile(`^Files .* differ\r?\n`), "this names files that differ, and does not show how", "pass the output of `diff -ruN`"},
	{regexp.MustCompile(`^tag `), "this is a tag, whose message can't be told from the diff", useGitDiff},
	{regexp.MustCompile(`^> ?(diff |--- |@@ )`), "this is a diff quoted in a mail", useGitDiff},
	{regexp.MustCompile(`(?i)^\s*<(!doctype|html|\?xml)`), "this is a web page", "add .diff to the address of the pull request"},
	{regexp.MustCompile(`^\s*[\[{]`), "this looks like JSON", useGitDiff},
}

// whatIs says what an input is in which no file was found.
func whatIs(text string) (problem, advice string) {
	for _, magic := range []string{"\x1f\x8b", "PK\x03\x04", "BZh", "\xfd7zXZ", "\x28\xb5\x2f\xfd"} {
		if strings.HasPrefix(text, magic) {
			return "this is compressed", "unpack it first"
		}
	}
	for _, k := range kinds {
		if k.first.MatchString(text) {
			return k.problem, k.advice
		}
	}
	if strings.Contains(text, "\ndiff --git ") {
		return "there is text before the first file that git would not write there", useGitDiff
	}
	line, _, _ := strings.Cut(text, "\n")
	return fmt.Sprintf("this is not a unified diff: %.40q", line), useGitDiff
}
