// Package document turns the state of a run into one value, Document, and that
// value into everything that leaves mrv:
//
//	event.State --Build--> Document --> Inbox     Markdown for a coding agent
//	                                --> Comment   Markdown for a pull request
//	                                --> JSON      mrv review --json, the inbox's twin (schema.json)
//	                                --> SARIF     2.1.0
//
// It does no I/O. Secrets are masked in the value itself; whatever becomes
// Markdown goes through Neutralise, and text that a model wrote stands behind
// ">" only.
package document
