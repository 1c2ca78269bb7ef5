package forge_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine/diff"
	"github.com/mrv-dev/mrv/engine/forge"
)

// recorded answers with what a real Gitea said, by method and path. Lists were
// recorded with other page sizes than ours; they are found by their page.
func recorded(t *testing.T) {
	t.Helper()
	raw, err := os.ReadFile("../../testdata/gitea/exchanges.json")
	if err != nil {
		t.Fatal(err)
	}
	var exchanges []struct {
		Note    string
		Request struct{ Method, Path string }
		// Kind is "json" or "text".
		Response struct {
			Status  int
			Headers map[string]string
			Kind    string
			Body    json.RawMessage
		}
	}
	if err := json.Unmarshal(raw, &exchanges); err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "gitea")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	server := &httptest.Server{Listener: l, Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		skip := seen[r.URL.Path]
		if r.URL.Query().Has("limit") && r.URL.Path == "/api/v1/repos/alice/rec/pulls/1/files" {
			seen[r.URL.Path]++
		}
		for _, e := range exchanges {
			path := e.Request.Path
			for i := range path {
				if path[i] == '?' {
					path = path[:i]
					break
				}
			}
			if e.Request.Method != r.Method || path != r.URL.Path {
				continue
			}
			if skip > 0 {
				skip--
				continue
			}
			for k, v := range e.Response.Headers {
				w.Header().Set(k, v)
			}
			body := []byte(e.Response.Body)
			if e.Response.Kind == "text" {
				var text string
				if err := json.Unmarshal(body, &text); err != nil {
					t.Error(err)
				}
				body = []byte(text)
			}
			w.WriteHeader(e.Response.Status)
			_, _ = w.Write(body)
			return
		}
		if strings.Contains(r.URL.Path, "/reviews/") {
			_, _ = w.Write([]byte("[]")) // the comments of one review were recorded
			return
		}
		w.WriteHeader(http.StatusNotFound)
	})}}
	server.Start()
	t.Cleanup(server.Close)
	if err := os.WriteFile(filepath.Join(dir, "config.yml"), []byte("http_unix_socket: "+filepath.Join(dir, "s")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "GH_HOST"} {
		t.Setenv(name, "")
	}
	t.Setenv("GH_CONFIG_DIR", dir)
	t.Setenv("GITEA_TOKEN", "t")
}

func TestGitea(t *testing.T) {
	recorded(t)
	ctx := context.Background()
	r := forge.Repo{Host: "git.example.org", Owner: "alice", Name: "rec"}
	reader, err := forge.Open(ctx, r.Host)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := reader.(*forge.Gitea); !ok {
		t.Fatalf("it is taken for %T", reader)
	}
	pr, err := reader.PullRequest(ctx, r, 1)
	if err != nil {
		t.Fatal(err)
	}
	head, base := "9333334fec5a8fe42142c96aa4fd42764335c069", "c2dbd56d4348ea2a067daef9d2d8bdad8310383a"
	if pr.HeadSHA != head || pr.MergeBase != base || pr.BaseRef != "main" || pr.Repo != r || pr.Author.Login != "alice" ||
		pr.ChangedFiles != 11 || pr.Additions != 8 || pr.Deletions != 7 || pr.State != "open" {
		t.Errorf("%+v", pr)
	}
	raw, err := reader.Diff(ctx, pr)
	if err != nil {
		t.Fatal(err)
	}
	set, err := diff.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	if add, del := set.Stat(); len(set.Files) != 11 || add != 8 || del != 7 {
		t.Errorf("%d files, +%d -%d", len(set.Files), add, del)
	}
	files, err := reader.Files(ctx, pr)
	if err != nil {
		t.Fatal(err)
	}
	// Of its three pages the first and the last were recorded.
	byPath := map[string]forge.File{}
	for _, f := range files {
		byPath[f.Path()] = f
	}
	if len(files) != 6 || byPath["a.txt"].Additions != 2 || byPath["del.txt"].NewPath != "" || byPath["empty.txt"].OldPath != "" {
		t.Errorf("%+v", files)
	}
	commits, err := reader.Commits(ctx, pr)
	if err != nil || len(commits) != 1 || commits[0].SHA != head || commits[0].Author != "Lab" {
		t.Errorf("%+v %v", commits, err)
	}
	said, err := reader.Comments(ctx, pr)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, c := range said {
		kinds[c.Kind]++
		if c.Kind == "line" && (c.Path != "a.txt" || c.Author.Login != "bob") {
			t.Errorf("%+v", c)
		}
	}
	if kinds["comment"] != 1 || kinds["line"] != 2 || kinds["review"] == 0 {
		t.Errorf("%v", kinds)
	}
	if u, err := reader.Viewer(ctx); err != nil || u.Login != "bob" {
		t.Errorf("%+v %v", u, err)
	}
	if _, err := reader.PullRequest(ctx, r, 99); !forge.IsKind(err, forge.NotFound) {
		t.Errorf("%v", err)
	}
}

func TestGiteaNamesItsOwnToken(t *testing.T) {
	recorded(t)
	t.Setenv("GITEA_TOKEN", "")
	reader, err := forge.NewGitea("git.example.org", "mrv/test")
	if err != nil {
		t.Fatal(err)
	}
	_, err = reader.PullRequest(context.Background(), forge.Repo{Host: "git.example.org", Owner: "alice", Name: "nope"}, 1)
	if !forge.IsKind(err, forge.NotFound) || !strings.Contains(err.Error(), "set GITEA_TOKEN") || strings.Contains(err.Error(), "gh auth") {
		t.Errorf("%v", err)
	}
}
