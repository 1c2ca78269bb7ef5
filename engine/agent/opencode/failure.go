package opencode

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/mrv-dev/mrv/engine/review"
)

// classify turns an error of the server into a failure. The server retries
// 408, 429, 5xx and broken connections itself, so what arrives here is final
// for the session; whether a fresh one may help is Failure.Passing's to say.
func classify(e *wireError) *review.Failure {
	f := &review.Failure{
		Kind:    review.FailOther,
		Message: words(e.Data.Message),
		Status:  e.Data.StatusCode,
	}
	if f.Message == "" {
		f.Message = e.Name
	}
	switch e.Name {
	case "ProviderAuthError":
		f.Kind = review.FailAuth
	case "ContextOverflowError":
		f.Kind = review.FailOverflow
	case "ContentFilterError":
		f.Kind = review.FailFilter
	case "MessageAbortedError":
		f.Kind = review.FailAborted
	case "APIError":
		f.Kind = kindOfStatus(e)
		f.RetryAfter = retryAfter(e.Data.ResponseHeaders)
	case "UnknownError":
		f.Kind = kindOfWords(f.Message)
	}
	return f
}

// kindOfStatus classifies a provider's answer by its HTTP status. A quota that
// is used up comes as 429 and is retried by the server, but is a matter of
// payment: no retry helps.
func kindOfStatus(e *wireError) review.FailureKind {
	switch code := e.Data.StatusCode; {
	case code == http.StatusTooManyRequests && strings.Contains(e.Data.ResponseBody, "insufficient_quota"):
		return review.FailAuth
	case code == http.StatusUnauthorized, code == http.StatusPaymentRequired, code == http.StatusForbidden:
		return review.FailAuth
	case code == http.StatusRequestEntityTooLarge:
		return review.FailOverflow
	case code == http.StatusTooManyRequests:
		return review.FailRate
	case code == http.StatusRequestTimeout, code >= 500:
		return review.FailProvider
	case code >= 400:
		return review.FailModel
	case e.Data.IsRetryable:
		return review.FailTransport
	}
	return kindOfWords(e.Data.Message)
}

// kindOfWords classifies what has no status: errors inside the server, and the
// reasons it gives while it retries.
func kindOfWords(message string) review.FailureKind {
	m := strings.ToLower(message)
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(m, w) {
				return true
			}
		}
		return false
	}
	switch {
	case has("model not found", "agent not found", "providermodelnotfound"):
		return review.FailModel
	case has("try again in", "retry in"): // also in messages that speak of a quota or of billing
		return review.FailRate
	case has("api key", "current quota", "insufficient_quota", "billing", "insufficient balance", "out of credits"):
		return review.FailAuth
	case has("rate limit", "too many requests"):
		return review.FailRate
	case has("connect", "reset by", "timed out", "timeout", "network", "socket", "json parsing failed"):
		return review.FailTransport
	case has("overloaded", "server error", "server had an error", "bad gateway", "unavailable", "upstream"):
		return review.FailProvider
	}
	return review.FailOther
}

// retryAfter reads the Retry-After header, in seconds or as a date; 0 is none.
func retryAfter(h map[string]string) time.Duration {
	for k, v := range h {
		if !strings.EqualFold(k, "retry-after") {
			continue
		}
		if s, err := strconv.Atoi(v); err == nil && s > 0 {
			return time.Duration(s) * time.Second
		}
		if t, err := http.ParseTime(v); err == nil {
			return max(0, time.Until(t))
		}
	}
	return 0
}

// maxWords is how much of a provider's message is kept, in bytes.
const maxWords = 600

// words makes a message fit for a line: the provider's own words, without the
// JSON around them, the stack below them, or a page of HTML.
func words(s string) string {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "{") {
		var v struct {
			Message string `json:"message"`
		}
		if json.Unmarshal([]byte(s), &v) == nil && v.Message != "" {
			s = v.Message
		}
	}
	if i := strings.Index(s, "\n    at "); i >= 0 {
		s = s[:i]
	}
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > maxWords {
		s = strings.ToValidUTF8(s[:maxWords], "") + "…"
	}
	return s
}
