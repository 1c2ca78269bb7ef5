package themes

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestBuiltinThemes(t *testing.T) {
	want := []string{"catppuccin-latte", "catppuccin-mocha", "dark", "high-contrast", "light", "mono"}
	if got := Builtin(); !slices.Equal(got, want) {
		t.Fatalf("built in are %v, want %v", got, want)
	}
	for _, name := range want {
		theme, err := Load(name, "")
		if err != nil {
			t.Fatal(err)
		}
		if theme.Name != name {
			t.Errorf("%s.yaml is named %q", name, theme.Name)
		}
		for _, role := range Roles() {
			if _, ok := theme.Roles[role]; !ok && name != "mono" {
				t.Errorf("%s does not paint %s", name, role)
			}
		}
	}
}

func TestMonoHasNoColour(t *testing.T) {
	theme, err := Load("mono", "")
	if err != nil {
		t.Fatal(err)
	}
	for role, p := range theme.Roles {
		if p.FG != "" || p.BG != "" {
			t.Errorf("mono paints %s in a colour: %+v", role, p)
		}
	}
}

func TestOwnThemeStandsBeforeBuiltin(t *testing.T) {
	dir := t.TempDir()
	own := "name: dark\ndark: true\nroles:\n  accent: \"#123456 on 7 bold\"\n"
	if err := os.WriteFile(filepath.Join(dir, "dark.yaml"), []byte(own), 0o600); err != nil {
		t.Fatal(err)
	}
	theme, err := Load("dark", dir)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := theme.Roles["accent"], (Paint{FG: "#123456", BG: "7", Bold: true}); got != want {
		t.Errorf("accent is %+v, want %+v", got, want)
	}
	if theme, err = Load("light", dir); err != nil || theme.Dark {
		t.Errorf("light is %+v, %v", theme, err)
	}
}

func TestMistakesAreNamed(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"name: own\nroles:\n  text: \"\"\n  accnt: red", `own.yaml:4: there is no role "accnt"`},
		{"roles:\n  accent: red", `own.yaml:2: role accent: "red" is neither a colour`},
		{"roles:\n  accent: \"#12345\"", `"#12345" is neither`},
		{"roles:\n  accent: \"256\"", `"256" is neither`},
		{"roles:\n  accent: \"#123456/16\"", "0-15"},
		{"roles:\n  accent: \"on #123456/1\"", "a foreground"},
		{"name: own\ncolours:\n  accent: red", `own.yaml:2: unknown key "colours"; a theme has`},
		{"roles: [", "own.yaml:1: "},
		{"roles: red", "own.yaml:1: "},
		{"", "no roles"},
	} {
		if _, err := Parse("own.yaml", []byte(c.in)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %q in it", c.in, err, c.want)
		}
	}
	if _, err := Load("nope", ""); err == nil || !strings.Contains(err.Error(), "catppuccin-mocha") {
		t.Errorf("an unknown theme's error is %v, want the list", err)
	}
	if _, err := Load("../secret", t.TempDir()); err == nil {
		t.Error("a path was taken for a theme's name")
	}
}

// Everything that carries words can be read on the backgrounds that terminals
// have: a contrast of 4.5, which WCAG 2 asks of text. Text keeps it on every
// background the theme sets itself, and code on those of changed lines.
func TestContrast(t *testing.T) {
	for name, backgrounds := range map[string][]string{
		"dark":             {"#000000", "#1e1e2e", "#282c34"},
		"light":            {"#ffffff", "#fdf6e3", "#eff1f5"},
		"catppuccin-mocha": {"#1e1e2e"},
		"catppuccin-latte": {"#eff1f5"},
	} {
		theme, err := Load(name, "")
		if err != nil {
			t.Fatal(err)
		}
		text := theme.Roles["text"].FG
		if text == "" { // the terminal's own
			text = map[bool]string{true: "#cccccc", false: "#333333"}[theme.Dark]
		}
		for role, p := range theme.Roles {
			if p.FG == "" && p.BG == "" {
				continue
			}
			if p.BG != "" && p.FG == "" {
				if c := contrast(t, text, p.BG); c < 4.5 {
					t.Errorf("%s: text on %s has a contrast of %.1f", name, role, c)
				}
				continue
			}
			least := 4.5
			if role == "unfocused" { // borders only
				least = 1.5
			}
			on := backgrounds
			if strings.HasPrefix(string(role), "code-") {
				on = append(slices.Clone(on), theme.Roles["add"].BG, theme.Roles["del"].BG)
			}
			if p.BG != "" { // its own
				on = []string{p.BG}
			}
			for _, bg := range on {
				if c := contrast(t, p.FG, bg); c < least {
					t.Errorf("%s: %s on %s has a contrast of %.1f, want %.1f", name, role, bg, c, least)
				}
			}
		}
	}
}

func contrast(t *testing.T, a, b string) float64 {
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// luminance is WCAG's relative luminance of #rrggbb.
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	n, err := strconv.ParseUint(strings.TrimPrefix(hex, "#"), 16, 24)
	if err != nil {
		t.Fatalf("%q is not #rrggbb", hex)
	}
	linear := func(shift uint) float64 {
		v := float64(n>>shift&0xff) / 255
		if v <= 0.03928 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(16) + 0.7152*linear(8) + 0.0722*linear(0)
}
