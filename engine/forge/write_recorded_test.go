package forge_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/mrv-dev/mrv/engine/forge"
)

// exchange is one that was recorded with GitHub.
type exchange struct {
	Name, Method, Path string
	Sent               map[string]any
	Status             int
	Headers            map[string]string
	Body               json.RawMessage
}

func exchanges(t *testing.T) map[string]exchange {
	t.Helper()
	raw, err := os.ReadFile("testdata/hub4j/exchanges.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []exchange
	if err := json.Unmarshal(raw, &list); err != nil {
		t.Fatal(err)
	}
	byName := map[string]exchange{}
	for _, e := range list {
		byName[e.Name] = e
	}
	return byName
}

// replayed is a client that gets one recorded answer, and is compared with the
// recorded request.
func replayed(t *testing.T, e exchange) (*forge.GitHub, *forge.PullRequest) {
	t.Helper()
	listen(t, func(w http.ResponseWriter, r *http.Request) {
		if path, _, _ := strings.Cut(r.URL.Path, "?"); e.Status < 300 && (r.Method != e.Method || path != e.Path) {
			t.Errorf("asked %s %s, recorded %s %s", r.Method, path, e.Method, e.Path)
		}
		if e.Sent != nil {
			var sent map[string]any
			body, _ := io.ReadAll(r.Body)
			if err := json.Unmarshal(body, &sent); err != nil || !reflect.DeepEqual(sent, e.Sent) {
				t.Errorf("sent %s, recorded %v", body, e.Sent)
			}
		}
		for k, v := range e.Headers {
			w.Header().Set(k, v)
		}
		w.WriteHeader(e.Status)
		_, _ = w.Write(e.Body)
	})
	t.Setenv("GH_TOKEN", "t")
	c, err := forge.NewClient(context.Background(), "github.com", "mrv/test")
	if err != nil {
		t.Fatal(err)
	}
	number := 484
	if strings.Contains(e.Path, "/482/") {
		number = 482
	}
	return &forge.GitHub{Client: c}, &forge.PullRequest{Repo: forge.Repo{Host: "github.com", Owner: "hub4j-test-org", Name: "github-api"}, Number: number}
}

func TestRecordedWrites(t *testing.T) {
	ctx, all := context.Background(), exchanges(t)

	g, pr := replayed(t, all["pullRequestReviewComments/27-r_h_g_pulls_484_comments"])
	said, err := g.LineComments(ctx, pr)
	if err != nil || len(said) != 4 {
		t.Fatalf("%d comments, %v", len(said), err)
	}
	replies := 0
	for _, c := range said {
		if c.ID == 0 || c.Node == "" || c.Author.Login == "" || c.Path != "README.md" || c.Body == "" {
			t.Errorf("read %+v", c)
		}
		if c.ReplyTo != 0 {
			replies++
		}
	}
	if replies != 1 {
		t.Errorf("%d replies, want the one", replies)
	}

	g, pr = replayed(t, all["pullRequestReviewComments/28-r_h_g_pulls_comments_1641776783"])
	if err := g.EditLine(ctx, pr, 1641776783, "Updated review comment"); err != nil {
		t.Error(err)
	}
	g, pr = replayed(t, all["pullRequestReviewComments/30-r_h_g_pulls_comments_1641776783"])
	if err := g.DeleteLine(ctx, pr, 1641776783); err != nil {
		t.Error(err)
	}
	g, pr = replayed(t, all["pullRequestReviews/7-r_h_g_pulls_482_reviews"])
	for viewer, want := range map[int64]int64{48218208: 2121304234, 1: 0} {
		if got, err := g.Pending(ctx, pr, forge.User{ID: viewer}); err != nil || got != want {
			t.Errorf("pending for %d: %d, %v, want %d", viewer, got, err, want)
		}
	}
}

// A write that meets a limit says so, and when to come back if that was said;
// it is not repeated by the client.
func TestRecordedLimits(t *testing.T) {
	for name, e := range exchanges(t) {
		if !strings.Contains(name, "Secondary_Limits") {
			continue
		}
		g, pr := replayed(t, e)
		_, err := g.Comment(context.Background(), pr, "x")
		var limit *forge.Error
		if !errors.As(err, &limit) || limit.Kind != forge.RateLimited {
			t.Errorf("%s: %v", name, err)
			continue
		}
		_, told := e.Headers["Retry-After"]
		if told == limit.Retry.IsZero() || (told && time.Until(limit.Retry) > 10*time.Second) {
			t.Errorf("%s: to come back at %v, said %v", name, limit.Retry, told)
		}
	}
}
