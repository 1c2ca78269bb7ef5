package diff

import (
	"bufio"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	godiff "github.com/sourcegraph/go-diff/diff"
)

// hunks reads a file's hunks and sums its lines. It returns what is wrong with
// the first bad one; those before it are kept.
func (p *parser) hunks(f *File) (bad string) {
	start, end := p.pos, p.pos
	for p.at("@@ ") && !p.at(unreadStart) {
		var h *Hunk
		if h, bad = p.hunk(); bad == "" {
			bad = follows(f.Hunks, h)
		}
		if bad != "" {
			bad = fmt.Sprintf("line %d of the diff: %s", p.line, bad)
			p.untake()
			break
		}
		f.Hunks = append(f.Hunks, h)
		end = p.pos
	}
	f.count()
	f.Submodule = f.Submodule || f.OldMode+f.NewMode == "" && f.movesCommit()
	if len(f.Hunks) > 0 {
		p.readLater(reading{f, p.text[start:end]})
	}
	return bad
}

// gitlinkText is what git writes for a submodule.
var gitlinkText = regexp.MustCompile(`^Subproject commit (?:[0-9a-f]{40}|[0-9a-f]{64})(?:-dirty)?$`)

// movesCommit says whether all that the hunks change is the commit of a
// submodule. git leaves out its mode where the submodule was changed and
// nothing committed.
func (f *File) movesCommit() bool {
	if len(f.Hunks) != 1 || len(f.Hunks[0].Lines) > 2 {
		return false
	}
	for _, l := range f.Hunks[0].Lines {
		if l.Op == Context || !gitlinkText.MatchString(l.Text) {
			return false
		}
	}
	return true
}

// count sets the file's sums.
func (f *File) count() {
	f.Additions, f.Deletions = 0, 0
	for _, h := range f.Hunks {
		for i := range h.Lines {
			switch h.Lines[i].Op {
			case Add:
				f.Additions++
			case Delete:
				f.Deletions++
			}
		}
	}
}

// hunk reads one hunk by counting its lines, never by what they look like: a
// deleted "-- x" is no header.
func (p *parser) hunk() (h *Hunk, bad string) {
	h, ok := hunkHeader(p.take())
	if !ok {
		return nil, "not a hunk's header"
	}
	p.scratch = p.scratch[:0]
	old, new, changed := h.OldLines, h.NewLines, 0
	for old > 0 || new > 0 {
		if p.eof() {
			return nil, fmt.Sprintf("the diff ends inside a hunk: %d of its lines are missing", max(old, new))
		}
		line := p.take()
		op := Context
		if line != "" && line != "\r" {
			op, line = Op(line[0]), line[1:]
		}
		switch op {
		case Context:
			old, new = old-1, new-1
		case Add:
			new--
			changed++
		case Delete:
			old--
			changed++
		case '\\':
			if len(p.scratch) == 0 {
				return nil, "a hunk begins with a note"
			}
			p.scratch[len(p.scratch)-1].NoEOL = true
			continue
		default:
			return nil, "a hunk has fewer lines than its header says"
		}
		if old < 0 || new < 0 {
			return nil, "a hunk has other lines than its header says"
		}
		p.scratch = append(p.scratch, Line{Text: line, Op: op})
	}
	if p.at(`\ `) {
		p.take()
		p.scratch[len(p.scratch)-1].NoEOL = true
	}
	if changed == 0 {
		return nil, "a hunk shows no added or deleted line, as with git diff --word-diff"
	}
	h.Lines = append(make([]Line, 0, len(p.scratch)), p.scratch...)
	return h, ""
}

// hunkHeader reads "@@ -a[,b] +c[,d] @@[ section]"; a count left out is 1.
func hunkHeader(line string) (*Hunk, bool) {
	line = strings.TrimRight(line, "\r")
	rest, ok := strings.CutPrefix(line, "@@ -")
	if !ok {
		return nil, false
	}
	ranges, section, ok := strings.Cut(rest, " @@")
	if !ok || section != "" && section[0] != ' ' {
		return nil, false
	}
	before, after, ok := strings.Cut(ranges, " +")
	if !ok {
		return nil, false
	}
	h := &Hunk{Section: strings.TrimPrefix(section, " ")}
	h.OldStart, h.OldLines, ok = hunkRange(before)
	if !ok {
		return nil, false
	}
	h.NewStart, h.NewLines, ok = hunkRange(after)
	return h, ok && h.OldLines+h.NewLines > 0
}

