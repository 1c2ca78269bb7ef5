package secret

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var corpus = flag.String("corpus", "", "`DIR` of source code that TestMasksOnRealCode reads instead of Go's own")

// code are parts of Go's own source, without the tests, which hold keys on
// purpose.
var code = []string{"net", "encoding", "cmd/go/internal"}

// diffs are the repository's own corpora of diffs.
const diffs = "../../testdata/diffs"

// TestMasksOnRealCode counts what is masked where there are no secrets: hashes,
// ids, tables and addresses of the standard library are left alone.
func TestMasksOnRealCode(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	roots := []string{diffs}
	for _, dir := range code {
		roots = append(roots, filepath.Join(strings.TrimSpace(string(root)), "src", dir))
	}
	if *corpus != "" {
		roots = []string{*corpus}
	}
	lines, masks := 0, 0
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			if *corpus == "" && root != diffs && (!strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "testcert")) {
				return nil
			}
			raw, err := os.ReadFile(path)
			if err != nil || bytes.IndexByte(raw[:min(len(raw), 8000)], 0) >= 0 {
				return err
			}
			text := string(raw)
			lines += strings.Count(text, "\n")
			for _, m := range Find(text) {
				masks++
				t.Logf("%s: %s: %.120q", path, m.Pattern.ID, text[m.Start:m.End])
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d masks in %d lines, %.2f per 100,000", masks, lines, float64(masks)*1e5/float64(max(lines, 1)))
	if *corpus == "" && (masks > 0 || lines < 50_000) {
		t.Errorf("%d masks in %d lines without secrets", masks, lines)
	}
}
