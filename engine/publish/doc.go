// Package publish does every write to a forge, and the reading that goes with
// it. It imports no agent: no model ever holds this power.
//
//	Look (read: head, viewer, what is there) -> Facts
//	Plan (pure: document, change, facts)     -> Planned: where each finding lands, and why
//	Send (write: review, files, summary)     -> Sent, read back and compared
//	Pull (read: the trusted summary)         -> document.Document
//
// Nothing is sent to a head that moved, onto a line whose text differs from
// what was reviewed, or twice. What can not be posted where it was planned goes
// into the summary; nothing is lost.
package publish
