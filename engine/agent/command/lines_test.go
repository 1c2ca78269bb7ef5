package command_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine/agent"
	"github.com/mrv-dev/mrv/engine/agent/command"
	"github.com/mrv-dev/mrv/engine/review"
)

// TestRecordedPrograms: what claude 2.1, codex 0.171 and gemini 0.61 printed
// when a scripted endpoint had them think, speak, read a file and report, and
// when it refused their key. (Long lists of what they can do were cut out.)
func TestRecordedPrograms(t *testing.T) {
	const report = "Concerns\nRead: marker\n\n## Summary\nOne.\n"
	used := func(price review.Price, cost float64, in, out, cached, reasoning int64) review.Usage {
		return review.Usage{Input: in, Output: out, CacheRead: cached, Reasoning: reasoning, Price: price, CostUSD: cost}
	}
	for _, tt := range []struct {
		file           string
		fails          bool
		answer         string
		pane, thinking string
		tools          []string
		retries        int
		usage          review.Usage
		kind           review.FailureKind
		words          string
	}{
		{file: "claude", answer: report, pane: "I read the file first.\n" + report + "\n", thinking: "Let me look. Let me look. ", tools: []string{"Read hello.txt"},
			usage: used(review.PriceKnown, 0.0022500000000000003, 200, 50, 0, 0)},
		{file: "codex", answer: report, pane: "I read the file first.\n" + report + "\n", thinking: "**Looking** at the file**Looking** at the file",
			usage: used(review.PriceUnknown, 0, 120, 60, 80, 10)},
		{file: "gemini", answer: report, pane: "I read the file first.\n" + report, tools: []string{"read_file hello.txt"},
			usage: used(review.PriceUnknown, 0, 200, 60, 0, 0)},
		{file: "claude-401", fails: true, retries: 1, usage: used(review.PriceUnknown, 0, 0, 0, 0, 0), kind: review.FailAuth, words: "authentication_failed (401)"},
		{file: "codex-401", fails: true, retries: 1, usage: used(review.PriceUnknown, 0, 0, 0, 0, 0), kind: review.FailAuth, words: "401 Unauthorized"},
		{file: "gemini-401", fails: true, usage: used(review.PriceUnknown, 0, 0, 0, 0, 0), kind: review.FailAuth, words: "invalid x-api-key"},
	} {
		t.Run(tt.file, func(t *testing.T) {
			p := newPerson(t)
			lines, err := os.ReadFile(filepath.Join("testdata", tt.file+".jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			said := got{}
			said.ask(t, p, string(lines), tt.fails)
			var f *review.Failure
			if tt.kind != "" && (!errors.As(said.err, &f) || f.Kind != tt.kind || !strings.Contains(f.Message, tt.words)) || tt.kind == "" && said.err != nil {
				t.Errorf("failure %v, want %s with %q", said.err, tt.kind, tt.words)
			}
			if said.answer.Text != tt.answer || said.text != tt.pane || said.thinking != tt.thinking || !slices.Equal(said.tools, tt.tools) {
				t.Errorf("answer %q\npane %q\nthinking %q\ntools %q", said.answer.Text, said.text, said.thinking, said.tools)
			}
			if said.answer.Usage != tt.usage || (said.retries > 0) != (tt.retries > 0) {
				t.Errorf("usage %+v, %d retries", said.answer.Usage, said.retries)
			}
		})
	}
}

// TestRetriesThatCanNotPass: a program that tries a refused key again and again
// is ended at its first try.
func TestRetriesThatCanNotPass(t *testing.T) {
	p := newPerson(t)
	p.write(t, filepath.Join(p.snapshot, "lines"), `{"type":"system","subtype":"api_retry","attempt":1,"max_retries":10,"retry_delay_ms":591.3,"error_status":401,"error":"authentication_failed"}`+"\n", 0o600)
	s := p.session(t, "cat lines; sleep 600", agent.Clocks{}, jsonLines)
	_, err := s.Ask(t.Context(), agent.Turn{Text: "go"}, func(agent.Update) {})
	var f *review.Failure
	if !errors.As(err, &f) || f.Kind != review.FailAuth {
		t.Errorf("%v", err)
	}
}

// TestPlainLines: pieces of text, and what is no JSON.
func TestPlainLines(t *testing.T) {
	said := got{}
	said.ask(t, newPerson(t), "{\"text\":\"Pa\"}\n{\"text\":\"ss\"}\nnot JSON", false)
	if said.answer.Text != "Passnot JSON" || said.text != said.answer.Text || said.err != nil {
		t.Errorf("%q, pane %q, %v", said.answer.Text, said.text, said.err)
	}
}

func jsonLines(c *command.Config) { c.JSONL = true }

// got is what a person sees of a program's turn.
type got struct {
	answer         agent.Answer
	err            error
	text, thinking string
	tools          []string
	retries        int
}

// ask has a program print some lines and end.
func (g *got) ask(t *testing.T, p *person, lines string, fails bool) {
	t.Helper()
	p.write(t, filepath.Join(p.snapshot, "lines"), lines, 0o600)
	script := "cat lines"
	if fails {
		script += "; exit 1"
	}
	s := p.session(t, script, agent.Clocks{}, jsonLines)
	g.answer, g.err = s.Ask(t.Context(), agent.Turn{Text: "go"}, func(u agent.Update) {
		switch {
		case u.Kind == agent.UpRetrying:
			g.retries++
		case u.Kind == agent.UpTool:
			g.tools = append(g.tools, strings.TrimSpace(u.Tool.Name+" "+u.Tool.Title))
		case u.Kind == agent.UpTextAppend && u.Stream == agent.StreamThinking:
			g.thinking += u.Text
		case u.Kind == agent.UpTextAppend:
			g.text += u.Text
		}
	})
}
