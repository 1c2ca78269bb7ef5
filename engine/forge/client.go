package forge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cli/go-gh/v2/pkg/api"
	"github.com/cli/go-gh/v2/pkg/auth"
	"github.com/cli/go-gh/v2/pkg/config"
)

const (
	timeout   = 60 * time.Second // of one request with its answer
	maxBody   = 256 << 20        // bytes of one answer
	maxTries  = 3                // of a GET
	maxWait   = 60 * time.Second // that a GET waits for a limit to pass
	perPage   = 100              // items of a list that GitHub gives at once
	maxPages  = 100
	anonymous = "anonymous" // go-gh wants a token where there is none
)

// Client speaks to one host. It holds the token and never shows it.
type Client struct {
	Host string
	// Source is where the token came from, "" without one.
	Source string

	base  *url.URL
	http  *http.Client
	token string
	wait  func(context.Context, time.Duration) error
	// sizeName and size are how many items of a list are asked for at once.
	sizeName string
	size     int
	remedy   string // how to get a token
}

// NewClient makes a client for a GitHub host with the person's token, if there
// is one. agent is the User-Agent, such as "mrv/1.2".
func NewClient(ctx context.Context, host, agent string) (*Client, error) {
	token, source, err := Token(ctx, host)
	if err != nil {
		return nil, err
	}
	c := &Client{Host: host, Source: source, token: token, sizeName: "per_page", size: perPage,
		remedy: "run gh auth login or set " + tokenVariable(host)}
	return c, c.connect(restBase(host), agent)
}

// connect makes the HTTP client for the REST interface below base.
func (c *Client) connect(base, agent string) error {
	var err error
	if c.base, err = url.Parse(base); err != nil {
		return fmt.Errorf("the host %q: %w", c.Host, err)
	}
	c.wait = sleep
	sent := c.token
	if sent == "" {
		sent = anonymous
	}
	// All three of host, token and transport are set, so that go-gh looks
	// nothing up by itself. The map is fresh: go-gh writes the token into it.
	c.http, err = api.NewHTTPClient(api.ClientOptions{
		Host:          c.base.Hostname(), // or a host above it; compared without a port
		AuthToken:     sent,
		Headers:       map[string]string{"User-Agent": agent, "Time-Zone": "UTC"},
		LogIgnoreEnv:  true, // GH_DEBUG would write over the screen
		Timeout:       timeout,
		Transport:     newTransport(c.token == ""),
		CheckRedirect: sameHostReads,
	})
	if err != nil {
		return fmt.Errorf("making a client for %s: %w", c.Host, err)
	}
	return nil
}

// restBase is where a host's REST interface is.
func restBase(host string) string {
	switch {
	case auth.IsTenancy(host), host == "github.com":
		return "https://api." + host + "/"
	}
	return "https://" + host + "/api/v3/"
}

// newTransport connects to the network, or to the socket that gh's
// configuration names.
func newTransport(noToken bool) http.RoundTripper {
	socket := ""
	if raw, err := os.ReadFile(filepath.Join(config.ConfigDir(), "config.yml")); err == nil {
		socket, _ = config.ReadFromString(string(raw)).Get([]string{"http_unix_socket"})
	}
	return &transport{next: connect(socket), noToken: noToken}
}

// transport takes back two things that go-gh's client does.
type transport struct {
	next    http.RoundTripper
	noToken bool
}

// RoundTrip drops the made-up token, and hides that an answer is JSON from
// go-gh, which would replace control characters in it: the text of a patch
// must stay what it is. Package tui makes text safe where it is shown.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if t.noToken {
		req = req.Clone(req.Context())
		req.Header.Del("Authorization")
	}
	resp, err := t.next.RoundTrip(req)
	if err == nil {
		resp.Header.Set("Content-Type", "application/octet-stream")
	}
	return resp, err
}

// sameHostReads follows redirects of reads within the host, such as that of a
// renamed repository. A write must not be followed: it would become a read.
func sameHostReads(req *http.Request, via []*http.Request) error {
	first := via[0]
	if first.Method != http.MethodGet || req.URL.Host != first.URL.Host || req.URL.Scheme != first.URL.Scheme || len(via) > 5 {
		return http.ErrUseLastResponse
	}
	return nil
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}

// Request is one call. Path is relative to the REST root, or an absolute URL
// of the same host as found in a Link header.
type Request struct {
	Doing  string // "reading o/r#7", for the error
	Method string // "" = GET
	Path   string
	Query  url.Values
	Accept string // "" = JSON
	Body   any    // sent as JSON
}

// Response is a successful answer.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Do sends a request. A GET is tried again after failures that pass and after
// limits of at most a minute; anything else is sent once, because it may have
// been obeyed although no answer came.
func (c *Client) Do(ctx context.Context, r Request) (*Response, error) {
	for try := 1; ; try++ {
		resp, err := c.once(ctx, r)
		if err != nil && ctx.Err() != nil {
			return nil, fmt.Errorf("%s: %w", r.Doing, context.Cause(ctx))
		}
		if err == nil || (r.Method != "" && r.Method != http.MethodGet) || try == maxTries {
			return resp, err
		}
		pause, again := passes(err, try, time.Now())
		if !again {
			return nil, err
		}
		if c.wait(ctx, pause) != nil {
			return nil, err
		}
	}
}

