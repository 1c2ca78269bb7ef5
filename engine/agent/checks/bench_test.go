package checks_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/mrv-dev/mrv/engine/agent/checks"
	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/personas"
)

// large repeats the files of the corpus of diffs until their lines are so many
// bytes.
func large(tb testing.TB, bytes int) (*diff.Set, int) {
	tb.Helper()
	paths, err := filepath.Glob("../../../testdata/diffs/*.diff")
	if err != nil || len(paths) == 0 {
		tb.Fatalf("no diffs: %v", err)
	}
	var files []*diff.File
	for _, p := range paths {
		raw, err := os.ReadFile(p)
		if err != nil {
			tb.Fatal(err)
		}
		if set, err := diff.Parse(raw); err == nil {
			files = append(files, set.Files...)
		}
	}
	set, size := &diff.Set{}, 0
	for i := 0; size < bytes; i++ {
		f := *files[i%len(files)]
		if f.NewPath != "" {
			f.NewPath = fmt.Sprintf("copy%d/%s", i/len(files), f.NewPath)
		}
		set.Files = append(set.Files, &f)
		for _, h := range f.Hunks {
			for _, l := range h.Lines {
				size += len(l.Text) + 2
			}
		}
	}
	return set, size
}

// BenchmarkRun is all built-in checks over a change of 50 MB.
func BenchmarkRun(b *testing.B) {
	set, size := large(b, 50<<20)
	list, err := personas.Builtin()
	if err != nil {
		b.Fatal(err)
	}
	p, _ := personas.Find(list, "generalist")
	rules, err := checks.Compile(p.Checks)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		if hits := checks.Run(rules, set); len(hits) > 0 {
			b.Fatalf("%s fires", hits[0].Rule.ID)
		}
	}
}
