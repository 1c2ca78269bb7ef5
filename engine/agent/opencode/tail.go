package opencode

import (
	"bytes"
	"strings"
	"sync"
)

// tail keeps the last lines written to it.
type tail struct {
	mu    sync.Mutex
	max   int
	lines []string
	rest  []byte
	line  func(string) // called for every line, may be nil
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rest = append(t.rest, b...)
	for {
		i := bytes.IndexByte(t.rest, '\n')
		if i < 0 {
			return len(b), nil
		}
		l := strings.TrimRight(string(t.rest[:i]), "\r")
		t.rest = t.rest[i+1:]
		if t.lines = append(t.lines, l); len(t.lines) > t.max {
			t.lines = t.lines[1:]
		}
		if t.line != nil {
			t.line(l)
		}
	}
}

// last returns the last n lines.
func (t *tail) last(n int) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(t.lines[max(0, len(t.lines)-n):], "\n")
}
