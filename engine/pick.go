package engine

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/mrv-dev/mrv/engine/config"
	"github.com/mrv-dev/mrv/engine/forge"
	"github.com/mrv-dev/mrv/engine/git"
	"github.com/mrv-dev/mrv/engine/publish"
)

// pickLimit is how many pull requests a list has at most: more than a person
// reads, and one page of every forge.
const pickLimit = 30

// NamesNothing reports whether options leave it open which change is meant:
// a repository alone, no clone around, or its default branch checked out.
func (o SourceOptions) NamesNothing(ctx context.Context) (bool, error) {
	if o.Ref != "" || o.Base != "" || o.Diff != "" || o.Worktree {
		return false, nil
	}
	if o.Repo != "" {
		return true, nil
	}
	clone, err := cloneAround(ctx, o.Dir)
	if err != nil || clone == nil {
		return clone == nil, err
	}
	_, remote, _ := baseRepo(o, clone)
	ref, err := clone.DefaultBranch(ctx, remote)
	if err != nil || ref == "" || clone.Branch == "" {
		return false, err
	}
	return strings.TrimPrefix(git.ShortRef(ref), remote+"/") == clone.Branch, nil
}

// Pulls are the pull requests that a person can pick from, and how their
// reviews stand. Its methods may be called from several goroutines.
type Pulls struct {
	source SourceOptions
	runs   string
	clone  *git.Clone // nil if there is none
	host   string
	repo   forge.Repo // the zero Repo if none is known

	forge    answered[publish.Forge]
	viewer   answered[string]
	mu       sync.Mutex
	projects map[forge.Repo]*answered[config.Project]
	comments map[string]*answered[publish.Pulled] // by pull request and when it was updated
}

// answered keeps the first answer; an error is not kept.
type answered[T any] struct {
	mu    sync.Mutex
	known bool
	value T
}

func (o *answered[T]) get(ask func() (T, error)) (T, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.known {
		return o.value, nil
	}
	v, err := ask()
	if err == nil {
		o.known, o.value = true, v
	}
	return v, err
}

// FindPulls says where pull requests are looked for: in --repo, GH_REPO or the
// clone's repository, else on the host that gh would take. runs is where the
// journals are. It asks nobody.
func FindPulls(ctx context.Context, o SourceOptions, runs string) (*Pulls, error) {
	if err := o.checkRepo(); err != nil {
		return nil, err
	}
	clone, err := cloneAround(ctx, o.Dir)
	if err != nil {
		if o.Repo == "" || ctx.Err() != nil {
			return nil, err
		}
		clone = nil // it is not needed
	}
	p := &Pulls{source: o, runs: runs, clone: clone, projects: map[forge.Repo]*answered[config.Project]{}, comments: map[string]*answered[publish.Pulled]{}}
	if repo, _, ok := baseRepo(o, clone); ok {
		p.repo = repo
	}
	if p.host = p.repo.Host; p.host == "" {
		p.host = forge.DefaultHost()
	}
	return p, nil
}

// Host is where pull requests are looked for; Repo the repository, "" if none
// is known.
func (p *Pulls) Host() string { return p.host }

// Repo is OWNER/NAME, with the host in front unless it is github.com.
func (p *Pulls) Repo() string {
	if p.repo == (forge.Repo{}) {
		return ""
	}
	return p.repo.String()
}

// Viewer is whose token it is, "" if there is none or it is not told.
func (p *Pulls) Viewer(ctx context.Context) string {
	f, err := p.connect(ctx)
	if err != nil || f.FetchToken() == "" {
		return ""
	}
	login, err := p.viewer.get(func() (string, error) {
		u, err := f.Viewer(ctx)
		return u.Login, err
	})
	if err != nil {
		return "" // a workflow's token may not ask; lists say what else is wrong
	}
	return login
}

func (p *Pulls) connect(ctx context.Context) (publish.Forge, error) {
	return p.forge.get(func() (publish.Forge, error) { return publish.Connect(ctx, p.host) })
}

// List looks for pull requests, in the repository or everywhere on the host.
func (p *Pulls) List(ctx context.Context, which forge.Which, everywhere bool) (forge.Found, error) {
	f, err := p.connect(ctx)
	if err != nil {
		return forge.Found{}, err
	}
	s, ok := f.Reader.(forge.Searcher)
	if !ok {
		return forge.Found{}, fmt.Errorf("mrv can not look for pull requests on %s: name one", p.host)
	}
	w := forge.Wanted{Which: which, Repo: p.repo, Limit: pickLimit}
	if everywhere {
		w.Repo = forge.Repo{}
	}
	return s.Search(ctx, w)
}

// Source names a picked pull request as a change to review.
func (p *Pulls) Source(x forge.Listed) SourceOptions {
	o := p.source
	o.Ref, o.Repo = strconv.Itoa(x.Number), x.Repo.Host+"/"+x.Repo.Owner+"/"+x.Repo.Name
	return o
}
