package merge

import (
	_ "embed" // the concepts
	"strings"
	"sync"
)

// conceptsFile lists the words, English and Chinese, that stand for one thing a
// reviewer may write about.
//
//go:embed concepts.txt
var conceptsFile string

// conceptMark begins the term of a concept, so that no word is taken for one.
const conceptMark = "~"

// concepts are the concepts' terms by the term that stands for them.
var concepts = sync.OnceValue(func() map[string][]string { return readConcepts(conceptsFile) })

// readConcepts parses the file: comments, then "name: word, word" on each line.
func readConcepts(file string) map[string][]string {
	of := map[string][]string{}
	for line := range strings.Lines(file) {
		name, list, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		for w := range strings.SplitSeq(list, ", ") {
			of[stem(w)] = append(of[stem(w)], conceptMark+name)
		}
	}
	return of
}

// conceive adds to the terms of a text the concepts that they stand for. They
// let findings in other words, above all in two languages, share what they are
// about (the bilingual thesaurus of cross-language retrieval: Salton,
// "Automatic processing of foreign language documents", 1970).
func conceive(found map[string]bag) {
	of := concepts()
	var about []string
	for t := range found {
		about = append(about, of[t]...)
	}
	for _, c := range about {
		found[c] = bag{n: found[c].n + 1, kind: concept}
	}
}
