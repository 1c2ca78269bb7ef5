package style

import "strings"

// Glyphs are the signs the screen is drawn with, one cell wide but for Ticked
// and Unticked. Each repeats what words beside it say, so that none
// carries a meaning alone.
type Glyphs struct {
	TopLeft, Top, TopRight          string
	Left, Right                     string
	BottomLeft, Bottom, BottomRight string
	Rule                            string // a line across
	Cursor                          string // before the row the keys act on
	Bar                             string // before the finding's own lines
	Ticked, Unticked                string
	Selected                        string
	Running, Waiting, Done          string
	Failed, Aborted, Skipped        string
	Down                            string // new output below

	plain bool // the terminal may lack all that is not ASCII
}

// Fold writes the marks and arrows that stand between the words of a frame with
// the characters that the terminal has, one for one. Letters stay: who wrote
// them can read them.
func (g Glyphs) Fold(frame string) string {
	if !g.plain {
		return frame
	}
	return strings.NewReplacer("…", "~", "·", "-", "–", "-", "—", "-", "←", "<", "→", ">", "↑", "^", "↓", "v").Replace(frame)
}

// Unicode is the usual set; ASCII is for terminals and fonts that lack it.
func Unicode() Glyphs {
	return Glyphs{
		TopLeft: "┌", Top: "─", TopRight: "┐", Left: "│", Right: "│", BottomLeft: "└", Bottom: "─", BottomRight: "┘",
		Rule: "─", Cursor: "▸", Bar: "▌", Ticked: "[x]", Unticked: "[ ]", Selected: "●",
		Running: "●", Waiting: "○", Done: "✓", Failed: "✗", Aborted: "■", Skipped: "·",
		Down: "↓",
	}
}

// ASCII draws with the characters of every terminal.
func ASCII() Glyphs {
	return Glyphs{
		TopLeft: "+", Top: "-", TopRight: "+", Left: "|", Right: "|", BottomLeft: "+", Bottom: "-", BottomRight: "+",
		Rule: "-", Cursor: ">", Bar: "|", Ticked: "[x]", Unticked: "[ ]", Selected: "*",
		Running: "*", Waiting: "o", Done: "+", Failed: "x", Aborted: "#", Skipped: ".",
		Down: "v", plain: true,
	}
}

// ChooseGlyphs takes ASCII where the person wants it, on a dumb terminal or
// the Linux console, and where the locale is not UTF-8.
func ChooseGlyphs(ascii bool, env []string) Glyphs {
	vars := map[string]string{}
	for _, kv := range env {
		if k, v, ok := strings.Cut(kv, "="); ok {
			vars[k] = v
		}
	}
	locale := vars["LC_ALL"]
	if locale == "" {
		locale = vars["LC_CTYPE"]
	}
	if locale == "" {
		locale = vars["LANG"]
	}
	locale = strings.ToLower(strings.ReplaceAll(locale, "-", ""))
	other := locale != "" && locale != "c" && locale != "posix" && !strings.Contains(locale, "utf8")
	if ascii || other || vars["TERM"] == "dumb" || vars["TERM"] == "linux" {
		return ASCII()
	}
	return Unicode()
}
