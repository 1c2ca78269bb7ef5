package review

import "strings"

// Nearest is the known word that a mistyped one was most likely meant to be: at
// most two edits away, or half its length for short ones; "" if there is none.
func Nearest(word string, known []string) string {
	best, least := "", max(1, min(2, len(word)/2))+1
	for _, k := range known {
		if n := Edits(strings.ToLower(word), strings.ToLower(k)); n < least {
			best, least = k, n
		}
	}
	return best
}

// Edits is the edit distance of Levenshtein: how many characters must be put
// in, taken out or changed to make one text the other.
func Edits(from, to string) int {
	a, b := []rune(from), []rune(to)
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
