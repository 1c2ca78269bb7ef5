package tui

import "strings"

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
