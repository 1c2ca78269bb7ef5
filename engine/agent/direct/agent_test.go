package direct_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/mrv-dev/mrv/engine/agent"
	"github.com/mrv-dev/mrv/engine/agent/direct"
	"github.com/mrv-dev/mrv/engine/agent/opencode/scripted"
	"github.com/mrv-dev/mrv/engine/review"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, c direct.Config, model string, clocks agent.Clocks) agent.Session {
	t.Helper()
	a, err := direct.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close(context.Background()) }) // always nil
	s, err := a.Open(t.Context(), agent.Spec{Reviewer: "quality-1", Model: review.Model{Provider: "direct:box", ID: model}, Clocks: clocks})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// heard is what was said in the pane, by stream.
type heard map[string]string

func (h heard) update(u agent.Update) {
	if u.Kind == agent.UpTextAppend {
		h[u.Stream] += u.Text
	}
}

// TestFaults: every way in which an endpoint fails has its kind, and the text
// that came is kept.
func TestFaults(t *testing.T) {
	p := scripted.Start(t)
	p.Handle("refusal", func(scripted.Request) scripted.Script {
		return scripted.Script{scripted.Raw(`data: {"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"refusal":"I can not help with that."}}]}`), scripted.Finish("stop")}
	})
	short := agent.Clocks{FirstByte: 400 * time.Millisecond, Silence: 400 * time.Millisecond}
	for _, tt := range []struct {
		model, key string
		kind       review.FailureKind
		status     int
		text       string
	}{
		{model: "err400", kind: review.FailModel, status: 400},
		{model: "ok", key: "wrong", kind: review.FailAuth, status: 401},
		{model: "err402", kind: review.FailAuth, status: 402},
		{model: "err403", kind: review.FailAuth, status: 403},
		{model: "nope", kind: review.FailModel, status: 404},
		{model: "err413", kind: review.FailOverflow, status: 413},
		{model: "overflow", kind: review.FailOverflow, status: 400},
		{model: "err429", kind: review.FailRate, status: 429},
		{model: "quota", kind: review.FailAuth, status: 429},
		{model: "err500", kind: review.FailProvider, status: 500},
		{model: "html", kind: review.FailProvider, status: 502},
		{model: "err503", kind: review.FailProvider, status: 503},
		{model: "hang", kind: review.FailSilent},
		{model: "hangmid", kind: review.FailSilent, text: "one two three "},
		{model: "cut", kind: review.FailTransport, text: "part0 part1 part2 "},
		{model: "cutclean", kind: review.FailUnknown, text: "part0 part1 part2 "},
		{model: "sseerr", kind: review.FailProvider, text: "before "},
		{model: "garbage", kind: review.FailTransport, text: "before "},
		{model: "empty", kind: review.FailEmpty},
		{model: "filter", kind: review.FailFilter, text: "x"},
		{model: "refusal", kind: review.FailFilter, text: "I can not help with that."},
	} {
		t.Run(tt.model+tt.key, func(t *testing.T) {
			t.Parallel()
			key := scripted.Key
			if tt.key != "" {
				key = tt.key
			}
			s := open(t, direct.Config{BaseURL: p.URL(), Key: key}, tt.model, short)
			pane := heard{}
			a, err := s.Ask(t.Context(), agent.Turn{Text: "go"}, pane.update)
			var f *review.Failure
			if !errors.As(err, &f) || f.Kind != tt.kind || f.Status != tt.status || f.Message == "" {
				t.Fatalf("got %v, want %s (%d)", err, tt.kind, tt.status)
			}
			if a.Text != tt.text || pane[agent.StreamText] != tt.text {
				t.Errorf("text %q, pane %q, want %q", a.Text, pane[agent.StreamText], tt.text)
			}
			if a.Usage.Price == review.PriceKnown {
				t.Error("the price of an endpoint is not known")
			}
		})
	}
}

func TestAnswers(t *testing.T) {
	p := scripted.Start(t)
	s := open(t, direct.Config{BaseURL: p.URL(), Key: scripted.Key}, "think", agent.Clocks{})
	pane := heard{}
	a, err := s.Ask(t.Context(), agent.Turn{Prefix: "shared\n", Text: "own"}, pane.update)
	if err != nil || !strings.HasPrefix(a.Text, "word0 ") || a.Finish != "stop" || a.Usage.Output == 0 || a.Usage.Input == 0 {
		t.Errorf("%+v, %v", a, err)
	}
	if pane[agent.StreamThinking] != "Let me look at this. " {
		t.Errorf("thinking %q", pane[agent.StreamThinking])
	}
	if r := p.Requests()[0]; r.Prompt != "shared\n\nown" || len(r.Tools) != 0 {
		t.Errorf("asked %q with tools %v", r.Prompt, r.Tools)
	}
}

