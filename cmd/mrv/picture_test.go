package main

import (
	"flag"
	"image/color"
	"os"
	"path/filepath"
	"testing"

	"github.com/mrv-dev/mrv/engine/agent/replay"
	"github.com/mrv-dev/mrv/engine/journal"
	"github.com/mrv-dev/mrv/tui/window"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestPicturesOfTheREADME draws the real screen over the recorded run, cell by
// cell, and compares it with the pictures that are committed:
//
//	go test ./cmd/mrv -run TestPictures -update
func TestPicturesOfTheREADME(t *testing.T) {
	dark, light := color.RGBA{0x16, 0x18, 0x1d, 0xff}, color.RGBA{0xfa, 0xfa, 0xf7, 0xff}
	pale, ink := color.RGBA{0xd8, 0xdb, 0xe2, 0xff}, color.RGBA{0x24, 0x26, 0x2b, 0xff}
	for _, c := range []struct {
		name, theme string
		fg, bg      color.Color
		keys        []string
		see         string
	}{
		{"live-dark", "dark", pale, dark, nil, "4/4 done"},
		{"board-dark", "dark", pale, dark, []string{"tab"}, "undecided"},
		{"board-light", "light", ink, light, []string{"tab"}, "undecided"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			h, _, err := journal.Parse("the recording", replay.Demo())
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(p.home, ".local/state/mrv/runs/local/-/-", h.Run+".jsonl")
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, replay.Demo(), 0o600); err != nil {
				t.Fatal(err)
			}
			s := window.Start(t, p.command("replay", h.Run, "--speed", "0", "--theme", c.theme), 132, 38)
			s.See("4/4 done")
			s.Press(c.keys...)
			s.See(c.see)
			picture := func() string { return s.SVG("mrv: "+c.name, c.fg, c.bg) }
			golden := filepath.Join("..", "..", "testdata", "screens", c.name+".svg")
			if *update {
				s.Settle()
				if err := os.WriteFile(golden, []byte(picture()), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			s.Until("looks like "+golden+"; look at it, then: go test ./cmd/mrv -run TestPictures -update", func(string) bool { return picture() == string(want) })
		})
	}
}
