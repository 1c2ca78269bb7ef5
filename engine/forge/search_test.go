package forge_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mrv-dev/mrv/engine/forge"
	"github.com/mrv-dev/mrv/engine/forge/double"
)

// several is a forge with pull requests of several people.
func several(t *testing.T, env func(*double.Server) []string) (*double.Server, *forge.GitHub) {
	t.Helper()
	r := upstream(t)
	me := double.User{Login: "viewer", ID: 1}
	s := double.Start(t, double.Options{Dir: r.Dir},
		double.Pull{Number: 7, Title: "asked of me", Base: "main", Head: "topic", Reviewers: []string{"viewer"}, Updated: "2026-11-30T10:00:00Z"},
		double.Pull{Number: 8, Title: "mine", Author: me, Base: "main", Head: "topic", Draft: true, Updated: "2026-11-30T11:00:00Z"},
		double.Pull{Number: 9, Title: "asked of me later", Base: "main", Head: "topic", Reviewers: []string{"other", "viewer"}, Updated: "2026-11-30T12:00:00Z"},
		double.Pull{Number: 10, Title: "closed", Author: me, Base: "main", Head: "topic", State: "closed", Updated: "2026-11-30T13:00:00Z"},
		double.Pull{Number: 11, Title: "somebody else's", Base: "main", Head: "topic", Updated: "2026-11-30T09:00:00Z"},
	)
	s.Setenv(env(s))
	return s, reader(t)
}

func numbers(f forge.Found) string {
	var list []string
	for _, p := range f.Pulls {
		list = append(list, fmt.Sprint(p.Number))
	}
	return strings.Join(list, " ")
}

func TestSearch(t *testing.T) {
	s, g := several(t, (*double.Server).Env)
	s.Say(11, double.User{Login: "viewer", ID: 1}, "hm")
	for _, c := range []struct {
		which forge.Which
		repo  forge.Repo
		want  string
	}{
		{forge.Requested, forge.Repo{}, "9 7"},
		{forge.Requested, repo, "9 7"},
		{forge.Mine, forge.Repo{}, "8"},
		{forge.Mine, repo, "8"},
		{forge.Recent, repo, "9 8 7 11"},
		{forge.Recent, forge.Repo{}, "8 11"},
	} {
		f, err := g.Search(t.Context(), forge.Wanted{Which: c.which, Repo: c.repo, Limit: 30})
		if err != nil || numbers(f) != c.want {
			t.Errorf("%s in %v is %q, %v; want %q", c.which, c.repo, numbers(f), err, c.want)
		}
	}
	f, err := g.Search(t.Context(), forge.Wanted{Which: forge.Requested, Limit: 1})
	if err != nil || len(f.Pulls) != 1 || f.Total != 2 {
		t.Errorf("one of two is %+v, %v", f, err)
	}
	f, err = g.Search(t.Context(), forge.Wanted{Which: forge.Mine, Limit: 30})
	if err != nil || len(f.Pulls) != 1 {
		t.Fatal(f, err)
	}
	want := forge.Listed{
		Repo: repo, Number: 8, URL: "https://github.com/octo/repo/pull/8", Title: "mine", Author: forge.User{Login: "viewer", ID: 1}, Draft: true,
		Updated: time.Date(2026, 11, 30, 11, 0, 0, 0, time.UTC),
	}
	if f.Pulls[0] != want {
		t.Errorf("got %+v\nwant %+v", f.Pulls[0], want)
	}
	if f, err = g.Search(t.Context(), forge.Wanted{Which: forge.Recent, Repo: repo, Limit: 30}); err != nil || len(f.Pulls[0].HeadSHA) != 40 || f.Pulls[0].Comments != -1 {
		t.Errorf("a repository's list says the heads, and no comments: %+v, %v", f.Pulls, err)
	}
}

