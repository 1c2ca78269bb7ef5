package event

import (
	"fmt"
)

// Source says where a change comes from.
type Source string

// Sources of a change.
const (
	FromPR       Source = "pr"
	FromBase     Source = "branch"
	FromWorktree Source = "worktree"
	FromPatch    Source = "patch"
	FromDemo     Source = "demo"
)

// Change is what is under review. SHAs are full; Identity is the head SHA, for
// a worktree the tree's hash, for a patch the SHA-256 of its bytes.
type Change struct {
	Source    Source `json:"source"`
	Host      string `json:"host,omitempty"`
	Owner     string `json:"owner,omitempty"`
	Repo      string `json:"repo,omitempty"`
	Number    int    `json:"number,omitempty"`
	URL       string `json:"url,omitempty"`
	Title     string `json:"title,omitempty"`
	Author    string `json:"author,omitempty"`
	Draft     bool   `json:"draft,omitempty"`
	BaseRef   string `json:"base_ref,omitempty"`
	HeadRef   string `json:"head_ref,omitempty"`
	BaseSHA   string `json:"base_sha,omitempty"`
	MergeBase string `json:"merge_base,omitempty"`
	HeadSHA   string `json:"head_sha,omitempty"`
	Identity  string `json:"identity"`
	// Visibility is "public", "private" or "unknown" (treated as private).
	Visibility string `json:"visibility,omitempty"`
	// Dir is the root of the clone of the reviewed repository on this
	// machine, "" if there is none. Store is the private object store that
	// holds the change's objects, "" if there is none.
	Dir   string `json:"dir,omitempty"`
	Store string `json:"store,omitempty"`
	// Context is untrusted text about the change: title, body, commit
	// messages, threads.
	Context []Untrusted `json:"context,omitempty"`
}

// Untrusted is text by somebody about the change.
type Untrusted struct {
	Kind   string `json:"kind"` // "title", "body", "commit", "issue", "thread"
	Author string `json:"author,omitempty"`
	Text   string `json:"text"`
}

// Name is how the screen names the change: owner/repo#12, or the refs.
func (c Change) Name() string {
	repo := c.Repo
	if c.Owner != "" {
		repo = c.Owner + "/" + c.Repo
	}
	switch c.Source {
	case FromPR:
		return fmt.Sprintf("%s#%d", repo, c.Number)
	case FromDemo:
		return "demo"
	case FromPatch:
		return "patch " + Short(c.Identity)
	}
	name := c.HeadRef
	if c.Source == FromWorktree {
		name = "worktree"
	}
	if name == "" {
		name = Short(c.HeadSHA)
	}
	if repo != "" {
		name = repo + " " + name
	}
	if c.BaseRef != "" {
		name += " on " + c.BaseRef
	}
	return name
}

// Tree is the commit or tree that holds the files as they are after the
// change, "" where no object does. For a patch it is the commit it is looked
// at in, which does not have the change.
func (c Change) Tree() string {
	if c.Source == FromPatch {
		return c.HeadSHA
	}
	return c.Identity
}

// Short is the first 7 characters of a SHA.
func Short(sha string) string {
	if len(sha) > 7 {
		return sha[:7]
	}
	return sha
}
