package command

import (
	"strings"
	"sync"
	"unicode/utf8"
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
