package tui

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/tui/internal/scene"
)

// tokens are what the reviewers of a benchmark say, one after the other.
var tokens = []string{
	"The ", "handler ", "copies ", "金额 ", "from ", "the ", "request ", "body, ", "所以", "调用方", "可以 ", "refund ", "more ", "than ", "was ", "paid. ",
	"See ", "`api/refund.go:88` ", "—", " 退款流程里的查询：", "每次都会读取余额两次，", "no ", "index.\n", "- **Judgment:** ", "must ", "fix ", "🚀", "\n",
}

// BenchmarkFrame is what one frame costs while eight reviewers stream 500
// tokens a second each, in English and Chinese, at 160x48: folding what came in
// 33 ms, and drawing.
func BenchmarkFrame(b *testing.B) {
	names := scene.Names(8)
	m := shown(b, Options{Run: newDesk()}, 160, 48)
	s := scene.New(plan(8)).Phase(event.PhaseReviewing).Begin(names...)
	n := 0
	stream := func(each int) { // one event each: text is gathered before it is journaled
		for _, name := range names {
			var said strings.Builder
			for range each {
				said.WriteString(tokens[n%len(tokens)])
				n++
			}
			s.Say(name, "p", said.String())
			n++ // the reviewers do not say the same
		}
	}
	for range 200 {
		stream(10)
	}
	m.Update(batchMsg(s.Next()))
	m.View()
	for b.Loop() {
		b.StopTimer()
		stream(17)
		batch := batchMsg(s.Next())
		b.StartTimer()
		m.Update(batch)
		m.View()
	}
}

// BenchmarkKey is a key that moves the focus among eight panes full of text.
func BenchmarkKey(b *testing.B) {
	names := scene.Names(8)
	m := shown(b, Options{Run: newDesk()}, 160, 48)
	s := scene.New(plan(8)).Phase(event.PhaseReviewing).Begin(names...)
	for i := range 2000 {
		for _, name := range names {
			s.Say(name, "p", tokens[i%len(tokens)])
		}
	}
	m.Update(batchMsg(s.Next()))
	for b.Loop() {
		m.Update(tea.KeyPressMsg{Code: tea.KeyRight})
		m.View()
	}
}

// BenchmarkScreen is the whole program for ten seconds while eight reviewers
// stream 500 tokens a second each at 160x48, and a person presses keys. It
// reports the cores used, with the writing of the events in them, the bytes of
// a frame, how long a key takes to the screen, and the bytes of text lost.
func BenchmarkScreen(b *testing.B) {
	for b.Loop() {
		streamTen(b)
	}
}

func streamTen(b *testing.B) {
	in, keyboard, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	defer in.Close()
	defer keyboard.Close()
	out := newMarks()
	d := newDesk()
	var m *model
	ended := make(chan error, 1)
	env := []string{"TERM=xterm-256color", "COLORTERM=truecolor", "LANG=en_US.UTF-8", "CLICOLOR_FORCE=1"}
	go func() {
		var err error
		m, err = show(b.Context(), Options{Run: d, In: in, Out: out, Env: env, Width: 160, Height: 48})
		ended <- err
	}()
	names := scene.Names(8)
	s := scene.New(plan(8)).Phase(event.PhaseReviewing).Begin(names...)
	d.updates <- s.Next()
	before, start := cpu(b), time.Now()
	var took []time.Duration
	said, n := 0, 0
	for t := range time.NewTicker(33 * time.Millisecond).C {
		if t.Sub(start) > 10*time.Second {
			break
		}
		for _, name := range names {
			var words strings.Builder
			for range 17 {
				words.WriteString(tokens[n%len(tokens)])
				n++
			}
			n++
			said += words.Len()
			s.Wait(4).Say(name, "p", words.String())
		}
		d.updates <- s.Next()
		if n%5 == 0 {
			took = append(took, out.after(keyboard, "M", "\x1b[?25h"), out.after(keyboard, "\r", "\x1b[?25l"))
		}
	}
	wall := time.Since(start)
	used := cpu(b) - before
	written, frames := out.written()
	d.updates <- s.Status(event.StatusDone, names...).Phase(event.PhaseTriage).Next()
	close(d.updates)
	if _, err := keyboard.WriteString("qy"); err != nil { // yes, should it be asked
		b.Fatal(err)
	}
	if err := <-ended; err != nil {
		b.Fatal(err)
	}
	kept := 0
	for _, r := range m.state.Reviewers {
		kept += int(r.TextBytes)
	}
	slices.Sort(took)
	b.ReportMetric(used.Seconds()/wall.Seconds(), "cores")
	b.ReportMetric(float64(written)/float64(frames), "B/frame")
	b.ReportMetric(float64(frames)/wall.Seconds(), "frames/s")
	b.ReportMetric(float64(took[len(took)/2])/1e6, "key-p50-ms")
	b.ReportMetric(float64(took[len(took)*95/100])/1e6, "key-p95-ms")
	b.ReportMetric(float64(said-kept), "lost-B")
}

func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// marks is a terminal that counts and waits for a sequence.
type marks struct {
	mu     sync.Mutex
	bytes  int
	frames int
	want   string
	seen   chan time.Time
}

func newMarks() *marks { return &marks{seen: make(chan time.Time, 1)} }

func (x *marks) Write(p []byte) (int, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.bytes += len(p)
	x.frames++
	if x.want != "" && bytes.Contains(p, []byte(x.want)) {
		x.want = ""
		x.seen <- time.Now()
	}
	return len(p), nil
}

// after presses a key and says how long the sequence took to come.
func (x *marks) after(keyboard *os.File, key, want string) time.Duration {
	x.mu.Lock()
	x.want = want
	x.mu.Unlock()
	pressed := time.Now()
	if _, err := keyboard.WriteString(key); err != nil {
		return patience
	}
	select {
	case at := <-x.seen:
		return at.Sub(pressed)
	case <-time.After(patience):
		return patience
	}
}

const patience = 5 * time.Second

func (x *marks) written() (bytes, frames int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.bytes, x.frames
}
