// Package diff reads a change and answers questions about its lines: which
// files, which hunks, what is read and what is filtered out and why, which
// risk tier, and where in it a finding stands. It imports nothing of ours.
//
//	raw bytes -> Parse -> Set -> Filter -> Tier
//	                       \-> Locate (path, lines, quote -> Place)
package diff
