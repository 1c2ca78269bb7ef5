package git

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// maxPointer is more than a pointer of Git LFS may have, in bytes
// (git-lfs/docs/spec.md: it must be shorter than 1024).
const maxPointer = 1024

var pointerRE = regexp.MustCompile(`(?s)^version https://git-lfs\.github\.com/spec/v1\n.*oid sha256:([0-9a-f]{64})\nsize [0-9]+\n$`)

// restorePointers puts back the pointers of files that Git LFS keeps elsewhere
// and that are what their pointer says: git, having run no filter, would take
// their content for a change. A file that is something else stays as it is.
func (r reading) restorePointers(ctx context.Context, changed []FileChange) error {
	var list []string
	for _, c := range changed {
		if c.Status == 'D' {
			continue
		}
		same, err := r.isPointed(ctx, c)
		if err != nil {
			return err
		}
		if same {
			list = append(list, c.OldMode+" "+c.OldBlob+"\t"+c.OldPath)
		}
	}
	if len(list) == 0 {
		return nil
	}
	put := r.git("update-index", "-z", "--index-info")
	put.stdin = strings.NewReader(strings.Join(list, "\x00") + "\x00")
	_, err := put.run(ctx)
	return err
}

// isPointed reports whether what a file was is a pointer to what it is.
func (r reading) isPointed(ctx context.Context, c FileChange) (bool, error) {
	sizes, err := r.store.present(ctx, []string{c.OldBlob})
	if err != nil || sizes[c.OldBlob] > maxPointer {
		return false, err
	}
	text, err := r.store.Blob(ctx, c.OldBlob)
	if err != nil {
		return false, err
	}
	m := pointerRE.FindSubmatch(text)
	if m == nil {
		return false, nil
	}
	path := filepath.Join(r.store.Clone.Root, c.OldPath)
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return false, nil // git has said what there is to say
	}
	f, err := os.Open(path)
	if errors.Is(err, os.ErrPermission) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return false, err
	}
	return hex.EncodeToString(h.Sum(nil)) == string(m[1]), nil
}
