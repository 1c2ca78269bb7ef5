package style

import (
	"image/color"
	"strconv"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/mrv-dev/mrv/themes"
)

// TestContrast: WCAG 2 asks a contrast of 4.5 of text, on the terminal's ground,
// on the row under the cursor, on what a search found and on changed lines; with
// all colours, and with the 256 that tmux has.
func TestContrast(t *testing.T) {
	terminals := map[string][]string{
		"dark": {"#000000", "#1e1e2e", "#282c34"}, "light": {"#ffffff", "#fdf6e3", "#eff1f5"},
		"catppuccin-mocha": {"#1e1e2e"}, "catppuccin-latte": {"#eff1f5"}, "high-contrast": {"#000000"},
	}
	for name, grounds := range terminals {
		theme, err := themes.Load(name, "")
		if err != nil {
			t.Fatal(err)
		}
		own := map[bool]string{true: "#cccccc", false: "#333333"}[theme.Dark] // a terminal's own ink
		for _, profile := range []colorprofile.Profile{colorprofile.TrueColor, colorprofile.ANSI256} {
			s, err := New(theme, profile, Unicode())
			if err != nil {
				t.Fatal(err)
			}
			legible := func(what string, st lipgloss.Style, ground string) {
				t.Helper()
				ink, on := st.GetForeground(), st.GetBackground()
				if unset(ink) {
					ink = lipgloss.Color(own)
				}
				if unset(on) {
					on = lipgloss.Color(ground)
				}
				x, y := luminance(ink), luminance(on)
				if c := (max(x, y) + 0.05) / (min(x, y) + 0.05); c < 4.5 {
					t.Errorf("%s, %v: %s has a contrast of %.2f", name, profile, what, c)
				}
			}
			for _, ground := range grounds {
				for role, st := range s.roles() {
					if role != "unfocused" { // borders
						legible(string(role)+" on "+ground, *st, ground)
					}
				}
			}
			for _, role := range []themes.Role{"text", "dim", "accent", "critical", "warning", "suggestion", "accepted", "rejected", "escalated", "notice"} {
				st := *s.roles()[role]
				legible(string(role)+" under the cursor", s.Select(st), grounds[0])
				legible(string(role)+" that a search found", s.Match.Inherit(st), grounds[0])
			}
			for _, role := range []themes.Role{"text", "code-keyword", "code-name", "code-string", "code-number", "code-comment"} {
				st := *s.roles()[role]
				for on, ground := range map[string]lipgloss.Style{"add": s.Add, "del": s.Del} {
					legible(string(role)+" on "+on, ground.Inherit(st), grounds[0])
				}
			}
		}
	}
}

func unset(c color.Color) bool {
	_, none := c.(lipgloss.NoColor)
	return none
}

// TestIndexed: the next of 256 colours on the right side.
func TestIndexed(t *testing.T) {
	for _, c := range []struct {
		name    string
		lighter bool
		want    string
	}{
		{"#000000", true, "16"}, {"#ffffff", false, "231"}, {"#808080", true, "244"}, {"#818181", true, "102"}, {"#7f7f7f", false, "243"},
		{"14", true, "14"}, {"", true, ""},
	} {
		if got := indexed(c.name, c.lighter); got != c.want {
			t.Errorf("%q is %q, want %q", c.name, got, c.want)
		}
	}
	for i := 16; i < 256; i++ {
		r, g, b, _ := palette(i).RGBA()
		x, y, z, _ := lipgloss.Color(strconv.Itoa(i)).RGBA()
		if r != x || g != y || b != z {
			t.Errorf("%d is %x %x %x, and not %x %x %x", i, r>>8, g>>8, b>>8, x>>8, y>>8, z>>8)
		}
	}
}
