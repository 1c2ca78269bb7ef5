// Package plain is the screen read line by line: for screen readers and for
// terminals that can do nothing but print. It says what happens as it happens
// and takes one command a line.
//
//	events --State.Apply--> a line of progress, or the finding in hand
//	line   --command or answer--> command --Run.Do--> event
//
// Its board is board.Board: the same findings in the same order, the same
// questions and the same rules. It writes no escape sequence.
package plain
