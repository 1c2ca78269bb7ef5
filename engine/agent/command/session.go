package command

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/mrv-dev/mrv/engine/agent"
	"github.com/mrv-dev/mrv/engine/review"
)

// grace is how long a program that is asked to end may take.
const grace = 2 * time.Second

// errTold is for a program that ends well, and said that it failed.
var errTold = errors.New("failed")

// session is one conversation: the program is run anew for each turn, and told
// what was said before.
type session struct {
	agent *Agent
	spec  agent.Spec
	turn  int
	said  string // all prompts and answers so far
}

// Ask implements agent.Session.
func (s *session) Ask(ctx context.Context, t agent.Turn, emit func(agent.Update)) (agent.Answer, error) {
	s.turn++
	s.agent.tellOnce(emit)
	emit(agent.Update{Kind: agent.UpBusy})
	emit(agent.Update{Kind: agent.UpModel, Model: s.spec.Model, Variant: "n/a"})
	prompt := s.said + agent.PromptText(t)
	text, usage, err := s.run(ctx, prompt, emit)
	a := agent.Answer{Text: text, Finish: "stop", Model: s.spec.Model, Usage: usage, Steps: 1}
	emit(agent.Update{Kind: agent.UpStep, Usage: a.Usage, Text: a.Finish})
	if err != nil {
		return a, err
	}
	if strings.TrimSpace(text) == "" {
		return a, &review.Failure{Kind: review.FailEmpty, Message: s.name() + " ended and said nothing"}
	}
	if t.Schema != nil {
		a.Structured = agent.JSONIn(text)
	}
	s.said = prompt + "\n\nYou answered:\n\n" + text + "\n\n"
	return a, nil
}

// Close has nothing to end: a program ends with its turn.
func (s *session) Close(context.Context) error { return nil }

func (s *session) name() string { return s.agent.config.Run[0] }

// run starts the program, gives it the prompt, and hands on what it says.
func (s *session) run(ctx context.Context, prompt string, emit func(agent.Update)) (string, review.Usage, error) {
	unknown := review.Usage{Price: review.PriceUnknown}
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	argv := s.agent.enclosed()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin = s.agent.config.Snapshot, s.agent.env, strings.NewReader(prompt)
	errs := &tail{max: tailBytes}
	cmd.Stderr = errs
	out, in := io.Pipe()
	cmd.Stdout = in
	p, err := agent.StartProcess(cmd)
	if err != nil {
		return "", unknown, &review.Failure{Kind: review.FailOther, Message: fmt.Sprintf("starting %s: %v", s.name(), err)}
	}
	watch := agent.NewWatch(s.spec.Clocks, s.name(), func(f *review.Failure) { cancel(f) })
	defer watch.Stop()
	over := make(chan struct{})
	go func() { // ends the program with its context
		defer close(over)
		select {
		case <-inner.Done():
		case <-p.Done():
		}
		p.End(grace)
		in.Close()
	}()
	r := bufio.NewReaderSize(out, 64<<10)
	if !s.agent.config.JSONL {
		text := readText(r, watch, emit)
		<-over
		return text, unknown, s.failure(ctx, inner, p.Err(), errs.String())
	}
	d := reading{emit: emit, giveUp: func(f *review.Failure) { cancel(f) }}
	readLines(r, watch, &d)
	<-over
	if d.trouble == "" {
		return d.answer(), d.usage, s.failure(ctx, inner, p.Err(), errs.String())
	}
	return d.answer(), d.usage, s.failure(ctx, inner, cmp.Or(p.Err(), errTold), d.trouble)
}

// readText hands on what the program says until it ends.
func readText(r io.Reader, watch *agent.Watch, emit func(agent.Update)) string {
	var text strings.Builder
	buf := make([]byte, 32<<10)
	var rest []byte // of a rune that is not whole
	for {
		n, err := r.Read(buf)
		if n > 0 {
			watch.Heard()
			whole, left := wholeRunes(append(rest, buf[:n]...))
			rest = append([]byte(nil), left...)
			text.WriteString(whole)
			if whole != "" {
				emit(agent.Update{Kind: agent.UpTextAppend, Part: agent.StreamText, Stream: agent.StreamText, Text: whole})
			}
		}
		if err != nil {
			return text.String() + strings.ToValidUTF8(string(rest), "\uFFFD")
		}
	}
}

// failure says why the program failed; nil if it did not.
func (s *session) failure(ctx, inner context.Context, err error, said string) error {
	switch {
	case ctx.Err() != nil:
		return &review.Failure{Kind: review.FailAborted, Message: context.Cause(ctx).Error()}
	case inner.Err() != nil:
		return context.Cause(inner) // the watch's, or the reader's
	case err == nil:
		return nil
	}
	how := err.Error()
	var e *exec.ExitError
	if errors.As(err, &e) && e.Exited() {
		how = fmt.Sprintf("exit code %d", e.ExitCode())
	}
	message := fmt.Sprintf("%s: %s", s.name(), how)
	if said = strings.TrimSpace(said); said != "" {
		message += ": " + said
	}
	return &review.Failure{Kind: kindOf(said), Message: message}
}

// kindOf classifies what a program says when it fails: only what can pass is
// tried again.
func kindOf(said string) review.FailureKind {
	said = strings.ToLower(said)
	for _, k := range []struct {
		kind  review.FailureKind
		words []string
	}{
		{review.FailAuth, []string{"unauthorized", "not logged in", "please log in", "api key", "api-key", "authentication", "credit balance", "invalid_api_key", "401", "402", "403"}},
		{review.FailRate, []string{"rate limit", "too many requests", "429"}},
		{review.FailOverflow, []string{"prompt is too long", "context length", "context window"}},
		{review.FailProvider, []string{"overloaded", "internal server error", "bad gateway", "unavailable", "529", "503"}},
		{review.FailTransport, []string{"econnreset", "connection refused", "connection reset", "timed out", "network"}},
	} {
		for _, w := range k.words {
			if strings.Contains(said, w) {
				return k.kind
			}
		}
	}
	return review.FailOther
}
