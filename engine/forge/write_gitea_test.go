package forge_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/mrv-dev/mrv/engine/forge"
)

// What is sent is what a real Gitea was sent when it did the right thing.
func TestGiteaReviewIsSentAsRecorded(t *testing.T) {
	raw, err := os.ReadFile("../../testdata/gitea/exchanges.json")
	if err != nil {
		t.Fatal(err)
	}
	var exchanges []struct {
		Note     string
		Request  struct{ Body map[string]any }
		Response struct{ Body json.RawMessage }
	}
	if err := json.Unmarshal(raw, &exchanges); err != nil {
		t.Fatal(err)
	}
	want, answer := map[string]map[string]any{}, map[string]json.RawMessage{}
	for _, e := range exchanges {
		want[e.Note], answer[e.Note] = e.Request.Body, e.Response.Body
	}
	var got map[string]any
	var reply json.RawMessage
	listen(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = nil
		if err := json.Unmarshal(body, &got); err != nil {
			t.Error(err)
		}
		_, _ = w.Write(reply)
	})
	g, err := forge.NewGitea("git.example.org", "mrv/test")
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	pr := &forge.PullRequest{Repo: forge.Repo{Host: "git.example.org", Owner: "alice", Name: "rec"}, Number: 1}
	const commit = "9333334fec5a8fe42142c96aa4fd42764335c069"
	for _, c := range []struct {
		note   string
		review forge.NewReview
	}{
		{"APPROVED", forge.NewReview{Commit: commit, Body: "lgtm", Event: forge.EventApprove}},
		{"REQUEST_CHANGES", forge.NewReview{Commit: commit, Body: "no", Event: forge.EventRequestChanges}},
		{"line outside every hunk is accepted", forge.NewReview{Commit: commit, Body: "s", Event: forge.EventComment, Comments: []forge.LineComment{{Path: "a.txt", Side: "RIGHT", Line: 30, Body: "note"}}}},
	} {
		reply = answer[c.note]
		if err := g.Review(ctx, pr, c.review); err != nil {
			t.Fatal(err)
		}
		if len(c.review.Comments) == 0 {
			delete(got, "comments") // an empty list says the same as none
		}
		if !reflect.DeepEqual(got, want[c.note]) {
			t.Errorf("%s:\nsent     %v\nrecorded %v", c.note, got, want[c.note])
		}
	}
	if err := g.Review(ctx, pr, forge.NewReview{Event: "LGTM"}); err == nil {
		t.Error("a word that Gitea does not know was sent: it would become a pending review")
	}
	reply = answer["create issue comment with marker"]
	posted, err := g.Comment(ctx, pr, "<!-- mrv:v1 head="+commit+" -->\nhello")
	if err != nil || posted.ID != 160 || !reflect.DeepEqual(got, want["create issue comment with marker"]) {
		t.Errorf("posted %+v, %v", posted, err)
	}
}

// listen answers a client's requests on a socket.
func listen(t *testing.T, handler http.HandlerFunc) {
	t.Helper()
	dir, err := os.MkdirTemp("", "gitea") // paths of sockets are short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: l, Config: &http.Server{Handler: handler}}
	server.Start()
	t.Cleanup(server.Close)
	if err := os.WriteFile(filepath.Join(dir, "config.yml"), []byte("http_unix_socket: "+socket+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GH_CONFIG_DIR", dir)
	t.Setenv("GITEA_TOKEN", "t")
}
