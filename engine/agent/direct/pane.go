package direct

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/openai/openai-go/v3"

	"github.com/mrv-dev/mrv/engine/agent"
	"github.com/mrv-dev/mrv/engine/review"
)

// pane hands text on as it comes, and keeps the answer's.
type pane struct {
	emit func(agent.Update)
	text strings.Builder
}

// say hands on a piece of the stream and reports whether it was text.
func (p *pane) say(stream string, piece any) bool {
	text, _ := piece.(string)
	if text == "" {
		return false
	}
	if stream == agent.StreamText {
		p.text.WriteString(text)
	}
	p.emit(agent.Update{Kind: agent.UpTextAppend, Part: stream, Stream: stream, Text: text})
	return true
}

// classify turns an endpoint's error into a failure.
func classify(err error) *review.Failure {
	var e *openai.Error
	if !errors.As(err, &e) {
		f := &review.Failure{Kind: review.FailTransport, Message: err.Error()}
		if strings.Contains(err.Error(), "received error while streaming") {
			f.Kind = review.FailProvider
		}
		return f
	}
	f := &review.Failure{Kind: kindOf(e), Status: e.StatusCode, Message: e.Message}
	if f.Message == "" {
		f.Message = http.StatusText(e.StatusCode)
	}
	if e.Response != nil {
		f.RetryAfter = retryAfter(e.Response.Header.Get("Retry-After"))
	}
	return f
}

// kindOf classifies by status. A quota that is used up comes as 429, and no
// retry helps.
func kindOf(e *openai.Error) review.FailureKind {
	switch code := e.StatusCode; {
	case e.Code == "insufficient_quota", code == http.StatusUnauthorized, code == http.StatusPaymentRequired, code == http.StatusForbidden:
		return review.FailAuth
	case e.Code == "context_length_exceeded", code == http.StatusRequestEntityTooLarge:
		return review.FailOverflow
	case e.Code == "content_filter":
		return review.FailFilter
	case code == http.StatusTooManyRequests:
		return review.FailRate
	case code == http.StatusRequestTimeout, code >= 500:
		return review.FailProvider
	}
	return review.FailModel
}

// retryAfter reads the header, in seconds or as a date; 0 is none.
func retryAfter(v string) time.Duration {
	if s, err := strconv.Atoi(v); err == nil && s > 0 {
		return time.Duration(s) * time.Second
	}
	if t, err := http.ParseTime(v); err == nil {
		return max(0, time.Until(t))
	}
	return 0
}
