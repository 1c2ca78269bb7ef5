package forge_test

import (
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine/forge"
)

// FuzzRemotes looks for a URL that names a repository whose parts could mean
// something else in a path, a URL or an argument.
func FuzzRemotes(f *testing.F) {
	for _, seed := range []string{"https://github.com/o/r.git", "git@github.com:o/r", "ssh://git@github.com:443/o/r", "https://github.com/o/r/pull/7",
		"https://user:pass@h/o/r", "h:o/../r", "-x:o/r", "https://h/%2e%2e/r", "https://h\\@evil/o/r", "file:///o/r", "#7"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		check := func(r forge.Repo) {
			for _, part := range []string{r.Host, r.Owner, r.Name} {
				if part == "" || part[0] == '-' || part == "." || part == ".." || strings.ContainsAny(part, "/\\@ \n\x00%?#") {
					t.Errorf("%q names %+v", s, r)
				}
			}
		}
		if strings.HasPrefix(s, "http") { // about other hosts ssh is asked
			if r, ok := forge.ParseRemote(s); ok {
				check(r)
			}
		}
		if r, _, ok := forge.ParseRef(s); ok && r != (forge.Repo{}) {
			check(r)
		}
	})
}
