package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/engine/forge"
	"github.com/mrv-dev/mrv/engine/git"
)

// pull is a pull request that is being read.
type pull struct {
	o      SourceOptions
	reader forge.Reader
	repo   forge.Repo
	number int
	clone  *git.Clone // nil if there is none of this repository
}

// loadNamed reads the pull request that a number or a URL names.
func loadNamed(ctx context.Context, o SourceOptions) (*Loaded, error) {
	repo, number, ok := forge.ParseRef(o.Ref)
	if !ok {
		return nil, fmt.Errorf("%q names no pull request: give its number or its URL", o.Ref)
	}
	clone, err := cloneAround(ctx, o.Dir)
	if err != nil && (ctx.Err() != nil || o.Repo == "" && repo == (forge.Repo{})) {
		return nil, err // without a repository named, the clone is needed
	}
	if o.Repo != "" || repo == (forge.Repo{}) {
		if repo, err = namedRepo(o, clone); err != nil {
			return nil, err
		}
	}
	reader, err := forge.Open(ctx, repo.Host)
	if err != nil {
		return nil, err
	}
	return pull{o: o, reader: reader, repo: repo, number: number, clone: clone}.load(ctx)
}

// cloneAround is the clone around a directory; nil if there is none.
func cloneAround(ctx context.Context, dir string) (*git.Clone, error) {
	clone, err := git.Discover(ctx, dir)
	if errors.Is(err, git.ErrNotARepository) || errors.Is(err, git.ErrNoGit) {
		return nil, nil
	}
	return clone, err
}

// namedRepo is the repository that a bare number is about.
func namedRepo(o SourceOptions, clone *git.Clone) (forge.Repo, error) {
	for _, named := range []string{o.Repo, os.Getenv("GH_REPO")} {
		if named != "" {
			return forge.ParseRepo(named)
		}
	}
	if repo, _, ok := baseRepo(o, clone); ok {
		return repo, nil
	}
	return forge.Repo{}, ErrNoRepository
}

var pullRefRE = regexp.MustCompile(`^refs/pull/([0-9]+)/head$`)

// loadCurrent reads the pull request of the current branch, else the branch.
// Without an answer from the forge it is the branch, and a note says why.
func loadCurrent(ctx context.Context, o SourceOptions) (*Loaded, error) {
	clone, err := git.Discover(ctx, o.Dir)
	if err != nil {
		return nil, err
	}
	p, err := currentPull(ctx, o, clone)
	if err == nil && p.number > 0 {
		return p.load(ctx)
	}
	if ctx.Err() != nil {
		return nil, err
	}
	l, berr := loadBranch(ctx, o)
	if berr != nil {
		return nil, berr
	}
	if err != nil {
		l.note("whether %s has a pull request is not known, so the branch is compared with %s: %v", clone.Branch, l.Change.BaseRef, err)
	}
	return l, nil
}

// currentPull looks for the open pull request of the branch that is checked
// out. Its number is 0 if there is none.
func currentPull(ctx context.Context, o SourceOptions, clone *git.Clone) (pull, error) {
	p := pull{o: o, clone: clone}
	repo, _, ok := baseRepo(o, clone)
	if !ok || clone.Branch == "" {
		return p, nil
	}
	owner, branch := repo.Owner, clone.Branch
	remote, name, err := clone.Tracking(ctx, clone.Branch)
	if err != nil {
		return p, err
	}
	if r, found := clone.Remote(remote); found {
		remote = forgeURL(r)
	}
	if from, ok := forge.ParseRemote(remote); ok {
		owner = from.Owner
	}
	p.repo = repo
	if p.reader, err = forge.Open(ctx, repo.Host); err != nil {
		return p, err
	}
	if m := pullRefRE.FindStringSubmatch(name); m != nil { // checked out by gh
		p.number, err = strconv.Atoi(m[1])
		return p, err
	}
	if name != "" && owner != "" {
		branch = name
	}
	numbers, err := p.reader.OpenFrom(ctx, repo, owner, branch)
	if err != nil || len(numbers) == 0 {
		return p, err
	}
	p.number = numbers[0]
	return p, nil
}

// load reads the pull request, again if its head moved meanwhile.
func (p pull) load(ctx context.Context) (*Loaded, error) {
	pr, err := p.reader.PullRequest(ctx, p.repo, p.number)
	if err != nil {
		return nil, err
	}
	for range maxTries {
		l, err := p.read(ctx, pr)
		if err != nil && ctx.Err() != nil {
			return nil, err
		}
		now, nowErr := p.reader.PullRequest(ctx, p.repo, p.number)
		if nowErr != nil {
			return nil, nowErr
		}
		if now.HeadSHA == pr.HeadSHA && now.BaseRef == pr.BaseRef {
			if err == nil {
				err = p.finish(ctx, l, pr)
			}
			return l, err
		}
		pr = now
	}
	return nil, ErrMoving
}

