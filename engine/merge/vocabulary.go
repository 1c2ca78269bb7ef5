package merge

import (
	_ "embed" // the background vocabulary
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// vocabularyFile says in how many of many texts about code each term stands. A
// handful of findings has no statistics of its own, so how much a word says is
// measured against these. It is made by TestVocabulary with -update.
//
//go:embed vocabulary.txt
var vocabularyFile string

// vocabulary is the background that terms are weighed against.
type vocabulary struct {
	texts float64            // how many texts were counted
	zh    float64            // how many of them Chinese
	in    map[string]float64 // in how many texts a term stands
	stop  map[string]bool
}

var background = sync.OnceValue(func() *vocabulary { return readVocabulary(vocabularyFile) })

// readVocabulary parses the file: comments, "texts", "zh" and "stop" lines,
// then a term and its count on each line. It is embedded and covered by a
// test; a damaged one is a broken build.
func readVocabulary(file string) *vocabulary {
	v := &vocabulary{in: make(map[string]float64, strings.Count(file, "\n")), stop: map[string]bool{}}
	for n, line := range strings.Split(file, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		key, value, _ := strings.Cut(line, " ")
		if key == "stop:" {
			for _, w := range strings.Fields(value) {
				v.stop[w] = true
			}
			continue
		}
		count, err := strconv.ParseFloat(value, 64)
		if err != nil {
			panic(fmt.Sprintf("vocabulary.txt:%d: %v", n+1, err))
		}
		switch key {
		case "texts:":
			v.texts = count
		case "zh:":
			v.zh = count
		default:
			v.in[key] = count
		}
	}
	return v
}

func (v *vocabulary) stops(w string) bool { return v.stop[w] }

// share is the share of background texts that a term stands in; one never seen
// stands in half a text.
func (v *vocabulary) share(t string) float64 {
	total := v.texts
	if r, _ := utf8.DecodeRuneInString(t); isCJK(r) {
		total = v.zh
	}
	return (v.in[t] + 0.5) / total
}
