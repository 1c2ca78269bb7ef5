package diff

import "fmt"

// Level is how much review a change gets.
type Level string

// The levels: one generalist, a small team, everybody.
const (
	Trivial Level = "trivial"
	Lite    Level = "lite"
	Full    Level = "full"
)

// Limits of the levels, those of Cloudflare's published review system. In the
// month it reported (10 March to 9 April 2026) they made 18.8 % of 130,698
// runs trivial, 21.1 % lite and 60.1 % full.
const (
	fullAbove    = 50  // files
	smallFiles   = 20  // the most files of a trivial or lite change
	trivialLines = 10  // added and removed
	liteLines    = 100 // added and removed
)

// Tier chooses the level of what Filter left: more files than 50 or a
// sensitive path are full; else 10 lines in 20 files are trivial, 100 in 20
// lite, and more is full. Files whose lines are not known count as many. The
// reason is for the person: sizes, or the path and why it is sensitive.
func Tier(choices []Choice, sensitive Sensitive) (level Level, reason string) {
	files, lines := 0, 0
	var why, unknown string
	for _, c := range choices {
		if !c.Reviewed && !c.Unread {
			continue
		}
		f := c.File
		files++
		lines += f.Additions + f.Deletions
		if s := sensitive.Of(f); s != "" && why == "" {
			why = fmt.Sprintf("sensitive path %s (%s)", f.Path(), s)
		}
		if c.Unread && f.Additions+f.Deletions == 0 && unknown == "" {
			unknown = fmt.Sprintf("size of %s unknown", f.Path())
		}
	}
	sizes := fmt.Sprintf("%s, %s", plural(lines, "line"), plural(files, "file"))
	switch {
	case files > fullAbove:
		return Full, sizes
	case why != "":
		return Full, why
	case unknown != "":
		return Full, unknown
	case lines <= trivialLines && files <= smallFiles:
		return Trivial, sizes + ", no sensitive path"
	case lines <= liteLines && files <= smallFiles:
		return Lite, sizes + ", no sensitive path"
	}
	return Full, sizes
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
