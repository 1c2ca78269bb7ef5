package merge

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write generated and golden files")

// rare is the least number of texts a term must stand in to be kept: what is
// rarer is as good as unseen.
const rare = 4

// stopWords carry grammar rather than meaning: English articles, pronouns,
// prepositions, auxiliaries and common adverbs.
const stopWords = `a about after again all also an and any are as at be because been before being between both but by can
could did do does during each eg etc for from had has have having he her here his how i ie if in into is it its just may
might more most must my no not of on once only or other our over own per same shall she should so some such than that
the their them then there these they this those through to under up us very via was we were what when where which while
who why will with without would you your`

// comments lists the comment blocks of the Go standard library (BSD licence)
// that say something: of a line's length and more, without licence headers,
// generated files and the compiler's rewrite rules.
func comments(t *testing.T) []string {
	var out []string
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatalf("asking go for GOROOT: %v", err)
	}
	err = filepath.WalkDir(filepath.Join(strings.TrimSpace(string(root)), "src"), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains([]string{"testdata", "vendor", "ssa"}, d.Name()) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil || bytes.Contains(data[:min(len(data), 400)], []byte("DO NOT EDIT")) {
			return err
		}
		var block strings.Builder
		for line := range strings.Lines(string(data) + "\n\n") {
			if text, ok := strings.CutPrefix(strings.TrimSpace(line), "//"); ok {
				block.WriteString(text + "\n")
				continue
			}
			if s := block.String(); len(s) > 60 && !strings.Contains(s, "Copyright") {
				out = append(out, s)
			}
			block.Reset()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// chinese lists the Chinese messages beside this test.
func chinese(t *testing.T) []string {
	data, err := os.ReadFile("testdata/vocabulary/zh.txt")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}

// TestVocabulary checks the background vocabulary, or makes it with -update.
func TestVocabulary(t *testing.T) {
	if *update {
		writeVocabulary(t)
	}
	v := background()
	if v.texts < 10000 || v.zh < 1000 || len(v.stop) < 100 {
		t.Errorf("vocabulary of %v texts, %v of them Chinese, %d stop words: cut short", v.texts, v.zh, len(v.stop))
	}
	for _, order := range [][2]string{{"error", "deadlock"}, {"function", "mutex"}, {"参数", "竞态"}, {"可以", "死锁"}} {
		if common, rare := v.share(stem(order[0])), v.share(stem(order[1])); common <= rare {
			t.Errorf("%q stands in a share of %.2g, %q in %.2g: want the first more common", order[0], common, order[1], rare)
		}
	}
	lines := bufio.NewScanner(strings.NewReader(vocabularyFile))
	last := ""
	for lines.Scan() {
		word, _, _ := strings.Cut(lines.Text(), " ")
		if strings.HasPrefix(word, "#") || strings.HasSuffix(word, ":") {
			continue
		}
		if word <= last {
			t.Fatalf("%q after %q: not in order", word, last)
		}
		last = word
	}
}

func writeVocabulary(t *testing.T) {
	stop := map[string]bool{}
	for _, w := range strings.Fields(stopWords) {
		stop[w] = true
	}
	english, zh := comments(t), chinese(t)
	in := map[string]int{}
	for _, text := range append(english, zh...) {
		found := count(terms(text, func(w string) bool { return stop[w] }))
		conceive(found)
		for t := range found {
			in[t]++
		}
	}
	maps.DeleteFunc(in, func(t string, n int) bool { return n < rare && !strings.HasPrefix(t, conceptMark) })
	var b strings.Builder
	fmt.Fprintf(&b, "# In how many texts about code each term stands; a term is a stem, an identifier, two Chinese characters\n")
	fmt.Fprintf(&b, "# or a ~concept (text.go, stem.go, concept.go). Made by go test -run TestVocabulary -update from the comments of the\n")
	fmt.Fprintf(&b, "# standard library of %s (BSD-3-Clause, The Go Authors) and testdata/vocabulary/zh.txt (its NOTICE).\n", runtime.Version())
	fmt.Fprintf(&b, "texts: %d\nzh: %d\nstop: %s\n", len(english), len(zh), strings.Join(slices.Sorted(maps.Keys(stop)), " "))
	for _, w := range slices.Sorted(maps.Keys(in)) {
		fmt.Fprintf(&b, "%s %d\n", w, in[w])
	}
	if err := os.WriteFile("vocabulary.txt", []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	vocabularyFile = b.String()
}