// read reads the change itself.
func (p pull) read(ctx context.Context, pr *forge.PullRequest) (*Loaded, error) {
	p.repo = pr.Repo // by its present name
	l := &Loaded{Change: event.Change{
		Source: event.FromPR, Host: p.repo.Host, Owner: p.repo.Owner, Repo: p.repo.Name, Number: pr.Number, URL: pr.URL,
		Title: pr.Title, Author: pr.Author.Login, Draft: pr.Draft, BaseRef: pr.BaseRef, HeadRef: pr.HeadRef,
		HeadSHA: pr.HeadSHA, Identity: pr.HeadSHA, Visibility: pr.Visibility,
	}}
	tip, err := p.reader.Compare(ctx, p.repo, pr.BaseRef, pr.HeadSHA)
	if forge.IsKind(err, forge.NotFound) {
		l.note("the base branch %s is gone; it is taken as the pull request saw it last", pr.BaseRef)
		tip, err = p.reader.Compare(ctx, p.repo, pr.BaseSHA, pr.HeadSHA)
	}
	if err != nil {
		return nil, err
	}
	l.Change.BaseSHA, l.Change.MergeBase = tip.BaseSHA, tip.MergeBase
	switch {
	case pr.MergeBase != "":
		l.Change.MergeBase = pr.MergeBase
	case tip.MergeBase == pr.HeadSHA:
		// Merged: the base has the head already. Where it left is seen from
		// the base as it was.
		was, err := p.reader.Compare(ctx, p.repo, pr.BaseSHA, pr.HeadSHA)
		if err != nil {
			return nil, err
		}
		l.Change.MergeBase = was.MergeBase
	}
	if err := p.objects(ctx, l, pr); err != nil {
		return nil, err
	}
	p.rules(ctx, l, pr)
	return l, p.change(ctx, l, pr)
}

// rules says where the rules of the review are read.
func (p pull) rules(ctx context.Context, l *Loaded, pr *forge.PullRequest) {
	at := func(ctx context.Context, sha string) tree {
		t := tree{sha: sha, reader: p.reader, repo: p.repo}
		if l.Store != nil && l.Store.HasCommit(ctx, sha) {
			t.store = l.Store
		}
		return t
	}
	l.setRules(pr.BaseRef, at(ctx, l.Change.BaseSHA))
	l.defaults = l.rules
	if pr.DefaultBranch == "" || pr.DefaultBranch == pr.BaseRef {
		return
	}
	l.defaultTip = func(ctx context.Context) (tree, error) {
		c, err := p.reader.Compare(ctx, p.repo, pr.DefaultBranch, pr.HeadSHA)
		return at(ctx, c.BaseSHA), err
	}
}

// objects brings the commits into a store. Without them the change can still
// be read from the forge, but reviewers see nothing around it.
func (p pull) objects(ctx context.Context, l *Loaded, pr *forge.PullRequest) error {
	clone := p.clone
	_, ofBase := remoteOf(clone, p.repo)
	_, ofHead := remoteOf(clone, pr.HeadRepo)
	if ofBase || ofHead {
		l.Change.Dir = clone.Root
	}
	if l.Change.Dir == "" || clone.Partial {
		clone = nil // another repository's, or one whose objects are not all there
	}
	store, err := git.OpenStore(ctx, git.Place(p.o.CacheDir, clone, p.repo.Host, p.repo.Owner, p.repo.Name), clone)
	if errors.Is(err, git.ErrNoGit) {
		l.note("git is not installed: the reviewers see the change, and none of the files around it")
		return nil
	}
	if err != nil {
		return err
	}
	err = fetchObjects(ctx, store, p.reader, p.repo, []string{p.reader.PullRef(pr.Number), "refs/heads/" + pr.BaseRef},
		pr.HeadSHA, l.Change.MergeBase, l.Change.BaseSHA)
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		l.note("the files around the change could not be fetched, the reviewers see the change alone: %v", err)
		return nil
	}
	l.Store, l.Change.Store = store, store.Dir
	return nil
}

// fetchObjects brings commits into a store unless it has them: by their
// hashes with nothing behind them or, where a forge does not give hashes, by
// the references that lead to them.
func fetchObjects(ctx context.Context, store *git.Store, reader forge.Reader, repo forge.Repo, refs []string, shas ...string) error {
	missing := missingIn(ctx, store, shas)
	if len(missing) == 0 {
		return nil
	}
	byHash, byRef := git.FetchOptions{Depth: 1}, git.FetchOptions{}
	for _, sha := range missing {
		byHash.Refspecs = append(byHash.Refspecs, "+"+sha+":refs/mrv/keep/"+sha)
	}
	for _, ref := range refs {
		byRef.Refspecs = append(byRef.Refspecs, "+"+ref+":refs/mrv/"+strings.TrimPrefix(ref, "refs/"))
	}
	var first error
	for _, url := range fetchURLs(store, reader, repo) {
		for _, way := range []git.FetchOptions{byHash, byRef} {
			if len(way.Refspecs) == 0 {
				continue
			}
			way.URL, way.Token = url, reader.FetchToken()
			err := store.Fetch(ctx, way)
			if ctx.Err() != nil {
				return err
			}
			if err == nil && len(missingIn(ctx, store, shas)) == 0 {
				return nil
			}
			if first == nil {
				first = err
			}
		}
	}
	if first == nil {
		first = fmt.Errorf("%s does not have %s", repo, event.Short(missing[0]))
	}
	return first
}

func missingIn(ctx context.Context, store *git.Store, shas []string) []string {
	var missing []string
	for _, sha := range shas {
		if !store.HasCommit(ctx, sha) {
			missing = append(missing, sha)
		}
	}
	return missing
}

// fetchURLs lists from where to fetch: https with the token, and the clone's
// own remote, which may go by ssh.
func fetchURLs(store *git.Store, reader forge.Reader, repo forge.Repo) []string {
	urls := []string{reader.FetchURL(repo)}
	if name, ok := remoteOf(store.Clone, repo); ok {
		r, _ := store.Clone.Remote(name)
		if reader.FetchToken() == "" {
			return []string{r.URL, urls[0]}
		}
		urls = append(urls, r.URL)
	}
	return urls
}
