package review

import "strings"

// block is the lines of one text.
type block []line

// prose joins the lines of a text without the indentation they share.
func (b block) prose() string {
	return strings.TrimSpace(strings.Join(b.dedented(1), "\n"))
}

// dedented returns the lines without the indentation that those from first on
// share, blank lines and trailing blanks gone.
func (b block) dedented(first int) []string {
	shared := -1
	for i, l := range b {
		trimmed := strings.TrimLeft(l.text, " \t")
		if i < first || trimmed == "" {
			continue
		}
		if n := len(l.text) - len(trimmed); shared < 0 || n < shared {
			shared = n
		}
	}
	out := make([]string, len(b))
	for i, l := range b {
		text := l.text
		if i < first {
			text = strings.TrimLeft(text, " \t")
		} else if strings.TrimSpace(text) == "" {
			text = ""
		} else {
			text = text[max(shared, 0):]
		}
		out[i] = strings.TrimRight(text, " \t\r")
	}
	return out
}

// code returns the lines of the fences in a text, without the fences'
// indentation; without a fence, the text without backticks around it.
func (b block) code() string {
	var out []string
	fenced, closed := false, true
	indent := 0
	for _, l := range b {
		switch l.mark {
		case opening:
			f, _ := asFence(l.text)
			fenced, closed, indent = true, false, f.indent
		case inside:
			text := l.text
			for n := 0; n < indent && text != "" && (text[0] == ' ' || text[0] == '\t'); n++ {
				text = text[1:]
			}
			out = append(out, text)
		case closing:
			closed = true
		}
	}
	switch {
	case fenced && closed:
		return strings.Join(out, "\n")
	case fenced: // cut, or ended by the next field
		return strings.TrimRight(strings.Join(out, "\n"), " \t\n")
	}
	text := b.prose()
	if t := strings.Trim(text, "`"); strings.HasPrefix(text, "`") && strings.HasSuffix(text, "`") {
		return strings.TrimSpace(t)
	}
	return text
}

// around returns the text before and behind the fences of a block of code.
func (b block) around() string {
	fenced := false
	var out block
	for _, l := range b {
		fenced = fenced || l.mark == opening
		if l.mark == outside {
			out = append(out, l)
		}
	}
	if !fenced {
		return ""
	}
	return out.prose()
}
