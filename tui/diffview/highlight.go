package diffview

import (
	"path"
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"

	"github.com/mrv-dev/mrv/engine/diff"
)

// Class is what a piece of code is, as far as its colour is concerned.
type Class uint8

// The classes a theme colours.
const (
	Plain Class = iota
	Keyword
	Name // of a type or function
	String
	Number
	Comment
)

// Span is a stretch of a line, in bytes.
type Span struct {
	Len   int
	Class Class
}

// Paint holds the classes of every line of a file's hunks. It does not depend
// on the theme, so a change of theme costs nothing. It is not changed after it
// was made.
type Paint struct {
	spans map[string][]Span // by hunk side and text: equal lines look equal
}

// Lexers finds the lexer of a file by its name and remembers it: the search
// costs milliseconds. It may be used by many commands at once.
type Lexers struct {
	mu   sync.Mutex
	seen map[string]chroma.Lexer
}

// For returns the lexer for a path; nil if there is none.
func (l *Lexers) For(file string) chroma.Lexer {
	key := path.Ext(file)
	if key == "" {
		key = path.Base(file)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if lx, ok := l.seen[key]; ok {
		return lx
	}
	lx := lexers.Match(path.Base(file))
	if lx != nil {
		lx = chroma.Coalesce(lx)
	}
	if l.seen == nil {
		l.seen = map[string]chroma.Lexer{}
	}
	l.seen[key] = lx
	return lx
}

// maxHighlight bounds the bytes of one hunk's side that are coloured: beyond
// it a generated file would hold a core for seconds.
const maxHighlight = 64 << 10

// Highlight colours a file's hunks, each side by itself, so that a string or a
// comment over several lines is seen as one. Hunks are pieces: a comment that
// began above a hunk is not known there.
func Highlight(f *diff.File, lx *Lexers) *Paint {
	p := &Paint{spans: map[string][]Span{}}
	lexer := lx.For(f.Path())
	if lexer == nil {
		return p
	}
	for _, h := range f.Hunks {
		p.side(lexer, h, diff.Add)
		p.side(lexer, h, diff.Delete)
	}
	return p
}

// side colours the context and the lines of one kind.
func (p *Paint) side(lexer chroma.Lexer, h *diff.Hunk, op diff.Op) {
	var lines []string
	size, own := 0, false
	for _, l := range h.Lines {
		if l.Op != op && l.Op != diff.Context {
			continue
		}
		own = own || l.Op == op
		if size += len(l.Text) + 1; size > maxHighlight {
			break
		}
		lines = append(lines, l.Text)
	}
	if !own && op == diff.Delete {
		return
	}
	it, err := lexer.Tokenise(&chroma.TokeniseOptions{State: "root", EnsureLF: false}, strings.Join(lines, "\n")+"\n")
	if err != nil {
		return // a lexer that gives up leaves the code plain
	}
	at, spans, used := 0, []Span(nil), 0
	for t := it(); t != chroma.EOF && at < len(lines); t = it() {
		class := classOf(t.Type)
		for i, part := range strings.Split(t.Value, "\n") {
			if i > 0 {
				p.keep(lines[at], spans, used)
				at, spans, used = at+1, nil, 0
				if at == len(lines) {
					return
				}
			}
			if n := len(spans); n > 0 && spans[n-1].Class == class {
				spans[n-1].Len += len(part)
			} else if part != "" {
				spans = append(spans, Span{len(part), class})
			}
			used += len(part)
		}
	}
}

// keep stores the spans of a line unless the lexer changed its length.
func (p *Paint) keep(line string, spans []Span, used int) {
	if used != len(line) {
		return
	}
	if _, ok := p.spans[line]; !ok {
		p.spans[line] = spans
	}
}

// Spans returns the classes of a line; nil if it was not coloured.
func (p *Paint) Spans(line string) []Span {
	if p == nil {
		return nil
	}
	return p.spans[line]
}

func classOf(t chroma.TokenType) Class {
	switch {
	case t.InCategory(chroma.Comment):
		return Comment
	case t.InSubCategory(chroma.LiteralString):
		return String
	case t.InSubCategory(chroma.LiteralNumber):
		return Number
	case t.InCategory(chroma.Keyword):
		return Keyword
	case t == chroma.NameFunction, t == chroma.NameClass, t == chroma.NameTag, t.InSubCategory(chroma.NameBuiltin):
		return Name
	}
	return Plain
}
