package diff

import (
	"fmt"
	"strings"
	"sync"
)

// ParseError says why a diff was not read: what is wrong, in which file of
// the change (where that is known) and on which line of the input.
type ParseError struct {
	Path    string // raw bytes; "" where no file is named yet
	Line    int    // 1-based line of the input, 0 for the whole of it
	Problem string
	Advice  string // what to pass instead; "" where nothing would help
}

// Error is one line; the path is quoted, because it may hold anything.
func (e *ParseError) Error() string {
	var b strings.Builder
	b.WriteString("read diff: ")
	if e.Line > 0 {
		fmt.Fprintf(&b, "line %d: ", e.Line)
	}
	if e.Path != "" {
		fmt.Fprintf(&b, "%q: ", e.Path)
	}
	b.WriteString(e.Problem)
	if e.Advice != "" {
		b.WriteString("; " + e.Advice)
	}
	return b.String()
}

// useGitDiff is the advice for an input that is no plain diff.
const useGitDiff = "pass `git diff base...head`"

// Parse reads a change as a unified diff and verifies it: every file is named
// and inside the tree, each hunk has the lines its header says, hunks ascend.
//
// Besides what `git diff` writes it reads what can be read surely: `git show`
// of one commit, a format-patch mail, coloured text, CRLF line ends, other
// prefixes, `diff -u`. What can't is refused with a *ParseError that says
// what the input is and what to pass instead.
//
// A file whose part of the input is damaged (cut off, counts that lie) is kept
// with what could be read and Unread set; the files around it are read.
// Empty input is an empty change. The lines share one copy of raw.
func Parse(raw []byte) (*Set, error) {
	text, err := plainText(string(raw))
	if err != nil {
		return nil, err
	}
	if isMail(text) {
		return parseMail(text)
	}
	p := &parser{lines: lines{text: text}}
	if err := p.files(); err != nil {
		return nil, err
	}
	return p.result()
}

// lines walks a text line by line.
type lines struct {
	text string
	pos  int // where the next line begins
	line int // how many lines were taken
}

func (l *lines) eof() bool { return l.pos >= len(l.text) }

// at says whether the next line begins with the prefix.
func (l *lines) at(prefix string) bool { return strings.HasPrefix(l.text[l.pos:], prefix) }

// peek is the next line without its newline; "" at the end.
func (l *lines) peek() string {
	rest := l.text[l.pos:]
	if i := strings.IndexByte(rest, '\n'); i >= 0 {
		return rest[:i]
	}
	return rest
}

// take is peek and a step to the next line.
func (l *lines) take() string {
	s := l.peek()
	l.pos = min(l.pos+len(s)+1, len(l.text))
	l.line++
	return s
}

// untake steps back over the last line.
func (l *lines) untake() {
	if l.pos > 0 {
		l.pos = strings.LastIndexByte(l.text[:l.pos-1], '\n') + 1
		l.line--
	}
}

// parser holds what is known while one input is read.
type parser struct {
	lines
	set     Set
	later   []reading      // what go-diff is to read again
	waiting int            // how many bytes that is
	again   sync.WaitGroup // where it is at it
	scratch []Line         // a hunk's lines before their number is known
	prefix  *prefixes
	// git is set once the input is known to be git's: there a line "--- x"
	// where a file should begin is no file of diff -u, but a sign of damage.
	git      bool
	mail     bool
	commits  int  // how many headers of `git show` and `git log` were seen
	preamble bool // a summary (--stat, --raw) was seen before the first file
}

// files reads sections until the input ends, and has them read again.
func (p *parser) files() error {
	defer p.again.Wait()
	for !p.eof() {
		if err := p.section(); err != nil {
			return err
		}
	}
	readAgain(p.later)
	return p.checkRepeats()
}

// result is the change, once the whole input was walked.
func (p *parser) result() (*Set, error) {
	if len(p.set.Files) == 0 && (p.preamble || p.commits > 0) {
		return nil, &ParseError{Problem: "the input names a change but does not show it", Advice: useGitDiff}
	}
	return NewSet(p.set.Files), nil
}

// section reads one file, or what stands between two.
func (p *parser) section() error {
	line := strings.TrimRight(p.peek(), "\r")
	switch {
	case line == "":
		p.take()
		return nil
	case p.at("diff --git "):
		p.git = true
		return p.gitFile()
	case p.at("diff --cc "), p.at("diff --combined "):
		return p.refuse("this is a combined diff of a merge", useGitDiff)
	case p.at("Submodule "):
		return p.submodule(line)
	case p.at(unmerged):
		return p.unmerged(line)
	case p.at(propertyChanges):
		return p.refuse("this shows properties of Subversion", "pass `svn diff --ignore-properties`")
	case p.at("-- "), line == "--", p.mail && p.at("base-commit: "):
		if p.signature() {
			return nil
		}
	case isCommit(line) || oneLine.MatchString(line) && p.changeFollows():
		return p.commit()
	case len(p.set.Files) == 0 && summaryLine.MatchString(line):
		p.preamble = true
		p.take()
		return nil
	case p.git && p.at("Index: ") && p.followed("====="): // svn diff --git
		return p.indexed(strings.TrimPrefix(line, "Index: "))
	case !p.git && p.plainSection(line):
		return p.plainFile(line)
	}
	return p.stray()
}

// stray deals with a line where a file should begin. A line that looks like
// one of a hunk belongs to the file before it, whose counts then lie.
func (p *parser) stray() error {
	if n := len(p.set.Files); n > 0 && strings.IndexByte(" +-\\@", p.text[p.pos]) >= 0 {
		f := p.set.Files[n-1]
		if f.Unread == "" {
			f.Unread = fmt.Sprintf("line %d of the diff: more lines than the hunk's header says", p.line+1)
		}
		p.skipFile()
		return nil
	}
	if len(p.set.Files) == 0 {
		return p.refuse(whatIs(p.text[p.pos:]))
	}
	return p.refuse("this line belongs to no file of the change", useGitDiff)
}

// skipFile steps to the next file. Inside a hunk no line can begin like that.
func (p *parser) skipFile() {
	for !p.eof() && !p.at("diff ") {
		p.take()
	}
}

// followed says whether the line after the next begins with the prefix.
func (p *parser) followed(prefix string) bool {
	next := p.lines
	next.take()
	return next.at(prefix)
}

// changeFollows says whether a commit's diff, or a summary of it, begins on the
// line after the next.
func (p *parser) changeFollows() bool {
	next := p.lines
	next.take()
	return next.at("diff --git ") || next.at("Submodule ") || summaryLine.MatchString(next.peek())
}

// refuse makes the error for the line that would be taken next.
func (p *parser) refuse(problem, advice string) *ParseError {
	return &ParseError{Line: p.line + 1, Problem: problem, Advice: advice}
}

// checkRepeats refuses an input that names a file twice: it holds more than
// one diff, and later ones change what earlier ones wrote. Two exceptions are
// git's: a change of type is a deletion and an addition, and an unresolved
// file is named before its diff.
func (p *parser) checkRepeats() error {
	seen := make(map[string]*File, len(p.set.Files))
	for _, f := range p.set.Files {
		before := seen[f.Path()]
		if before != nil && before.Status != Unmerged && !(before.Status == Deleted && f.Status == Added) {
			return &ParseError{Path: f.Path(), Problem: "the file is in the input twice, so it holds more than one diff",
				Advice: useGitDiff}
		}
		seen[f.Path()] = f
	}
	return nil
}
