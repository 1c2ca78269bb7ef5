// Package engine joins the rooms: it plans a run, starts agents, keeps the
// clocks, turns what they say into events, obeys commands, and writes what the
// person accepted. It is the only package that knows them all.
//
//	Options -> NewPlan -> Plan -> Start -> Run
//
//	reviewers (one goroutine each)        person
//	     | updates, reports                  | Do(Command)
//	     v                                   v
//	+---------------- loop (one goroutine) -------------+
//	| journal.Append -> State.Apply -> feeds (Updates)  |
//	+---------------------------------------------------+
//
// All that changes a run happens in the loop, in one goroutine; the state is
// the fold of what was appended there and of nothing else.
package engine
