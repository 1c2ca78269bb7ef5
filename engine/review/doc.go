// Package review is the vocabulary of mrv as types: severities, labels,
// findings, reports, personas, decisions and the verdict.
//
// It imports nothing of ours, so that every other package can speak the same
// language. It holds no I/O and no state.
//
//	reviewer --> Report --> Finding(s) --> merged entry --> Decision --> Verdict
//
// The grammar of a report is one table (grammar.go) that feeds the prompt, the
// parser (parse.go) and the screen, so that what is asked for, what is
// understood and what is shown can not drift apart.
package review
