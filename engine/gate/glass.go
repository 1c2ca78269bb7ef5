package gate

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Comment is a comment on the pull request that begins with "break glass".
type Comment struct {
	Author string
	Bot    bool
	Body   string
	URL    string
	// Created is RFC 3339.
	Created string
	Edited  bool
	// Permission is what the permission interface says of the author: admin,
	// maintain, write, triage, read, none. The association that comes with a
	// comment says nothing of that.
	Permission    string
	PermissionErr error
}

// Broken is who broke the glass, when, and for which head.
type Broken struct {
	By   string `json:"by"`
	At   string `json:"at"`
	Head string `json:"head"`
	URL  string `json:"url"`
}

var (
	glassLine = regexp.MustCompile(`^break glass ([0-9a-f]{40})$`)
	glassLike = regexp.MustCompile(`(?i)^\s*break glass\b`)
)

// IsGlass reports whether a comment tries to break the glass, so that the
// permission of its author has to be asked for.
func IsGlass(body string) bool { return glassLike.MatchString(body) }

// glass looks for the newest comment that breaks the glass. It counts if its
// first line is exactly "break glass <head>", it was never edited, it is newer
// than that head, and it is by a person with write permission who is not the
// author of the pull request.
func glass(k Known) (*Broken, []string) {
	var broken *Broken
	var refused []string
	for _, c := range k.Glass {
		if !IsGlass(c.Body) {
			continue
		}
		if why := refusal(k.PR, c); why != "" {
			refused = append(refused, fmt.Sprintf("%s by %s: %s", c.URL, c.Author, why))
			continue
		}
		if broken == nil || after(c.Created, broken.At) {
			broken = &Broken{By: c.Author, At: c.Created, Head: k.PR.Head, URL: c.URL}
		}
	}
	return broken, refused
}

func refusal(pr PR, c Comment) string {
	first, _, _ := strings.Cut(strings.ReplaceAll(c.Body, "\r\n", "\n"), "\n")
	m := glassLine.FindStringSubmatch(first)
	switch {
	case m == nil:
		return "its first line is not exactly \"break glass <40 digits of the head>\""
	case m[1] != pr.Head:
		return "it is for another head"
	case c.Edited:
		return "it was edited"
	case c.Bot:
		return "a program wrote it"
	case pr.Author == "" || strings.EqualFold(c.Author, pr.Author):
		return "its author is the author of the pull request"
	case pr.Pushed == "" || !after(c.Created, pr.Pushed):
		return "it is not known to be newer than the head"
	case c.PermissionErr != nil:
		return "the permission of its author is not known: " + c.PermissionErr.Error()
	case c.Permission != "admin" && c.Permission != "maintain" && c.Permission != "write":
		return "its author may not write here"
	}
	return ""
}

// after reports whether a is later than b; what is no time is not.
func after(a, b string) bool {
	x, err := time.Parse(time.RFC3339, a)
	if err != nil {
		return false
	}
	y, err := time.Parse(time.RFC3339, b)
	return err == nil && x.After(y)
}
