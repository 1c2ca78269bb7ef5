// Package diff reads a change and answers questions about its lines: which
// files, which hunks, what is reviewed and what is filtered out and why, which
// risk tier, and where in it a finding stands. It is pure: bytes and callbacks
// in, values out. It imports nothing of ours.
//
//	raw ── Parse ──> Set ── Filter ──> []Choice ── Tier ──> level, reason
//	                  │
//	                  ├── LocateIn(Claim) ──> Place ── Anchor ──> where a forge takes a comment
//	                  └── Write, Patch, NumberedPatch ──> text again
//
// How a diff is read. The text is split into files by counting the lines that
// each hunk's header announces, never by what a line looks like, so that a
// deleted "-- x" is no header. Headers are read here, because the library is
// wrong on some that git writes: binary files whose mode changed, names that
// end with a space, names without prefix. Then sourcegraph/go-diff reads the
// same hunks a second time, and both readings must agree. What does not add up
// is never dropped: a damaged file stays in the Set with Unread saying why,
// and an input that is no plain diff, or more than one, is a *ParseError that
// says what it is and what to pass instead.
//
// Paths are bytes, as git has them: relative, inside the tree, never
// normalised. The lines of a Set share one copy of the input.
package diff
