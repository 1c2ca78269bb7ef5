package forge

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/cli/go-gh/v2/pkg/auth"
	"github.com/cli/go-gh/v2/pkg/ssh"
)

// Repo names a repository on a forge.
type Repo struct {
	Host  string // "github.com", without a port unless it is part of the URL
	Owner string
	Name  string
}

// String is OWNER/NAME, with the host in front unless it is github.com.
func (r Repo) String() string {
	if r.Host != "" && r.Host != "github.com" {
		return r.Host + "/" + r.Owner + "/" + r.Name
	}
	return r.Owner + "/" + r.Name
}

// Is reports whether two names mean the same repository.
func (r Repo) Is(o Repo) bool {
	return strings.EqualFold(r.Host, o.Host) && strings.EqualFold(r.Owner, o.Owner) && strings.EqualFold(r.Name, o.Name)
}

var (
	hostRE  = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]*(:[0-9]+)?$`)
	nameRE  = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]*$`)
	pullRE  = regexp.MustCompile(`^/([^/]+)/([^/]+)/pulls?/([0-9]+)(/.*)?$`)
	scpRE   = regexp.MustCompile(`^(?:[^@/\s]+@)?([^:/\s]+):(.+)$`)
	digitRE = regexp.MustCompile(`^#?([0-9]{1,9})$`)
)

func newRepo(host, owner, name string) (Repo, bool) {
	name = strings.TrimSuffix(name, ".git")
	host = strings.TrimPrefix(strings.ToLower(host), "www.")
	if !hostRE.MatchString(host) || !nameRE.MatchString(owner) || !nameRE.MatchString(name) {
		return Repo{}, false
	}
	if host == "ssh.github.com" {
		host = "github.com" // git over port 443
	}
	return Repo{Host: host, Owner: owner, Name: name}, true
}

// ParseRepo reads [HOST/]OWNER/NAME or a URL. A missing host is the one gh
// would take.
func ParseRepo(s string) (Repo, error) {
	if r, ok := ParseRemote(s); ok {
		return r, nil
	}
	parts := strings.Split(s, "/")
	if len(parts) == 2 {
		host, _ := auth.DefaultHost()
		parts = append([]string{host}, parts...)
	}
	if len(parts) == 3 {
		if r, ok := newRepo(parts[0], parts[1], parts[2]); ok {
			return r, nil
		}
	}
	return Repo{}, fmt.Errorf("%q names no repository: give [HOST/]OWNER/NAME or its URL", s)
}

// ParseRemote reads the URL of a git remote, in any of git's forms. ok is
// false if it names no repository of a forge, such as a path.
func ParseRemote(s string) (Repo, bool) {
	if scheme, _, ok := strings.Cut(s, "://"); ok {
		u, err := url.Parse(s)
		if err != nil {
			return Repo{}, false
		}
		switch strings.TrimPrefix(scheme, "git+") {
		case "http", "https":
			return fromPath(u.Host, u.Path)
		case "ssh", "git":
			return fromPath(sshHost(u.Hostname()), u.Path)
		}
		return Repo{}, false
	}
	if m := scpRE.FindStringSubmatch(s); m != nil {
		return fromPath(sshHost(m[1]), m[2])
	}
	return Repo{}, false
}

func fromPath(host, path string) (Repo, bool) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	if len(parts) != 2 {
		return Repo{}, false
	}
	return newRepo(host, parts[0], parts[1])
}

// sshHost asks ssh for the real name behind an alias of the person's
// configuration. Names that are known need no asking.
func sshHost(host string) string {
	if host == "" || host == "github.com" || host == "ssh.github.com" || strings.HasPrefix(host, "-") {
		return host
	}
	return ssh.NewTranslator().Translate(&url.URL{Scheme: "ssh", Host: host}).Hostname()
}

// ParseRef reads how a person names a pull request: a number, or its URL. For
// a number repo is the zero Repo.
func ParseRef(s string) (repo Repo, number int, ok bool) {
	if m := digitRE.FindStringSubmatch(s); m != nil {
		n, err := strconv.Atoi(m[1])
		return Repo{}, n, err == nil && n > 0
	}
	u, err := url.Parse(s)
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") {
		return Repo{}, 0, false
	}
	m := pullRE.FindStringSubmatch(u.Path)
	if m == nil {
		return Repo{}, 0, false
	}
	repo, ok = newRepo(u.Host, m[1], m[2])
	n, err := strconv.Atoi(m[3])
	return repo, n, ok && err == nil && n > 0
}

// Remote is one remote of a clone.
type Remote struct {
	Name, URL string
	// Resolved is gh's note: "base", or the OWNER/NAME that is.
	Resolved string
}

// Base picks the repository that pull requests of a clone go to: the one the
// person told gh, else that of the remote named upstream, github or origin, in
// this order, else of the first that names one. It needs no token and asks
// nobody. remote is the name of the remote it comes from.
func Base(remotes []Remote) (repo Repo, remote string, ok bool) {
	sorted := slices.Clone(remotes)
	slices.SortStableFunc(sorted, func(a, b Remote) int { return rank(a) - rank(b) })
	for _, r := range sorted {
		repo, ok = ParseRemote(r.URL)
		if !ok {
			continue
		}
		if r.Resolved != "" && r.Resolved != "base" {
			parts := strings.Split(r.Resolved, "/")
			if len(parts) >= 2 {
				if other, ok := newRepo(repo.Host, parts[len(parts)-2], parts[len(parts)-1]); ok {
					repo = other
				}
			}
		}
		return repo, r.Name, true
	}
	return Repo{}, "", false
}

func rank(r Remote) int {
	if r.Resolved != "" {
		return 0
	}
	if i := slices.Index([]string{"upstream", "github", "origin"}, strings.ToLower(r.Name)); i >= 0 {
		return i + 1
	}
	return 4
}
