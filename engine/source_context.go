package engine

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/forge"
)

// maxIssues is how many linked issues are read.
const maxIssues = 5

// finish adds what was said about the pull request. Nothing of it decides, so
// that a failure is no more than a note.
func (p pull) finish(ctx context.Context, l *Loaded, pr *forge.PullRequest) error {
	add := func(kind, author, text string) {
		if strings.TrimSpace(text) != "" {
			l.Change.Context = append(l.Change.Context, event.Untrusted{Kind: kind, Author: author, Text: text})
		}
	}
	add("title", pr.Author.Login, pr.Title)
	add("body", pr.Author.Login, pr.Body)
	commits, err := p.reader.Commits(ctx, pr)
	if err != nil {
		l.note("the commit messages are missing: %v", err)
	}
	said := pr.Title + "\n" + pr.Body
	for _, c := range commits[max(len(commits)-maxCommits, 0):] {
		add("commit", c.Author, c.Text)
		said += "\n" + c.Text
	}
	for _, number := range linked(pr.Repo, said) {
		issue, err := p.reader.Issue(ctx, pr.Repo, number)
		if err != nil {
			l.note("the linked issue is missing: %v", err)
			continue
		}
		add("issue", issue.Author.Login, fmt.Sprintf("#%d %s\n\n%s", issue.Number, issue.Title, issue.Body))
	}
	comments, err := p.reader.Comments(ctx, pr)
	if err != nil {
		l.note("what people said about the pull request is missing: %v", err)
	}
	for _, c := range comments {
		if !c.Author.Bot && !strings.Contains(c.Text, ownMark) {
			add("thread", c.Author.Login, placed(c))
		}
	}
	if p.reader.FetchToken() != "" {
		if u, err := p.reader.Viewer(ctx); err == nil {
			l.Viewer = u.Login
		}
	}
	return ctx.Err()
}

// linkRE are the words with which an issue is linked (docs.github.com, Linking
// a pull request to an issue).
var linkRE = regexp.MustCompile(`(?i)\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+(?:https?://([^/\s]+)/([^/\s]+)/([^/\s]+)/issues/|(?:([\w.-]+)/([\w.-]+))?#)([0-9]{1,9})\b`)

// linked lists the issues of the same repository that a text says it closes.
func linked(repo forge.Repo, text string) []int {
	var numbers []int
	for _, m := range linkRE.FindAllStringSubmatch(text, -1) {
		of := repo
		switch {
		case m[1] != "":
			of = forge.Repo{Host: m[1], Owner: m[2], Name: m[3]}
		case m[4] != "":
			of = forge.Repo{Host: repo.Host, Owner: m[4], Name: m[5]}
		}
		n, err := strconv.Atoi(m[6])
		if err == nil && n > 0 && of.Is(repo) && !slices.Contains(numbers, n) && len(numbers) < maxIssues {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// ownMark begins the hidden marks of what mrv posts: earlier rounds are no
// context for reviewers.
const ownMark = "<!-- mrv"

// placed is a comment with where it stands.
func placed(c forge.Comment) string {
	if c.Path == "" {
		return c.Text
	}
	if c.Line == 0 {
		return fmt.Sprintf("%s: %s", c.Path, c.Text)
	}
	return fmt.Sprintf("%s:%d: %s", c.Path, c.Line, c.Text)
}
