// Package picker is the page on which a person picks a pull request: those
// that wait for their review, their own, and recent ones, each with how its
// review stands.
//
//	Source.List --a section--> rows --Source.Review, four at a time--> states
//	enter --Choice, a message--> whoever opens it
//
// Lists and reviews come in any order and whenever they do; the page shows
// what it has, and keeps it when asking again fails. It opens nothing itself.
package picker
