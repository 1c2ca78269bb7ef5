// Package live is the screen of the reviewers at work: a grid of panes, one a
// reviewer, each with what it does, says and costs; one of them on the whole
// screen; and the keys that steer them.
//
//	event.State --SetState--> panes --body, frame--> rows --joined--> View
//
// Text is wrapped where it grows only, painted lines are kept, and the grid is
// joined by hand: with eight reviewers streaming this is what the screen costs.
// All calls belong to the program's own goroutine; the run is asked only in
// commands.
package live