// TestContinues: a further turn has what was said before.
func TestContinues(t *testing.T) {
	p := scripted.Start(t)
	s := open(t, direct.Config{BaseURL: p.URL(), Key: scripted.Key}, "echo", agent.Clocks{})
	for i, text := range []string{"first", "second"} {
		a, err := s.Ask(t.Context(), agent.Turn{Text: text}, func(agent.Update) {})
		if err != nil || a.Text != text {
			t.Fatalf("%+v, %v", a, err)
		}
		if r := p.Requests()[i]; r.Turn != i+1 || r.Prompt != "first" {
			t.Errorf("turn %d of %q", r.Turn, r.Prompt)
		}
	}
}

func TestSchema(t *testing.T) {
	p := scripted.Start(t)
	p.Handle("judge", func(r scripted.Request) scripted.Script {
		if !strings.Contains(r.Prompt, `{"type":"object"}`) {
			return scripted.Script{scripted.Say("no schema was given")}
		}
		return scripted.Script{scripted.Say("Here it is:\n```json\n{\"summary\":\"x\"}\n```")}
	})
	s := open(t, direct.Config{BaseURL: p.URL(), Key: scripted.Key}, "judge", agent.Clocks{})
	a, err := s.Ask(t.Context(), agent.Turn{Text: "merge", Schema: []byte(`{"type":"object"}`)}, func(agent.Update) {})
	if err != nil || string(a.Structured) != `{"summary":"x"}` {
		t.Errorf("%s, %v", a.Structured, err)
	}
}

func TestAbort(t *testing.T) {
	p := scripted.Start(t)
	s := open(t, direct.Config{BaseURL: p.URL(), Key: scripted.Key}, "hangmid", agent.Clocks{})
	ctx, cancel := context.WithCancelCause(t.Context())
	a, err := s.Ask(ctx, agent.Turn{Text: "go"}, func(u agent.Update) {
		if u.Kind == agent.UpTextAppend && strings.HasPrefix(u.Text, "three") {
			cancel(errors.New("the person stopped it"))
		}
	})
	var f *review.Failure
	if !errors.As(err, &f) || f.Kind != review.FailAborted || f.Message != "the person stopped it" || a.Text != "one two three " {
		t.Errorf("%v, text %q", err, a.Text)
	}
}

// TestTooLong: what can not fit is not sent.
func TestTooLong(t *testing.T) {
	p := scripted.Start(t)
	s := open(t, direct.Config{BaseURL: p.URL(), Key: scripted.Key, Context: 100}, "ok", agent.Clocks{})
	_, err := s.Ask(t.Context(), agent.Turn{Text: strings.Repeat("word ", 200)}, func(agent.Update) {})
	var f *review.Failure
	if !errors.As(err, &f) || f.Kind != review.FailOverflow || len(p.Requests()) != 0 {
		t.Errorf("%v, %d requests", err, len(p.Requests()))
	}
}

// TestNobodyThere: a connection that is refused can pass.
func TestNobodyThere(t *testing.T) {
	p, err := scripted.New()
	if err != nil {
		t.Fatal(err)
	}
	p.Close()
	s := open(t, direct.Config{BaseURL: p.URL()}, "ok", agent.Clocks{})
	_, err = s.Ask(t.Context(), agent.Turn{Text: "go"}, func(agent.Update) {})
	var f *review.Failure
	if !errors.As(err, &f) || f.Kind != review.FailTransport || !f.Passing() {
		t.Errorf("%v", err)
	}
}

// TestKeyless: without a key none is sent.
func TestKeyless(t *testing.T) {
	p := scripted.Start(t) // asks for one, and says 401 without
	s := open(t, direct.Config{BaseURL: p.URL()}, "ok", agent.Clocks{})
	_, err := s.Ask(t.Context(), agent.Turn{Text: "go"}, func(agent.Update) {})
	var f *review.Failure
	if !errors.As(err, &f) || f.Status != http.StatusUnauthorized {
		t.Errorf("%v", err)
	}
}
