// Package journal keeps a run's events in a file of JSON lines, and is the only
// place that writes it. One writer at a time, guarded by a lock beside the
// file; readers take no lock.
//
//	{"schema":"mrv.journal","v":1,"mrv":"0.1.0","run":"20261130-210501-ab12"}
//	{"seq":1,"t_ms":0,"wall":"...","kind":"run.planned","v":1,"data":{...}}
//	...
//
// A torn last line (the process was killed while writing) is dropped. Events
// of an unknown kind are kept. A journal of a higher version is refused; an
// older one is lifted by the table in lift.go.
package journal
