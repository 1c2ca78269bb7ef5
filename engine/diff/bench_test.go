package diff

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// bigDiff makes a diff like that of a large merge: about size bytes over
// files of every kind and length, in git's own shape.
func bigDiff(size int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("func return if err nil range for the a set of lines is read and then written value := config.Get(ctx) } ) { //")
	var b bytes.Buffer
	for n := 0; b.Len() < size; n++ {
		name := fmt.Sprintf("pkg/module%d/file_%d.go", n%97, n)
		fmt.Fprintf(&b, "diff --git a/%s b/%s\nindex %07x..%07x 100644\n--- a/%s\n+++ b/%s\n", name, name, n+1, n+2, name, name)
		at, shift := 1, 0
		for range 1 + r.IntN(12) {
			add, del := r.IntN(20), 1+r.IntN(12)
			at += 10 + r.IntN(90)
			fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@ func Example%d() error {\n", at, 6+del, at+shift, 6+add, n)
			for i := range 6 + add + del {
				b.WriteByte("   -+   "[min(7, kindOf(i, del, add))])
				for range 2 + r.IntN(9) {
					b.WriteString(words[r.IntN(len(words))])
					b.WriteByte(' ')
				}
				b.WriteByte('\n')
			}
			at += 6 + del
			shift += add - del
		}
	}
	return b.Bytes()
}

// kindOf puts three lines of context on both sides of the deleted and added.
func kindOf(i, del, add int) int {
	switch {
	case i < 3:
		return 0
	case i < 3+del:
		return 3
	case i < 3+del+add:
		return 4
	}
	return 0
}

// BenchmarkParse reads a diff of 50 MB: all of Parse (split, verify, second
// reading) and a place in every file, beside go-gitdiff's plain parse. "kept"
// is the heap that stays for the result.
func BenchmarkParse(b *testing.B) {
	raw := bigDiff(50 << 20)
	b.Run("mrv", func(b *testing.B) {
		b.SetBytes(int64(len(raw)))
		b.ReportAllocs()
		for b.Loop() {
			set, err := Parse(raw)
			if err != nil {
				b.Fatal(err)
			}
			for _, f := range set.Files {
				if p := set.Locate(f.Path(), f.Hunks[0].NewStart, 0, false, ""); p.How != Exact {
					b.Fatal(p)
				}
			}
		}
		b.ReportMetric(kept(func() any { s, _ := Parse(raw); return s }), "kept-MB")
	})
	b.Run("go-gitdiff", func(b *testing.B) {
		b.SetBytes(int64(len(raw)))
		b.ReportAllocs()
		for b.Loop() {
			if _, _, err := gitdiff.Parse(bytes.NewReader(raw)); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(kept(func() any { s, _, _ := gitdiff.Parse(bytes.NewReader(raw)); return s }), "kept-MB")
	})
}

// kept is how much heap, in MB, a result holds.
func kept(make func() any) float64 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	result := make()
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(result)
	return float64(int64(after.HeapAlloc)-int64(before.HeapAlloc)) / (1 << 20)
}
