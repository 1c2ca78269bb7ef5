package themes

import (
	"os"
	"path/filepath"
	"slices"
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
		{"roles:\n  accnt: red", `there is no role "accnt"`},
		{"roles:\n  accent: red", `"red" is neither a colour`},
		{"roles:\n  accent: \"#12345\"", `"#12345" is neither`},
		{"roles:\n  accent: \"256\"", `"256" is neither`},
		{"colours:\n  accent: red", "unknown field"},
		{"roles: [", "reading the theme own.yaml"},
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
