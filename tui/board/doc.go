// Package board is the triage screen: every finding of the panel as a row, the
// one under the cursor in full below or beside it, and the keys by which a
// person accepts, rejects or escalates it.
//
//	event.State --SetState--> items --filter, sort--> rows --> View
//	key --action id--> Do --> event.Command --> Run.Do (in a tea.Cmd)
//
// It never changes a decision by itself: a row changes when the state, folded
// from the journal, says so. The cursor follows the finding, not the row. All
// calls belong to the program's own goroutine; Run is called only in commands.
package board
