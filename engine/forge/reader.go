package forge

import (
	"context"
)

// Reader reads pull requests of one forge. It can not write.
type Reader interface {
	// Repository reads a repository. A NotFound also stands for a private
	// one that the token may not see.
	Repository(ctx context.Context, r Repo) (*Repository, error)
	PullRequest(ctx context.Context, r Repo, number int) (*PullRequest, error)
	// OpenFrom lists the numbers of the open pull requests whose head is the
	// branch of the owner's repository, newest first.
	OpenFrom(ctx context.Context, r Repo, owner, branch string) ([]int, error)
	// Diff is the change as text; TooLarge when the forge will not make it.
	Diff(ctx context.Context, pr *PullRequest) ([]byte, error)
	// Files lists the changed files with their patches, as far as the forge
	// gives them.
	Files(ctx context.Context, pr *PullRequest) ([]File, error)
	// Compare finds the commit that base names now, and where head left it.
	Compare(ctx context.Context, r Repo, base, head string) (Comparison, error)
	Commits(ctx context.Context, pr *PullRequest) ([]Commit, error)
	// Comments lists what was said about the pull request, oldest first per
	// kind: on it, in reviews, on lines.
	Comments(ctx context.Context, pr *PullRequest) ([]Comment, error)
	// Issue reads an issue.
	Issue(ctx context.Context, r Repo, number int) (*Issue, error)
	// FileAt reads a regular file of at most 1 MB at a commit or branch. ok
	// is false if there is none.
	FileAt(ctx context.Context, r Repo, ref, path string) (data []byte, ok bool, err error)
	// ListAt lists the paths of the regular files right in a directory.
	ListAt(ctx context.Context, r Repo, ref, dir string) ([]string, error)
	// Viewer is whose token it is.
	Viewer(ctx context.Context) (User, error)
	// FetchURL and PullRef are what git needs to fetch a pull request's
	// objects: an https URL and the name of the reference there.
	FetchURL(r Repo) string
	PullRef(number int) string
	// FetchToken is a token for that URL, "" if there is none. It must only
	// be handed to git by environment.
	FetchToken() string
}

// User is an account.
type User struct {
	Login string
	ID    int64
	Bot   bool
}

// Visibilities of a repository. Unknown is treated as private.
const (
	Public  = "public"
	Private = "private"
	Unknown = "unknown"
)

// Repository is what is known of a repository.
type Repository struct {
	Repo          Repo
	DefaultBranch string
	Visibility    string // Public, Private (internal too) or Unknown
}

// PullRequest is a pull request at one moment.
type PullRequest struct {
	Repo    Repo // the base repository, by its present name
	Number  int
	URL     string
	Title   string
	Body    string
	Author  User
	Draft   bool
	State   string // "open", "closed" or "merged"
	BaseRef string
	// BaseSHA is the base branch's tip as the forge last looked at it for
	// this pull request: neither the tip now nor the merge base.
	BaseSHA string
	HeadRef string
	HeadSHA string
	// HeadRepo is where the head branch lives; the zero Repo if it is gone.
	HeadRepo Repo
	// MergeBase is where the head left the base, "" if the forge does not say.
	MergeBase     string
	DefaultBranch string
	Visibility    string
	// ChangedFiles, Additions and Deletions are the forge's own counts.
	ChangedFiles, Additions, Deletions, Commits int
}

// File is one changed file.
type File struct {
	OldPath, NewPath     string // "" where absent
	Status               string // added, removed, modified, renamed, copied, changed, unchanged
	Additions, Deletions int
	Blob                 string // hash of the new content, of the old for a removed file
	// Patch starts at its first @@ line; "" for a binary file, for a mere
	// rename, and for a file past the forge's limits.
	Patch string
}

// Path is the file's name in the change.
func (f File) Path() string {
	if f.NewPath != "" {
		return f.NewPath
	}
	return f.OldPath
}

// Comparison is where two commits stand to each other.
type Comparison struct {
	BaseSHA   string // the tip of base now
	MergeBase string
}

// Commit is one commit's own words.
type Commit struct {
	SHA, Author, Text string
}

// Issue is what somebody asked for.
type Issue struct {
	Number      int
	Title, Body string
	Author      User
}

// Comment is something that was said about a pull request.
type Comment struct {
	Kind   string // "comment", "review" or "line"
	ID     int64
	Author User
	Text   string
	Path   string // for a line
	Line   int    // on the side after the change; 0 if unknown
	When   string // RFC 3339
	URL    string
}
