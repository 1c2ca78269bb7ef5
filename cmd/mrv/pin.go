package main

import (
	"regexp"
	"runtime/debug"
	"strings"
)

// release is a version that has a tag.
var release = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+(-rc\.?[0-9]+)?$`)

// pin says at which commit or tag of mrv's own repository this program was
// built, as a workflow names it: a commit, which can not be moved, with the
// version for a comment, or a tag. It is "" for a build of what is in no commit.
func pin(version string, b *debug.BuildInfo) string {
	tag := "v" + strings.TrimPrefix(version, "v")
	revision, modified := "", false
	if b != nil {
		if !release.MatchString(tag) {
			tag = b.Main.Version
		}
		for _, s := range b.Settings {
			switch s.Key {
			case "vcs.revision":
				revision = s.Value
			case "vcs.modified":
				modified = s.Value == "true"
			}
		}
	}
	switch {
	case revision != "" && !modified && release.MatchString(tag):
		return revision + " # " + tag
	case revision != "" && !modified:
		return revision
	case release.MatchString(tag):
		return tag
	}
	return ""
}

// withPin puts what this program was built from in place of the branch that the
// example workflows take mrv's actions from.
func withPin(workflow []byte, to string) []byte {
	if to == "" {
		return workflow
	}
	return []byte(strings.ReplaceAll(string(workflow), "@main\n", "@"+to+"\n"))
}
