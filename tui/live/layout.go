package live

// A pane smaller than this shows nothing worth a border.
const (
	minWidth  = 34
	minHeight = 5
)

// rect is a pane's place on the screen, in cells.
type rect struct{ x, y, w, h int }

// layout gives n panes their places in w x h cells. When they do not all fit,
// it gives those of the page on which the focused one is; first says which
// pane has the first place. There is always at least one place.
func layout(n, focus, w, h int) (first int, places []rect) {
	if n == 0 || w < 1 || h < 1 {
		return 0, nil
	}
	count := n
	cols, ok := columns(count, w, h)
	for !ok && count > 1 {
		count--
		cols, ok = columns(count, w, h)
	}
	if !ok {
		cols = 1
	}
	first = focus / count * count
	if n-first < count { // the last page is as full as the others
		first = n - count
	}
	return first, grid(count, cols, w, h)
}

// columns chooses how many panes stand side by side: the way in which a pane
// shows most, and of equals the most side by side, where lines beyond 72 cells and more than 16 rows count for
// nothing, and empty places count against it.
func columns(n, w, h int) (cols int, ok bool) {
	best := 0
	for c := 1; c <= n; c++ {
		rows := (n + c - 1) / c
		pw, ph := w/c, h/rows
		if pw < minWidth || ph < minHeight {
			continue
		}
		if score := min(pw, 72) * min(ph, 16) * n * 100 / (c * rows); score >= best {
			best, cols, ok = score, c, true
		}
	}
	return cols, ok
}

// grid cuts the area into places; cells left over go to the first columns and
// rows, and a last row that is not full is stretched.
func grid(n, cols, w, h int) []rect {
	rows := (n + cols - 1) / cols
	places := make([]rect, 0, n)
	y := 0
	for row := range rows {
		ph := share(h, rows, row)
		inRow := min(cols, n-row*cols)
		x := 0
		for col := range inRow {
			pw := share(w, inRow, col)
			places = append(places, rect{x, y, pw, ph})
			x += pw
		}
		y += ph
	}
	return places
}

func share(total, parts, i int) int {
	n := total / parts
	if i < total%parts {
		n++
	}
	return n
}

// direction is where an arrow key points.
type direction struct{ dx, dy int }

// neighbour is the place next to from in a direction, or from itself: of those
// that lie that way the one that overlaps most, then the nearest.
func neighbour(places []rect, from int, d direction) int {
	at, best, found := places[from], 0, from
	for i, p := range places {
		if i == from || !beyond(at, p, d) {
			continue
		}
		overlap, distance := 0, 0
		if d.dx != 0 {
			overlap = min(at.y+at.h, p.y+p.h) - max(at.y, p.y)
			distance = abs(p.x - at.x)
		} else {
			overlap = min(at.x+at.w, p.x+p.w) - max(at.x, p.x)
			distance = abs(p.y - at.y)
		}
		if overlap <= 0 {
			continue
		}
		if score := overlap*1000 - distance*100000; found == from || score > best {
			best, found = score, i
		}
	}
	return found
}

func beyond(a, b rect, d direction) bool {
	switch {
	case d.dx < 0:
		return b.x+b.w <= a.x
	case d.dx > 0:
		return b.x >= a.x+a.w
	case d.dy < 0:
		return b.y+b.h <= a.y
	}
	return b.y >= a.y+a.h
}

func abs(n int) int { return max(n, -n) }
