package merge

import "strings"

// stopWords are English words that say nothing about a problem.
var stopWords = wordSet(`a an the and or but if then than of to in on at by for from with without into as is are was
were be been being it its this that these those there here which who when where while will would can could should
may might must shall do does did not no so such also only just very more most other any each all both some has have
had having i we you they he she them their our your his her what how why because about between after before during
over under again once same own s t d ll re ve m via per etc e g ie eg`)

func wordSet(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(s) {
		set[w] = true
	}
	return set
}

// stem takes the inflection off an English word: plural, -ed, -ing, -ly, -e.
// It is far weaker than Porter's on purpose: an identifier must stay what it is.
func stem(w string) string {
	n := len(w)
	switch {
	case n > 4 && strings.HasSuffix(w, "ies"):
		w = w[:n-3] + "y"
	case n > 4 && (strings.HasSuffix(w, "sses") || strings.HasSuffix(w, "xes") || strings.HasSuffix(w, "ches") || strings.HasSuffix(w, "shes")):
		w = w[:n-2]
	case n > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is"):
		w = w[:n-1]
	}
	n = len(w)
	switch {
	case n > 5 && strings.HasSuffix(w, "ing"):
		w = undouble(w[:n-3])
	case n > 4 && strings.HasSuffix(w, "ed"):
		w = undouble(w[:n-2])
	case n > 4 && strings.HasSuffix(w, "ly"):
		w = w[:n-2]
	}
	if n = len(w); n > 4 && strings.HasSuffix(w, "e") {
		w = w[:n-1]
	}
	return w
}

// undouble turns stopp into stop.
func undouble(w string) string {
	n := len(w)
	if n > 3 && w[n-1] == w[n-2] && !strings.ContainsRune("aeiouls", rune(w[n-1])) {
		return w[:n-1]
	}
	return w
}
