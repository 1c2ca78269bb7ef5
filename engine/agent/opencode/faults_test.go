package opencode

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/mrv-dev/mrv/engine/agent"
	"github.com/mrv-dev/mrv/engine/review"
)

// TestFaults is every way in which a provider fails, on the real server: what
// kind of failure it is, and which text is kept. None of them is a success.
func TestFaults(t *testing.T) {
	a, _ := shared(t)
	for _, tt := range []struct {
		model  string
		kind   review.FailureKind
		status int
		text   string // kept
		clocks agent.Clocks
		stop   string // the context is cancelled once this was said; "start" = at the first sign of the turn
	}{
		{model: "err400", kind: review.FailModel, status: 400},
		{model: "err401", kind: review.FailAuth, status: 401},
		{model: "err402", kind: review.FailAuth, status: 402},
		{model: "err403", kind: review.FailAuth, status: 403},
		{model: "err404", kind: review.FailModel, status: 404},
		{model: "err413", kind: review.FailOverflow},
		{model: "overflow", kind: review.FailOverflow},
		{model: "filter", kind: review.FailFilter, text: "x"},
		{model: "empty", kind: review.FailEmpty},
		{model: "garbage", kind: review.FailTransport, text: "before "},
		{model: "cutclean", kind: review.FailUnknown, text: "part0 part1 part2 "},
		{model: "hang", kind: review.FailSilent, clocks: agent.Clocks{FirstByte: time.Second}},
		{model: "hangmid", kind: review.FailSilent, text: "one two three ", clocks: agent.Clocks{Silence: 20 * time.Second}},
		{model: "quota", kind: review.FailAuth}, // the server would try again, which helps nobody
		{model: "hang", kind: review.FailAborted, stop: "start"},
		{model: "hangmid", kind: review.FailAborted, text: "one two three ", stop: "three"},
	} {
		name := tt.model + " " + string(tt.kind)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sp := spec(tt.model)
			sp.Clocks = tt.clocks
			s, err := a.Open(t.Context(), sp)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			got := ask(t, ctx, s, agent.Turn{Text: name}, func(p *pane) {
				if tt.stop == "start" || tt.stop != "" && strings.Contains(p.String(), tt.stop) {
					cancel()
				}
			})
			if got.failure == nil {
				t.Fatalf("no failure; answer %+v", got.Answer)
			}
			if got.failure.Kind != tt.kind || got.failure.Status != tt.status || got.Text != tt.text {
				t.Errorf("got %v, text %q; want kind %s, status %d, text %q", got.failure, got.Text, tt.kind, tt.status, tt.text)
			}
			if tt.kind != review.FailFilter && got.Usage.Price == review.PriceKnown && got.Usage.Output == 0 && tt.model != "empty" {
				t.Errorf("usage %+v claims to be known", got.Usage)
			}
			if err := s.Close(context.Background()); err != nil {
				t.Errorf("close: %v", err)
			}
			if all, err := a.server.client.statuses(context.Background()); err != nil || all[s.(*session).id].Type != "" {
				t.Errorf("the session still runs: %v, %v", all, err)
			}
		})
	}
}

// TestRecovers: what the server's own retries get over ends in an answer, and
// the text of the broken try is taken back.
func TestRecovers(t *testing.T) {
	a, _ := shared(t)
	for _, model := range []string{"err429x1", "err503x1", "cutx1"} {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			got := once(t, a, spec(model), model)
			if got.failure != nil || got.Text != tenWordsSaid || got.pane.String() != tenWordsSaid {
				t.Fatalf("failure %v, text %q, pane %q", got.failure, got.Text, got.pane.String())
			}
			retried := false
			for _, u := range got.updates {
				retried = retried || u.Kind == agent.UpRetrying && u.Attempt == 1 && !u.Next.IsZero() && u.Text != ""
			}
			if !retried {
				t.Errorf("no update told the retry: %v", got.kinds())
			}
		})
	}
}

const tenWordsSaid = "word0 word1 word2 word3 word4 word5 word6 word7 word8 word9"

// TestTruncated: an answer that was cut at the length limit is an answer that
// says so.
func TestTruncated(t *testing.T) {
	a, _ := shared(t)
	got := once(t, a, spec("length"), "go")
	if got.failure != nil || got.Finish != "length" || got.Text != "cut by le" {
		t.Errorf("failure %v, finish %q, text %q", got.failure, got.Finish, got.Text)
	}
}

// TestSteps: a model that calls tools for ever is stopped at its limit.
func TestSteps(t *testing.T) {
	a, _ := shared(t)
	sp := spec("endless")
	sp.MaxSteps = stepLimit
	got := once(t, a, sp, "go")
	if got.failure == nil || got.failure.Kind != review.FailSteps || got.Steps != stepLimit+stepSlack+1 {
		t.Errorf("failure %v after %d steps", got.failure, got.Steps)
	}
}

const stepLimit = 3

