// Package outbox is the page before anything leaves: as whom, bound to which
// head, to which places, how each finding lands there and why, and what stays
// behind. Nothing is sent but by a key on this page.
//
//	Run.Landing (in a tea.Cmd) --> destinations, ticked --send--> event.Command export
//	event.State --> counts of what is undecided, what was written
package outbox
