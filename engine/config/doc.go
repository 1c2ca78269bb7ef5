// Package config holds the values that can be set and where each came from.
//
// There are two files. The person's ($XDG_CONFIG_HOME/mrv/config.yaml) may set
// anything about providers, models, commands and the screen; the project's
// (.mrv/config.yaml, read from the base branch by the caller) may set what is
// reviewed and how. Precedence: flag, environment (MRV_*), person, project,
// built-in; except gate, blocking and publishers, which are the project's.
// Unknown keys are errors that name file, line and the nearest known key.
package config
