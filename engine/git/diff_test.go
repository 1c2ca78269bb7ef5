package git

import (
	"strings"
	"testing"
)

// FuzzChanges reads git's lists of changes: none may be read as something that
// names no file, and none may panic.
func FuzzChanges(f *testing.F) {
	zero, one := strings.Repeat("0", 40), strings.Repeat("a", 40)
	f.Add(":100644 100644 " + one + " " + one + " M\x00a\x001\t2\ta\x00")
	f.Add(":100644 100755 " + one + " " + one + " R087\x00old\x00new\x001\t2\t\x00old\x00new\x00")
	f.Add(":000000 100644 " + zero + " " + one + " A\x00b\x00-\t-\tb\x00")
	f.Add(":100644 000000 " + one + " " + zero + " D\x00b\x000\t9\tb\x00")
	f.Add(":100644 100644 " + one + " " + one + " M\x00a\x00")
	f.Add(":")
	f.Add("")
	f.Fuzz(func(t *testing.T, out string) {
		list, err := parseChanges([]byte(out))
		if err != nil {
			return
		}
		for _, c := range list {
			if c.OldPath == "" && c.NewPath == "" && !strings.Contains(out, "\x00\x00") {
				t.Errorf("a change without a name out of %q", out)
			}
		}
	})
}
