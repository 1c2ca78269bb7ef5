// Package workspace makes the tree that reviewers may read: the files of one
// commit in a private directory outside any repository, with everything left
// out that could steer, start or trick the agent that reads it.
//
//	work/RUN/        0700, swept once nobody holds its lock
//	  owner.json     the mark that it is ours, and whose
//	  lock           held while the run lives
//	  tree/          the snapshot: its own git repository without a commit
//	    mrv-context/ what mrv adds: patches of the change, context
//
// Blobs are written raw: no checkout, no archive, no attribute, filter or
// hook. What is left out is listed with its reason, never dropped silently.
// It must never write or remove anything outside its own directory, and never
// follow a link.
package workspace
