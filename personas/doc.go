// Package personas holds the roles that reviewers play and reads them from
// YAML: the built-in ones, embedded from the files beside this one, those of
// the person and those of the project.
//
//	*.yaml (embedded) --+
//	person's *.yaml ----+--> Merge --> ParseTeam "quality:1,security:2" --> reviewers
//	project's *.yaml ---+              (a project's name model tiers only)
//
// A file that is wrong is an error with its line, never a persona left out: a
// reviewer that is missing without a word would be a review that looks whole.
package personas
