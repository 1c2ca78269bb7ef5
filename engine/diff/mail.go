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
// indented, so it may hold lines that look like a file. The diff begins where
// the rest reads as whole, undamaged files that add up to the mail's own
// summary; if that is not so for exactly one place, the mail is refused.
func parseMail(text string) (*Set, error) {
	if len(mailFrom.FindAllStringIndex(text, 2)) > 1 {
		return nil, &ParseError{Problem: "the input holds several patches, and later ones may change what earlier ones wrote",
			Advice: useGitDiff}
	}
	head, body, _ := strings.Cut(text, "\n\n")
	if err := checkEncoding(head); err != nil {
		return nil, err
	}
	offset := len(text) - len(body)
	var good, damaged []*Set
	var failure error
	for _, at := range mailStart.FindAllStringIndex(body, maxStarts) {
		start := offset + at[0]
		if !strings.HasSuffix(text[:start], "\n\n") {
			continue
		}
		p := &parser{lines: lines{text: text, pos: start, line: strings.Count(text[:start], "\n")}, mail: true}
		switch err := p.files(); {
		case err != nil:
			failure = err
		case !addsUp(text[:start], &p.set):
			damaged = append(damaged, NewSet(p.set.Files))
		default:
			good = append(good, NewSet(p.set.Files))
		}
	}
	switch {
	case len(good) == 1:
		return good[0], nil
	case len(good) == 0 && len(damaged) == 1 && damaged[0].unread():
		return damaged[0], nil
	case len(good) > 1:
		return nil, &ParseError{Problem: "the mail's message can't be told from its diff", Advice: useGitDiff}
	case failure != nil:
		return nil, failure
	}
	return nil, &ParseError{Problem: "the mail has no diff that agrees with its summary of the files", Advice: useGitDiff}
}

// maxStarts bounds how many places of a mail are tried.
const maxStarts = 64

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

// addsUp compares what was read with the summary right above the diff, if
// there is one. A damaged set never adds up.
func addsUp(before string, set *Set) bool {
	if set.unread() || len(set.Files) == 0 {
		return false
	}
	above := strings.Split(strings.TrimRight(before, "\n"), "\n")
	for i := len(above) - 1; i >= 0 && strings.HasPrefix(above[i], " "); i-- {
		m := statSum.FindStringSubmatch(above[i])
		if m == nil {
			continue
		}
		add, del := set.Stat()
		return m[1] == strconv.Itoa(set.paths()) && number(m[2]) == add && number(m[3]) == del
	}
	return true
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
