package inbox

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/mrv-dev/mrv/engine/document"
	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/review"
)

// Repo answers what must be known of the clone to tell a fresh review from a
// stale one.
type Repo interface {
	// Head is the commit that is checked out.
	Head(ctx context.Context) (string, error)
	// Since lists the commits that HEAD has and from has not. ok is false if
	// from is not an ancestor of HEAD, or not known here.
	Since(ctx context.Context, from string) (commits []Commit, ok bool, err error)
	// Tree is the hash of the working tree, made as for a review of it.
	Tree(ctx context.Context) (string, error)
	// Me is the e-mail address with which the person's git commits.
	Me(ctx context.Context) (string, error)
}

// Commit is what is to be known of a commit.
type Commit struct {
	SHA       string
	Author    string // e-mail address
	Committer string // e-mail address
	Parents   int
}

// Status is how a review in the inbox stands.
type Status struct {
	Document document.Document  `json:"review"`
	Path     string             `json:"path"`
	Fresh    bool               `json:"fresh"`
	Why      string             `json:"why"` // in words, why it is fresh or stale
	Open     []document.Finding `json:"open"`
	Answered []Answered         `json:"answered"`
	Bad      []BadLine          `json:"bad_lines,omitempty"` // of the answers file
	// Unknown are answers to findings that are not open in this review.
	Unknown []Answer `json:"unknown,omitempty"`
	Notes   []string `json:"notes,omitempty"`
}

// Answered is an open finding and the last answer to it.
type Answered struct {
	Finding document.Finding `json:"finding"`
	Answer  Answer           `json:"answer"`
	// Standing is what the clone says of it, before it is reviewed again.
	Standing Standing `json:"standing"`
}

// Exit is 0 for a fresh review and 3 for a stale one.
func (s Status) Exit() review.Exit {
	if s.Fresh {
		return review.ExitOK
	}
	return review.ExitStale
}

// Read tells how a review stands: the one of a stem ("pr-12"), or the latest
// for "". tracked lists what the head tracks below Dir, which is no inbox.
func Read(ctx context.Context, root, stem string, repo Repo, tracked ...string) (Status, error) {
	var s Status
	b, err := existing(root)
	if err != nil {
		return s, err
	}
	defer b.close()
	if stem == "" {
		stem = "latest"
	}
	name := path.Join(Dir, stem+".json")
	if slices.Contains(tracked, name) {
		return s, fmt.Errorf("%s is tracked by the repository: it is part of the change, not an inbox, and ignored", name)
	}
	if s.Document, err = b.document(stem); err != nil {
		return s, err
	}
	s.Path = b.full(path.Join(Dir, stem+".md"))
	for _, t := range tracked {
		s.Notes = append(s.Notes, t+" is tracked by the repository and ignored")
	}
	answers, err := b.answers(path.Join(Dir, s.Document.Stem()+".answers.jsonl"))
	if err != nil {
		return s, err
	}
	s.Bad = answers.Bad
	s.sort(answers.Of(s.Document.Run))
	s.stand(ctx, repo)
	s.Fresh, s.Why, err = fresh(ctx, s.Document, repo)
	if err != nil || !s.Fresh || s.Document.Change.Source != event.FromWorktree {
		return s, err
	}
	tree, err := repo.Tree(ctx)
	switch {
	case err != nil:
		return s, fmt.Errorf("looking at the working tree: %w", err)
	case tree == s.Document.Change.Identity:
		s.Why = "the working tree is what was reviewed"
	case len(s.Answered) == 0:
		s.Fresh, s.Why = false, "the working tree has changed since the review, and nothing is answered that could explain it"
	default:
		s.Why += "; the working tree has changed as findings were answered"
	}
	return s, nil
}

// sort puts each open finding with its last answer, or with those without one.
func (s *Status) sort(answers []Answer) {
	last := map[string]Answer{}
	s.Open, s.Answered = []document.Finding{}, []Answered{}
	for _, a := range answers {
		f, err := openFinding(s.Document, a.ID)
		if err != nil {
			s.Unknown = append(s.Unknown, a)
			continue
		}
		last[f.ID] = a
	}
	for _, f := range s.Document.With(document.Open) {
		if a, ok := last[f.ID]; ok {
			s.Answered = append(s.Answered, Answered{Finding: f, Answer: a})
		} else {
			s.Open = append(s.Open, f)
		}
	}
}

// stand says how each answer stands: nothing is reviewed since, so a claim can
// only fail here, by code that did not change.
func (s *Status) stand(ctx context.Context, repo Repo) {
	for i, a := range s.Answered {
		changed := true
		if files, ok := repo.(Files); ok && a.Answer.Outcome == Fixed {
			text, err := files.File(ctx, a.Finding.Place.Path)
			changed = err != nil || !Holds(text, AnchorText(a.Finding))
		}
		s.Answered[i].Standing = standing(a.Answer.Outcome, false, changed, false)
	}
}

// Files reads files of the working tree.
type Files interface {
	File(ctx context.Context, path string) (string, error)
}

// AnchorText is the text that a finding's place is found by, "" for none.
func AnchorText(f document.Finding) string {
	return cmp.Or(strings.Trim(f.Quote, "\n"), f.Place.Text)
}

// Holds reports whether lines stand in a text one after the other, whatever
// their indentation and the empty lines between them. No lines stand nowhere.
func Holds(text, lines string) bool {
	have, want := plain(text), plain(lines)
	for i := range len(have) - len(want) + 1 {
		if len(want) > 0 && slices.Equal(have[i:i+len(want)], want) {
			return true
		}
	}
	return false
}

func plain(text string) []string {
	var out []string
	for _, l := range strings.Split(text, "\n") {
		if l = strings.TrimSpace(l); l != "" {
			out = append(out, l)
		}
	}
	return out
}

// fresh applies the protocol's first line: HEAD is what was reviewed, or that
// and then only the person's own commits, none of them a merge, which could
// bring in anybody's work.
func fresh(ctx context.Context, doc document.Document, repo Repo) (bool, string, error) {
	reviewed := doc.Change.Head
	switch {
	case doc.Change.Source == event.FromDemo:
		return false, "a recorded demonstration: its code is in no repository", nil
	case reviewed == "":
		return false, "the review is bound to no commit, so nothing tells whether it is about this code", nil
	case repo == nil:
		return false, "not in a clone of the reviewed repository", nil
	}
	head, err := repo.Head(ctx)
	if err != nil {
		return false, "", fmt.Errorf("looking for HEAD: %w", err)
	}
	if head == reviewed {
		return true, "HEAD is what was reviewed", nil
	}
	commits, ok, err := repo.Since(ctx, reviewed)
	if err != nil {
		return false, "", fmt.Errorf("listing the commits since %s: %w", event.Short(reviewed), err)
	}
	if !ok {
		return false, fmt.Sprintf("HEAD (%s) does not contain what was reviewed (%s)", event.Short(head), event.Short(reviewed)), nil
	}
	me, err := repo.Me(ctx)
	if err != nil {
		return false, "", fmt.Errorf("looking for who commits here: %w", err)
	}
	for _, c := range commits {
		switch {
		case c.Parents > 1:
			return false, fmt.Sprintf("%s merges other work into what was reviewed", event.Short(c.SHA)), nil
		case me == "" || !strings.EqualFold(c.Author, me) || !strings.EqualFold(c.Committer, me):
			return false, fmt.Sprintf("%s by %s came after what was reviewed", event.Short(c.SHA), c.Author), nil
		}
	}
	return true, fmt.Sprintf("HEAD is what was reviewed and %d of your own commits", len(commits)), nil
}
