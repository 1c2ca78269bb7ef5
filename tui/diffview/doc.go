// Package diffview shows hunks of a change: numbers of both sides, the lines a
// finding is about, syntax colours and what changed within a line.
//
//	diff.File --Highlight (in a command)--> Paint --+
//	diff.Hunk --Extend (more context)---------------+--> Rows --> lines of the screen
//
// Highlight costs some 70 us a line: it is for a command, and its result is
// kept. Rows is cheap enough for a screen that draws only what it shows. Both
// are pure. What a file contains is hostile: every control character is shown,
// none is passed on.
package diffview
