package command

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/mrv-dev/mrv/engine/agent"
	"github.com/mrv-dev/mrv/engine/review"
)

// line is one JSON line, in the forms that the known programs use: claude -p
// --output-format stream-json --verbose, codex exec --json, gemini
// --output-format stream-json, and a plain {"text": ...}. Recordings of all
// three are in testdata.
type line struct {
	Type    string          `json:"type"`
	Subtype string          `json:"subtype"`
	Text    string          `json:"text"`
	Result  string          `json:"result"`
	IsError bool            `json:"is_error"`
	Status  json.RawMessage `json:"status"`
	Raw     json.RawMessage `json:"content"`
	Role    string          `json:"role"`
	Delta   bool            `json:"delta"`
	Words   json.RawMessage `json:"message"` // claude: an object with content; codex: the words of an error
	Error   json.RawMessage `json:"error"`

	Attempt   int     `json:"attempt"` // of a retry
	DelayMS   float64 `json:"retry_delay_ms"`
	ErrorCode int     `json:"error_status"`

	Item       item            `json:"item"`
	ToolID     string          `json:"tool_id"`
	ToolName   string          `json:"tool_name"`
	Parameters json.RawMessage `json:"parameters"`

	KeySource string  `json:"apiKeySource"`
	CostUSD   float64 `json:"total_cost_usd"`
	Usage     *tokens `json:"usage"`
	Stats     *stats  `json:"stats"`
}

// item is what codex says or does.
type item struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Text    string `json:"text"`
	Command string `json:"command"`
	Output  string `json:"aggregated_output"`
	Status  string `json:"status"`
}

// block is a part of what claude says.
type block struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Thinking string          `json:"thinking"`
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Input    json.RawMessage `json:"input"`
}

// tokens is claude's usage, whose input is without what the cache gave, or
// codex's, whose input is with it.
type tokens struct {
	Input      int64 `json:"input_tokens"`
	Output     int64 `json:"output_tokens"`
	CacheRead  int64 `json:"cache_read_input_tokens"`
	CacheWrite int64 `json:"cache_creation_input_tokens"`
	Cached     int64 `json:"cached_input_tokens"`
	Reasoning  int64 `json:"reasoning_output_tokens"`
}

// stats is gemini's usage.
type stats struct {
	Input  int64 `json:"input"` // without what the cache gave
	Output int64 `json:"output_tokens"`
	Cached int64 `json:"cached"`
}

// reading is what a program's lines add up to.
type reading struct {
	emit   func(agent.Update)
	giveUp func(*review.Failure) // ends the program: it tries again what can not pass

	last    string // its last message
	open    bool   // the next piece of text goes on with it
	result  string // what it calls its result
	trouble string // the error that it told
	source  string // of its key
	usage   review.Usage
}

// readLines reads JSON lines until they end. A line that is no JSON is text.
func readLines(r *bufio.Reader, watch *agent.Watch, d *reading) {
	d.usage.Price = review.PriceUnknown
	for {
		raw, err := r.ReadString('\n')
		if raw != "" {
			watch.Heard()
			var l line
			if json.Unmarshal([]byte(raw), &l) != nil {
				l = line{Text: raw}
			}
			d.take(l)
		}
		if err != nil {
			return
		}
	}
}

// answer is what the program calls its result, else its last message.
func (d *reading) answer() string { return cmp.Or(d.result, d.last) }

func (d *reading) take(l line) {
	switch l.Type {
	case "", "text":
		d.text(l.Text, true)
	case "system": // claude
		d.system(l)
	case "assistant":
		d.blocks(l)
	case "message": // gemini
		var s string
		if l.Role != "user" && json.Unmarshal(l.Raw, &s) == nil {
			d.text(s, l.Delta)
		}
	case "tool_use":
		d.tool(review.Tool{ID: l.ToolID, Name: l.ToolName, Title: titleOf(l.Parameters), Status: "completed", Input: string(l.Parameters)})
	case "item.started", "item.completed": // codex
		d.item(l)
	case "error", "turn.failed":
		d.broken(l)
	case "turn.completed":
		d.spent(l)
	case "result": // claude and gemini
		d.spent(l)
		if s := strings.Trim(string(l.Status), `"`); l.IsError || s == "error" {
			d.trouble = cmp.Or(l.Result, wordsOf(l.Error))
			return
		}
		d.result = l.Result
	}
}

// text adds a piece of the message under way, or a whole message.
func (d *reading) text(s string, piece bool) {
	if s == "" {
		return
	}
	shown := s
	if piece && d.open {
		d.last += s
	} else {
		d.last = s
	}
	if d.open = piece; !piece {
		shown += "\n"
	}
	d.emit(agent.Update{Kind: agent.UpTextAppend, Part: agent.StreamText, Stream: agent.StreamText, Text: shown})
}

