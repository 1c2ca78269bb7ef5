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

// bigDiff makes a diff of about size bytes like that of a large merge in a real
// repository: 7 KB a file, a third of the files new, lines of 40 bytes.
func bigDiff(size int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("func return if err nil range for the a set of lines is read and then written value := config.Get(ctx) } ) { //")
	var b bytes.Buffer
	line := func(op byte) {
		b.WriteByte(op)
		for range 3 + r.IntN(13) {
			b.WriteString(words[r.IntN(len(words))])
			b.WriteByte(' ')
		}
		b.WriteByte('\n')
	}
	for n := 0; b.Len() < size; n++ {
		name := fmt.Sprintf("pkg/module%d/file_%d.go", n%97, n)
		if n%3 == 0 {
			lines := 20 + r.IntN(300)
			fmt.Fprintf(&b, "diff --git a/%s b/%s\nnew file mode 100644\nindex 0000000..%07x\n--- /dev/null\n+++ b/%s\n@@ -0,0 +1,%d @@\n", name, name, n+1, name, lines)
			for range lines {
				line('+')
			}
			continue
		}
		fmt.Fprintf(&b, "diff --git a/%s b/%s\nindex %07x..%07x 100644\n--- a/%s\n+++ b/%s\n", name, name, n+1, n+2, name, name)
		at, shift := 1, 0
		for range 1 + r.IntN(12) {
			add, del := r.IntN(20), 1+r.IntN(12)
			at += 10 + r.IntN(90)
			fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@ func Example%d() error {\n", at, 6+del, at+shift, 6+add, n)
			for _, part := range []struct {
				op    byte
				lines int
			}{{' ', 3}, {'-', del}, {'+', add}, {' ', 3}} {
				for range part.lines {
					line(part.op)
				}
			}
			at += 6 + del
			shift += add - del
		}
	}
	return b.Bytes()
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
