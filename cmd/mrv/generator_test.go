package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// tokens are what the generator says, one after the other.
var tokens = []string{
	"The ", "handler ", "copies ", "金额 ", "from ", "the ", "request ", "body, ", "所以", "调用方", "可以 ", "refund ", "more ", "than ", "was ", "paid. ",
	"See ", "`api/refund.go:88` ", "—", " 退款流程里的查询：", "每次都会读取余额两次，", "no ", "index.\n", "- **Judgment:** ", "must ", "fix ", "🚀", "\n",
}

// generator is an endpoint whose model never comes to an end: it says so many
// tokens a second to everybody who asks, as long as it is told to.
type generator struct {
	*httptest.Server
	quit chan struct{}

	mu     sync.Mutex
	rate   int    // tokens a second for each, 0 = silence
	size   int    // tokens in one event of the stream
	field  string // of the stream: the answer or the thinking
	said   [][]string
	bytes  int64
	left   int64 // bytes to say before it falls silent, when there is an end
	limits bool
}

func newGenerator(b *testing.B) *generator {
	g := &generator{quit: make(chan struct{}), size: 1, field: "content"}
	g.Server = httptest.NewServer(http.HandlerFunc(g.answer))
	b.Cleanup(func() {
		close(g.quit)
		g.Close()
	})
	return g
}

// answer streams as the OpenAI-compatible servers do.
func (g *generator) answer(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	g.mu.Lock()
	who := len(g.said)
	g.said = append(g.said, nil)
	g.mu.Unlock()
	const beat = 33 * time.Millisecond
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	owed := 0.0
	for n := who * 7; ; {
		for _, piece := range g.next(who, &n, &owed, beat) {
			raw, err := json.Marshal(map[string]any{"id": "1", "object": "chat.completion.chunk", "choices": []any{map[string]any{"index": 0, "delta": map[string]string{g.field: piece}}}})
			if err != nil {
				return
			}
			if _, err := fmt.Fprintf(w, "data: %s\n\n", raw); err != nil {
				return
			}
		}
		w.(http.Flusher).Flush()
		select {
		case <-ticker.C:
		case <-r.Context().Done():
			return
		case <-g.quit:
			return
		}
	}
}

// next is what is said in one beat.
func (g *generator) next(who int, n *int, owed *float64, beat time.Duration) []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	*owed += float64(g.rate) * beat.Seconds()
	if g.rate == 0 {
		*owed = 0
	}
	var out []string
	for *owed >= float64(g.size) && !(g.limits && g.left <= 0) {
		var piece strings.Builder
		for range g.size {
			piece.WriteString(tokens[*n%len(tokens)])
			*n++
		}
		*owed -= float64(g.size)
		out = append(out, piece.String())
		g.bytes += int64(piece.Len())
		g.left -= int64(piece.Len())
	}
	if !g.limits {
		g.said[who] = append(g.said[who], out...)
	}
	return out
}

// set changes how many tokens a second everybody hears.
func (g *generator) set(rate int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.rate = rate
}

// upTo has everybody hear text as fast as they take it, until size bytes were
// said in all.
func (g *generator) upTo(size int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.rate, g.size, g.field, g.limits, g.left = 400_000, 500, "reasoning_content", true, size-g.bytes
}

// heard is how many ask, and how many bytes they were told.
func (g *generator) heard() (listeners int, bytes int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.said), g.bytes
}
