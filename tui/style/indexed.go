package style

import (
	"image/color"
	"math"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
)

// indexed is the colour of a terminal of 256 that comes next to #rrggbb, and is
// no darker, or no lighter, than it: an ink is rounded away from its ground and a
// ground away from its ink, so that a text is as easy to read as the theme has it.
// Another way to name a colour stays as it is.
func indexed(name string, lighter bool) string {
	if !strings.HasPrefix(name, "#") {
		return name
	}
	want := lipgloss.Color(name)
	light := luminance(want)
	best, at := math.MaxFloat64, -1
	for i := 16; i < 256; i++ { // those below are the person's own
		have := palette(i)
		if l := luminance(have); lighter && l < light || !lighter && l > light {
			continue
		}
		if d := distance(want, have); d < best {
			best, at = d, i
		}
	}
	if at < 0 {
		return name
	}
	return strconv.Itoa(at)
}

// palette is a colour of xterm's 256, from 16 on: a cube of six steps, and greys.
func palette(i int) color.RGBA {
	if i >= 232 {
		v := uint8(8 + 10*(i-232))
		return color.RGBA{v, v, v, 0xff}
	}
	step := func(n int) uint8 {
		if n %= 6; n > 0 {
			return uint8(55 + 40*n)
		}
		return 0
	}
	i -= 16
	return color.RGBA{step(i / 36), step(i / 6), step(i), 0xff}
}

// distance weighs the three parts as the eye does, roughly.
func distance(a, b color.Color) float64 {
	ar, ag, ab, _ := a.RGBA()
	br, bg, bb, _ := b.RGBA()
	off := func(x, y uint32) float64 { d := float64(x>>8) - float64(y>>8); return d * d }
	return 2*off(ar, br) + 4*off(ag, bg) + 3*off(ab, bb)
}

// luminance is WCAG 2's relative luminance.
func luminance(c color.Color) float64 {
	r, g, b, _ := c.RGBA()
	linear := func(v uint32) float64 {
		x := float64(v>>8) / 255
		if x <= 0.03928 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}
