package diff

import (
	"strconv"
)

// noNewline is git's note behind a last line without a newline.
const noNewline = `\ No newline at end of file`

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
