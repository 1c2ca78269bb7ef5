package window

import (
	"bytes"
	"time"
)

// FrameEnd closes a frame of a program that draws in one go: the end of a
// synchronised update, which the emulator takes part in.
const FrameEnd = "\x1b[?2026l"

// Output is every byte the program wrote.
func (x *Window) Output() []byte {
	x.mu.Lock()
	defer x.mu.Unlock()
	return bytes.Clone(x.raw.Bytes())
}

// Written is how many bytes in how many frames the program has written so far.
func (x *Window) Written() (size, frames int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.raw.Len(), x.frames
}

// Slow makes the window one at the end of a slow line, which takes so many
// bytes a second.
func (x *Window) Slow(bytes int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.line = bytes
}

// piece is how much to read at once: of a slow line what it brings in a
// moment, once that moment has passed.
func (x *Window) piece(buf []byte) []byte {
	const moment = 5 * time.Millisecond
	x.mu.Lock()
	line := x.line
	x.mu.Unlock()
	if line == 0 {
		return buf
	}
	time.Sleep(moment)
	return buf[:max(line*int(moment)/int(time.Second), 1)]
}

// After presses a key and says how long it took until the program had written
// want.
func (x *Window) After(key, want string) time.Duration {
	x.t.Helper()
	x.mu.Lock()
	from := x.raw.Len()
	x.mu.Unlock()
	limit := time.After(patience)
	pressed := time.Now()
	x.Press(key)
	for {
		x.mu.Lock()
		seen, changed := bytes.Contains(x.raw.Bytes()[from:], []byte(want)), x.changed
		x.mu.Unlock()
		if seen {
			return time.Since(pressed)
		}
		select {
		case <-changed:
		case <-x.done:
			x.t.Fatalf("the program ended before it wrote %q", want)
		case <-limit:
			x.t.Fatalf("%s never brought %q", key, want)
		}
	}
}
