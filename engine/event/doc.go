// Package event is the language of a run: what happened (Event), what was
// asked (Command), and what is true now (State). State is a pure fold of the
// events that were appended to the journal and of nothing else, so that the
// live screen, resume, replay, headless output and tests are one code path.
//
//	Event, Event, ... --Apply--> State        Command --engine--> Event
//
// It imports review and diff, and does no I/O.
package event