func (d *reading) thinking(s string) {
	if s != "" {
		d.emit(agent.Update{Kind: agent.UpTextAppend, Part: agent.StreamThinking, Stream: agent.StreamThinking, Text: s})
	}
}

// tool shows a call; the next text is another message.
func (d *reading) tool(t review.Tool) {
	if d.open {
		d.open = false
		d.emit(agent.Update{Kind: agent.UpTextAppend, Part: agent.StreamText, Stream: agent.StreamText, Text: "\n"})
	}
	d.emit(agent.Update{Kind: agent.UpTool, Tool: t})
}

func (d *reading) blocks(l line) {
	var m struct {
		Model   string  `json:"model"`
		Content []block `json:"content"`
	}
	if json.Unmarshal(l.Words, &m) != nil || m.Model == "<synthetic>" { // an error, worded as an answer; the result tells it
		return
	}
	for _, b := range m.Content {
		switch b.Type {
		case "text":
			d.text(b.Text, false)
		case "thinking":
			d.thinking(b.Thinking)
		case "tool_use":
			d.tool(review.Tool{ID: b.ID, Name: b.Name, Title: titleOf(b.Input), Status: "completed", Input: string(b.Input)})
		}
	}
}

// titleOf is the file or the pattern that a call names.
func titleOf(input json.RawMessage) string {
	var in struct {
		Path    string `json:"file_path"`
		Pattern string `json:"pattern"`
	}
	if json.Unmarshal(input, &in) != nil {
		return ""
	}
	if in.Path != "" {
		return path.Base(in.Path)
	}
	return in.Pattern
}

func (d *reading) item(l line) {
	ended := l.Type == "item.completed"
	switch l.Item.Type {
	case "agent_message":
		if ended {
			d.text(l.Item.Text, false)
		}
	case "reasoning":
		if ended {
			d.thinking(l.Item.Text)
		}
	case "command_execution":
		status := "running"
		if ended {
			status = "completed"
		}
		if l.Item.Status == "failed" {
			status = "error"
		}
		d.tool(review.Tool{ID: l.Item.ID, Name: "exec", Title: l.Item.Command, Status: status, Output: l.Item.Output})
	}
}

// system is claude's word on itself: whose key it uses, and that it tries again.
func (d *reading) system(l line) {
	switch l.Subtype {
	case "init":
		d.source = l.KeySource
	case "api_retry":
		next := time.Now().Add(time.Duration(l.DelayMS) * time.Millisecond)
		d.retry(fmt.Sprintf("%s (%d)", wordsOf(l.Error), l.ErrorCode), l.Attempt, next)
	}
}

// broken is codex's word on an error: it tries again, or has given up.
func (d *reading) broken(l line) {
	words := cmp.Or(wordsOf(l.Words), wordsOf(l.Error))
	if again, ok := strings.CutPrefix(words, "Reconnecting... "); ok {
		attempt := 0
		_, _ = fmt.Sscanf(again, "%d/", &attempt) // without a number it is the zeroth
		d.retry(words, attempt, time.Time{})
		return
	}
	d.trouble = words
}

// retry tells that the program tries again, unless no try can help.
func (d *reading) retry(words string, attempt int, next time.Time) {
	d.emit(agent.Update{Kind: agent.UpRetrying, Text: words, Attempt: attempt, Next: next})
	if f := (&review.Failure{Kind: kindOf(words), Message: words}); f.Kind != review.FailOther && !f.Passing() {
		d.giveUp(f)
	}
}

// spent notes what the program says it used. A price is only told by claude,
// and means nothing to a person who has a subscription.
func (d *reading) spent(l line) {
	switch {
	case l.Stats != nil:
		d.usage = review.Usage{Input: l.Stats.Input, Output: l.Stats.Output, CacheRead: l.Stats.Cached, Price: review.PriceUnknown}
	case l.Usage != nil:
		u := *l.Usage
		d.usage = review.Usage{Input: u.Input - u.Cached, Output: u.Output, Reasoning: u.Reasoning, CacheRead: u.CacheRead + u.Cached,
			CacheWrite: u.CacheWrite, Price: review.PriceUnknown}
		switch {
		case l.Type == "result" && (d.source == "none" || d.source == "oauth"):
			d.usage.Price = review.PriceSubscription
		case l.CostUSD > 0:
			d.usage.Price, d.usage.CostUSD = review.PriceKnown, l.CostUSD
		}
	}
}

// wordsOf reads the words of an error, which are a text or an object with one.
func wordsOf(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var o struct {
		Message string `json:"message"`
	}
	_ = json.Unmarshal(raw, &o) // without a message there are no words
	return o.Message
}