// Without a token a public repository's list can be read; what is somebody's
// is not even asked for.
func TestSearchWithoutAToken(t *testing.T) {
	s, g := several(t, (*double.Server).Anonymous)
	if f, err := g.Search(t.Context(), forge.Wanted{Which: forge.Recent, Repo: repo, Limit: 2}); err != nil || numbers(f) != "9 8" {
		t.Errorf("%q, %v", numbers(f), err)
	}
	for _, w := range []forge.Which{forge.Requested, forge.Mine} {
		_, err := g.Search(t.Context(), forge.Wanted{Which: w, Repo: repo, Limit: 30})
		var nobody *forge.NoToken
		if !errors.As(err, &nobody) || !strings.Contains(err.Error(), "GH_TOKEN") {
			t.Errorf("%s: %v", w, err)
		}
	}
	for _, r := range s.Requests() {
		if strings.Contains(r, "search") {
			t.Errorf("asked %s", r)
		}
	}
}

// A person waits: a search is sent once, and its error says what to do.
func TestSearchIsSentOnce(t *testing.T) {
	s, g := several(t, (*double.Server).Env)
	for _, c := range []struct {
		status int
		header [2]string
		body   string
		kind   forge.Kind
		says   string
	}{
		{403, [2]string{"Retry-After", "60"}, `{"message":"You have exceeded a secondary rate limit."}`, forge.RateLimited, "wait until"},
		{403, [2]string{"X-Ratelimit-Remaining", "0"}, `{"message":"API rate limit exceeded"}`, forge.RateLimited, "slow down"},
		{403, [2]string{"X-GitHub-SSO", "required; url=https://github.com/orgs/a/sso"}, `{"message":"SAML"}`, forge.NeedsSSO, "https://github.com/orgs/a/sso"},
		{401, [2]string{}, `{"message":"Bad credentials"}`, forge.Unauthorized, "gh auth login"},
		{422, [2]string{}, `{"message":"Validation Failed","errors":[{"message":"The listed users cannot be searched"}]}`, forge.Invalid, "cannot be searched"},
		{502, [2]string{}, `<html>`, forge.Broken, "502"},
		{200, [2]string{}, `<html>`, forge.Broken, "no JSON"},
	} {
		before := len(s.Requests())
		s.Intercept(func(w http.ResponseWriter, _ *http.Request) bool {
			if c.header[0] != "" {
				w.Header().Set(c.header[0], c.header[1])
			}
			w.WriteHeader(c.status)
			_, _ = w.Write([]byte(c.body))
			return true
		})
		_, err := g.Search(t.Context(), forge.Wanted{Which: forge.Mine, Limit: 30})
		if !forge.IsKind(err, c.kind) || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "looking for your pull requests") {
			t.Errorf("%d %s: %v", c.status, c.body, err)
		}
		if n := len(s.Requests()) - before; n != 1 {
			t.Errorf("%d: %d requests", c.status, n)
		}
	}
	s.Intercept(nil)
	_, err := g.Search(t.Context(), forge.Wanted{Which: forge.Mine, Repo: forge.Repo{Host: "github.com", Owner: "no", Name: "such"}, Limit: 30})
	if !forge.IsKind(err, forge.Invalid) || !strings.Contains(err.Error(), "do not exist") {
		t.Errorf("a repository that is not there: %v", err)
	}
}

