package review

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Say words a sentence of mrv's own in a language.
//
// Journals, JSON and errors hold mrv's sentences in English, whatever the
// language of the run: scripts match them, and a run is read by people of both
// languages. As with the message ids of gettext, the English sentence is the
// key; since its arguments are in it already, it is matched against the formats
// of the table. A sentence that is in no format is foreign (a provider's error,
// a model's words) or has no words yet, and is returned as it is. An error is a
// chain of what was being done and what came of it: each of its links is worded,
// as far as there are words for it.
func Say(lang Lang, sentence string) string {
	if lang != Chinese || sentence == "" {
		return sentence
	}
	if said := saidInChinese(sentence, 0, noLinks); said != sentence {
		return said
	}
	for from := 0; ; {
		at := strings.Index(sentence[from:], ": ")
		if at < 0 {
			return saidInChinese(sentence, 0, anyArguments)
		}
		at += from
		if said := saidInChinese(sentence[:at], 0, noLinks); said != sentence[:at] {
			return said + "：" + Say(lang, sentence[at+2:])
		}
		from = at + 2
	}
}

// Count is a number of things in English: "1 finding", "3 findings".
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// deepest is how many phrases may stand within one another: "x was not read:
// aborted by you".
const deepest = 4

// noLinks holds where no argument has taken in links of a chain of errors.
func noLinks(args []string) bool {
	return !slices.ContainsFunc(args, func(a string) bool { return strings.Contains(a, ": ") })
}

func anyArguments([]string) bool { return true }

func saidInChinese(s string, depth int, fit func(args []string) bool) string {
	if depth == deepest {
		return s
	}
	for _, p := range chinesePhrases() {
		args, ok := p.match(s)
		if !ok || !fit(args) {
			continue
		}
		said := make([]any, len(args))
		for i, a := range args {
			said[i] = saidInChinese(a, depth+1, anyArguments)
		}
		return fmt.Sprintf(p.words, said...)
	}
	return s
}

// phrase is a sentence of mrv's: what stands between its arguments in English,
// and the whole as a format in another language.
type phrase struct {
	between []string // one more than there are arguments
	words   string
}

// match takes a sentence apart into its arguments.
func (p phrase) match(s string) (args []string, ok bool) {
	rest, ok := strings.CutPrefix(s, p.between[0])
	if !ok {
		return nil, false
	}
	for i, sep := range p.between[1:] {
		at := strings.Index(rest, sep)
		if last := i == len(p.between)-2; last && strings.HasSuffix(rest, sep) {
			at = len(rest) - len(sep)
		} else if last {
			return nil, false
		}
		if at < 1 { // an argument is never empty
			return nil, false
		}
		args, rest = append(args, rest[:at]), rest[at+len(sep):]
	}
	return args, rest == ""
}

// chinesePhrases is the table, what is most specific first.
var chinesePhrases = sync.OnceValue(func() []phrase {
	var out []phrase
	for _, x := range append(slices.Clip(phrases), told...) {
		out = append(out, phrase{strings.Split(x.english, "%s"), x.chinese})
	}
	fixed := func(p phrase) int { return len(strings.Join(p.between, "")) }
	slices.SortStableFunc(out, func(a, b phrase) int { return cmp.Compare(fixed(b), fixed(a)) })
	return out
})
