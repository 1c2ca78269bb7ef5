package scripted

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Script is what a model does for one request.
type Script []Step

// Step is one thing a model does.
type Step func(*stream)

// stream is an answer on its way.
type stream struct {
	w      http.ResponseWriter
	ctx    context.Context
	model  string
	input  int // tokens
	output int
	cached int
	begun  bool
	over   bool
	calls  int
}

// Say streams a text, a word at a time.
func Say(text string) Step { return Pace(0, text) }

// Pace streams a text at a rate of words per second; 0 is at once.
func Pace(perSecond int, text string) Step {
	return func(s *stream) { s.words("content", text, perSecond) }
}

// Think streams reasoning, a word at a time.
func Think(text string) Step {
	return func(s *stream) { s.words("reasoning_content", text, 0) }
}

// Call calls a tool. OpenCode runs it and asks again, with its result.
func Call(tool string, input any) Step {
	return func(s *stream) {
		args, err := json.Marshal(input)
		if err != nil {
			panic("scripted: " + err.Error()) // the test's own value
		}
		id := fmt.Sprintf("call_%d_%d", s.input, s.calls)
		function := map[string]any{"name": tool, "arguments": string(args)}
		s.delta(map[string]any{"tool_calls": []any{map[string]any{
			"index": s.calls, "id": id, "type": "function", "function": function,
		}}})
		s.calls++
		s.output += 10
	}
}

// Structured gives a JSON answer through OpenCode's tool for it.
func Structured(answer any) Step { return Call(structuredTool, answer) }

// Wait does nothing for a while, or until the client goes.
func Wait(d time.Duration) Step {
	return func(s *stream) { s.sleep(d) }
}

// Until waits for a channel, or until the client goes: a test says when.
func Until(c <-chan struct{}) Step {
	return func(s *stream) {
		select {
		case <-c:
		case <-s.ctx.Done():
			s.over = true
		}
	}
}

// Usage sets the tokens that the answer will report.
func Usage(input, output, cached int) Step {
	return func(s *stream) { s.input, s.output, s.cached = input, output, cached }
}

// Finish ends the answer with a reason: "stop", "length", "content_filter".
func Finish(reason string) Step { return func(s *stream) { s.finish(reason) } }

// End ends the stream without saying why: no finish reason, no [DONE].
func End() Step { return func(s *stream) { s.begin(); s.over = true } }

// Cut breaks the connection.
func Cut() Step {
	return func(s *stream) {
		s.begin()
		s.over = true
		h, ok := s.w.(http.Hijacker)
		if !ok {
			return
		}
		c, _, err := h.Hijack()
		if err != nil {
			return
		}
		if t, ok := c.(*net.TCPConn); ok {
			_ = t.SetLinger(0) // a reset, not an end
		}
		_ = c.Close()
	}
}

// Hang says no more and waits until the client goes. As the first step it is a
// provider that does not even answer.
func Hang() Step {
	return func(s *stream) {
		<-s.ctx.Done()
		s.over = true
	}
}

// Raw sends a line of the stream as it is.
func Raw(line string) Step {
	return func(s *stream) { s.begin(); s.write(line + "\n\n") }
}

// Refuse answers with an HTTP error. It must be the first step. Headers come
// in pairs of name and value.
func Refuse(status int, code, message string, headers ...string) Step {
	return func(s *stream) {
		s.over = true
		refuse(s.w, status, code, message, headers)
	}
}

// HTML answers with a page instead of JSON, as proxies do.
func HTML(status int) Step {
	return func(s *stream) {
		s.over = true
		s.w.Header().Set("Content-Type", "text/html")
		s.w.WriteHeader(status)
		fmt.Fprintf(s.w, "<html><body><h1>%d %s</h1></body></html>", status, http.StatusText(status))
	}
}

func refuse(w http.ResponseWriter, status int, code, message string, headers []string) {
	w.Header().Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		w.Header().Set(headers[i], headers[i+1])
	}
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{
		"message": message, "type": code, "code": code, "param": nil,
	}})
}

func (s *stream) sleep(d time.Duration) {
	select {
	case <-time.After(d):
	case <-s.ctx.Done():
		s.over = true
	}
}

func (s *stream) begin() {
	if s.begun {
		return
	}
	s.begun = true
	s.w.Header().Set("Content-Type", "text/event-stream")
	s.w.WriteHeader(http.StatusOK)
}

func (s *stream) write(text string) {
	if _, err := s.w.Write([]byte(text)); err != nil {
		s.over = true
		return
	}
	if f, ok := s.w.(http.Flusher); ok {
		f.Flush()
	}
}

func (s *stream) words(field, text string, perSecond int) {
	for i, word := range strings.SplitAfter(text, " ") {
		if perSecond > 0 && i > 0 {
			s.sleep(time.Second / time.Duration(perSecond))
		}
		if s.over {
			return
		}
		s.delta(map[string]any{field: word})
		s.output++
	}
}

func (s *stream) delta(d map[string]any) { s.chunk(d, nil, nil) }

func (s *stream) chunk(delta map[string]any, finish, usage any) {
	s.begin()
	c := map[string]any{
		"id": "cmpl-" + strconv.Itoa(s.input), "object": "chat.completion.chunk", "created": 0, "model": s.model,
		"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}},
	}
	if usage != nil {
		c["usage"] = usage
	}
	b, err := json.Marshal(c)
	if err != nil {
		panic("scripted: " + err.Error()) // plain maps always encode
	}
	s.write("data: " + string(b) + "\n\n")
}

func (s *stream) finish(reason string) {
	if reason == "" {
		reason = "stop"
		if s.calls > 0 {
			reason = "tool_calls"
		}
	}
	s.chunk(map[string]any{}, reason, map[string]any{
		"prompt_tokens": s.input, "completion_tokens": s.output, "total_tokens": s.input + s.output,
		"prompt_tokens_details": map[string]any{"cached_tokens": s.cached},
	})
	s.write("data: [DONE]\n\n")
	s.over = true
}
