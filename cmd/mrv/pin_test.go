package main

import (
	"bytes"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
)

// TestPin: the workflows that mrv init writes take the actions of the very mrv
// that wrote them, and not of a branch that moves.
func TestPin(t *testing.T) {
	sha := strings.Repeat("0123456789", 4)
	built := func(main string, kv ...string) *debug.BuildInfo {
		b := &debug.BuildInfo{Main: debug.Module{Version: main}}
		for i := 0; i < len(kv); i += 2 {
			b.Settings = append(b.Settings, debug.BuildSetting{Key: kv[i], Value: kv[i+1]})
		}
		return b
	}
	for name, c := range map[string]struct {
		version string
		build   *debug.BuildInfo
		want    string
	}{
		"a release":                      {"1.2.3", built("(devel)", "vcs.revision", sha, "vcs.modified", "false"), sha + " # v1.2.3"},
		"a release without its commit":   {"v1.2.3", nil, "v1.2.3"},
		"go install at a tag":            {"0.1.0-dev", built("v0.4.0"), "v0.4.0"},
		"go install at a commit":         {"0.1.0-dev", built("v0.4.1-0.20261201000000-0123456789ab"), ""},
		"built from a clean clone":       {"0.1.0-dev", built("v0.4.1-0.20261201000000-0123456789ab", "vcs.revision", sha, "vcs.modified", "false"), sha},
		"built from changed files":       {"0.1.0-dev", built("(devel)", "vcs.revision", sha, "vcs.modified", "true"), ""},
		"nothing is known":               {"0.1.0-dev", nil, ""},
		"a release of changed files":     {"1.2.3", built("(devel)", "vcs.revision", sha, "vcs.modified", "true"), "v1.2.3"},
		"a version that would be a line": {"1.2.3\n      - run: x", nil, ""},
	} {
		if got := pin(c.version, c.build); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	ours := regexp.MustCompile(`mrv-dev/mrv/\S+@(.*)`)
	for _, name := range []string{"mrv-comment", "mrv-publish", "mrv-review"} {
		raw, err := workflows.ReadFile("workflows/" + name + ".yml")
		if err != nil {
			t.Fatal(err)
		}
		if got := withPin(raw, ""); !bytes.Equal(got, raw) {
			t.Errorf("%s was changed", name)
		}
		uses := ours.FindAllStringSubmatch(string(withPin(raw, sha+" # v1.2.3")), -1)
		if len(uses) == 0 {
			t.Errorf("%s uses no action of ours", name)
		}
		for _, u := range uses {
			if u[1] != sha+" # v1.2.3" {
				t.Errorf("%s: %s", name, u[0])
			}
		}
	}
}
