// Package merge is the coordinator without its model: it puts the findings of
// all reviewers together so that each problem stands once, with everyone's word
// kept and nothing lost. It does no I/O.
//
//	findings --cluster--> groups --policy--> entries --judge's answer--> entries
//
// The parts, each a pure function of its input:
//
//	text.go, concept.go      words of a finding and what they stand for
//	vocabulary.go, stem.go   how much each says
//	similar.go, neighbour.go how likely two findings are about one problem
//	cluster.go, parts.go     average linkage within blocks, on all processors
//	constraint.go            what people decided, joined and split stays so
//	policy.go                what an entry says of its sources
//	judge.go, answer.go      the model's question and what may come back
//	memory.go                decisions of earlier runs
//	items.go, sarif.go       findings of other tools
//
// Whatever the input, every finding is in exactly one entry, and neither the
// order of the findings nor the time of day changes the result.
package merge
