package forge_test

import (
	"testing"

	"github.com/mrv-dev/mrv/engine/forge"
)

func TestParseRemote(t *testing.T) {
	for in, want := range map[string]string{
		"https://github.com/o/r":                       "github.com/o/r",
		"https://github.com/o/r.git":                   "github.com/o/r",
		"https://github.com/o/r/":                      "github.com/o/r",
		"https://user:secret@github.com/o/r.git":       "github.com/o/r",
		"https://www.github.com/o/r":                   "github.com/o/r",
		"HTTPS://github.com/o/r":                       "",
		"https://GitHub.com/O/R.git":                   "github.com/O/R",
		"git@github.com:o/r.git":                       "github.com/o/r",
		"git@github.com:/o/r.git":                      "github.com/o/r",
		"org-123@github.com:o/r.git":                   "github.com/o/r",
		"ssh://git@github.com/o/r.git":                 "github.com/o/r",
		"ssh://git@github.com:22/o/r.git":              "github.com/o/r",
		"ssh://git@ssh.github.com:443/o/r.git":         "github.com/o/r",
		"git://github.com/o/r.git":                     "github.com/o/r",
		"git+https://github.com/o/r":                   "github.com/o/r",
		"git+ssh://git@github.com/o/r":                 "github.com/o/r",
		"https://ghe.example.com/o/r.git":              "ghe.example.com/o/r",
		"https://ghe.example.com:8443/o/r.git":         "ghe.example.com:8443/o/r",
		"git@ghe.example.com:o/r.git":                  "ghe.example.com/o/r",
		"https://x.ghe.com/o/r":                        "x.ghe.com/o/r",
		"https://github.com/o/some.name.git":           "github.com/o/some.name",
		"https://github.com/o":                         "",
		"https://github.com/o/r/pull/7":                "",
		"https://github.com/../r":                      "",
		"https://github.com/o/..":                      "",
		"https://github.com/o/%2e%2e":                  "",
		"/srv/git/o/r.git":                             "",
		"../o/r":                                       "",
		"file:///srv/o/r":                              "",
		"C:\\o\\r":                                     "",
		"-oProxyCommand=x:o/r":                         "",
		"":                                             "",
		"git@github.com:o/r.git\nhttps://evil.org/o/r": "",
	} {
		got := ""
		if r, ok := forge.ParseRemote(in); ok {
			got = r.Host + "/" + r.Owner + "/" + r.Name
		}
		if got != want {
			t.Errorf("%q names %q, want %q", in, got, want)
		}
	}
}

func TestParseRef(t *testing.T) {
	for in, want := range map[string]struct {
		repo   string
		number int
	}{
		"7": {"", 7}, "#7": {"", 7},
		"https://github.com/o/r/pull/7":                  {"github.com/o/r", 7},
		"https://github.com/o/r/pull/7/files#diff-0":     {"github.com/o/r", 7},
		"https://github.com/o/r/pull/7#discussion_r1":    {"github.com/o/r", 7},
		"https://ghe.example.com/o/r/pull/12/commits/ab": {"ghe.example.com/o/r", 12},
		"https://codeberg.org/o/r/pulls/3":               {"codeberg.org/o/r", 3},
		"0":                                              {}, "-1": {}, "99999999999": {}, "main": {}, "": {},
		"https://github.com/o/r/issues/7": {}, "https://github.com/o/r": {}, "https://github.com/o/r/pull/7x": {},
		"https://github.com/o/../pull/7": {}, "ftp://github.com/o/r/pull/7": {},
	} {
		r, n, ok := forge.ParseRef(in)
		got := ""
		if r != (forge.Repo{}) {
			got = r.Host + "/" + r.Owner + "/" + r.Name
		}
		if ok != (want.number > 0) || ok && (got != want.repo || n != want.number) {
			t.Errorf("%q names %q %d %v, want %v", in, got, n, ok, want)
		}
	}
}

func TestParseRepo(t *testing.T) {
	t.Setenv("GH_CONFIG_DIR", t.TempDir())
	t.Setenv("GH_HOST", "")
	for in, want := range map[string]string{
		"o/r": "o/r", "github.com/o/r": "o/r", "ghe.example.com/o/r": "ghe.example.com/o/r",
		"https://github.com/o/r": "o/r", "git@github.com:o/r": "o/r",
		"r": "", "a/b/c/d": "", "o/": "", "/r": "", "o/r?x": "", "../r": "", "": "",
	} {
		got := ""
		if r, err := forge.ParseRepo(in); err == nil {
			got = r.String()
		}
		if got != want {
			t.Errorf("%q names %q, want %q", in, got, want)
		}
	}
	t.Setenv("GH_HOST", "ghe.example.com")
	if r, err := forge.ParseRepo("o/r"); err != nil || r.Host != "ghe.example.com" {
		t.Errorf("with GH_HOST: %v %v", r, err)
	}
}

func TestBase(t *testing.T) {
	origin := forge.Remote{Name: "origin", URL: "git@github.com:me/r.git"}
	upstream := forge.Remote{Name: "upstream", URL: "https://github.com/them/r.git"}
	github := forge.Remote{Name: "github", URL: "https://github.com/gh/r.git"}
	local := forge.Remote{Name: "backup", URL: "/srv/r.git"}
	other := forge.Remote{Name: "aaa", URL: "https://github.com/aaa/r"}
	resolved := func(r forge.Remote, to string) forge.Remote { r.Resolved = to; return r }
	for _, c := range []struct {
		name         string
		remotes      []forge.Remote
		repo, remote string
	}{
		{"upstream before github before origin", []forge.Remote{other, origin, github, upstream}, "them/r", "upstream"},
		{"github before origin", []forge.Remote{other, origin, github}, "gh/r", "github"},
		{"origin before others", []forge.Remote{local, other, origin}, "me/r", "origin"},
		{"the only one with a forge behind it", []forge.Remote{local, other}, "aaa/r", "aaa"},
		{"what gh was told", []forge.Remote{upstream, resolved(origin, "base")}, "me/r", "origin"},
		{"what gh was told, by name", []forge.Remote{upstream, resolved(origin, "boss/r")}, "boss/r", "origin"},
		{"none", []forge.Remote{local}, "", ""},
		{"no remotes", nil, "", ""},
	} {
		repo, remote, ok := forge.Base(c.remotes)
		got := ""
		if ok {
			got = repo.String()
		}
		if got != c.repo || remote != c.remote {
			t.Errorf("%s: %q of %q, want %q of %q", c.name, got, remote, c.repo, c.remote)
		}
	}
}
