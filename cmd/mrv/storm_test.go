package main

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// TestAStormOfSizesInTmux: the window is dragged about while four reviewers
// stream, as fast as tmux takes it; the program goes on and draws what is left.
func TestAStormOfSizesInTmux(t *testing.T) {
	p := newPlace(t)
	x := startTmux(t, p, 80, 24, "tui", "--demo", "--speed", "2")
	x.wait("quality-1")
	r := rand.New(rand.NewPCG(1, 7))
	for range 60 {
		x.tmux("resize-window", "-x", strconv.Itoa(1+r.IntN(300)), "-y", strconv.Itoa(1+r.IntN(100)))
	}
	x.tmux("resize-window", "-x", "1", "-y", "1")
	x.tmux("resize-window", "-x", "100", "-y", "30")
	x.wait("4/4 done", "quality-1", "architecture-1")
	x.keys("Tab")
	x.wait("11 of 11 undecided", "accept")
	x.until("is drawn whole", func(s string) bool {
		lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
		return len(lines) == 30 && strings.HasPrefix(lines[0], "demo") && strings.Contains(lines[29], "? help")
	})
	x.keys("q", "y")
	if code := x.ended(p); code != "0" {
		t.Errorf("exit %s", code)
	}
}
