package scripted_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine/agent/opencode/scripted"
	"github.com/mrv-dev/mrv/engine/review"
)

// message is one of a request's.
type message struct {
	Role       string `json:"role"`
	Content    string `json:"content,omitempty"`
	ToolCallID string `json:"tool_call_id,omitempty"`
}

// answer is what came back, put together.
type answer struct {
	status          int
	text, reasoning string
	calls           []string
	finish          string
	done            bool
	err             error
}

func ask(t *testing.T, p *scripted.Provider, model string, extra map[string]any, messages ...message) answer {
	t.Helper()
	body := map[string]any{"model": model, "messages": messages, "stream": true}
	for k, v := range extra {
		body[k] = v
	}
	b, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.URL()+"/chat/completions", bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+scripted.Key)
	c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := c.Do(req)
	if err != nil {
		return answer{err: err}
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	a := answer{status: res.StatusCode, err: err, done: bytes.Contains(raw, []byte("[DONE]"))}
	for line := range strings.Lines(string(raw)) {
		var chunk struct {
			Choices []struct {
				Delta struct {
					Content          string
					ReasoningContent string `json:"reasoning_content"`
					ToolCalls        []struct {
						Function struct{ Name, Arguments string }
					} `json:"tool_calls"`
				}
				FinishReason string `json:"finish_reason"`
			}
		}
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok || json.Unmarshal([]byte(data), &chunk) != nil || len(chunk.Choices) == 0 {
			continue
		}
		c := chunk.Choices[0]
		a.text += c.Delta.Content
		a.reasoning += c.Delta.ReasoningContent
		for _, call := range c.Delta.ToolCalls {
			a.calls = append(a.calls, call.Function.Name+call.Function.Arguments)
		}
		if c.FinishReason != "" {
			a.finish = c.FinishReason
		}
	}
	return a
}

// TestReports: the built-in reports pass the parser, in both languages, with
// the marker and the label words of the prompt.
func TestReports(t *testing.T) {
	p := scripted.Start(t)
	labels := map[review.Lang]review.LabelText{
		review.English: {Pass: "Safe", Concerns: "Risky", Block: "Vulnerable"},
		review.Chinese: {Pass: "安全无虞", Concerns: "存在风险", Block: "高危漏洞"},
	}
	for lang, l := range labels {
		prompt := "Marker: mrv-1234-abcd\n\nfile pkg/add.go\n+ x\n\n" + review.Contract(lang, l, "mrv-1234-abcd")
		for model, want := range map[string]review.Label{"pass": review.Pass, "concerns": review.Concerns, "block": review.Block} {
			user := message{Role: "user", Content: prompt}
			first := ask(t, p, model, nil, user)
			if len(first.calls) != 1 || first.calls[0] != `read{"filePath":"pkg/add.go"}` || first.finish != "tool_calls" || first.reasoning == "" {
				t.Fatalf("%s: first step %+v", model, first)
			}
			got := ask(t, p, model, nil, user, message{Role: "tool", Content: "x", ToolCallID: "1"})
			r := review.ParseReport(got.text, review.ParseOptions{Reviewer: "r-1", Labels: []review.LabelText{l}, Marker: "mrv-1234-abcd"})
			if r.Broken || len(r.Violations) > 0 || r.Label != want || !r.MarkerOK {
				t.Errorf("%s %s: %+v\n%s", lang, model, r, got.text)
			}
			if n := len(r.Findings); (n == 0) != (want == review.Pass) || n > 0 && r.Findings[0].Location.Path != "pkg/add.go" {
				t.Errorf("%s %s: findings %+v", lang, model, r.Findings)
			}
		}
	}
}

