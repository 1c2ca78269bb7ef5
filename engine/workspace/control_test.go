package workspace

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestSteers(t *testing.T) {
	for path, want := range map[string]bool{
		"AGENTS.md": true, "docs/agents.md": true, "docs/agents.go": false, "AGENTS.md/x": true, "agents.override.md": true,
		".opencode": true, "a/.OPENCODE/b": true, ".opencoder": false, "opencode.json": true, "opencode.json5": false,
		".github/copilot-instructions.md": true, ".github/COPILOT/x": true, "copilot-instructions.md": false, ".github/workflows/ci.yml": false,
		"x/.github/copilot-setup.yml": true, ".windsurf": true, ".windsurfrules": true, ".aider.conf.yml": true, ".env": true, ".env.local": true,
		".environment": true, "env": false, ".envrc": true, "a/.npmrc": true, ".ai/reviews/x.md": true, "ai/x": false,
		".mrv/skill.md": true, "mrv/x": false, "CLAUDE.md": true, "claude.local.md": true, "claude.go": false,
		// Kelvin sign, long s, a soft hyphen and a zero-width joiner fold away.
		".\u212Airo/x": true, "agent\u017f.md": true, ".open\u00adcode/x": true, ".clau\u200dde": true,
		// The same letters, composed and decomposed, are none of them.
		"caf\u00e9": false, "cafe\u0301": false,
	} {
		if got := Steers(path); got != want {
			t.Errorf("%q steers: %v, want %v", path, got, want)
		}
	}
}

// FuzzPaths looks for a path that is let through and does not stay below the
// tree, or reaches what is reserved.
func FuzzPaths(f *testing.F) {
	for _, seed := range []string{"a", "a/b", "../a", "a/../../b", "/a", "a//b", "./a", "a/.", ".git/config", "a/.GIT/x", ".g\u200cit", "GIT~1",
		"mrv-context/x", "MRV-CONTEXT", "a/mrv-context", "", "a\x00b", "\xff", "-rf", "a\nb"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		if unsafe(path) != "" {
			return
		}
		if !filepath.IsLocal(path) || filepath.Clean(path) != path {
			t.Errorf("%q is let through", path)
		}
		for i, part := range strings.Split(path, "/") {
			if strings.EqualFold(part, ".git") || strings.EqualFold(part, "git~1") || i == 0 && strings.EqualFold(part, ContextDir) {
				t.Errorf("%q is let through", path)
			}
		}
		if name := plain(path); strings.ContainsAny(name, "/\x00\n") || strings.HasPrefix(name, ".") || len(name) > maxName {
			t.Errorf("%q makes the file name %q", path, name)
		}
	})
}
