package diff

import (
	"fmt"
	"strconv"
	"strings"
)

// noNewline is git's note behind a last line without a newline.
const noNewline = `\ No newline at end of file`

// Write renders a change as `git diff` does with its own prefixes, with a line
// of its own where a file was not read. Parse reads the same change from it.
func Write(s *Set) []byte {
	var b []byte
	for _, f := range s.Files {
		b = f.append(b)
	}
	return b
}

// Patch is the file's part of the diff, header and all.
func (f *File) Patch() []byte { return f.append(nil) }

func (f *File) append(b []byte) []byte {
	b = f.appendHeader(b)
	for _, h := range f.Hunks {
		b = h.append(b)
	}
	return f.appendUnread(b)
}

// The line that says why a file, or the rest of it, is not here. git writes
// nothing that begins like it.
const (
	unreadStart = "@@ not read: "
	unreadEnd   = " @@"
)

func (f *File) appendUnread(b []byte) []byte {
	if f.Unread == "" || f.Status == Unmerged {
		return b
	}
	reason := strings.NewReplacer("\n", " ", "\r", " ").Replace(f.Unread)
	return append(b, unreadStart+reason+unreadEnd+"\n"...)
}

// NumberedPatch is the file's diff for a reader that can't count: each line of
// a hunk begins with its number before and after the change, either of them
// blank where the line is absent, then the sign and the text.
func (f *File) NumberedPatch() []byte {
	b := f.appendHeader(nil)
	for _, h := range f.Hunks {
		b = append(h.appendHeader(b), '\n')
		for l := range h.All() {
			b = appendNumber(b, l.Old)
			b = append(appendNumber(append(b, ' '), l.New), ' ', byte(l.Op))
			b = append(append(b, l.Text...), '\n')
			if l.NoEOL {
				b = append(b, noNewline+"\n"...)
			}
		}
	}
	return f.appendUnread(b)
}

// appendNumber writes a line number five wide, or blanks for none.
func appendNumber(b []byte, n int) []byte {
	if n == 0 {
		return append(b, "     "...)
	}
	return fmt.Appendf(b, "%5d", n)
}

// appendHeader writes what stands before the hunks.
func (f *File) appendHeader(b []byte) []byte {
	if f.Status == Unmerged {
		return append(b, unmerged+f.Path()+"\n"...)
	}
	if f.commitsAlone() {
		return f.appendSubmodule(b)
	}
	before, after := f.OldPath, f.NewPath
	if before == "" {
		before = after
	}
	if after == "" {
		after = before
	}
	x, y := quoteName("a/"+before), quoteName("b/"+after)
	b = fmt.Appendf(b, "diff --git %s %s\n", x, y)
	b = f.appendModes(b)
	switch f.Status {
	case Renamed, Copied:
		verb := map[Status]string{Renamed: "rename", Copied: "copy"}[f.Status]
		b = fmt.Appendf(b, "%s from %s\n%s to %s\n", verb, quoteName(before), verb, quoteName(after))
	case Added:
		x = devNull
	case Deleted:
		y = devNull
	}
	if f.OldID != "" {
		b = append(b, "index "+f.OldID+".."+f.NewID...)
		if f.OldMode == f.NewMode && f.OldMode != "" {
			b = append(b, " "+f.OldMode...)
		}
		b = append(b, '\n')
	}
	switch {
	case f.Binary:
		b = fmt.Appendf(b, "Binary files %s and %s differ\n", x, y)
	case len(f.Hunks) > 0 || f.Unread != "":
		b = fmt.Appendf(b, "--- %s\n+++ %s\n", endName(x), endName(y))
	}
	return b
}

// appendModes writes the modes, unless they are the same and in the index line.
func (f *File) appendModes(b []byte) []byte {
	lines := [2]struct{ word, mode string }{{"old mode ", f.OldMode}, {"new mode ", f.NewMode}}
	switch f.Status {
	case Added:
		lines[1].word = "new file mode "
	case Deleted:
		lines[0].word = "deleted file mode "
	default:
		if f.OldMode == f.NewMode && f.OldID != "" {
			return b
		}
	}
	for _, l := range lines {
		if l.mode != "" {
			b = append(b, l.word+l.mode+"\n"...)
		}
	}
	return b
}

// commitsAlone says whether the file is a submodule of which no hunk names the
// commits.
func (f *File) commitsAlone() bool {
	if !f.Submodule || len(f.Hunks) > 0 || f.Unread != "" {
		return false
	}
	switch f.Status {
	case Added, Deleted:
		return f.OldID != ""
	case Modified:
		return f.OldMode == gitlink && f.NewMode == gitlink
	}
	return false
}

// appendSubmodule writes a submodule whose commits alone are known.
func (f *File) appendSubmodule(b []byte) []byte {
	switch {
	case f.OldID == "":
		return fmt.Appendf(b, "Submodule %s contains modified content\n", f.Path())
	case f.Status == Added:
		return fmt.Appendf(b, "Submodule %s %s...%s (new submodule)\n", f.Path(), f.OldID, f.NewID)
	case f.Status == Deleted:
		return fmt.Appendf(b, "Submodule %s %s...%s (submodule deleted)\n", f.Path(), f.OldID, f.NewID)
	}
	return fmt.Appendf(b, "Submodule %s %s..%s:\n", f.Path(), f.OldID, f.NewID)
}

// endName ends a name with a tab if it has a space in it, as git does.
func endName(name string) string {
	if strings.IndexByte(name, ' ') >= 0 {
		return name + "\t"
	}
	return name
}

// quoteName quotes a name as git does with core.quotePath off: only where a
// line could not hold it otherwise.
func quoteName(name string) string {
	plain := func(c byte) bool { return c >= ' ' && c != '"' && c != '\\' && c != 0x7f }
	i := 0
	for i < len(name) && plain(name[i]) {
		i++
	}
	if i == len(name) {
		return name
	}
	b := []byte{'"'}
	for i := range len(name) {
		c := name[i]
		if plain(c) {
			b = append(b, c)
		} else if k := strings.IndexByte(escapeBytes, c); k >= 0 {
			b = append(b, '\\', escapeLetters[k])
		} else {
			b = fmt.Appendf(b, `\%03o`, c)
		}
	}
	return string(append(b, '"'))
}

// append writes the hunk as in a diff.
func (h *Hunk) append(b []byte) []byte {
	b = append(h.appendHeader(b), '\n')
	for i := range h.Lines {
		l := &h.Lines[i]
		b = append(b, byte(l.Op))
		b = append(b, l.Text...)
		b = append(b, '\n')
		if l.NoEOL {
			b = append(b, noNewline+"\n"...)
		}
	}
	return b
}

// appendHeader writes the @@ line without its newline.
func (h *Hunk) appendHeader(b []byte) []byte {
	b = appendRange(append(b, "@@ -"...), h.OldStart, h.OldLines)
	b = appendRange(append(b, " +"...), h.NewStart, h.NewLines)
	b = append(b, " @@"...)
	if h.Section != "" {
		b = append(append(b, ' '), h.Section...)
	}
	return b
}

func appendRange(b []byte, start, lines int) []byte {
	b = strconv.AppendInt(b, int64(start), 10)
	if lines != 1 {
		b = strconv.AppendInt(append(b, ','), int64(lines), 10)
	}
	return b
}
