package workspace

import (
	"path"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// ContextDir is the snapshot's own directory. It has no leading dot: agents'
// searches do not see directories that have one.
const ContextDir = "mrv-context"

// control lists names that steer an agent, hold its permissions or start
// programs in it, or that hold secrets. A name matches a file or directory at
// every depth; one with a slash matches the end of a path.
//
// Sources: OpenCode's documentation of its configuration, rules, plugins and
// skills, measured on 1.18.33 (plugins in .opencode are run, AGENTS.md and
// CLAUDE.md of directories on the way to a read file enter the prompt); the
// other agents' own documentation of their instruction files.
var control = []string{
	".opencode", "opencode.json", "opencode.jsonc", ".agents", ".agent",
	"agents.md", "agents.*.md", "agent.md", "context.md",
	".claude", "claude.md", "claude.*.md", ".mcp.json", "mcp.json",
	".cursor", ".cursorrules", ".cursorignore", ".cursorindexingignore",
	".codex", ".gemini", "gemini.md", ".windsurf*", ".codeium*",
	".cline*", ".roo*", ".kilocode*", ".kiro", ".continue*", ".aider*",
	".github/copilot*", ".github/instructions", ".github/prompts", ".github/agents", ".github/chatmodes",
	".junie", ".amazonq", ".augment*", ".trae", ".qwen", "qwen.md", ".crush*", "crush.json", "crush.md",
	".goose*", ".openhands*", ".factory", ".warp", "warp.md", ".rules", ".tabnine*", ".pi",
	".ai", ".mrv",
	".env*", ".envrc", ".npmrc", ".yarnrc*", ".pypirc", ".netrc", ".git-credentials", ".direnv",
}

// hiding lists files that would hide others from the reviewers' searches.
var hiding = []string{".ignore", ".rgignore", ".fdignore", ".gitignore"}

// Steers reports whether a path of a repository steers agents or holds what
// they must not see; such files are left out of every snapshot. Names are
// compared as the most forgiving file system would.
func Steers(p string) bool { return matches(control, p) }

func matches(list []string, p string) bool {
	parts := strings.Split(p, "/")
	for i := range parts {
		parts[i] = fold(parts[i])
	}
	for i, name := range parts {
		for _, pattern := range list {
			candidate := name
			if strings.Contains(pattern, "/") {
				if i == 0 {
					continue
				}
				candidate = parts[i-1] + "/" + name
			}
			if ok, _ := path.Match(pattern, candidate); ok {
				return true
			}
		}
	}
	return false
}

// fold makes names equal that a file system may take for one: case-folded,
// composed, and without the characters that HFS+ ignores.
func fold(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, name)
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(name)))
}

// unsafe says why a path must not be written at all; "" if it may be.
func unsafe(p string) string {
	if p == "" || strings.HasPrefix(p, "/") || strings.ContainsRune(p, 0) {
		return "its path is not one inside the repository"
	}
	for i, name := range strings.Split(p, "/") {
		switch folded := fold(name); {
		case name == "" || name == "." || name == "..":
			return "its path is not one inside the repository"
		case folded == ".git" || folded == "git~1":
			return "its path reaches into git's own directory"
		case i == 0 && folded == ContextDir:
			return "the name is reserved for mrv"
		}
	}
	return ""
}
