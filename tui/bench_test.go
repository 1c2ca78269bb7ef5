package tui

import (
	"strings"
	"testing"

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
