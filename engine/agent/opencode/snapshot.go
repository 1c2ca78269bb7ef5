package opencode

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// checkSnapshot refuses a directory in which the server would obey the change
// under review. Since 1.17 it runs the plugins of the directory it works on,
// whatever is switched off, and its guard against leaving the directory looks
// at the path only, so that a link leads out. Making a clean snapshot is
// another's task; this is the last door before the server.
func checkSnapshot(dir string) error {
	if !filepath.IsAbs(dir) {
		return fmt.Errorf("snapshot %s: not an absolute path", dir)
	}
	if fi, err := os.Lstat(filepath.Join(dir, ".git")); err != nil || !fi.IsDir() {
		return fmt.Errorf("snapshot %s: has no .git directory of its own, so OpenCode would look for control files above it", dir)
	}
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("snapshot: %w", err)
		}
		rel, _ := filepath.Rel(dir, path)
		switch name := strings.ToLower(e.Name()); {
		case rel == ".git":
			return fs.SkipDir
		case e.Type()&fs.ModeSymlink != 0:
			return fmt.Errorf("snapshot %s: %s is a symbolic link", dir, rel)
		case name == ".opencode", name == "opencode.json", name == "opencode.jsonc":
			return fmt.Errorf("snapshot %s: %s could run code of the change in OpenCode", dir, rel)
		}
		return nil
	})
}
