// Package text is the one door through which foreign text reaches the
// terminal: model output, diffs, file names, titles, persona names, errors.
//
//	raw --Clean, Line or Visible--> plain text --Wrap, Cut, Pad--> cells --Even--> terminal
//
// What comes out of Clean, Line and Visible has no control character but the
// newline, no bidi or zero-width character and no cluster about whose width
// terminals disagree. Widths are counted in cells, by x/ansi alone: other
// counters change with the locale. It knows nothing of screens or runs.
package text
