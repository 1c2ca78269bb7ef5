// Package inbox is the hand-off to a coding agent and back: the files below
// .ai/reviews in a clone of the reviewed repository.
//
//	<stem>.md             what to do; written by mrv only
//	<stem>.json           the same for scripts, by the schema of package document
//	<stem>.answers.jsonl  what the agent did; append-only
//	latest.md, .json      copies of what was written last
//	.gitignore            "*", so that none of it is committed
//
// Files are 0600 in a 0700 folder and replaced whole. Nothing is read or
// written through a symbolic link. What the reviewed repository itself tracks
// below .ai/reviews is no inbox: it is ignored, and said.
package inbox
