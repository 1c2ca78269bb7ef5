package forge

import (
	"bytes"
	"encoding/json"
	"strings"
)

// What GitHub answers, as far as it is read. merge_commit_sha and assignee are
// left alone: newer versions of the interface have neither.

type githubUser struct {
	Login string `json:"login"`
	ID    int64  `json:"id"`
	Type  string `json:"type"`
}

func (u githubUser) user() User {
	return User{Login: u.Login, ID: u.ID, Bot: u.Type == "Bot" || strings.HasSuffix(u.Login, "[bot]")}
}

type githubRepo struct {
	Name          string     `json:"name"`
	Owner         githubUser `json:"owner"`
	Private       *bool      `json:"private"`
	Internal      bool       `json:"internal"` // of Gitea
	Visibility    string     `json:"visibility"`
	DefaultBranch string     `json:"default_branch"`
}

func (r *githubRepo) repo(host string) Repo {
	if r == nil {
		return Repo{}
	}
	return Repo{Host: host, Owner: r.Owner.Login, Name: r.Name}
}

// visibility counts "internal" as private.
func (r *githubRepo) visibility() string {
	switch {
	case r == nil || r.Private == nil:
		return Unknown
	case *r.Private || r.Internal || (r.Visibility != "" && r.Visibility != Public):
		return Private
	}
	return Public
}

type githubPull struct {
	Number       int          `json:"number"`
	HTMLURL      string       `json:"html_url"`
	Title        string       `json:"title"`
	Body         string       `json:"body"`
	User         githubUser   `json:"user"`
	Draft        bool         `json:"draft"`
	State        string       `json:"state"`
	Merged       bool         `json:"merged"`
	Base         githubBranch `json:"base"`
	Head         githubBranch `json:"head"`
	ChangedFiles int          `json:"changed_files"`
	Additions    int          `json:"additions"`
	Deletions    int          `json:"deletions"`
	Commits      int          `json:"commits"`
	MergeBase    string       `json:"merge_base"` // of Gitea
}

type githubBranch struct {
	Ref  string      `json:"ref"`
	SHA  string      `json:"sha"`
	User githubUser  `json:"user"`
	Repo *githubRepo `json:"repo"` // null when it was deleted
}

func (p *githubPull) pull(host string, number int) *PullRequest {
	pr := &PullRequest{
		Repo: p.Base.Repo.repo(host), Number: number, URL: p.HTMLURL, Title: p.Title, Body: p.Body,
		Author: p.User.user(), Draft: p.Draft, State: p.State,
		BaseRef: p.Base.Ref, BaseSHA: p.Base.SHA, HeadRef: p.Head.Ref, HeadSHA: p.Head.SHA,
		HeadRepo: p.Head.Repo.repo(host), MergeBase: p.MergeBase, Visibility: p.Base.Repo.visibility(),
		ChangedFiles: p.ChangedFiles, Additions: p.Additions, Deletions: p.Deletions, Commits: p.Commits,
	}
	if p.Base.Repo != nil {
		pr.DefaultBranch = p.Base.Repo.DefaultBranch
	}
	if p.Merged {
		pr.State = "merged"
	}
	return pr
}

type githubFile struct {
	Filename  string `json:"filename"`
	Previous  string `json:"previous_filename"`
	Status    string `json:"status"`
	SHA       string `json:"sha"`
	Additions int    `json:"additions"`
	Deletions int    `json:"deletions"`
	Patch     string `json:"patch"`
}

func (f githubFile) file() File {
	out := File{OldPath: f.Filename, NewPath: f.Filename, Status: f.Status, Additions: f.Additions,
		Deletions: f.Deletions, Blob: f.SHA, Patch: f.Patch}
	switch f.Status {
	case "added":
		out.OldPath = ""
	case "removed", "deleted":
		out.NewPath = ""
	}
	if f.Previous != "" {
		out.OldPath = f.Previous
	}
	return out
}

type githubCommit struct {
	SHA    string `json:"sha"`
	Commit struct {
		Message string `json:"message"`
		Author  struct {
			Name string `json:"name"`
		} `json:"author"`
	} `json:"commit"`
}

type githubComment struct {
	ID        int64      `json:"id"`
	User      githubUser `json:"user"`
	Body      string     `json:"body"`
	Path      string     `json:"path"`
	Line      int        `json:"line"`
	Original  int        `json:"original_line"`
	Position  int        `json:"position"` // of Gitea: a line of the file
	HTMLURL   string     `json:"html_url"`
	Created   string     `json:"created_at"`
	Submitted string     `json:"submitted_at"`
}

func (c githubComment) comment(kind string) Comment {
	out := Comment{Kind: kind, ID: c.ID, Author: c.User.user(), Text: c.Body, Path: c.Path, Line: c.Line, When: c.Created, URL: c.HTMLURL}
	if out.Line == 0 {
		out.Line = c.Original // outdated
	}
	if out.When == "" {
		out.When = c.Submitted
	}
	return out
}

type githubEntry struct {
	Type     string `json:"type"`
	Path     string `json:"path"`
	Size     int64  `json:"size"`
	Encoding string `json:"encoding"`
	Content  string `json:"content"`
}

// githubEntries is one entry for a file and a list for a directory.
type githubEntries []githubEntry

// UnmarshalJSON takes both shapes.
func (l *githubEntries) UnmarshalJSON(raw []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(raw), []byte("[")) {
		return json.Unmarshal(raw, (*[]githubEntry)(l))
	}
	var one githubEntry
	if err := json.Unmarshal(raw, &one); err != nil {
		return err
	}
	*l = githubEntries{one}
	return nil
}