// onSocket answers every host's requests, as gh's configuration leads them.
func onSocket(t *testing.T, f http.HandlerFunc) {
	t.Helper()
	dir, err := os.MkdirTemp("", "gh") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: l, Config: &http.Server{Handler: f}}
	server.Start()
	t.Cleanup(server.Close)
	if err := os.WriteFile(filepath.Join(dir, "config.yml"), []byte("http_unix_socket: "+filepath.Join(dir, "s")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GH_CONFIG_DIR", dir)
}

// On GitHub Enterprise the interface is elsewhere, and its token its own.
func TestSearchOnEnterprise(t *testing.T) {
	var asked []string
	onSocket(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Host+r.URL.Path+" "+r.Header.Get("Authorization"))
		_, _ = w.Write([]byte(`{"total_count":1,"items":[{"number":3,"title":"Pay","repository_url":"https://ghe.example.org/api/v3/repos/acme/shop"}]}`))
	})
	t.Setenv("GH_TOKEN", "of github.com")
	t.Setenv("GH_ENTERPRISE_TOKEN", "own")
	reader, err := forge.Open(t.Context(), "ghe.example.org")
	if err != nil {
		t.Fatal(err)
	}
	s, ok := reader.(forge.Searcher)
	if !ok {
		t.Fatalf("%T can not search", reader)
	}
	f, err := s.Search(t.Context(), forge.Wanted{Which: forge.Requested, Limit: 30})
	want := forge.Repo{Host: "ghe.example.org", Owner: "acme", Name: "shop"}
	if err != nil || len(f.Pulls) != 1 || f.Pulls[0].Repo != want || strings.Join(asked, "; ") != "ghe.example.org/api/v3/search/issues token own" {
		t.Errorf("%+v, %v, asked %v", f, err, asked)
	}
}

// What Gitea is asked, and what it answers, by its own description (swagger,
// /repos/issues/search and /repos/{owner}/{repo}/pulls).
func TestSearchOnGitea(t *testing.T) {
	const found = `{"number":3,"title":"Pay","html_url":"https://git.example.org/alice/rec/pulls/3","user":{"login":"bob","id":2},"comments":1,
		"updated_at":"2026-11-30T12:00:00+02:00","pull_request":{"draft":true},"repository":{"id":1,"name":"rec","owner":"alice","full_name":"alice/rec"}}`
	other := strings.ReplaceAll(strings.ReplaceAll(found, `"rec"`, `"other"`), `"number":3`, `"number":4`)
	var asked []string
	onSocket(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path+"?"+r.URL.Query().Encode())
		switch r.URL.Path {
		case "/api/v1/repos/issues/search":
			_, _ = w.Write([]byte("[" + found + "," + other + "]"))
		case "/api/v1/repos/alice/rec/pulls":
			_, _ = w.Write([]byte(`[{"number":3,"title":"Pay","comments":2,"updated_at":"2026-11-30T10:00:00Z","head":{"sha":"8b1e07d"},"base":{"repo":{"name":"rec","owner":{"login":"alice"}}}}]`))
		}
	})
	t.Setenv("GITEA_TOKEN", "t")
	g, err := forge.NewGitea("git.example.org", "mrv/test")
	if err != nil {
		t.Fatal(err)
	}
	in := forge.Repo{Host: "git.example.org", Owner: "alice", Name: "rec"}
	for _, c := range []struct {
		w     forge.Wanted
		asked string
		want  string
	}{
		{forge.Wanted{Which: forge.Requested, Limit: 30}, "/api/v1/repos/issues/search?limit=30&review_requested=true&state=open&type=pulls", "3 4"},
		{forge.Wanted{Which: forge.Mine, Repo: in, Limit: 99}, "/api/v1/repos/issues/search?created=true&limit=50&owner=alice&state=open&type=pulls", "3"},
		{forge.Wanted{Which: forge.Recent, Repo: in, Limit: 30}, "/api/v1/repos/alice/rec/pulls?limit=30&sort=recentupdate&state=open", "3"},
		{forge.Wanted{Which: forge.Recent, Limit: 30}, "", ""},
	} {
		asked = nil
		f, err := g.Search(context.Background(), c.w)
		if err != nil || numbers(f) != c.want || strings.Join(asked, " ") != c.asked {
			t.Errorf("%+v: %q, %v, asked %q", c.w, numbers(f), err, asked)
			continue
		}
		if len(f.Pulls) > 0 && (f.Pulls[0].Repo != in || !f.Pulls[0].Updated.Equal(time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC))) {
			t.Errorf("%+v", f.Pulls[0])
		}
	}
}
