package forge

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Kind is what went wrong, for those who must act on it.
type Kind string

// Kinds of error.
const (
	Unauthorized Kind = "unauthorized" // no token, or one that is not valid
	Forbidden    Kind = "forbidden"    // the token may not do this
	NeedsSSO     Kind = "sso"          // the token must be authorised for the organisation
	NotFound     Kind = "not found"    // or hidden from this token
	RateLimited  Kind = "rate limited"
	TooLarge     Kind = "too large" // the diff, for this way of asking
	Invalid      Kind = "invalid"   // the forge refuses what was sent
	Moved        Kind = "moved"     // a write to a repository that has a new name
	Broken       Kind = "broken"    // the forge fails or answers nonsense
	Unreachable  Kind = "unreachable"
)

// Error is an answer of a forge that is not what was asked for.
type Error struct {
	Kind    Kind
	Doing   string // "reading o/r#7"
	Host    string
	Status  int    // HTTP status, 0 without an answer
	Message string // the forge's own words
	Details []Detail
	SSO     string    // where to authorise the token
	Retry   time.Time // when to try again, if it was said
	Token   bool      // a token was sent
	Remedy  string    // how to get a token, in the words of a command line
	Err     error     // of the connection
}

// Detail is one entry of the forge's list of errors. GitHub sends objects or
// plain strings; a string is a Message.
type Detail struct {
	Resource string `json:"resource,omitempty"`
	Field    string `json:"field,omitempty"`
	Code     string `json:"code,omitempty"`
	Message  string `json:"message,omitempty"`
}

// UnmarshalJSON takes both shapes.
func (d *Detail) UnmarshalJSON(raw []byte) error {
	if json.Unmarshal(raw, &d.Message) == nil {
		return nil
	}
	type plain Detail
	return json.Unmarshal(raw, (*plain)(d))
}

// Error says in one line what happened and what the person can do.
func (e *Error) Error() string {
	return e.Doing + ": " + e.reason()
}

func (e *Error) reason() string {
	switch e.Kind {
	case Unauthorized:
		if !e.Token {
			return fmt.Sprintf("%s wants a token: %s", e.Host, e.Remedy)
		}
		return fmt.Sprintf("%s does not take the token (%s): %s", e.Host, e.Message, e.Remedy)
	case NeedsSSO:
		return "the organisation wants the token authorised for single sign-on: open " + e.SSO
	case Forbidden:
		return fmt.Sprintf("the token may not do this (%s)", e.Message)
	case NotFound:
		if !e.Token {
			return fmt.Sprintf("%s has nothing of that name that can be read without a token: %s", e.Host, e.Remedy)
		}
		return fmt.Sprintf("%s has nothing of that name that the token may read", e.Host)
	case RateLimited:
		if e.Retry.IsZero() {
			return fmt.Sprintf("%s asks to slow down (%s)", e.Host, e.Message)
		}
		return fmt.Sprintf("%s asks to wait until %s (%s)", e.Host, e.Retry.Local().Format("15:04:05"), e.Message)
	case Unreachable:
		return fmt.Sprintf("%s can not be reached: %v", e.Host, e.Err)
	case Moved:
		return "the repository has moved; name it by its new name"
	}
	said := e.Message
	for _, d := range e.Details {
		if text := d.text(); text != "" && !strings.Contains(said, text) {
			said += "; " + text
		}
	}
	return fmt.Sprintf("%s answers %d: %s", e.Host, e.Status, strings.TrimPrefix(said, "; "))
}

func (d Detail) text() string {
	if d.Message != "" {
		return d.Message
	}
	return strings.TrimSpace(d.Field + " " + d.Code)
}

// Unwrap gives the error of the connection.
func (e *Error) Unwrap() error { return e.Err }

// IsKind reports whether an error is an answer of that kind.
func IsKind(err error, kind Kind) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == kind
}

// readError makes an Error of an answer.
func (c *Client) readError(doing string, resp *Response, now time.Time) *Error {
	e := &Error{Doing: doing, Host: c.Host, Status: resp.Status, Token: c.token != "", Remedy: c.remedy}
	var body struct {
		Message string          `json:"message"`
		Errors  json.RawMessage `json:"errors"`
	}
	if json.Unmarshal(resp.Body, &body) == nil {
		e.Message = body.Message
		if json.Unmarshal(body.Errors, &e.Details) != nil && len(body.Errors) > 0 {
			var one Detail // not a list
			if json.Unmarshal(body.Errors, &one) == nil {
				e.Details = []Detail{one}
			}
		}
	}
	if e.Message == "" {
		e.Message = strings.ToLower(http.StatusText(resp.Status))
	}
	e.Retry = retryAt(resp.Header, now)
	e.SSO = ssoURL(resp.Header)
	e.Kind = e.classify(resp)
	return e
}

func (e *Error) classify(resp *Response) Kind {
	for _, d := range e.Details {
		// Matched by code: the status was seen to be 406 and 422.
		if d.Code == "too_large" {
			return TooLarge
		}
	}
	switch {
	case e.limited(resp.Header):
		return RateLimited
	case e.SSO != "" && resp.Status == http.StatusForbidden:
		return NeedsSSO
	case resp.Status == http.StatusUnauthorized:
		return Unauthorized
	case resp.Status == http.StatusForbidden:
		return Forbidden
	case resp.Status == http.StatusNotFound, resp.Status == http.StatusGone:
		return NotFound
	case resp.Status >= 300 && resp.Status < 400:
		return Moved
	case resp.Status >= 500:
		return Broken
	}
	return Invalid
}

// limited recognises GitHub's primary and secondary limits, the second with
// and without Retry-After and also as a 422 (docs.github.com, Rate limits for
// the REST API; recorded by hub4j/github-api).
func (e *Error) limited(h http.Header) bool {
	abuse := strings.Contains(strings.ToLower(e.Message), "secondary rate limit") ||
		strings.Contains(strings.ToLower(e.Message), "abuse")
	for _, d := range e.Details {
		abuse = abuse || d.Code == "abuse"
	}
	switch e.Status {
	case http.StatusTooManyRequests:
		return true
	case http.StatusForbidden:
		return abuse || h.Get("X-Ratelimit-Remaining") == "0" || h.Get("Retry-After") != ""
	case http.StatusUnprocessableEntity:
		return abuse
	}
	return false
}

// ssoURL reads "required; url=https://...".
func ssoURL(h http.Header) string {
	for part := range strings.SplitSeq(h.Get("X-GitHub-SSO"), ";") {
		if url, ok := strings.CutPrefix(strings.TrimSpace(part), "url="); ok && strings.HasPrefix(url, "https://") {
			return url
		}
	}
	return ""
}
