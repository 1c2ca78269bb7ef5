package forge

import (
	"context"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/cli/go-gh/v2/pkg/auth"
)

// Which pull requests are looked for.
type Which string

// The lists that a person picks from. All hold open pull requests alone, the
// last updated first.
const (
	Requested Which = "requested" // the token's owner, or a team of theirs, is asked for a review
	Mine      Which = "mine"      // the token's owner opened them
	Recent    Which = "recent"    // of a repository; without one, those the owner takes part in
)

// Wanted says what is looked for.
type Wanted struct {
	Which Which
	Repo  Repo // the zero Repo is the whole host
	Limit int  // at most 100; Gitea gives 50
}

// Listed is a pull request as a list has it.
type Listed struct {
	Repo    Repo
	Number  int
	URL     string
	Title   string
	Author  User
	Draft   bool
	Updated time.Time
	HeadSHA string // "" where the list does not say
	// Comments is how many were made on it, -1 where the list does not say.
	Comments int
}

// Found is what a search found.
type Found struct {
	Pulls []Listed
	Total int // as the forge counts them; 0 where it does not say
	// Partial says that the forge ran out of time, so that some are missing.
	Partial bool
}

// Searcher looks for pull requests. Somebody waits before the screen: nothing
// is tried again and no limit is waited out, the error says when to ask again.
type Searcher interface {
	Search(ctx context.Context, w Wanted) (Found, error)
}

var (
	_ Searcher = (*GitHub)(nil)
	_ Searcher = (*Gitea)(nil)
)

// promptly sends a read once and reads its JSON.
func (c *Client) promptly(ctx context.Context, r Request, out any) error {
	resp, err := c.once(ctx, r)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(resp.Body, out); err != nil {
		return &Error{Kind: Broken, Doing: r.Doing, Host: c.Host, Status: resp.Status, Message: "no JSON that makes sense: " + err.Error()}
	}
	return nil
}

// doing words a search for its errors.
func (w Wanted) doing(host string) string {
	what := map[Which]string{Requested: "looking for review requests", Mine: "looking for your pull requests", Recent: "listing recent pull requests"}[w.Which]
	if w.Repo != (Repo{}) {
		return what + " in " + w.Repo.String()
	}
	return what + " on " + host
}

// Search asks GitHub's search, which counts 30 requests a minute; the recent
// ones of a repository come from its list, which has their heads and needs no
// token (docs.github.com, Rate limits for the REST API, Search).
func (g *GitHub) Search(ctx context.Context, w Wanted) (Found, error) {
	if w.Which == Recent && w.Repo != (Repo{}) {
		return recentOf(ctx, g.Client, w, url.Values{"sort": {"updated"}, "direction": {"desc"}, "per_page": {strconv.Itoa(w.Limit)}})
	}
	if err := g.Client.known(); err != nil {
		return Found{}, err
	}
	terms := []string{"is:pr", "is:open", "archived:false", map[Which]string{Requested: "review-requested:@me", Mine: "author:@me", Recent: "involves:@me"}[w.Which]}
	if w.Repo != (Repo{}) {
		terms = append(terms, "repo:"+w.Repo.Owner+"/"+w.Repo.Name)
	}
	var a struct {
		Total   int           `json:"total_count"`
		Partial bool          `json:"incomplete_results"`
		Items   []listedIssue `json:"items"`
	}
	err := g.Client.promptly(ctx, Request{Doing: w.doing(g.Client.Host), Path: "search/issues", Query: url.Values{
		"q": {strings.Join(terms, " ")}, "sort": {"updated"}, "order": {"desc"}, "per_page": {strconv.Itoa(w.Limit)},
	}}, &a)
	if err != nil {
		return Found{}, err
	}
	f := Found{Total: a.Total, Partial: a.Partial}
	for _, i := range a.Items {
		if repo, ok := i.repo(g.Client.Host); ok {
			f.Pulls = append(f.Pulls, i.listed(repo))
		}
	}
	return f, nil
}

