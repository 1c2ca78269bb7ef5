// Package style makes the screen's styles from a theme. Styles are values
// that are handed down; nothing here is global, and nothing is drawn here.
package style

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/mrv-dev/mrv/engine/review"
	"github.com/mrv-dev/mrv/themes"
)

// Styles is how everything on the screen is drawn.
type Styles struct {
	Text, Dim, Accent                lipgloss.Style
	Focus, Unfocused                 lipgloss.Style // borders
	Selected                         lipgloss.Style
	Header, Tab, TabActive           lipgloss.Style
	Key, KeyText                     lipgloss.Style
	Error, Notice                    lipgloss.Style
	Thinking, Tool                   lipgloss.Style
	Critical, Warning, Suggestion    lipgloss.Style
	Pass, Concerns, Block            lipgloss.Style
	Accepted, Rejected, Escalated    lipgloss.Style
	Add, Del, AddMark, DelMark, Hunk lipgloss.Style
	LineNo                           lipgloss.Style
	Mark                             lipgloss.Style // the finding's own lines
	Match                            lipgloss.Style // what a search found
	Keyword, Name                    lipgloss.Style // source code
	String, Number, Comment          lipgloss.Style

	// Dark says that the theme is for a dark background.
	Dark bool
	// Color says that colours are shown at all.
	Color  bool
	Glyphs Glyphs
}

// New makes the styles of a theme for a terminal. Where the terminal shows no
// colours (NO_COLOR, CLICOLOR=0, a dumb terminal) the mono theme is used in
// its place, so that nothing that a background marked is lost.
func New(theme themes.Theme, profile colorprofile.Profile, glyphs Glyphs) (Styles, error) {
	colour := profile > colorprofile.ASCII
	if !colour {
		mono, err := themes.Load("mono", "")
		if err != nil {
			return Styles{}, err
		}
		theme = mono
	}
	s := Styles{Dark: theme.Dark, Color: colour, Glyphs: glyphs}
	for role, to := range s.roles() {
		*to = paint(theme.Roles[role], theme.Dark, profile)
	}
	return s, nil
}

func (s *Styles) roles() map[themes.Role]*lipgloss.Style {
	return map[themes.Role]*lipgloss.Style{
		"text": &s.Text, "dim": &s.Dim, "accent": &s.Accent, "focus": &s.Focus, "unfocused": &s.Unfocused,
		"selected": &s.Selected, "header": &s.Header, "tab": &s.Tab, "tab-active": &s.TabActive,
		"key": &s.Key, "key-text": &s.KeyText, "error": &s.Error, "notice": &s.Notice,
		"thinking": &s.Thinking, "tool": &s.Tool,
		"critical": &s.Critical, "warning": &s.Warning, "suggestion": &s.Suggestion,
		"pass": &s.Pass, "concerns": &s.Concerns, "block": &s.Block,
		"accepted": &s.Accepted, "rejected": &s.Rejected, "escalated": &s.Escalated,
		"add": &s.Add, "del": &s.Del, "add-mark": &s.AddMark, "del-mark": &s.DelMark,
		"hunk": &s.Hunk, "line-no": &s.LineNo, "mark": &s.Mark, "match": &s.Match,
		"code-keyword": &s.Keyword, "code-name": &s.Name, "code-string": &s.String, "code-number": &s.Number, "code-comment": &s.Comment,
	}
}

func paint(p themes.Paint, dark bool, profile colorprofile.Profile) lipgloss.Style {
	st := lipgloss.NewStyle()
	switch {
	case profile == colorprofile.ANSI && p.FG16 != "":
		p.FG = p.FG16
	case profile == colorprofile.ANSI256:
		lighter := dark // ink
		if p.FG != "" && p.BG != "" {
			lighter = luminance(lipgloss.Color(p.FG)) > luminance(lipgloss.Color(p.BG))
		}
		p.FG, p.BG = indexed(p.FG, lighter), indexed(p.BG, !lighter)
	}
	if p.FG != "" {
		st = st.Foreground(lipgloss.Color(p.FG))
	}
	if p.BG != "" {
		st = st.Background(lipgloss.Color(p.BG))
	}
	// What is not asked for stays unset, so that it can be inherited.
	for _, x := range []struct {
		on  bool
		set func(bool) lipgloss.Style
	}{
		{p.Bold, func(v bool) lipgloss.Style { return st.Bold(v) }}, {p.Faint, func(v bool) lipgloss.Style { return st.Faint(v) }},
		{p.Italic, func(v bool) lipgloss.Style { return st.Italic(v) }}, {p.Underline, func(v bool) lipgloss.Style { return st.Underline(v) }},
		{p.Reverse, func(v bool) lipgloss.Style { return st.Reverse(v) }},
	} {
		if x.on {
			st = x.set(true)
		}
	}
	return st
}

// Select is a style on the ground of what is under the cursor. Where the theme
// has an ink for that ground, it is written in it: others may not show there.
func (s *Styles) Select(st lipgloss.Style) lipgloss.Style {
	if _, none := s.Selected.GetForeground().(lipgloss.NoColor); !none {
		return s.Selected.Inherit(st)
	}
	return st.Inherit(s.Selected)
}

// Severity is the style of a severity.
func (s *Styles) Severity(x review.Severity) lipgloss.Style {
	switch x {
	case review.Critical:
		return s.Critical
	case review.Warning:
		return s.Warning
	case review.Suggestion:
		return s.Suggestion
	}
	return s.Dim
}

// Label is the style of a decision label.
func (s *Styles) Label(x review.Label) lipgloss.Style {
	switch x {
	case review.Pass:
		return s.Pass
	case review.Concerns:
		return s.Concerns
	case review.Block:
		return s.Block
	}
	return s.Dim
}

// Choice is the style of a decision.
func (s *Styles) Choice(x review.Choice) lipgloss.Style {
	switch x {
	case review.Accepted:
		return s.Accepted
	case review.Rejected:
		return s.Rejected
	case review.Escalated:
		return s.Escalated
	}
	return s.Dim
}

// Profile is what colours a terminal shows. It is colorprofile's finding, with
// CLICOLOR=0 honoured too.
func Profile(detected colorprofile.Profile, env []string) colorprofile.Profile {
	get := func(name string) string {
		value := ""
		for _, kv := range env {
			if v, ok := strings.CutPrefix(kv, name+"="); ok {
				value = v
			}
		}
		return value
	}
	forced := get("CLICOLOR_FORCE")
	off := get("NO_COLOR") != "" || (get("CLICOLOR") == "0" && (forced == "" || forced == "0"))
	if off && detected > colorprofile.ASCII {
		return colorprofile.ASCII
	}
	return detected
}

// Ink is a style for the hot path: what to write before and after a text. The
// text must be cleaned and have no styles of its own.
type Ink struct {
	on, off string
}

// InkOf makes the ink of a style that only colours.
func InkOf(s lipgloss.Style) Ink {
	const probe = "x"
	on, off, _ := strings.Cut(s.Render(probe), probe)
	return Ink{on: on, off: off}
}

// Paint writes a text in the ink.
func (i Ink) Paint(s string) string {
	if i.on == "" || s == "" {
		return s
	}
	return i.on + s + i.off
}