// TestRetryThatComesTooLate: a retry that the server announces for a time
// after the turn's deadline is not waited for. The text that came is kept.
func TestRetryThatComesTooLate(t *testing.T) {
	a, _ := shared(t)
	for _, tt := range []struct {
		model string
		kind  review.FailureKind
		text  string
		wait  time.Duration // that the failure names, at least
	}{
		{"ratelong", review.FailRate, "", 50 * time.Minute},
		{"cutread", review.FailTransport, "part0 part1 part2 ", 0},
	} {
		t.Run(tt.model, func(t *testing.T) {
			t.Parallel()
			opened, err := a.Open(t.Context(), spec(tt.model))
			if err != nil {
				t.Fatal(err)
			}
			s, said := opened.(*session), pane{}
			f := &follow{session: s, turn: newTurn(turnOptions{Deadline: time.Now()}), emit: func(u agent.Update) {
				if said.apply(u); tt.text != "" && u.Kind == agent.UpTextAppend && said.String() == tt.text {
					live.read <- struct{}{}
				}
			}}
			if err := s.server.client.send(t.Context(), s.id, s.prompt(agent.Turn{Text: tt.model})); err != nil {
				t.Fatal(err)
			}
			f.accepted = time.Now()
			f.run(t.Context())
			answer, err := f.answer()
			var failure *review.Failure
			if !errors.As(err, &failure) || failure.Kind != tt.kind || !strings.Contains(failure.Message, "too late") || failure.RetryAfter < tt.wait || answer.Text != tt.text {
				t.Errorf("%v, text %q", err, answer.Text)
			}
			if err := s.Close(context.Background()); err != nil {
				t.Errorf("close: %v", err)
			}
		})
	}
}

// TestAbortWhileRetrying: the server says nothing of an abort while it waits
// for a retry, and the turn ends all the same.
func TestAbortWhileRetrying(t *testing.T) {
	a, _ := shared(t)
	s, err := a.Open(t.Context(), spec("err500"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	ctx, cancel := context.WithCancelCause(t.Context())
	_, err = s.Ask(ctx, agent.Turn{Text: "go"}, func(u agent.Update) {
		if u.Kind == agent.UpRetrying {
			cancel(errors.New("the person stopped it"))
		}
	})
	var f *review.Failure
	if !errors.As(err, &f) || f.Kind != review.FailAborted || f.Message != "the person stopped it" {
		t.Errorf("error %v", err)
	}
}

// TestDeniedTools: nothing but read, grep and glob inside the snapshot works,
// and `.env` files do not open.
func TestDeniedTools(t *testing.T) {
	a, p := shared(t)
	got := once(t, a, spec("denied"), "go")
	if got.failure != nil || got.Text != "done" {
		t.Fatalf("failure %v, text %q", got.failure, got.Text)
	}
	tools := got.tools()
	if len(tools) != 10 {
		t.Errorf("%d tool calls told, want 10: %+v", len(tools), tools)
	}
	for _, tool := range tools {
		if tool.Status == "completed" && !strings.Contains(tool.Output, "unavailable tool") {
			t.Errorf("%s %s was carried out: %s", tool.Name, tool.Input, tool.Output)
		}
	}
	for _, r := range p.Requests() {
		if strings.Contains(string(r.Body), "never-seen-by-a-model") {
			t.Fatalf("a .env file reached the provider")
		}
	}
}

// TestOpenChecksTheModel: a wrong name fails before anything is asked, in
// words that name what there is.
func TestOpenChecksTheModel(t *testing.T) {
	a, _ := shared(t)
	for _, tt := range []struct{ provider, model, want string }{
		{"scripted", "nope", "block"},
		{"anthropic", "claude", "no credentials"},
	} {
		sp := spec("")
		sp.Model = review.Model{Provider: tt.provider, ID: tt.model}
		_, err := a.Open(t.Context(), sp)
		var f *review.Failure
		if !errors.As(err, &f) || f.Kind != review.FailModel || !strings.Contains(f.Message, tt.want) {
			t.Errorf("%s/%s: %v", tt.provider, tt.model, err)
		}
	}
}

// TestPromptWithoutTurn: a prompt that the server takes and does nothing with
// is noticed. An agent that is not there is such a prompt: it ends in errors
// and never in idle.
func TestPromptWithoutTurn(t *testing.T) {
	a, _ := shared(t)
	opened, err := a.Open(t.Context(), spec("ok"))
	if err != nil {
		t.Fatal(err)
	}
	s := opened.(*session)
	defer s.Close(context.Background())
	f := &follow{session: s, emit: func(agent.Update) {}, turn: newTurn(turnOptions{})}
	p := s.prompt(agent.Turn{Text: "go"})
	p.Agent = "nobody"
	if err := s.server.client.send(t.Context(), s.id, p); err != nil {
		t.Fatal(err)
	}
	f.accepted = time.Now()
	f.run(t.Context())
	_, err = f.answer()
	var failure *review.Failure
	if !errors.As(err, &failure) || failure.Kind != review.FailModel || !strings.Contains(failure.Message, "Agent not found") {
		t.Errorf("unknown agent: %v", err)
	}

	begin := s.server.timing.Begin
	s.server.timing.Begin = time.Second
	defer func() { s.server.timing.Begin = begin }()
	f = &follow{session: s, emit: func(agent.Update) {}, turn: newTurn(turnOptions{}), accepted: time.Now()}
	f.run(t.Context()) // no prompt at all
	if _, err = f.answer(); !errors.As(err, &failure) || failure.Kind != review.FailServer {
		t.Errorf("no turn: %v", err)
	}
}