// passes reports whether a failed read may be tried again, and when.
func passes(err error, try int, now time.Time) (time.Duration, bool) {
	var e *Error
	if !errors.As(err, &e) {
		return 0, false
	}
	backoff := time.Second << (try - 1)
	switch e.Kind {
	case Unreachable, Broken:
		return backoff, e.Status != http.StatusNotImplemented
	case RateLimited:
		if e.Retry.IsZero() {
			return maxWait, true
		}
		pause := max(e.Retry.Sub(now), 0) + time.Second
		return pause, pause <= maxWait
	}
	return 0, false
}

func (c *Client) once(ctx context.Context, r Request) (*Response, error) {
	req, err := c.request(ctx, r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Doing, err)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.unreachable(ctx, r, err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	if err != nil {
		return nil, c.unreachable(ctx, r, err)
	}
	if len(body) > maxBody {
		return nil, fmt.Errorf("%s: %s sends more than %d MB", r.Doing, c.Host, maxBody>>20)
	}
	answer := &Response{Status: resp.StatusCode, Header: resp.Header, Body: body}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return nil, c.readError(r.Doing, answer, time.Now())
	}
	return answer, nil
}

func (c *Client) unreachable(ctx context.Context, r Request, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", r.Doing, context.Cause(ctx))
	}
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err // without the URL
	}
	return &Error{Kind: Unreachable, Doing: r.Doing, Host: c.Host, Token: c.token != "", Err: err}
}

func (c *Client) request(ctx context.Context, r Request) (*http.Request, error) {
	u, err := c.base.Parse(r.Path)
	if err != nil {
		return nil, err
	}
	if u.Host != c.base.Host || u.Scheme != c.base.Scheme {
		return nil, fmt.Errorf("%s is not on %s", u.Host, c.base.Host)
	}
	if r.Query != nil {
		u.RawQuery = r.Query.Encode()
	}
	method := r.Method
	if method == "" {
		method = http.MethodGet
	}
	var body io.Reader
	if r.Body != nil {
		raw, err := json.Marshal(r.Body)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), body)
	if err != nil {
		return nil, err
	}
	accept := r.Accept
	if accept == "" {
		accept = "application/vnd.github+json"
	}
	req.Header.Set("Accept", accept)
	return req, nil
}

// JSON sends a request and reads the answer into out.
func (c *Client) JSON(ctx context.Context, r Request, out any) error {
	resp, err := c.Do(ctx, r)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(resp.Body, out); err != nil {
		return &Error{Kind: Broken, Doing: r.Doing, Host: c.Host, Status: resp.Status, Message: "no JSON that makes sense: " + err.Error()}
	}
	return nil
}

// pages reads a list to its end, page by page along the Link header.
func pages[T any](ctx context.Context, c *Client, r Request) ([]T, error) {
	if r.Query == nil {
		r.Query = url.Values{}
	}
	r.Query.Set(c.sizeName, strconv.Itoa(c.size))
	var all []T
	for range maxPages {
		resp, err := c.Do(ctx, r)
		if err != nil {
			return nil, err
		}
		var page []T
		if err := json.Unmarshal(resp.Body, &page); err != nil {
			return nil, &Error{Kind: Broken, Doing: r.Doing, Host: c.Host, Status: resp.Status, Message: "no list that makes sense: " + err.Error()}
		}
		all = append(all, page...)
		next := nextPage(resp.Header)
		if next == "" {
			return all, nil
		}
		r.Path, r.Query = next, nil
	}
	return all, nil
}

// nextPage finds rel="next" in a Link header (RFC 8288). Only its path and
// query are taken: the next page is on the same host, whatever name the host
// gives itself.
func nextPage(h http.Header) string {
	for _, line := range h.Values("Link") {
		for part := range strings.SplitSeq(line, ",") {
			target, params, ok := strings.Cut(part, ";")
			if ok && strings.Contains(params, `rel="next"`) {
				if u, err := url.Parse(strings.Trim(strings.TrimSpace(target), "<>")); err == nil {
					return u.RequestURI()
				}
			}
		}
	}
	return ""
}

// retryAt reads when a limit ends: Retry-After in seconds or as a date, else
// the reset of a limit that is used up. Zero if nothing was said.
func retryAt(h http.Header, now time.Time) time.Time {
	if v := h.Get("Retry-After"); v != "" {
		if n, err := strconv.Atoi(v); err == nil {
			return now.Add(time.Duration(n) * time.Second)
		}
		if t, err := http.ParseTime(v); err == nil {
			return t
		}
	}
	if h.Get("X-Ratelimit-Remaining") == "0" {
		if n, err := strconv.ParseInt(h.Get("X-Ratelimit-Reset"), 10, 64); err == nil {
			return time.Unix(n, 0)
		}
	}
	return time.Time{}
}
