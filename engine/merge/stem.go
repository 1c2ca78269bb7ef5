package merge

import "strings"

// endings that turn a verb into a noun or an adverb into an adjective, and
// what is left of them: validation, validate and validating all become valid.
var endings = [...][2]string{
	{"ization", "iz"}, {"isation", "iz"}, {"ation", "at"}, {"ction", "ct"}, {"ition", "it"}, {"ution", "ut"},
	{"etion", "et"}, {"ption", "pt"}, {"sion", "s"}, {"ness", ""}, {"ability", "abl"}, {"ibility", "ibl"},
	{"ivity", "iv"}, {"ally", "al"}, {"ency", "ent"}, {"ence", "ent"}, {"ance", "ant"}, {"ancy", "ant"},
}

// stem takes the inflection off a lower-case English word. It follows the
// order of Porter's steps ("An algorithm for suffix stripping", 1980) with far
// fewer of them: only what reviewers vary when they name the same thing.
// Words with digits or other letters stay as they are.
func stem(w string) string {
	for i := range len(w) {
		if w[i] < 'a' || w[i] > 'z' {
			return w
		}
	}
	w = stemVerb(stemPlural(w))
	for _, e := range endings {
		if rest, ok := strings.CutSuffix(w, e[0]); ok && len(rest) >= 3 {
			w = rest + e[1]
			break
		}
	}
	if len(w) > 2 {
		w = strings.TrimSuffix(w, "e")
	}
	if rest, ok := strings.CutSuffix(w, "y"); ok && len(rest) >= 3 {
		w = rest + "i"
	}
	return w
}

func stemPlural(w string) string {
	switch n := len(w); {
	case n > 4 && strings.HasSuffix(w, "ies"):
		return w[:n-3] + "y"
	case n > 4 && hasAnySuffix(w, "sses", "xes", "ches", "shes", "zes"):
		return w[:n-2]
	case n > 3 && w[n-1] == 's' && !hasAnySuffix(w, "ss", "us", "is"):
		return w[:n-1]
	}
	return w
}

func stemVerb(w string) string {
	switch n := len(w); {
	case n > 4 && strings.HasSuffix(w, "ing") && hasVowel(w[:n-3]):
		return undouble(w[:n-3])
	case n > 3 && strings.HasSuffix(w, "ed") && !strings.HasSuffix(w, "eed") && hasVowel(w[:n-2]):
		return undouble(w[:n-2])
	case n > 4 && strings.HasSuffix(w, "ly"):
		return w[:n-2]
	}
	return w
}

func hasAnySuffix(w string, list ...string) bool {
	for _, s := range list {
		if strings.HasSuffix(w, s) {
			return true
		}
	}
	return false
}

func hasVowel(w string) bool { return strings.ContainsAny(w, "aeiouy") }

// undouble turns stopp into stop, but leaves press and tell.
func undouble(w string) string {
	n := len(w)
	if n > 3 && w[n-1] == w[n-2] && !strings.ContainsRune("aeiouls", rune(w[n-1])) {
		return w[:n-1]
	}
	return w
}
