package diff

import (
	"regexp"
	"strconv"
	"strings"
)

var (
	mailFrom   = regexp.MustCompile(`(?m)^From [0-9a-f]{40,64} Mon Sep 17 00:00:00 2001\r?$`)
	mailHeader = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9-]*): `)
	mailStart  = regexp.MustCompile(`(?m)^diff --`)
	statSum    = regexp.MustCompile(`^ (\d+) files? changed(?:, (\d+) insertions?\(\+\))?(?:, (\d+) deletions?\(-\))?$`)
)

// isMail says whether a text begins like a mail: with the line that
// format-patch writes, or with headers.
func isMail(text string) bool {
	line, _, _ := strings.Cut(text, "\n")
	if mailFrom.MatchString(line) {
		return true
	}
	if !mailHeader.MatchString(line) {
		return false
	}
	head, _, _ := strings.Cut(text, "\n\n")
	return strings.Contains("\n"+head, "\nSubject: ")
}

// parseMail reads a format-patch mail of one commit. Its message is not
// indented, so it may hold lines that look like a file. A place where the diff
// may begin is good if the rest from there is whole, undamaged files. The diff
// is at the only good place, and where there is a summary of the files above a
// place, only those below one count and must agree with it. Otherwise the mail
// is refused, or its only place is damaged.
func parseMail(text string) (*Set, error) {
	if len(mailFrom.FindAllStringIndex(text, 2)) > 1 {
		return nil, &ParseError{Problem: "the input holds several patches, and later ones may change what earlier ones wrote",
			Advice: useGitDiff}
	}
	head, body, _ := strings.Cut(text, "\n\n")
	if err := checkEncoding(head); err != nil {
		return nil, err
	}
	var good, damaged []*parser
	var failure error
	summed := false // whether a place with a summary above it was seen
	for _, at := range mailStart.FindAllStringIndex(body, maxStarts) {
		start := len(text) - len(body) + at[0]
		sum := summary(text[:start])
		if !strings.HasSuffix(text[:start], "\n\n") || summed && sum == nil {
			continue
		}
		summed = summed || sum != nil
		p := &parser{lines: lines{text: text, pos: start, line: strings.Count(text[:start], "\n")}, mail: true}
		switch err := p.files(); {
		case err != nil:
			failure = err
		case p.set.unread() || sum != nil && !p.set.addsUp(sum):
			damaged = append(damaged, p)
		default:
			good = append(good, p)
		}
	}
	switch {
	case len(good) == 1:
		return good[0].result()
	case len(good) > 1:
		return nil, &ParseError{Problem: "the mail's message can't be told from its diff", Advice: useGitDiff}
	case len(damaged) == 1 && damaged[0].set.unread():
		return damaged[0].result()
	case failure != nil:
		return nil, failure
	}
	return nil, &ParseError{Problem: "the mail has no diff that agrees with its summary of the files", Advice: useGitDiff}
}

// maxStarts bounds how many places of a mail are tried.
const maxStarts = 16

func (s *Set) unread() bool {
	for _, f := range s.Files {
		if f.Unread != "" {
			return true
		}
	}
	return false
}

// checkEncoding refuses a mail whose body is not its text.
func checkEncoding(head string) error {
	for line := range strings.SplitSeq(strings.ToLower(head), "\n") {
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		encoded := name == "content-transfer-encoding" && value != "7bit" && value != "8bit" && value != "binary"
		if encoded || name == "content-type" && (strings.HasPrefix(value, "multipart/") || strings.Contains(value, "format=flowed")) {
			return &ParseError{Problem: "the mail's text is encoded (" + value + ")",
				Advice: "save the patch itself, or " + useGitDiff}
		}
	}
	return nil
}

// summary is the parts of the line that sums the files up, if it stands right
// above the end of a text.
func summary(text string) []string {
	text = strings.TrimRight(text, "\n")
	for {
		i := strings.LastIndexByte(text, '\n')
		line := text[i+1:]
		if m := statSum.FindStringSubmatch(line); m != nil {
			return m
		}
		if i < 0 || !strings.HasPrefix(line, " ") {
			return nil
		}
		text = text[:i]
	}
}

// addsUp compares the change with a summary. Of a change of type git's diff
// has all lines of both files, its summary only those that differ, and none if
// one of them is binary.
func (s *Set) addsUp(summary []string) bool {
	add, del, same := 0, 0, 0 // same bounds how many lines the summary may leave out on both sides
	gone := make(map[string]*File)
	for _, f := range s.Files {
		add, del = add+f.Additions, del+f.Deletions
		switch old := gone[f.Path()]; {
		case f.Status == Deleted:
			gone[f.Path()] = f
		case old == nil:
		case old.Binary || f.Binary:
			add, del = add-f.Additions, del-old.Deletions
		default:
			same += min(old.Deletions, f.Additions)
		}
	}
	left := add - number(summary[2])
	return number(summary[1]) == s.paths() && left == del-number(summary[3]) && left >= 0 && left <= same
}

// number is 0 for a part that the summary leaves out.
func number(s string) int {
	n, _ := strconv.Atoi(s) // digits alone; more than fit never add up
	return n
}

// paths counts the files as git does: a change of type is one.
func (s *Set) paths() int {
	seen := make(map[string]bool, len(s.Files))
	for _, f := range s.Files {
		seen[f.Path()] = true
	}
	return len(seen)
}
