// Package tui is the screen: it shows a run and carries a person's keys to it.
//
//	Run.Updates --pump, one batch every 33 ms--> model --State.Apply--> screens
//	key --keys.Map--> action --screen.Do--> command --Run.Do, in a tea.Cmd--> Run
//
// The model keeps a State of its own, folded from the events it is sent, and
// nothing else is true for it: no key changes what is shown before its event
// has come back. The model only routes; what is on the screen belongs to the
// screens picker, live, board and outbox, each a component with Update, View, SetSize
// and the ids of the actions it handles.
//
// It must never block in Update, never send into the program from Update or
// View, and never write a foreign string that did not go through tui/text.
package tui
