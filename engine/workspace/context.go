package workspace

import (
	"fmt"
	"path"
	"strings"
)

// Patch is the change of one file as text.
type Patch struct {
	Path string
	Text []byte
}

// WritePatches writes each patch to a file of its own below mrv-context/diff
// and returns their paths inside the snapshot, in the same order.
func (s *Snapshot) WritePatches(patches []Patch) ([]string, error) {
	names := make([]string, len(patches))
	for i, p := range patches {
		names[i] = PatchName(i, p.Path)
		if err := s.put(names[i], p.Text); err != nil {
			return nil, fmt.Errorf("writing the patch of %q for the reviewers: %w", p.Path, err)
		}
	}
	return names, nil
}

// PatchName is the path inside a snapshot of the patch that is written for the
// i-th file, from 0.
func PatchName(i int, name string) string {
	return path.Join(ContextDir, "diff", fmt.Sprintf("%03d-%s.patch", i+1, plain(name)))
}

// maxName keeps file names below what every file system takes.
const maxName = 100

// plain makes a file name of a path that needs no quoting anywhere. Its end
// says more than its front.
func plain(p string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_', r == '-':
			return r
		}
		return '-'
	}, p)
	if len(name) > maxName {
		name = name[len(name)-maxName:]
	}
	return strings.TrimLeft(name, ".-")
}