// Search asks Gitea for pull requests, which it searches as issues. It has no
// word for those that somebody takes part in: the whole host has no recent
// ones.
func (g *Gitea) Search(ctx context.Context, w Wanted) (Found, error) {
	limit := strconv.Itoa(min(w.Limit, giteaPage))
	if w.Which == Recent {
		if w.Repo == (Repo{}) {
			return Found{}, nil
		}
		return recentOf(ctx, g.Client, w, url.Values{"sort": {"recentupdate"}, "limit": {limit}})
	}
	if err := g.Client.known(); err != nil {
		return Found{}, err
	}
	q := url.Values{"type": {"pulls"}, "state": {"open"}, "limit": {limit}}
	q.Set(map[Which]string{Requested: "review_requested", Mine: "created"}[w.Which], "true")
	if w.Repo != (Repo{}) {
		q.Set("owner", w.Repo.Owner)
	}
	var list []listedIssue
	if err := g.Client.promptly(ctx, Request{Doing: w.doing(g.Client.Host), Path: "repos/issues/search", Query: q}, &list); err != nil {
		return Found{}, err
	}
	var f Found
	for _, i := range list {
		repo, ok := i.repo(g.Client.Host)
		if ok && (w.Repo == (Repo{}) || repo.Is(w.Repo)) {
			f.Pulls = append(f.Pulls, i.listed(repo))
		}
	}
	return f, nil
}

// recentOf reads the first page of a repository's open pull requests.
func recentOf(ctx context.Context, c *Client, w Wanted, q url.Values) (Found, error) {
	q.Set("state", "open")
	var list []struct {
		githubPull
		Updated  time.Time `json:"updated_at"`
		Comments *int      `json:"comments"` // Gitea says it
	}
	if err := c.promptly(ctx, Request{Doing: w.doing(c.Host), Path: in(w.Repo, "pulls"), Query: q}, &list); err != nil {
		return Found{}, err
	}
	var f Found
	for _, p := range list {
		x := Listed{
			Repo: p.Base.Repo.repo(w.Repo.Host), Number: p.Number, URL: p.HTMLURL, Title: p.Title, Author: p.User.user(), Draft: p.Draft,
			Updated: p.Updated, HeadSHA: p.Head.SHA, Comments: -1,
		}
		if x.Repo.Name == "" {
			x.Repo = w.Repo
		}
		if p.Comments != nil {
			x.Comments = *p.Comments
		}
		f.Pulls = append(f.Pulls, x)
	}
	return f, nil
}

// listedIssue is a pull request as searches have it: as an issue.
type listedIssue struct {
	Number   int        `json:"number"`
	HTMLURL  string     `json:"html_url"`
	Title    string     `json:"title"`
	User     githubUser `json:"user"`
	Draft    bool       `json:"draft"`
	Comments int        `json:"comments"`
	Updated  time.Time  `json:"updated_at"`
	RepoURL  string     `json:"repository_url"` // GitHub
	Repo     *struct {  // Gitea
		Name  string `json:"name"`
		Owner string `json:"owner"`
	} `json:"repository"`
	Pull struct {
		Draft bool `json:"draft"` // Gitea
	} `json:"pull_request"`
}

// repo is whose it is; ok is false for an answer that names nobody.
func (i listedIssue) repo(host string) (Repo, bool) {
	if i.Repo != nil {
		return newRepo(host, i.Repo.Owner, i.Repo.Name)
	}
	parts := strings.Split(strings.TrimRight(i.RepoURL, "/"), "/")
	if len(parts) < 2 {
		return Repo{}, false
	}
	return newRepo(host, parts[len(parts)-2], parts[len(parts)-1])
}

func (i listedIssue) listed(repo Repo) Listed {
	return Listed{
		Repo: repo, Number: i.Number, URL: i.HTMLURL, Title: i.Title, Author: i.User.user(), Draft: i.Draft || i.Pull.Draft,
		Updated: i.Updated, Comments: i.Comments,
	}
}

// NoToken says that a list is one person's, and that nothing says whose.
type NoToken struct{ Host, Remedy string }

// Error names the remedy.
func (e *NoToken) Error() string {
	return "without a token " + e.Host + " does not know who you are: " + e.Remedy
}

// known refuses a list that is somebody's where nobody is known.
func (c *Client) known() error {
	if c.token == "" {
		return &NoToken{Host: c.Host, Remedy: c.remedy}
	}
	return nil
}

// DefaultHost is the host that gh would take where none is named.
func DefaultHost() string {
	host, _ := auth.DefaultHost()
	return host
}
