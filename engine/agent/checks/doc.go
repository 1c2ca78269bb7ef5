// Package checks is the reviewer without a model: it answers with a report
// made from the deterministic rules of its persona (review.Check) over the
// added lines of the change. No network, no clock, no randomness: the same
// change gets the same report.
//
//	persona's checks + diff.Set --> Run --> hits --> report in the grammar's form
//
// The report is text like any reviewer's, so that one parser reads them all.
package checks
