package config

import _ "embed"

//go:embed person.yaml
var personExample string

//go:embed project.yaml
var projectExample string

// PersonExample is the person's file with every key in it, commented out.
func PersonExample() string { return personExample }

// ProjectExample is the project's file with every key in it, commented out.
func ProjectExample() string { return projectExample }
