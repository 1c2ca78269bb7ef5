package merge

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestConceptsInTwoLanguages(t *testing.T) {
	words := func(text string) []string {
		found := count(terms(text, background().stops))
		conceive(found)
		var out []string
		for term := range found {
			if name, ok := strings.CutPrefix(term, conceptMark); ok {
				out = append(out, name)
			}
		}
		slices.Sort(out)
		return out
	}
	for _, c := range []struct {
		en, zh string
		want   []string
	}{
		{"two goroutines race on it", "两个协程存在竞态", []string{"concurrency"}},
		{"the lock is released twice", "锁被重复释放,没有加锁", []string{"duplicate", "leak", "lock"}},
		{"SQL injection", "查询里有注入", []string{"inject", "query"}},
		{"a very plain sentence", "这是一句普通的话", nil},
	} {
		if got := words(c.en); !slices.Equal(got, c.want) {
			t.Errorf("%q is about %q, want %q", c.en, got, c.want)
		}
		if got := words(c.zh); !slices.Equal(got, c.want) {
			t.Errorf("%q is about %q, want %q", c.zh, got, c.want)
		}
	}
}

// TestConceptsFile holds the file to its form: names and words once, in order
// of the names, Chinese words as the pairs that texts are taken apart into, and
// every concept counted in the vocabulary.
func TestConceptsFile(t *testing.T) {
	last := ""
	for line := range strings.Lines(conceptsFile) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") {
			continue
		}
		name, list, ok := strings.Cut(line, ": ")
		if !ok || name <= last {
			t.Errorf("%q after %q: want names in order, each with its words", line, last)
		}
		last = name
		if background().in[conceptMark+name] == 0 {
			t.Errorf("%s is not counted in the vocabulary: run TestVocabulary with -update", name)
		}
		seen := map[string]bool{}
		for w := range strings.SplitSeq(list, ", ") {
			r, _ := utf8.DecodeRuneInString(w)
			switch {
			case isCJK(r) && utf8.RuneCountInString(w) != 2:
				t.Errorf("%s: %q is no pair of characters", name, w)
			case !isCJK(r) && (w != strings.ToLower(w) || strings.Contains(w, " ")):
				t.Errorf("%s: %q is no lower-case word", name, w)
			case seen[w]:
				t.Errorf("%s: %q stands twice", name, w)
			}
			seen[w] = true
		}
	}
}
