package tui

import (
	"strings"

	"github.com/mrv-dev/mrv/themes"
)

// Themes lists the names that Options.Theme takes, beside the person's own.
func Themes() []string { return append([]string{themes.Auto}, themes.Builtin()...) }

// ThemeFile is the file of a built-in theme, to begin one's own with.
func ThemeFile(name string) ([]byte, error) { return themes.File(name) }

// LintTheme says what is wrong with a person's own theme.
func LintTheme(source string, raw []byte) error {
	_, err := themes.Parse(source, raw)
	return err
}

// darkByEnv guesses the terminal's background before it has said so: dark,
// unless COLORFGBG, which some terminals set, says that it is light.
func darkByEnv(env []string) bool {
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, "COLORFGBG="); ok {
			parts := strings.Split(v, ";")
			bg := parts[len(parts)-1]
			return bg != "7" && bg != "15"
		}
	}
	return true
}
