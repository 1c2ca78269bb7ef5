package window

import (
	"fmt"
	"image/color"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
)

// Size of a cell in the picture, in pixels; the font's advance is forced to it
// so that every glyph stands in its cell, wide ones in two.
const (
	cellWidth  = 9.0
	cellHeight = 19.0
	fontSize   = 15
	margin     = 12.0
)

// SVG draws the screen as it is now, cell by cell, with the colours the
// program chose. The same screen gives the same bytes.
func (x *Window) SVG(title string, foreground, background color.Color) string {
	x.mu.Lock()
	defer x.mu.Unlock()
	w, h := x.emu.Width(), x.emu.Height()
	var b strings.Builder
	width, height := float64(w)*cellWidth+2*margin, float64(h)*cellHeight+2*margin
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" role="img" aria-label="%s">`+"\n",
		width, height, width, height, escape(title))
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", hex(background))
	fmt.Fprintf(&b, `<g font-family="DejaVu Sans Mono, Menlo, Consolas, Noto Sans Mono CJK SC, monospace" font-size="%d">`+"\n", fontSize)
	for y := range h {
		x.row(&b, y, w, foreground, background)
	}
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}

// run is a stretch of cells that look the same.
type run struct {
	x, cells int
	text     string
	style    uv.Style
}

func (x *Window) row(b *strings.Builder, y, w int, foreground, background color.Color) {
	var runs []run
	for col := 0; col < w; {
		c := x.emu.CellAt(col, y)
		if c == nil || c.Width == 0 {
			col++
			continue
		}
		text := c.Content
		if text == "" {
			text = " "
		}
		n := len(runs)
		if c.Width == 1 && n > 0 && runs[n-1].style.Equal(&c.Style) && len([]rune(runs[n-1].text)) == runs[n-1].cells && len([]rune(text)) == 1 {
			runs[n-1].text += text
			runs[n-1].cells++
		} else {
			runs = append(runs, run{x: col, cells: c.Width, text: text, style: c.Style})
		}
		col += c.Width
	}
	for _, r := range runs {
		r.draw(b, y, foreground, background)
	}
}

func (r run) draw(b *strings.Builder, y int, foreground, background color.Color) {
	fg, bg := r.style.Fg, r.style.Bg
	if fg == nil {
		fg = foreground
	}
	if r.style.Attrs&uv.AttrReverse != 0 {
		if bg == nil {
			bg = background
		}
		fg, bg = bg, fg
	}
	x, top := margin+float64(r.x)*cellWidth, margin+float64(y)*cellHeight
	if bg != nil {
		fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`+"\n", x, top, float64(r.cells)*cellWidth, cellHeight, hex(bg))
	}
	if strings.TrimSpace(r.text) == "" {
		return
	}
	var attrs strings.Builder
	if r.style.Attrs&uv.AttrBold != 0 {
		attrs.WriteString(` font-weight="bold"`)
	}
	if r.style.Attrs&uv.AttrItalic != 0 {
		attrs.WriteString(` font-style="italic"`)
	}
	if r.style.Attrs&uv.AttrFaint != 0 {
		attrs.WriteString(` opacity="0.6"`)
	}
	if r.style.Underline != 0 {
		attrs.WriteString(` text-decoration="underline"`)
	}
	text := strings.TrimRight(r.text, " ")
	lead := len(text) - len(strings.TrimLeft(text, " "))
	text = text[lead:]
	cells := min(r.cells, len([]rune(strings.TrimRight(r.text, " "))))
	if r.cells == 2 && len([]rune(r.text)) == 1 {
		cells = 2
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" fill="%s" textLength="%.1f" lengthAdjust="spacingAndGlyphs" xml:space="preserve"%s>%s</text>`+"\n",
		x+float64(lead)*cellWidth, top+cellHeight-5, hex(fg), float64(cells-lead)*cellWidth, attrs.String(), escape(text))
}

func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

var escapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

func escape(s string) string { return escapes.Replace(s) }
