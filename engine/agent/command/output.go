package command

import (
	"bufio"
	"encoding/json"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/mrv-dev/mrv/engine/agent"
)

// tailBytes is how much of the error output is kept.
const tailBytes = 1 << 10

// tail keeps the end of what is written to it.
type tail struct {
	mu  sync.Mutex
	max int
	b   []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, b...)
	if n := len(t.b) - t.max; n > 0 {
		t.b = t.b[n:]
	}
	return len(b), nil
}

// String is what was kept, valid and without control characters but line ends.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' || r == 0x7f {
			return -1
		}
		return r
	}, strings.ToValidUTF8(string(t.b), ""))
}

// wholeRunes splits off the bytes of a rune at the end that is not whole yet.
func wholeRunes(b []byte) (whole string, rest []byte) {
	for i := 1; i <= min(len(b), utf8.UTFMax-1); i++ {
		c := b[len(b)-i]
		if utf8.RuneStart(c) {
			if !utf8.FullRune(b[len(b)-i:]) {
				return string(b[:len(b)-i]), b[len(b)-i:]
			}
			break
		}
	}
	return strings.ToValidUTF8(string(b), "\uFFFD"), nil
}

// line is one JSON line, in the forms that the known programs use:
// claude --output-format stream-json, codex exec --json, gemini
// --output-format stream-json, and a plain {"text": ...}.
type line struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	Result  string          `json:"result"`
	Raw     json.RawMessage `json:"content"`
	Role    string          `json:"role"`
	Delta   json.RawMessage `json:"delta"`
	Message struct {
		Content []struct {
			Type     string `json:"type"`
			Text     string `json:"text"`
			Thinking string `json:"thinking"`
		} `json:"content"`
	} `json:"message"`
	Item struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"item"`
}

// said is what a line says, and whether it is thinking.
func (l line) said() (text string, thinking bool) {
	switch {
	case l.Type == "assistant": // claude
		var b strings.Builder
		for _, c := range l.Message.Content {
			if c.Type == "text" {
				b.WriteString(c.Text)
			}
		}
		if b.Len() > 0 {
			return b.String(), false
		}
		for _, c := range l.Message.Content {
			b.WriteString(c.Thinking)
		}
		return b.String(), true
	case l.Type == "item.completed" && l.Item.Type == "agent_message": // codex
		return l.Item.Text, false
	case l.Type == "item.completed" && l.Item.Type == "reasoning":
		return l.Item.Text, true
	case l.Type == "message" && l.Role != "user": // gemini
		var s string
		if json.Unmarshal(l.Raw, &s) == nil {
			return s, false
		}
	case l.Type == "" || l.Type == "text":
		return l.Text, false
	}
	return "", false
}

// joins reports whether a message goes on where the one before ended.
func (l line) joins() bool { return string(l.Delta) == "true" || l.Type == "" || l.Type == "text" }

// readLines reads JSON lines. The answer is what the program calls its result,
// else its last message. A line that is no JSON is text.
func readLines(r *bufio.Reader, watch *agent.Watch, emit func(agent.Update)) string {
	last, result := "", ""
	for {
		raw, err := r.ReadString('\n')
		if raw != "" {
			watch.Heard()
			var l line
			if json.Unmarshal([]byte(raw), &l) != nil {
				l = line{Type: "text", Text: raw}
			}
			if l.Type == "result" && l.Result != "" {
				result = l.Result
			}
			if text, thinking := l.said(); text != "" {
				stream := agent.StreamText
				switch {
				case thinking:
					stream = agent.StreamThinking
				case l.joins():
					last += text
				default:
					last = text
					text += "\n"
				}
				emit(agent.Update{Kind: agent.UpTextAppend, Part: stream, Stream: stream, Text: text})
			}
		}
		if err != nil {
			if result != "" {
				return result
			}
			return last
		}
	}
}
