package style

import (
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"github.com/mrv-dev/mrv/themes"
)

func TestEveryRoleHasAStyle(t *testing.T) {
	var s Styles
	roles := s.roles()
	for _, r := range themes.Roles() {
		if roles[r] == nil {
			t.Errorf("role %s has no style", r)
		}
	}
	if len(roles) != len(themes.Roles()) {
		t.Errorf("%d styles for %d roles", len(roles), len(themes.Roles()))
	}
}

func TestNoColourStillMarks(t *testing.T) {
	dark, err := themes.Load("dark", "")
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(dark, colorprofile.ASCII, Unicode())
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]string{"selected": s.Selected.Render("x"), "critical": s.Critical.Render("x"), "match": s.Match.Render("x")} {
		if !strings.Contains(got, "\x1b[") || strings.Contains(got, "38;") || strings.Contains(got, "48;") {
			t.Errorf("%s is drawn %q, want attributes and no colour", name, got)
		}
	}
}

// With 16 colours no two meanings share one that a theme keeps apart.
func TestSixteenColours(t *testing.T) {
	for _, name := range []string{"dark", "light"} {
		theme, err := themes.Load(name, "")
		if err != nil {
			t.Fatal(err)
		}
		s, err := New(theme, colorprofile.ANSI, Unicode())
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]string{}
		for role, st := range map[string]string{"accent": s.Accent.Render("x"), "error": s.Error.Render("x"), "notice": s.Notice.Render("x"),
			"tool": s.Tool.Render("x"), "pass": s.Pass.Render("x"), "escalated": s.Escalated.Render("x"), "text": s.Text.Render("x")} {
			if other := seen[st]; other != "" {
				t.Errorf("%s: %s and %s are both drawn %q", name, role, other, st)
			}
			seen[st] = role
		}
	}
}

func TestProfile(t *testing.T) {
	full := colorprofile.TrueColor
	for _, c := range []struct {
		env  []string
		want colorprofile.Profile
	}{
		{nil, full},
		{[]string{"NO_COLOR=1"}, colorprofile.ASCII},
		{[]string{"NO_COLOR="}, full},
		{[]string{"CLICOLOR=0"}, colorprofile.ASCII},
		{[]string{"CLICOLOR=1"}, full},
		{[]string{"CLICOLOR=0", "CLICOLOR_FORCE=1"}, full},
	} {
		if got := Profile(full, c.env); got != c.want {
			t.Errorf("%v gives %v, want %v", c.env, got, c.want)
		}
	}
	if got := Profile(colorprofile.NoTTY, []string{"NO_COLOR=1"}); got != colorprofile.NoTTY {
		t.Errorf("a pipe became %v", got)
	}
}

func TestChooseGlyphs(t *testing.T) {
	for _, c := range []struct {
		ascii bool
		env   []string
		want  string
	}{
		{false, []string{"LANG=en_US.UTF-8", "TERM=xterm"}, "✓"},
		{false, []string{"LANG=zh_CN.utf8"}, "✓"},
		{false, []string{"TERM=xterm"}, "✓"},
		{false, []string{"LANG=C", "TERM=tmux-256color"}, "✓"},
		{true, []string{"LANG=en_US.UTF-8"}, "+"},
		{false, []string{"LANG=zh_CN.GB18030"}, "+"},
		{false, []string{"LANG=en_US.UTF-8", "TERM=dumb"}, "+"},
		{false, []string{"LANG=zh_CN.GBK", "LC_ALL=en_US.UTF-8"}, "✓"},
	} {
		if got := ChooseGlyphs(c.ascii, c.env).Done; got != c.want {
			t.Errorf("%v %v gives %q, want %q", c.ascii, c.env, got, c.want)
		}
	}
}
