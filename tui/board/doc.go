// Package board is the triage screen: every finding of the panel as a row, the
// one under the cursor in full below or beside it, and the keys by which a
// person accepts, rejects or escalates it.
//
//	event.State --SetState--> items --filter, sort--> rows --> View
//	key --action id--> Do --ask--> event.Command --> Run.Do (in a tea.Cmd)
//
//	board update          the state taken in, keys and answers routed
//	order filter find move   which rows, in which order, and the cursor
//	view row detail sheet evidence history hunk overlay   drawing
//	decide bulk talk ask form editor open   what a person does to a finding
//	flag                  text that may be an attack on its next reader
//	change lists coverage   the pages in the place of the rows
//	linear                the same, read and answered line by line
//
// In the place of the rows the board can show the detail alone, the whole
// change with the findings in place, what is not on the board and why, or which
// reviewer looked at which file.
//
// It never changes a decision by itself: a row changes when the state, folded
// from the journal, says so. The cursor follows the finding, not the row. All
// calls belong to the program's own goroutine; Run is called only in commands.
package board
