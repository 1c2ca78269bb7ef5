package tui

import (
	"strings"
	"testing"

	"github.com/mrv-dev/mrv/engine/event"
	"github.com/mrv-dev/mrv/tui/internal/scene"
	"github.com/mrv-dev/mrv/tui/window"
)

// scripts are what people write in, and what terminals disagree about.
var scripts = []string{
	"退款流程里的查询：每次都会读取余额两次。", "हिन्दी में पुनर्भुगतान की राशि", "தமிழ் கோரிக்கையில் தொகை", "ភាសាខ្មែរ ចំនួនទឹកប្រាក់", "ภาษาไทย น้ำ เงิน",
	"العربية مُحَمَّد المبلغ", "עברית שָׁלוֹם", "বাংলা টাকা", "မြန်မာ ငွေ", "한국어 환불", "👨‍👩‍👧 🇨🇳 👍🏽 ❤️ 1️⃣ 🚀", "e\u0301 … — ① │",
}

// Whatever is written in the panes, their borders stand one above the other.
func TestNoRowDrifts(t *testing.T) {
	const width, height = 160, 24
	d := newDesk()
	names := scene.Names(2)
	story := scene.New(plan(2)).Phase(event.PhaseReviewing).Begin(names...)
	for _, n := range names {
		story.Say(n, "p", strings.Join(scripts, "\n")+"\nthat is all")
	}
	d.updates <- story.Next()
	s := begin(t, width, height, Options{Run: d})
	s.Until("has both panes, their borders straight", func(screen string) bool {
		return strings.Count(screen, "that is all") == 2 && straight(s.Window, width, height)
	})
	for _, line := range scripts[1:4] {
		s.See(line)
	}
	s.Press("q", "y")
	if err := s.end(); err != nil {
		t.Error(err)
	}
}

// straight reports whether the borders of two panes side by side stand in
// their columns.
func straight(w *window.Window, width, height int) bool {
	for y := 3; y < height-2; y++ {
		for _, x := range []int{0, width/2 - 1, width / 2, width - 1} {
			if w.Cell(x, y) != "│" {
				return false
			}
		}
	}
	return true
}
