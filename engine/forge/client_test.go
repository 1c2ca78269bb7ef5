package forge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// answers is a transport that gives prepared answers in turn, the last one
// again and again. An answer with status 0 is a cut connection.
type answers struct {
	t    *testing.T
	list []http.Response
	seen []*http.Request
}

func (a *answers) RoundTrip(r *http.Request) (*http.Response, error) {
	i := min(len(a.seen), len(a.list)-1)
	a.seen = append(a.seen, r)
	resp := a.list[i]
	if resp.StatusCode == 0 {
		return nil, io.ErrUnexpectedEOF
	}
	resp.Request = r
	if resp.Header == nil {
		resp.Header = http.Header{}
	}
	if resp.Body == nil {
		resp.Body = io.NopCloser(strings.NewReader(`{"message":"said"}`))
	}
	return &resp, nil
}

func (a *answers) client() (*Client, *[]time.Duration) {
	var waits []time.Duration
	base, err := url.Parse("https://api.github.com/")
	if err != nil {
		a.t.Fatal(err)
	}
	c := &Client{Host: "github.com", base: base, http: &http.Client{Transport: a, CheckRedirect: sameHostReads}, sizeName: "per_page", size: 100,
		wait: func(_ context.Context, d time.Duration) error { waits = append(waits, d); return nil }}
	return c, &waits
}

// The shapes of limits are those recorded by hub4j/github-api.
func TestWhatIsTriedAgain(t *testing.T) {
	secondary := `{"message":"You have exceeded a secondary rate limit. Please wait a few minutes before you try again"}`
	answer := func(status int, body string, header ...string) http.Response {
		r := http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		return r
	}
	ok := http.Response{StatusCode: 200}
	future := func(d time.Duration) string { return time.Now().Add(d).UTC().Format(http.TimeFormat) }
	for _, c := range []struct {
		name   string
		method string
		first  http.Response
		sent   int
		kind   Kind
		min    time.Duration
		max    time.Duration
	}{
		{"a secondary limit, seconds", "GET", answer(403, secondary, "Retry-After", "2"), 2, "", 2 * time.Second, 3 * time.Second},
		{"a secondary limit, a date", "GET", answer(429, secondary, "Retry-After", future(8*time.Second)), 2, "", time.Second, 9 * time.Second},
		{"a secondary limit without a time", "GET", answer(403, secondary), 2, "", time.Minute, time.Minute},
		{"a secondary limit as 422", "GET", answer(422, `{"message":"Validation Failed","errors":[{"code":"abuse"}]}`), 2, "", time.Minute, time.Minute},
		{"a limit of an hour", "GET", answer(403, secondary, "Retry-After", "3600"), 1, RateLimited, 0, 0},
		{"the primary limit", "GET", answer(403, `{"message":"API rate limit exceeded"}`, "X-RateLimit-Remaining", "0",
			"X-RateLimit-Reset", fmt.Sprint(time.Now().Add(time.Hour).Unix())), 1, RateLimited, 0, 0},
		{"a bad gateway", "GET", answer(502, "<html>"), 2, "", time.Second, time.Second},
		{"a cut connection", "GET", http.Response{}, 2, "", time.Second, time.Second},
		{"not found", "GET", answer(404, "{}"), 1, NotFound, 0, 0},
		{"a write is sent once: limit", "POST", answer(403, secondary, "Retry-After", "1"), 1, RateLimited, 0, 0},
		{"a write is sent once: gateway", "POST", answer(502, ""), 1, Broken, 0, 0},
		{"a write is sent once: cut", "POST", http.Response{}, 1, Unreachable, 0, 0},
		{"a write is not redirected", "POST", answer(301, "", "Location", "/elsewhere"), 1, Moved, 0, 0},
	} {
		a := &answers{t: t, list: []http.Response{c.first, ok}}
		client, waits := a.client()
		_, err := client.Do(context.Background(), Request{Doing: "trying", Method: c.method, Path: "x"})
		if len(a.seen) != c.sent || (c.kind == "") != (err == nil) || c.kind != "" && !IsKind(err, c.kind) {
			t.Errorf("%s: sent %d times, %v", c.name, len(a.seen), err)
		}
		if c.sent == 2 && (len(*waits) != 1 || (*waits)[0] < c.min || (*waits)[0] > c.max) {
			t.Errorf("%s: waited %v, want %v to %v", c.name, *waits, c.min, c.max)
		}
	}
	a := &answers{t: t, list: []http.Response{{StatusCode: 503}}}
	client, _ := a.client()
	if _, err := client.Do(context.Background(), Request{Doing: "trying", Path: "x"}); !IsKind(err, Broken) || len(a.seen) != maxTries {
		t.Errorf("a host that stays broken: asked %d times, %v", len(a.seen), err)
	}
}

func TestNothingLeavesTheHost(t *testing.T) {
	a := &answers{t: t, list: []http.Response{
		{StatusCode: 200, Body: io.NopCloser(strings.NewReader("[1]")), Header: http.Header{"Link": {`<https://evil.example/page2?x=1>; rel="next"`}}},
		{StatusCode: 200, Body: io.NopCloser(strings.NewReader("[2]"))},
	}}
	client, _ := a.client()
	list, err := pages[int](context.Background(), client, Request{Doing: "listing", Path: "list"})
	if err != nil || len(list) != 2 {
		t.Errorf("%v %v", list, err)
	}
	for _, r := range a.seen {
		if r.URL.Host != "api.github.com" {
			t.Errorf("asked %s", r.URL)
		}
	}
	for _, path := range []string{"https://evil.example/x", "//evil.example/x", "http://api.github.com/x"} {
		if _, err := client.Do(context.Background(), Request{Doing: "trying", Path: path}); err == nil {
			t.Errorf("asked %s", path)
		}
	}
	if len(a.seen) != 2 {
		t.Errorf("%d requests were sent", len(a.seen))
	}
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	a := &answers{t: t, list: []http.Response{{StatusCode: 503}}}
	client, _ := a.client()
	client.wait = sleep
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("the person left")
	cancel(why)
	if _, err := client.Do(ctx, Request{Doing: "trying", Path: "x"}); !errors.Is(err, why) && !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestRESTBase(t *testing.T) {
	for host, want := range map[string]string{
		"github.com": "https://api.github.com/", "x.ghe.com": "https://api.x.ghe.com/", "ghe.example.com": "https://ghe.example.com/api/v3/",
	} {
		if got := restBase(host); got != want {
			t.Errorf("%s is asked at %s, want %s", host, got, want)
		}
	}
}