// TestTries: the same asked again is another try of it; something else is not.
func TestTries(t *testing.T) {
	p := scripted.Start(t)
	a, b := message{Role: "user", Content: "a"}, message{Role: "user", Content: "b"}
	for i, tt := range []struct {
		m      message
		status int
	}{{a, 429}, {b, 429}, {a, 429}, {a, 200}, {b, 429}, {b, 200}} {
		if got := ask(t, p, "err429x2", nil, tt.m); got.status != tt.status {
			t.Errorf("request %d: %d, want %d", i, got.status, tt.status)
		}
	}
	if n := len(p.Requests()); n != 6 {
		t.Errorf("%d requests kept", n)
	}
}

func TestEndings(t *testing.T) {
	p := scripted.Start(t)
	for model, want := range map[string]answer{
		"ok":       {status: 200, text: "word0 word1 word2 word3 word4 word5 word6 word7 word8 word9", finish: "stop", done: true},
		"length":   {status: 200, text: "cut by le", finish: "length", done: true},
		"cutclean": {status: 200, text: "part0 part1 part2 "},
		"empty":    {status: 200, finish: "stop", done: true},
		"err401":   {status: 401},
		"html":     {status: 502},
		"nobody":   {status: 404},
	} {
		if got := ask(t, p, model, nil, message{Role: "user", Content: "go"}); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", model, got, want)
		}
	}
	if got := ask(t, p, "cut", nil, message{Role: "user", Content: "go"}); got.err == nil || got.text != "part0 part1 part2 " {
		t.Errorf("cut: %+v", got)
	}
}

// TestCloseEndsHanging: closing the provider ends answers that never would.
func TestCloseEndsHanging(t *testing.T) {
	p, err := scripted.New()
	if err != nil {
		t.Fatal(err)
	}
	begun := make(chan struct{})
	p.Handle("hanging", func(scripted.Request) scripted.Script {
		close(begun)
		return scripted.Script{scripted.Say("one "), scripted.Hang()}
	})
	done := make(chan answer)
	go func() { done <- ask(t, p, "hanging", nil, message{Role: "user", Content: "go"}) }()
	<-begun
	p.Close()
	<-done
}

// TestStructured answers with the smallest value that the schema allows.
func TestStructured(t *testing.T) {
	p := scripted.Start(t)
	schema := json.RawMessage(`{"type":"object","required":["n","list","kind","in"],"properties":{
		"n":{"type":"integer"},"list":{"type":"array","items":{"type":"string"}},"kind":{"enum":["a","b"]},
		"in":{"type":"object","required":["ok"],"properties":{"ok":{"type":"boolean"}}},"optional":{"type":"string"}}}`)
	tool := map[string]any{"type": "function", "function": map[string]any{"name": "StructuredOutput", "parameters": schema}}
	got := ask(t, p, "structured", map[string]any{"tools": []any{tool}}, message{Role: "user", Content: "go"})
	if want := `StructuredOutput{"in":{"ok":false},"kind":"a","list":[],"n":0}`; len(got.calls) != 1 || got.calls[0] != want {
		t.Errorf("got %q, want %q", got.calls, want)
	}
}

// TestConfig: the block lists every model, and a wrong key is refused.
func TestConfig(t *testing.T) {
	p := scripted.Start(t)
	p.Handle("mine", func(scripted.Request) scripted.Script { return nil })
	var c struct {
		Provider map[string]struct {
			Options map[string]string
			Models  map[string]struct{ Cost map[string]float64 }
		}
	}
	if err := json.Unmarshal(p.ConfigJSON(), &c); err != nil {
		t.Fatal(err)
	}
	block := c.Provider[scripted.ID]
	if len(block.Models) != len(p.Models()) || block.Options["baseURL"] != p.URL() {
		t.Errorf("%d models at %s", len(block.Models), block.Options["baseURL"])
	}
	if block.Models["mine"].Cost == nil || block.Models[scripted.Unpriced].Cost != nil {
		t.Error("the prices are wrong")
	}
	res, err := http.Post(p.URL()+"/chat/completions", "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusUnauthorized {
		t.Errorf("without a key: %s", res.Status)
	}
}
