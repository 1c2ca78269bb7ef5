package opencode

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/mrv-dev/mrv/engine/review"
)

// client speaks the eight routes of the server that are used. It never goes
// through a proxy: the server is on loopback.
type client struct {
	base      string // http://127.0.0.1:PORT
	password  string
	directory string
	http      *http.Client
	patience  time.Duration // with a call
}

// dialFunc is how a client reaches its server.
type dialFunc func(ctx context.Context, network, address string) (net.Conn, error)

func newClient(base, password, directory string, dial dialFunc, patience time.Duration) *client {
	return &client{
		base: base, password: password, directory: directory, patience: patience,
		http: &http.Client{Transport: &http.Transport{DialContext: dial, MaxIdleConnsPerHost: 16}},
	}
}

// apiError is an answer of the server that is not 2xx.
type apiError struct {
	Call   string
	Status int
	Body   string
}

func (e *apiError) Error() string {
	return fmt.Sprintf("%s: OpenCode answered %d: %s", e.Call, e.Status, words(e.Body))
}

// failed wraps an error of a call as a failure of the server.
func failed(err error) *review.Failure {
	var f *review.Failure
	if errors.As(err, &f) {
		return f
	}
	f = &review.Failure{Kind: review.FailServer, Message: err.Error()}
	var a *apiError
	if errors.As(err, &a) {
		f.Status = a.Status
	}
	return f
}

func (c *client) request(ctx context.Context, method, path string, body any) (*http.Request, error) {
	var r io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return nil, fmt.Errorf("%s %s: encode the body: %w", method, path, err)
		}
		r = bytes.NewReader(b)
	}
	u := c.base + path + "?" + url.Values{"directory": {c.directory}, "location[directory]": {c.directory}}.Encode()
	req, err := http.NewRequestWithContext(ctx, method, u, r)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	req.SetBasicAuth("opencode", c.password)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// call does one request within the client's patience, and decodes the answer
// into out, unless that is nil. The event stream and what boots the directory
// take longer.
func (c *client) call(ctx context.Context, method, path string, body, out any) error {
	ctx, cancel := context.WithTimeout(ctx, c.patience)
	defer cancel()
	return c.slow(ctx, method, path, body, out)
}

// slow is call with no other limit than the context's.
func (c *client) slow(ctx context.Context, method, path string, body, out any) error {
	req, err := c.request(ctx, method, path, body)
	if err != nil {
		return err
	}
	res, err := c.http.Do(req)
	if err != nil {
		return fmt.Errorf("ask OpenCode: %w", err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return fmt.Errorf("%s %s: read OpenCode's answer: %w", method, path, err)
	}
	if res.StatusCode/100 != 2 {
		return &apiError{Call: method + " " + path, Status: res.StatusCode, Body: string(b)}
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(b, out); err != nil {
		return fmt.Errorf("%s %s: read OpenCode's answer: %w", method, path, err)
	}
	return nil
}

// rule is one permission of a session; the last that matches wins.
type rule struct {
	Permission string `json:"permission"`
	Pattern    string `json:"pattern"`
	Action     string `json:"action"`
}

// create makes a session. A title saves the request that would make one.
func (c *client) create(ctx context.Context, title string, rules []rule) (id string, err error) {
	var s struct {
		ID string `json:"id"`
	}
	body := map[string]any{"title": title, "permission": rules}
	if err := c.call(ctx, http.MethodPost, "/session", body, &s); err != nil {
		return "", fmt.Errorf("create a session: %w", err)
	}
	return s.ID, nil
}

// prompt is the body of a prompt. Agent, model and variant go with each one:
// what the session was created with is not used.
type prompt struct {
	Agent   string       `json:"agent"`
	Model   promptModel  `json:"model"`
	Variant string       `json:"variant,omitempty"`
	Format  *format      `json:"format,omitempty"`
	Parts   []promptPart `json:"parts"`
}

type promptModel struct {
	ProviderID string `json:"providerID"`
	ModelID    string `json:"modelID"`
}

type promptPart struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// format asks for a JSON answer.
type format struct {
	Type   string          `json:"type"`
	Schema json.RawMessage `json:"schema"`
}

// send posts a prompt. The server accepts every well-formed one at once; what
// goes wrong later comes as events.
func (c *client) send(ctx context.Context, session string, p prompt) error {
	return c.call(ctx, http.MethodPost, "/session/"+session+"/prompt_async", p, nil)
}

// statuses lists the sessions that are not idle.
func (c *client) statuses(ctx context.Context) (map[string]status, error) {
	var m map[string]status
	err := c.call(ctx, http.MethodGet, "/session/status", nil, &m)
	return m, err
}

// messages lists a session's messages. The server fails to list those of a
// session that was asked for a JSON answer; then the one named is fetched.
func (c *client) messages(ctx context.Context, session, last string) ([]stored, error) {
	var ms []stored
	path := "/session/" + session + "/message"
	err := c.call(ctx, http.MethodGet, path, nil, &ms)
	if err == nil || last == "" {
		return ms, err
	}
	var one stored
	if err := c.call(ctx, http.MethodGet, path+"/"+last, nil, &one); err != nil {
		return nil, err
	}
	return []stored{one}, nil
}

// abort stops what runs in a session. It answers before the session is idle.
func (c *client) abort(ctx context.Context, session string) error {
	return c.call(ctx, http.MethodPost, "/session/"+session+"/abort", nil, nil)
}

// remove deletes an idle session. One that runs would go on running.
func (c *client) remove(ctx context.Context, session string) error {
	return c.call(ctx, http.MethodDelete, "/session/"+session, nil, nil)
}