// hunkRange reads "start[,lines]". An empty range may start at 0.
func hunkRange(s string) (start, lines int, ok bool) {
	first, second, two := strings.Cut(s, ",")
	start, ok = lineNumber(first)
	lines = 1
	if ok && two {
		lines, ok = lineNumber(second)
	}
	return start, lines, ok && (start > 0 || lines == 0) && start+lines <= math.MaxInt32
}

// lineNumber takes digits alone.
func lineNumber(s string) (int, bool) {
	if s == "" || s[0] < '0' || s[0] > '9' {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 32)
	return int(n), err == nil
}

// follows checks that a hunk stands behind the ones before it on both sides.
func follows(before []*Hunk, h *Hunk) string {
	if len(before) == 0 {
		return ""
	}
	last := before[len(before)-1]
	if first(h.OldStart, h.OldLines) < first(last.OldStart, last.OldLines)+last.OldLines ||
		first(h.NewStart, h.NewLines) < first(last.NewStart, last.NewLines)+last.NewLines {
		return "the hunks are not in order"
	}
	return ""
}

// first is the first line of a range. An empty one names the line before it.
func first(start, lines int) int {
	if lines == 0 {
		return start + 1
	}
	return start
}

// reading is a file and the text that its hunks were read from.
type reading struct {
	file *File
	text string
}

// batch is how much text is read again at once, in bytes.
const batch = 1 << 20

// readLater leaves a file's hunks for the second reading. Once there are many
// it begins, beside the first one, with the files before this one: those are
// not touched again here.
func (p *parser) readLater(r reading) {
	if p.waiting += len(r.text); p.waiting > batch && len(p.later) > 0 {
		files := p.later
		p.again.Go(func() { readAgain(files) })
		p.later, p.waiting = nil, len(r.text)
	}
	p.later = append(p.later, r)
}

// readAgain has go-diff read the same hunks and compares. A file that comes
// out otherwise is left unread.
func readAgain(files []reading) {
	buf := bufio.NewReaderSize(nil, 1<<16) // go-diff takes it for its own
	for _, r := range files {
		if f := r.file; !agreed(buf, f.Hunks, r.text) {
			f.Hunks, f.Unread = nil, "two ways to read its hunks disagree"
			f.count()
		}
	}
}

// agreed says whether go-diff reads hunks as they were read here. It takes
// "--- x", "+++ y", "@@" inside a hunk for the next file, and stops at a line
// of "\r" alone; where it stumbles it gets each hunk by itself, written
// plainly.
func agreed(buf *bufio.Reader, hunks []*Hunk, text string) bool {
	if sameHunks(buf, hunks, text) {
		return true
	}
	for _, h := range hunks {
		if !sameHunks(buf, []*Hunk{h}, string(h.append(nil))) {
			return false
		}
	}
	return true
}

func sameHunks(buf *bufio.Reader, hunks []*Hunk, text string) bool {
	buf.Reset(strings.NewReader(text))
	read, err := godiff.NewHunksReaderOptions(buf, godiff.ParseOptions{KeepCR: true}).ReadAllHunks()
	if err != nil || len(read) != len(hunks) {
		return false
	}
	for i, h := range hunks {
		g := read[i]
		if h.OldStart != int(g.OrigStartLine) || h.OldLines != int(g.OrigLines) ||
			h.NewStart != int(g.NewStartLine) || h.NewLines != int(g.NewLines) ||
			strings.TrimSpace(h.Section) != g.Section || !sameBody(h.Lines, g.Body) {
			return false
		}
	}
	return true
}

// sameBody compares lines with go-diff's body: signs, texts and newlines, but
// none where the new side has none at its end.
func sameBody(lines []Line, body []byte) bool {
	for i := range lines {
		l := &lines[i]
		if len(body) > 0 && body[0] == byte(l.Op) {
			body = body[1:]
		} else if l.Op != Context || l.Text != "" {
			return false
		}
		if len(body) < len(l.Text) || string(body[:len(l.Text)]) != l.Text {
			return false
		}
		body = body[len(l.Text):]
		if len(body) > 0 && body[0] == '\n' {
			body = body[1:]
		} else if !l.NoEOL {
			return false
		}
	}
	return len(body) == 0
}
